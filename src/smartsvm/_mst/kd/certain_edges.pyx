"""Edges that are certain before Boruvka's first round: most of a tree in low dimension.

Lists of nearest neighbours certify them in one set (local_forests.h), all edges up to
a radius between two (near_edges.h). Only where all points are distinct: elsewhere the
rounds read the lists, or know the edges of masses of ties.
"""
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from smartsvm._mst.kd.graph cimport Graph, Side
from smartsvm._mst.kd.tree cimport KDTree
from smartsvm._mst.kd.known_edges cimport new_query

cdef extern from "kd/neighbor_lists.h" nogil:
    enum: MOST_NEIGHBORS
    void list_neighbors(
        const Side *side, Py_ssize_t lo, Py_ssize_t hi, double *lengths, double *q
    )

cdef extern from "kd/certify_by_lists.h" nogil:
    void start_part(const KDTree *tree, Py_ssize_t lo, Py_ssize_t hi, LocalPart *part)
    bint join_part(
        const Graph *graph, const Side *side, LocalPart *part, const double *lengths,
        uint32_t *parent, uint32_t *taken, double *taken_length, double *q,
    )
    Py_ssize_t join_rest(
        const Graph *graph, const Side *side, LocalPart *parts, Py_ssize_t n_parts,
        size_t n_components, uint32_t *parent, uint32_t *taken, double *taken_length,
    )

cdef extern from "kd/certify_by_radius.h" nogil:
    bint list_near(
        const Side *own, const Side *other, Py_ssize_t lo, Py_ssize_t hi, double *radius,
        NearEdges *found, double *q,
    )
    Py_ssize_t join_near(
        const Graph *graph, const NearEdges *near, Py_ssize_t n_near, const uint32_t *known,
        const double *known_length, const uint32_t *alive, size_t n_alive, const double *radius,
        size_t n, uint32_t *parent, uint32_t *taken, double *taken_length,
    )
    void settle_near(
        const Graph *graph, const NearEdges *near, Py_ssize_t n_near, const double *radius,
        size_t n,
    )

cdef enum:
    NODES_IN_A_CHUNK = 1 << 8
    # About 5,000 sites: what is known of them fits into a cache.
    NODES_IN_A_PART = 1 << 10
    # Beyond it the near edges of two sets do not.
    LARGE_PAIR = 1 << 17


cdef class CertainEdges(KnownEdges):
    """Known edges, neighbour lists, and what they certify."""

    def __init__(self, first, second, seed, n_trees):
        super().__init__(first, second, seed, n_trees)
        self.neighbors = None

    def __dealloc__(self):
        cdef Py_ssize_t p
        if self.near != NULL:
            for p in range(self.n_near):
                free(self.near[p].edges)
            free(self.near)

    cdef join_certain(self, bint first_tree):
        """Join what is certain at the start of a tree, where nothing but equal points is joined."""
        cdef bint listing = False
        if self.n_neighbors > 0 and self.neighbors is None and self.tied_bound is None:
            if first_tree and self.has_many_ties(<int> self.n_neighbors - 1):
                self.know_ties()
            elif self.sides[0].tree.n_sites > 1:
                self._lay_out_lists()
                listing = True
        if self.largest_site > 1:
            if listing:
                self.run(self._list_neighbors, self.n_nodes, NODES_IN_A_CHUNK)
        elif self.neighbors is not None:
            self._join_lists(listing)
        elif self.n_sides == 2 and self.n_units <= LARGE_PAIR:
            if self.near == NULL:
                self._find_near()
            self._join_near()

    cdef _lay_out_lists(self):
        cdef Py_ssize_t n_sites = self.sides[0].tree.n_sites, n_neighbors = self.n_neighbors
        if n_sites < self.n_slots:
            # Equal points often come from a lattice: one list reaches beyond the 2 d tied ones.
            n_neighbors = max(n_neighbors, min(2 * self.sides[0].tree.d + 2, 16))
        self.sides[0].n_neighbors = min(n_neighbors, n_sites - 1, MOST_NEIGHBORS)
        self.neighbors = np.empty(n_sites * self.sides[0].n_neighbors, dtype=np.uint32)
        self.sides[0].neighbors = &self.neighbors[0]
        self.list_end = np.empty(n_sites)
        self.sides[0].list_end = &self.list_end[0]
        self.position = np.zeros(self.n_slots, dtype=np.uint8)
        self.sides[0].position = &self.position[0]

    def _list_neighbors(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double *q = new_query(self.sides[0].tree.d)
        with nogil:
            list_neighbors(&self.sides[0], lo, hi, NULL, q)
        free(q)

    def _join_part(self, Py_ssize_t lo, Py_ssize_t hi):
        """Make the lists of a part of the tree if there are none, and join what they certify."""
        cdef Side *side = &self.sides[0]
        cdef LocalPart *part = self.parts + lo // NODES_IN_A_PART
        cdef double *lengths = NULL
        cdef double *q = NULL
        cdef bint done = False
        start_part(&side.tree, lo, hi, part)
        q = new_query(side.tree.d)
        with nogil:
            if self.listing:
                lengths = <double *> malloc(part.n * side.n_neighbors * sizeof(double) + 1)
                if lengths != NULL:
                    list_neighbors(side, lo, hi, lengths, q)
            if lengths != NULL or not self.listing:
                done = join_part(
                    &self.graph, side, part, lengths, self.parent, &self.edges[self.n_edges, 0],
                    &self.lengths[self.n_edges], q,
                )
            free(lengths)
            free(q)
        if not done:
            raise MemoryError

    cdef _join_lists(self, bint listing):
        """The first merge, where every site is a component; see local_forests.h."""
        cdef Py_ssize_t n_parts = (self.n_nodes - 1) // NODES_IN_A_PART + 1, p, e, place
        cdef Py_ssize_t start = self.n_edges, joined
        self.listing = listing
        self.parts = <LocalPart *> calloc(n_parts, sizeof(LocalPart))
        if self.parts == NULL:
            raise MemoryError
        try:
            self.run(self._join_part, self.n_nodes, NODES_IN_A_PART)
            with nogil:
                for p in range(n_parts):
                    place = start + self.parts[p].first
                    for e in range(place, place + self.parts[p].n_taken):
                        self.add_edge(self.edges[e, 0], self.edges[e, 1], self.lengths[e])
                self.rename()
                joined = join_rest(
                    &self.graph, &self.sides[0], self.parts, n_parts, self.n_components,
                    self.parent, &self.edges[self.n_edges, 0], &self.lengths[self.n_edges],
                )
        finally:
            for p in range(n_parts):
                free(self.parts[p].left)
            free(self.parts)
        if joined < 0:
            raise MemoryError
        self.n_edges += joined
        self.rename()

    def _list_near(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double *q = new_query(self.sides[0].tree.d)
        cdef Side *sides = self.sides
        cdef Py_ssize_t n_first = sides[0].tree.n_nodes
        cdef NearEdges *near = self.near + lo // NODES_IN_A_CHUNK
        cdef bint done = True
        with nogil:
            if lo < n_first:
                done = list_near(
                    sides, sides + 1, lo, min(hi, n_first), &self.radius[0], near, q
                )
            if done and hi > n_first:
                done = list_near(
                    sides + 1, sides, max(lo, n_first) - n_first, hi - n_first, &self.radius[0],
                    near, q,
                )
        free(q)
        if not done:
            raise MemoryError

    cdef _find_near(self):
        """The edges between the two sets up to a radius; see near_edges.h."""
        cdef Py_ssize_t e
        cdef int end
        self.radius = np.zeros(self.n_units)
        for e in range(self.known.shape[0]):
            for end in range(2):
                self.radius[self.known[e, end]] = max(
                    self.radius[self.known[e, end]], self.known_length[e]
                )
        self.n_near = (self.n_nodes - 1) // NODES_IN_A_CHUNK + 1
        self.near = <NearEdges *> calloc(self.n_near, sizeof(NearEdges))
        if self.near == NULL:
            raise MemoryError
        self.run(self._list_near, self.n_nodes, NODES_IN_A_CHUNK)

    cdef _join_near(self):
        """The first merge of two sets, where every point is a component."""
        cdef Py_ssize_t joined
        cdef const uint32_t *known = NULL
        cdef const double *known_length = NULL
        cdef const uint32_t *alive = NULL
        if self.n_alive > 0:  # else the arrays may have no first entry
            known, known_length = &self.known[0, 0], &self.known_length[0]
            alive = &self.alive[0]
        with nogil:
            joined = join_near(
                &self.graph, self.near, self.n_near, known, known_length, alive, self.n_alive,
                &self.radius[0], self.n_units, self.parent, &self.edges[self.n_edges, 0],
                &self.lengths[self.n_edges],
            )
        if joined < 0:
            raise MemoryError
        self.n_edges += joined
        self.rename()
        settle_near(&self.graph, self.near, self.n_near, &self.radius[0], self.n_units)
