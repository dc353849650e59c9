"""Edges that Boruvka's rounds know before any search, and what bounds all others.

Those within the two sets of a pair, which no other edge within a set can beat; or, of
one set where distances tie in masses, all edges at each site's nearest distance
(ties.h). Between two sites with several points only the smallest edge is known, which
is enough for the first tree.
"""
from libc.stdint cimport UINT64_MAX, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from smartsvm._mst.kd.graph cimport edge_key, is_used
from smartsvm._mst.kd.tree cimport KDIndex, KDTree
from smartsvm._threads cimport check_interrupt
from smartsvm._threads import run_chunks

cdef extern from "kd/leaf_pairs.h":
    enum: KD_ROOM

cdef extern from "kd/tied_neighbors.h" nogil:
    enum: TIED_ROOM, FEWEST_BITS
    Py_ssize_t list_ties(
        const KDTree *tree, const Sketch *sketch, Py_ssize_t lo, Py_ssize_t hi, uint32_t *found,
        uint32_t *count, double *nearest, double *bound, double *q,
    )
    void make_sketch(const KDTree *tree, Sketch *sketch)
    bint has_many_ties(const KDTree *tree, int many, double *q)

cdef enum:
    NODES_IN_A_CHUNK = 1 << 8
    MOST_IN_A_SITE = 1 << 12
    # About a tenth of a second.
    KEYS_BETWEEN_SIGNAL_CHECKS = 1 << 24


cdef double *new_query(Py_ssize_t d) except NULL:
    """Room for the coordinates of one point, in pairs, and for what leaf_rows.h needs."""
    cdef double *q = <double *> malloc((d + 1) * KD_ROOM * sizeof(double))
    if q == NULL:
        raise MemoryError
    return q


cdef class KnownEdges(Components):
    """Components and the edges known of them from the start."""

    cdef run(self, task, Py_ssize_t size, Py_ssize_t chunk):
        """Call `task` on all chunks of range(size), in threads."""
        run_chunks(task, size, chunk, self.n_threads, self.cancel, self.largest_site > LARGE_SITE)

    def cancel(self):
        """Make running tasks return soon."""
        self.cancelled = 1

    def __init__(self, first, second, uint64_t seed, Py_ssize_t n_trees):
        super().__init__(first, second, seed, n_trees)
        self.known = None
        self.tied_bound = None
        self.n_nodes = self.sides[0].tree.n_nodes
        if self.n_sides == 2:
            self.n_nodes += self.sides[1].tree.n_nodes

    cdef bint has_many_ties(self, int many):
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        # Lists are as good where they hold most sites; large sites have too many keys.
        if self.sides[0].tree.n_sites <= 16 * many or self.largest_site > MOST_IN_A_SITE:
            return False
        return has_many_ties(&self.sides[0].tree, many, &q[0])

    cdef _sketch(self):
        """Fill the sketch; what it points into."""
        cdef Py_ssize_t n_sites = self.sides[0].tree.n_sites
        cdef uint64_t[::1] bits
        self.sketch.step = self.sketch.unit = self.sketch.whole = 0
        if self.sides[0].tree.d < FEWEST_BITS:
            return None
        bits = np.zeros(n_sites + 2 * self.n_nodes, dtype=np.uint64)
        self.sketch.bits, self.sketch.all = &bits[0], &bits[n_sites]
        self.sketch.any = &bits[n_sites + self.n_nodes]
        with nogil:
            make_sketch(&self.sides[0].tree, &self.sketch)
        return bits

    def _find_ties(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef const KDTree *tree = &self.sides[0].tree
        cdef Py_ssize_t v, n_sites = 0, total
        cdef uint32_t[::1] found
        cdef double *q
        for v in range(lo, hi):
            if tree.right[v] == 0:
                n_sites += tree.count[v]
        if n_sites == 0:
            return
        found = np.empty(TIED_ROOM * n_sites, dtype=np.uint32)
        q = new_query(tree.d)
        with nogil:
            total = list_ties(
                tree, &self.sketch, lo, hi, &found[0], &self.n_tied[0], &self.nearest[0],
                &self.tied_bound[0], q
            )
        free(q)
        self.tied[lo] = np.array(found[:total])

    cdef know_ties(self):
        """Know all edges at each site's nearest distance; see ties.h."""
        cdef Py_ssize_t n_sites = self.sides[0].tree.n_sites, e = 0, kept = 0, work = 0
        cdef uint32_t s, _r
        cdef const uint32_t[::1] found
        self.n_tied = np.empty(n_sites, dtype=np.uint32)
        self.nearest = np.empty(n_sites)
        self.tied_bound = np.empty(n_sites)
        self.tied = {}
        bits = self._sketch()
        self.run(self._find_ties, self.n_nodes, NODES_IN_A_CHUNK)
        found = np.concatenate([self.tied[lo] for lo in sorted(self.tied)])
        self.tied = bits = None
        self._lay_out_known(found.shape[0])
        with nogil:
            for s in range(<uint32_t> n_sites):
                for _r in range(self.n_tied[s]):
                    # Of pairs that name each other one is enough.
                    if s < found[e] or self.tied_bound[found[e]] < self.tied_bound[s]:
                        work += self._know_sites(kept, s, found[e])
                        kept += 1
                    e += 1
                if work > KEYS_BETWEEN_SIGNAL_CHECKS:
                    work = 0
                    with gil:
                        check_interrupt()
        self.n_tied = self.nearest = None
        self.known = self.known[:kept]
        self.lower[:n_sites] = self.tied_bound
        self.revive_known()

    cdef Py_ssize_t _know_sites(self, Py_ssize_t e, uint32_t s, uint32_t t) noexcept nogil:
        """Know the smallest edge between two sites, as edge e; how many there are."""
        cdef uint32_t i, j, i_start = s, i_end = s + 1, j_start = t, j_end = t + 1
        cdef uint64_t key
        if self.site_start is not None:
            i_start, i_end = self.site_start[s], self.site_start[s + 1]
            j_start, j_end = self.site_start[t], self.site_start[t + 1]
        self.known_length[e] = self.nearest[s]
        self.known_key[e] = UINT64_MAX
        for i in range(i_start, i_end):
            for j in range(j_start, j_end):
                key = edge_key(&self.graph, i, j)
                if key <= self.known_key[e]:
                    self.known_key[e] = key
                    self.known[e, 0], self.known[e, 1] = i, j
        return <Py_ssize_t> (i_end - i_start) * (j_end - j_start)

    cdef _lay_out_known(self, Py_ssize_t n_known):
        self.known = np.empty((n_known, 2), dtype=np.uint32)
        self.known_length = np.empty(n_known)
        self.known_key = np.empty(n_known, dtype=np.uint64)
        self.alive = np.empty(n_known, dtype=np.uint32)

    cdef forget_ties(self):
        """Before a later tree: only the smallest edge between two sites was known."""
        if self.tied_bound is not None and self.site_start is not None:
            self.known = None
            self.tied_bound = None

    cdef revive_known(self):
        """The known edges that no tree has used yet."""
        cdef Py_ssize_t e
        self.n_alive = 0
        if self.known is None:
            return
        for e in range(self.known.shape[0]):
            if not is_used(&self.graph, self.known[e, 0], self.known[e, 1]):
                self.alive[self.n_alive] = <uint32_t> e
                self.n_alive += 1

    cdef know_within(self, within_a, within_b):
        """Take over the edges within the two sets, as slots."""
        cdef const uint32_t[:, :] edges
        cdef const double[:] lengths
        cdef const uint32_t[::1] slots
        cdef Py_ssize_t e, most = len(within_a[1]) + len(within_b[1]), total = 0
        cdef uint32_t shift = 0
        self._lay_out_known(most)
        for index, within in ((self.first, within_a), (self.second, within_b)):
            edges, lengths = within
            slots = (<KDIndex> index).slot_of_row()
            for e in range(edges.shape[0]):
                self.known[total, 0] = shift + slots[edges[e, 0]]
                self.known[total, 1] = shift + slots[edges[e, 1]]
                self.known_length[total] = lengths[e]
                self.known_key[total] = 0
                total += 1
            shift = <uint32_t> self.first.n_points
