"""Boruvka's algorithm over kd-trees, with orthogonal trees, for low and middle dimension.

Every component takes its smallest edge to another component, components merge,
and so on until one is left. What is known about a point's edges is kept from
round to round (graph.h): its smallest edge to another component as long as
that lasts, else a lower bound. In order of cost, a component learns its edge from

1. known edges: those given within a set (`pair_forests`), or all edges at each site's
   nearest distance where many tie (ties.h);
2. lists of nearest neighbours, made once (neighbors.h): an edge shorter than the
   list's end, and than the bounds of all other points of the component, is certain.
   Where all points are distinct, what lists certify is found before the first round,
   part by part of the tree (local_forests.h);
3. searches in the kd-tree (aliens.h), bounded by the best edge its component has so
   far, and made only by points whose lower bound is not above it. The point with the
   least bound goes first. The largest component waits for the others.

A node of the tree whose points are all in the searching component is skipped.
Later trees use the same lists and searches with the edges of earlier trees
struck out: that only makes edges longer, so all bounds stay bounds.

Ties: the order of order.h. Searches go on at distances equal to the best, so the
smallest key among tied edges wins, and the result does not depend on threads.

Cost: about O(n log n) for a tree in low dimension, O(n (d + n_trees)) memory.

References: O. Boruvka (1926); W. B. March, P. Ram, A. G. Gray (2010).
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free

import numpy as np

from smartsvm._mst.kd.certain_edges cimport CertainEdges
from smartsvm._mst.kd.graph cimport (
    NONE, Graph, Side, component_of, edge_key, from_of, unit_of, units_of_leaf
)
from smartsvm._mst.kd.tree cimport KDIndex
from smartsvm._mst.kd.known_edges cimport new_query

cdef extern from "kd/update_edges.h" nogil:
    void refresh(
        const Graph *graph, const Side *side, Py_ssize_t lo, Py_ssize_t hi, double *q
    )

cdef extern from "kd/other_component.h" nogil:
    void probe(
        const Graph *graph, const Side *sides, int n_sides, const uint32_t *units,
        Py_ssize_t lo, Py_ssize_t hi, double *best_length, double *q,
    )
    void find_aliens(
        const Graph *graph, const Side *own, const Side *other, Py_ssize_t lo, Py_ssize_t hi,
        double *best_length, double *q,
    )

cdef enum:
    NODES_IN_A_CHUNK = 1 << 8
    COMPONENTS_IN_A_CHUNK = 1 << 6
    MANY_POINTS = 1 << 19


cdef class Rounds(CertainEdges):
    """The state of one problem: the forests of one set, or of the union of two."""

    # By node, of both sides.
    cdef uint32_t[:, ::1] by_node
    cdef uint8_t[::1] leaf_stale
    # By component: its best edge so far, the least bound of its units without an edge.
    # The pointers are rows of the arrays.
    cdef uint32_t[:, ::1] bests
    cdef double[:, ::1] bounds
    cdef uint32_t *best_from
    cdef uint32_t *best_to
    cdef uint32_t *least_unit
    cdef double *best_length
    cdef double *least_bound
    cdef uint64_t[::1] best_key         # 0: not computed yet

    def __init__(self, first, second, uint64_t seed, Py_ssize_t n_trees, int n_threads):
        super().__init__(first, second, seed, n_trees)
        cdef Py_ssize_t k, node = 0
        self.by_node = np.empty((3, self.n_nodes), dtype=np.uint32)
        self.leaf_stale = np.empty(self.n_nodes, dtype=np.uint8)
        for k in range(self.n_sides):
            self.sides[k].node_component = &self.by_node[0, node]
            self.sides[k].leaf_best = &self.by_node[1, node]
            self.sides[k].leaf_least = &self.by_node[2, node]
            self.sides[k].leaf_stale = &self.leaf_stale[node]
            node += self.sides[k].tree.n_nodes
        self.n_threads = n_threads

    cdef _start_tree(self):
        self.start_components()
        self.leaf_stale[:] = 1
        if self.neighbors is not None:
            self.position[:] = 0
        if self.tied_bound is not None:
            self.lower[:self.n_units] = self.tied_bound

    cdef _lay_out_components(self):
        """Room for the components there are; a new one once most of it would be unused."""
        self.shrink()
        if self.bests is not None and 2 * self.n_components > self.bests.shape[1]:
            return
        self.bests = self.bounds = self.best_key = None
        self.bests = np.empty((3, self.n_components), dtype=np.uint32)
        self.bounds = np.empty((2, self.n_components))
        self.best_key = np.empty(self.n_components, dtype=np.uint64)
        self.best_from, self.best_to, self.least_unit = (
            &self.bests[0, 0], &self.bests[1, 0], &self.bests[2, 0]
        )
        self.best_length, self.least_bound = &self.bounds[0, 0], &self.bounds[1, 0]

    def _refresh(self, Py_ssize_t lo, Py_ssize_t hi):
        """Nodes of the second side are counted on from the first, here and below."""
        cdef double *q = new_query(self.sides[0].tree.d)
        cdef Side *sides = self.sides
        cdef Py_ssize_t n_first = sides[0].tree.n_nodes
        with nogil:
            if lo < n_first:
                refresh(&self.graph, sides, lo, min(hi, n_first), q)
            if hi > n_first:
                refresh(&self.graph, sides + 1, max(lo, n_first) - n_first, hi - n_first, q)
        free(q)

    def _probe(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double *q = new_query(self.sides[0].tree.d)
        with nogil:
            probe(
                &self.graph, self.sides, self.n_sides, self.least_unit, lo, hi,
                self.best_length, q,
            )
        free(q)

    def _find_aliens(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double *q = new_query(self.sides[0].tree.d)
        cdef Side *sides = self.sides
        cdef Py_ssize_t n_first = sides[0].tree.n_nodes
        with nogil:
            if lo < n_first:
                find_aliens(
                    &self.graph, sides, sides + self.n_sides - 1, lo, min(hi, n_first),
                    self.best_length, q,
                )
            if hi > n_first:
                find_aliens(
                    &self.graph, sides + 1, sides, max(lo, n_first) - n_first, hi - n_first,
                    self.best_length, q,
                )
        free(q)

    cdef inline void _offer(
        self, uint32_t component, uint32_t i, uint32_t j, double length, uint64_t key
    ) noexcept nogil:
        if length > self.best_length[component]:
            return
        if length == self.best_length[component] and self.best_to[component] != NONE:
            if key == 0:
                key = edge_key(&self.graph, i, j)
            if self.best_key[component] == 0:
                self.best_key[component] = edge_key(
                    &self.graph, self.best_from[component], self.best_to[component]
                )
            if key >= self.best_key[component]:
                return
        self.best_length[component] = length
        self.best_key[component] = key
        self.best_from[component] = i
        self.best_to[component] = j

    cdef inline void _collect_unit(self, uint32_t c, uint32_t u) noexcept nogil:
        if self.graph.to[u] != NONE:
            self._offer(c, from_of(&self.graph, u), self.graph.to[u], self.graph.lower[u], 0)
        elif self.graph.lower[u] < self.least_bound[c]:
            self.least_bound[c] = self.graph.lower[u]
            self.least_unit[c] = u

    cdef void _collect(self) noexcept nogil:
        """The best edge of every component among those known, and its least bound."""
        cdef Py_ssize_t e, k, v, n_alive = 0
        cdef uint32_t a, c, other, i, j, u, end
        cdef Side *side
        for c in range(self.n_components):
            self.best_length[c] = self.least_bound[c] = INFINITY
            self.best_to[c] = self.least_unit[c] = NONE
        for e in range(self.n_alive):
            a = self.alive[e]
            i, j = self.known[a, 0], self.known[a, 1]
            c = component_of(&self.graph, unit_of(&self.graph, i))
            other = component_of(&self.graph, unit_of(&self.graph, j))
            if c != other:
                self._offer(c, i, j, self.known_length[a], self.known_key[a])
                self._offer(other, j, i, self.known_length[a], self.known_key[a])
                self.alive[n_alive] = a
                n_alive += 1
        self.n_alive = n_alive
        for k in range(self.n_sides):
            side = &self.sides[k]
            for v in range(side.tree.n_nodes):
                if side.tree.count[v] == 0 or side.tree.right[v] != 0:
                    continue
                if not side.leaf_stale[v]:
                    if side.leaf_best[v] != NONE:
                        self._collect_unit(side.node_component[v], side.leaf_best[v])
                    if side.leaf_least[v] != NONE:
                        self._collect_unit(side.node_component[v], side.leaf_least[v])
                else:
                    units_of_leaf(side, <uint32_t> v, &u, &end)
                    while u < end:
                        self._collect_unit(component_of(&self.graph, u), u)
                        u += 1

    cdef Py_ssize_t _count_certain(self) noexcept nogil:
        cdef Py_ssize_t c, certain = 0
        for c in range(self.n_components):
            certain += self.best_length[c] < self.least_bound[c]
        return certain

    cdef void _mark_nodes(self) noexcept nogil:
        """The component of each inner node's units, or NONE; children have larger numbers."""
        cdef Py_ssize_t k, v
        cdef uint32_t c
        cdef Side *side
        for k in range(self.n_sides):
            side = &self.sides[k]
            for v in range(side.tree.n_nodes - 1, -1, -1):
                if side.tree.count[v] != 0 and side.tree.right[v] != 0:
                    c = side.node_component[v + 1]
                    if side.node_component[side.tree.right[v]] != c:
                        c = NONE
                    side.node_component[v] = c

    cdef Py_ssize_t _merge(self, bint searched, uint32_t waiting) noexcept nogil:
        """Join components along their best edges, as far as certain; how many edges."""
        cdef Py_ssize_t before = self.n_edges
        cdef uint32_t c
        for c in range(self.n_components):
            if self.best_to[c] != NONE and c != waiting and (
                searched or self.best_length[c] < self.least_bound[c]
            ):
                self.join(c, self.best_from[c], self.best_to[c], self.best_length[c])
        self.rename()
        return self.n_edges - before

    cdef Py_ssize_t _grow_forest(self) except -1:
        """Add the edges of one minimum spanning forest; how many they are."""
        cdef Py_ssize_t before = self.n_edges, merged
        cdef uint32_t waiting
        cdef bint search
        self._start_tree()
        self.join_certain(before == 0)
        self.bests = None
        while self.n_components > 1:
            self._lay_out_components()
            self.run(self._refresh, self.n_nodes, NODES_IN_A_CHUNK)
            waiting = NONE
            with nogil:
                self._collect()
                search = 4 * self._count_certain() < self.n_components
            if search:
                with nogil:
                    self._mark_nodes()
                    waiting = self.largest()
                    self.best_length[waiting] = -1
                # Small components are as fast without: their units search only once more.
                if 4 * self.n_components <= self.n_units:
                    self.run(self._probe, self.n_components, COMPONENTS_IN_A_CHUNK)
                self.run(self._find_aliens, self.n_nodes, NODES_IN_A_CHUNK)
                with nogil:
                    self._collect()
            with nogil:
                merged = self._merge(search, waiting)
            if merged == 0:
                break
        return self.n_edges - before

    cdef _peel(self, Py_ssize_t n_trees):
        """The forests, as the functions of this module return them."""
        cdef Py_ssize_t tree
        cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
        for tree in range(n_trees):
            if tree > 0:
                self.strike_out()
                self.forget_ties()
            self.revive_known()
            sizes[tree] = self._grow_forest()
            if sizes[tree] == 0:
                break
        return *self.rows_of_edges(), np.asarray(sizes)


def index(const double[:, ::1] points, const uint32_t[::1] ids, int n_threads=1):
    """The kd-tree of some points, to be used in any number of calls below.

    `ids` are the points' identities in the whole data set; they decide ties.
    """
    return KDIndex(points, ids, n_threads)


def forests(KDIndex index not None, uint64_t seed, Py_ssize_t n_trees, int n_threads):
    """Orthogonal minimum spanning forests of the points of an index.

    Returns edges (pairs of rows, tree after tree), their squared distances, and the
    number of edges of each tree: n - 1 where it spans.
    """
    cdef Rounds rounds = Rounds(index, None, seed, n_trees, n_threads)
    # In the plane one more saves searches, but 8 bytes a point.
    rounds.n_neighbors = 4 + 2 * n_trees + (index.tree.d <= 2 and index.n_points < MANY_POINTS)
    return rounds._peel(n_trees)


def pair_forests(
    KDIndex index_a not None, KDIndex index_b not None, within_a, within_b, uint64_t seed,
    Py_ssize_t n_trees, int n_threads,
):
    """Orthogonal minimum spanning forests of the union of the points of two indices.

    `within_a` and `within_b` are (edges, squared distances) of the `n_trees` forests
    of each set; no other edge within a set can be in those of the union. Rows of
    the second set are counted on from those of the first. Returns as `forests`.
    """
    cdef Rounds rounds = Rounds(index_a, index_b, seed, n_trees, n_threads)
    rounds.know_within(within_a, within_b)
    return rounds._peel(n_trees)
