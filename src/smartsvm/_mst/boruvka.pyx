"""Boruvka's algorithm over kd-trees, with orthogonal trees, for low and middle dimension.

Every component takes its smallest edge to another component, components merge,
and so on until one is left. What is known about a point's edges is kept from
round to round (boruvka.h): its smallest edge to another component as long as
that lasts, else a lower bound. In order of cost, a component learns its edge from

1. the given edges within a set (`pair_forests`);
2. lists of nearest neighbours, made once: an edge shorter than the list's end,
   and shorter than the bounds of all other points of the component, is certain;
3. searches in the kd-tree, bounded by the best edge its component has so far,
   and made only by points whose lower bound is not above it. The point with the
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
from libc.stdint cimport UINT64_MAX, int64_t, uint8_t, uint32_t, uint64_t

from cpython.exc cimport PyErr_CheckSignals

import numpy as np

from smartsvm._mst.kdtree cimport KDIndex, KDTree
from smartsvm._mst.team import Team

cdef extern from "boruvka.h" nogil:
    enum: MOST_NEIGHBORS
    const uint32_t NONE

    ctypedef struct Graph:
        uint64_t seed
        const uint32_t *identity
        const int64_t *used_start
        const uint32_t *used
        const uint32_t *unit_of_slot
        const uint32_t *unit_start
        const uint32_t *site_of_unit
        uint32_t *label
        uint32_t *component
        double *lower
        uint32_t *to
        uint32_t *from_ "from"
        const int *cancel

    ctypedef struct Side:
        KDTree tree
        uint32_t first_unit
        const uint32_t *unit_of_site
        uint32_t *node_component
        uint32_t *leaf_best
        uint32_t *leaf_least
        uint8_t *leaf_stale
        int n_neighbors
        uint32_t *neighbors
        double *list_end
        uint8_t *position

    uint64_t edge_key(const Graph *graph, uint32_t i, uint32_t j)
    bint is_used(const Graph *graph, uint32_t i, uint32_t j)
    uint32_t unit_of(const Graph *graph, uint32_t slot)
    void list_neighbors(
        const Graph *graph, const Side *side, Py_ssize_t lo, Py_ssize_t hi, double *q
    )
    uint32_t component_of(const Graph *graph, uint32_t u)
    void units_of_leaf(const Side *side, uint32_t leaf, uint32_t *first, uint32_t *end)
    void refresh(
        const Graph *graph, const Side *side, Py_ssize_t lo, Py_ssize_t hi, double *q
    )
    void probe(
        const Graph *graph, const Side *sides, int n_sides, const uint32_t *units,
        Py_ssize_t lo, Py_ssize_t hi, double *best_length, double *q,
    )
    void find_aliens(
        const Graph *graph, const Side *own, const Side *other, Py_ssize_t lo, Py_ssize_t hi,
        double *best_length, double reach, double *q,
    )
    Py_ssize_t find_site(const KDTree *own, Py_ssize_t site, const KDTree *other, double *q)

cdef enum:
    SITES_IN_A_CHUNK = 1 << 10
    NODES_IN_A_CHUNK = 1 << 8
    # Sites with more points than this may keep one search busy for seconds.
    LARGE_SITE = 1 << 12


cdef inline uint32_t _root(uint32_t *parent, uint32_t v) noexcept nogil:
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


cdef class Rounds:
    """The state of one problem: the forests of one set, or of the union of two."""

    cdef Graph graph
    cdef Side[2] sides
    cdef int n_sides, cancelled
    cdef Py_ssize_t n_slots, n_units, n_labels, n_components, n_edges, n_neighbors
    cdef bint collapsed
    cdef double reach
    cdef tuple indices
    cdef object team
    # By slot. `row` is in the numbering of the caller.
    cdef uint32_t[::1] row, identity, used, unit_of_slot, slot_parent
    cdef int64_t[::1] used_start
    # By site, all sides one after the other; None where every site has one slot.
    cdef uint32_t[::1] site_start, unit_of_site
    # By unit.
    cdef uint32_t[::1] unit_start, site_of_unit, label, component, to, from_
    cdef double[::1] lower
    cdef uint8_t[::1] position
    cdef double[::1] list_end
    # By component: its best edge so far, the least bound of units without an edge.
    cdef double[::1] best_length, least_bound
    cdef uint32_t[::1] best_from, best_to, least_unit, parent, renamed, size
    # The given edges within the sets, and those that still join two components.
    cdef uint32_t[:, ::1] given
    cdef double[::1] given_length
    cdef uint32_t[::1] alive
    cdef Py_ssize_t n_alive
    # The result, tree after tree, as slots.
    cdef uint32_t[:, ::1] edges
    cdef double[::1] lengths
    cdef list node_arrays, leaf_stale, neighbors

    def __init__(self, tuple indices, uint64_t seed, Py_ssize_t n_trees, int n_threads):
        cdef KDIndex index
        cdef Py_ssize_t k
        cdef uint8_t[::1] stale
        self.site_start = self.position = None
        self.given = None
        self.indices, self.n_sides = indices, len(indices)
        self.graph.seed = seed
        self.graph.cancel = &self.cancelled
        self.collapsed = all(one.collapsed for one in indices)
        self.n_slots = sum(one.n_points for one in indices)
        if self.n_sides == 1:
            index = indices[0]
            self.row, self.identity = index.row, index.identity
        else:
            self.row = np.concatenate([
                np.asarray((<KDIndex> one).row) + np.uint32(shift)
                for one, shift in zip(indices, (0, indices[0].n_points))
            ])
            self.identity = np.concatenate(
                [np.asarray((<KDIndex> one).identity) for one in indices]
            )
        self.graph.identity = &self.identity[0]
        self.node_arrays, self.leaf_stale, self.neighbors = [], [], []
        for k in range(self.n_sides):
            index = indices[k]
            self.sides[k].tree = index.tree
            arrays = np.empty((3, index.tree.n_nodes), dtype=np.uint32)
            self.node_arrays.append(arrays)
            self.sides[k].node_component = _address(arrays[0])
            self.sides[k].leaf_best = _address(arrays[1])
            self.sides[k].leaf_least = _address(arrays[2])
            self.leaf_stale.append(np.empty(index.tree.n_nodes, dtype=np.uint8))
            stale = self.leaf_stale[k]
            self.sides[k].leaf_stale = &stale[0]
        self._lay_out_sites()
        self.edges = np.empty((n_trees * (self.n_slots - 1) + 1, 2), dtype=np.uint32)
        self.lengths = np.empty(n_trees * (self.n_slots - 1) + 1)
        self.n_edges = 0
        self.reach = 1
        self.team = Team(
            n_threads, self.cancel, max(one.largest_site for one in indices) > LARGE_SITE
        )

    def cancel(self):
        self.cancelled = 1

    # ---- sites, slots and units ----

    cdef _lay_out_sites(self):
        """Arrays by unit, large enough for units of one slot each."""
        cdef Py_ssize_t n = self.n_slots
        cdef KDIndex index
        self.label = np.empty(n, dtype=np.uint32)
        self.component = np.empty(n, dtype=np.uint32)
        self.graph.label = &self.label[0]
        self.lower = np.empty(n)
        self.to = np.empty(n, dtype=np.uint32)
        self.graph.component, self.graph.lower = &self.component[0], &self.lower[0]
        self.graph.to = &self.to[0]
        if max(one.largest_site for one in self.indices) == 1:
            if self.n_sides == 2:
                self.sides[1].first_unit = <uint32_t> self.sides[0].tree.n_sites
            return
        starts, shift = [], 0
        for one in self.indices:
            index = one
            starts.append(shift + (
                np.arange(index.n_points) if index.site_start is None
                else np.asarray(index.site_start)[:index.tree.n_sites]
            ))
            shift += index.n_points
        self.site_start = np.concatenate([*starts, [n]]).astype(np.uint32)
        self.unit_of_site = np.empty(len(self.site_start), dtype=np.uint32)
        self.unit_of_slot = np.empty(n, dtype=np.uint32)
        self.unit_start = np.empty(n + 1, dtype=np.uint32)
        self.site_of_unit = np.empty(n, dtype=np.uint32)
        self.from_ = np.empty(n, dtype=np.uint32)
        self.slot_parent = np.empty(n, dtype=np.uint32)
        self.graph.unit_of_slot, self.graph.unit_start = (
            &self.unit_of_slot[0], &self.unit_start[0]
        )
        self.graph.site_of_unit, self.graph.from_ = &self.site_of_unit[0], &self.from_[0]
        self.sides[0].unit_of_site = &self.unit_of_site[0]
        self.sides[1].unit_of_site = &self.unit_of_site[self.sides[0].tree.n_sites]

    cdef _start_tree(self):
        """Units and components at the start of a tree: nothing joined but equal points."""
        cdef Py_ssize_t u
        if self.site_start is None:
            self.n_units = self.n_components = self.n_slots
            for u in range(self.n_slots):
                self.label[u] = <uint32_t> u
        else:
            for u in range(self.n_slots):
                self.slot_parent[u] = <uint32_t> u
            if self.collapsed:
                self._join_equal_points()
            self._lay_out_units()
        for u in range(self.n_units):
            self.lower[u] = 0
            self.to[u] = NONE
        self.n_labels = self.n_components
        for u in range(self.n_labels):
            self.component[u] = <uint32_t> u
        for stale in self.leaf_stale:
            stale[:] = 1
        if self.position is not None:
            np.asarray(self.position)[:] = 0
        self.parent = np.empty(self.n_components, dtype=np.uint32)
        self.renamed = np.empty(self.n_components, dtype=np.uint32)
        self.size = np.zeros(self.n_components, dtype=np.uint32)
        for u in range(self.n_units):
            self.size[self.label[u]] += 1

    cdef _lay_out_components(self):
        self.best_length = np.empty(self.n_components)
        self.best_from = np.empty(self.n_components, dtype=np.uint32)
        self.best_to = np.empty(self.n_components, dtype=np.uint32)
        self.least_bound = np.empty(self.n_components)
        self.least_unit = np.empty(self.n_components, dtype=np.uint32)

    cdef _lay_out_units(self):
        """A site whose slots are all joined is one unit, else each of its slots is."""
        cdef Py_ssize_t s, n_sites = self.sides[0].tree.n_sites, all_sites
        cdef uint32_t slot, first, u = 0, n_components = 0
        cdef bint whole
        cdef uint32_t[::1] label = np.full(self.n_slots, NONE, dtype=np.uint32)
        cdef uint32_t *parent = &self.slot_parent[0]
        all_sites = len(self.site_start) - 1
        for s in range(all_sites):
            if s == n_sites:
                self.sides[1].first_unit = u
            first = self.site_start[s]
            whole = True
            for slot in range(first + 1, self.site_start[s + 1]):
                whole = whole and _root(parent, slot) == _root(parent, first)
            self.unit_of_site[s] = u
            for slot in range(first, self.site_start[s + 1]):
                if slot == first or not whole:
                    if label[_root(parent, slot)] == NONE:
                        label[_root(parent, slot)] = n_components
                        n_components += 1
                    self.unit_start[u] = slot
                    self.site_of_unit[u] = <uint32_t> (s if s < n_sites else s - n_sites)
                    self.label[u] = label[_root(parent, slot)]
                    u += 1
                self.unit_of_slot[slot] = u - 1
        self.unit_of_site[all_sites] = u
        self.unit_start[u] = <uint32_t> self.n_slots
        self.n_units, self.n_components = u, n_components

    # ---- edges of length zero ----

    cdef _join_equal_points(self):
        """The smallest edges of all: the forests of the keys among equal points."""
        cdef Py_ssize_t s, t, n_sites = self.sides[0].tree.n_sites
        cdef Py_ssize_t n_all = len(self.site_start) - 1, count
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        cdef uint32_t[::1] slots = np.empty(
            sum(one.largest_site for one in self.indices), dtype=np.uint32
        )
        cdef uint8_t[::1] done = np.zeros(n_all, dtype=np.uint8)
        cdef uint64_t[::1] key = np.empty(len(slots), dtype=np.uint64)
        cdef uint32_t[::1] source = np.empty(len(slots), dtype=np.uint32)
        for s in range(n_all):
            if done[s]:
                continue
            count = self._append_slots(slots, 0, s)
            if self.n_sides == 2 and s < n_sites:
                t = find_site(&self.sides[0].tree, s, &self.sides[1].tree, &q[0])
                if t >= 0:
                    done[n_sites + t] = 1
                    count = self._append_slots(slots, count, n_sites + t)
            if count > 1:
                self._join_by_keys(slots, count, key, source)

    cdef Py_ssize_t _append_slots(self, uint32_t[::1] slots, Py_ssize_t count, Py_ssize_t site):
        cdef uint32_t slot
        for slot in range(self.site_start[site], self.site_start[site + 1]):
            slots[count] = slot
            count += 1
        return count

    cdef _join_by_keys(
        self, uint32_t[::1] slots, Py_ssize_t size, uint64_t[::1] key, uint32_t[::1] source
    ):
        """Prim's algorithm on the keys of the unused edges among some slots."""
        cdef Py_ssize_t j, least, work = 0
        cdef uint64_t candidate
        cdef uint32_t entered
        for j in range(size):
            key[j] = UINT64_MAX
            source[j] = NONE
        entered = slots[size - 1]
        size -= 1
        while size > 0:
            work += size
            if work > 1 << 24:
                work = 0
                PyErr_CheckSignals()
            least = 0
            for j in range(size):
                candidate = edge_key(&self.graph, entered, slots[j])
                if (candidate < key[j] or source[j] == NONE) and not is_used(
                    &self.graph, entered, slots[j]
                ):
                    key[j] = candidate
                    source[j] = entered
                if source[j] != NONE and (source[least] == NONE or key[j] < key[least]):
                    least = j
            entered = slots[least]
            if source[least] != NONE:
                self._add_edge(source[least], entered, 0)
                self.slot_parent[_root(&self.slot_parent[0], entered)] = _root(
                    &self.slot_parent[0], source[least]
                )
            size -= 1
            slots[least], key[least], source[least] = slots[size], key[size], source[size]

    # ---- rounds ----

    cdef inline void _add_edge(self, uint32_t i, uint32_t j, double length) noexcept nogil:
        self.edges[self.n_edges, 0] = i
        self.edges[self.n_edges, 1] = j
        self.lengths[self.n_edges] = length
        self.n_edges += 1

    def _list_neighbors(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        with nogil:
            list_neighbors(&self.graph, &self.sides[0], lo, hi, &q[0])

    def _refresh(self, Py_ssize_t lo, Py_ssize_t hi):
        """Nodes of the second side are counted on from the first, here and below."""
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        cdef Side *sides = self.sides
        cdef Py_ssize_t n_first = sides[0].tree.n_nodes
        with nogil:
            if lo < n_first:
                refresh(&self.graph, sides, lo, min(hi, n_first), &q[0])
            if hi > n_first:
                refresh(&self.graph, sides + 1, max(lo, n_first) - n_first, hi - n_first, &q[0])

    def _probe(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        with nogil:
            probe(
                &self.graph, self.sides, self.n_sides, &self.least_unit[0], lo, hi,
                &self.best_length[0], &q[0],
            )

    def _find_aliens(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        cdef Side *sides = self.sides
        cdef Py_ssize_t n_first = sides[0].tree.n_nodes
        with nogil:
            if lo < n_first:
                find_aliens(
                    &self.graph, sides, sides + self.n_sides - 1, lo, min(hi, n_first),
                    &self.best_length[0], self.reach, &q[0],
                )
            if hi > n_first:
                find_aliens(
                    &self.graph, sides + 1, sides, max(lo, n_first) - n_first, hi - n_first,
                    &self.best_length[0], self.reach, &q[0],
                )

    cdef inline void _offer(
        self, uint32_t component, uint32_t i, uint32_t j, double length
    ) noexcept nogil:
        if length > self.best_length[component]:
            return
        if length == self.best_length[component] and self.best_to[component] != NONE and (
            edge_key(&self.graph, i, j)
            >= edge_key(&self.graph, self.best_from[component], self.best_to[component])
        ):
            return
        self.best_length[component] = length
        self.best_from[component] = i
        self.best_to[component] = j

    cdef inline void _collect_unit(self, uint32_t c, uint32_t u) noexcept nogil:
        if self.to[u] != NONE:
            self._offer(
                c, u if self.graph.from_ == NULL else self.from_[u], self.to[u], self.lower[u]
            )
        elif self.lower[u] < self.least_bound[c]:
            self.least_bound[c] = self.lower[u]
            self.least_unit[c] = u

    cdef void _collect(self) noexcept nogil:
        """The best edge of every component among those known, and its least bound."""
        cdef Py_ssize_t e, k, v, n_alive = 0
        cdef uint32_t c, other, i, j, u, end
        cdef Side *side
        for c in range(self.n_components):
            self.best_length[c] = self.least_bound[c] = INFINITY
            self.best_to[c] = self.least_unit[c] = NONE
        for e in range(self.n_alive):
            i, j = self.given[self.alive[e], 0], self.given[self.alive[e], 1]
            c = component_of(&self.graph, unit_of(&self.graph, i))
            other = component_of(&self.graph, unit_of(&self.graph, j))
            if c != other:
                self._offer(c, i, j, self.given_length[self.alive[e]])
                self._offer(other, j, i, self.given_length[self.alive[e]])
                self.alive[n_alive] = self.alive[e]
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

    cdef uint32_t _largest(self) noexcept nogil:
        cdef uint32_t c, largest = 0
        for c in range(self.n_components):
            if self.size[c] > self.size[largest]:
                largest = c
        return largest

    cdef Py_ssize_t _merge(self, bint searched, uint32_t waiting) noexcept nogil:
        """Join components along their best edges, as far as certain; how many edges."""
        cdef Py_ssize_t before = self.n_edges
        cdef uint32_t c
        for c in range(self.n_components):
            self.parent[c] = c
        for c in range(self.n_components):
            if self.best_to[c] != NONE and c != waiting and (
                searched or self.best_length[c] < self.least_bound[c]
            ):
                self._join(c, self.best_from[c], self.best_to[c], self.best_length[c])
        self._rename()
        return self.n_edges - before

    cdef void _merge_units(self) noexcept nogil:
        """The first merge, where every unit is a component and its edge certain if known."""
        cdef uint32_t c
        for c in range(self.n_components):
            self.parent[c] = c
        for c in range(self.n_components):
            if self.to[c] != NONE:
                self._join(
                    c, c if self.graph.from_ == NULL else self.from_[c], self.to[c], self.lower[c]
                )
        self._rename()

    cdef inline void _join(self, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil:
        cdef uint32_t a = _root(&self.parent[0], c)
        cdef uint32_t b = _root(
            &self.parent[0], component_of(&self.graph, unit_of(&self.graph, j))
        )
        if a != b:
            self.parent[max(a, b)] = min(a, b)
            self._add_edge(i, j, length)

    cdef void _rename(self) noexcept nogil:
        """Number the joined components anew."""
        cdef Py_ssize_t u
        cdef uint32_t c, a, n_components = 0
        # A root is the least of its component: new numbers never pass old ones.
        for c in range(self.n_components):
            a = _root(&self.parent[0], c)
            if a == c:
                self.renamed[c] = n_components
                self.size[n_components] = self.size[c]
                n_components += 1
            else:
                self.renamed[c] = self.renamed[a]
                self.size[self.renamed[a]] += self.size[c]
        for u in range(self.n_labels):
            self.component[u] = self.renamed[self.component[u]]
        self.n_components = n_components
        if self.n_labels > self.n_units // 64:
            for u in range(self.n_units):
                self.label[u] = self.component[self.label[u]]
            self.n_labels = n_components
            for u in range(n_components):
                self.component[u] = <uint32_t> u

    cdef _grow_forest(self):
        """Add the edges of one minimum spanning forest; how many they are."""
        cdef Py_ssize_t before = self.n_edges, merged
        cdef uint32_t waiting
        cdef bint search
        cdef Py_ssize_t n_nodes = sum((<KDIndex> one).tree.n_nodes for one in self.indices)
        self._start_tree()
        if self.n_neighbors > 0 and not self.neighbors:
            self._make_lists(self.n_neighbors)
        if self.n_components == self.n_units and self.given is None:
            self.team.run(self._refresh, n_nodes, NODES_IN_A_CHUNK)
            with nogil:
                self._merge_units()
        self._lay_out_components()
        while self.n_components > 1:
            self.team.run(self._refresh, n_nodes, NODES_IN_A_CHUNK)
            waiting = NONE
            with nogil:
                self._collect()
                search = 4 * self._count_certain() < self.n_components
            if search:
                with nogil:
                    self._mark_nodes()
                    waiting = self._largest()
                    self.best_length[waiting] = -1
                self.team.run(self._probe, self.n_components, 64)
                self.team.run(self._find_aliens, n_nodes, NODES_IN_A_CHUNK)
                with nogil:
                    self._collect()
            with nogil:
                merged = self._merge(search, waiting)
            if merged == 0:
                break
        return self.n_edges - before

    cdef _make_lists(self, Py_ssize_t n_neighbors):
        cdef Py_ssize_t n_sites = self.sides[0].tree.n_sites
        if n_sites < self.n_slots:
            # Equal points often come from a lattice: one list reaches beyond the 2 d tied ones.
            n_neighbors = max(n_neighbors, min(2 * self.sides[0].tree.d + 2, 16))
        self.sides[0].n_neighbors = min(n_neighbors, n_sites - 1, MOST_NEIGHBORS)
        if n_sites == 1:
            return
        self.neighbors.append(
            np.empty(n_sites * self.sides[0].n_neighbors, dtype=np.uint32)
        )
        self.sides[0].neighbors = _address(self.neighbors[0])
        self.list_end = np.empty(n_sites)
        self.sides[0].list_end = &self.list_end[0]
        self.position = np.zeros(self.n_slots, dtype=np.uint8)
        self.sides[0].position = &self.position[0]
        self.team.run(self._list_neighbors, n_sites, SITES_IN_A_CHUNK)

    cdef _index_used(self):
        """The partners of each slot in the trees so far."""
        cdef Py_ssize_t e, end
        cdef uint32_t i, side
        self.used_start = np.zeros(self.n_slots + 1, dtype=np.int64)
        self.used = np.empty(2 * self.n_edges + 1, dtype=np.uint32)
        with nogil:
            for e in range(self.n_edges):
                for side in range(2):
                    self.used_start[self.edges[e, side]] += 1
            end = 0
            for e in range(self.n_slots + 1):
                end += self.used_start[e]
                self.used_start[e] = end
            for e in range(self.n_edges):
                for side in range(2):
                    i = self.edges[e, side]
                    self.used_start[i] -= 1
                    self.used[self.used_start[i]] = self.edges[e, 1 - side]
        self.graph.used_start, self.graph.used = &self.used_start[0], &self.used[0]

    cdef _revive_given(self):
        """The given edges that no tree has used yet."""
        cdef Py_ssize_t e
        self.n_alive = 0
        if self.given is None:
            return
        for e in range(self.given.shape[0]):
            if not is_used(&self.graph, self.given[e, 0], self.given[e, 1]):
                self.alive[self.n_alive] = <uint32_t> e
                self.n_alive += 1

    def peel(self, Py_ssize_t n_trees):
        """The forests, as the functions of this module return them."""
        cdef Py_ssize_t e
        sizes = np.zeros(n_trees, dtype=np.intp)
        for tree in range(n_trees):
            if tree > 0:
                self._index_used()
            self._revive_given()
            sizes[tree] = self._grow_forest()
            if sizes[tree] == 0:
                break
        for e in range(self.n_edges):
            self.edges[e, 0] = self.row[self.edges[e, 0]]
            self.edges[e, 1] = self.row[self.edges[e, 1]]
        return np.asarray(self.edges)[:self.n_edges], np.asarray(self.lengths)[:self.n_edges], sizes


cdef uint32_t *_address(uint32_t[::1] array) noexcept:
    return &array[0]


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
    cdef Rounds rounds = Rounds((index,), seed, n_trees, n_threads)
    with rounds.team:
        rounds.n_neighbors = 3 + 3 * n_trees
        return rounds.peel(n_trees)


def pair_forests(
    KDIndex index_a not None, KDIndex index_b not None, within_a, within_b, uint64_t seed,
    Py_ssize_t n_trees, int n_threads,
):
    """Orthogonal minimum spanning forests of the union of the points of two indices.

    `within_a` and `within_b` are (edges, squared distances) of the `n_trees` forests
    of each set; no other edge within a set can be in those of the union. Rows of
    the second set are counted on from those of the first. Returns as `forests`.
    """
    cdef Rounds rounds = Rounds((index_a, index_b), seed, n_trees, n_threads)
    slot = np.empty(rounds.n_slots, dtype=np.uint32)
    slot[np.asarray(rounds.row)] = np.arange(rounds.n_slots, dtype=np.uint32)
    rounds.given = slot[np.concatenate([
        np.asarray(within_a[0]), np.asarray(within_b[0]) + np.uint32(index_a.n_points)
    ])]
    rounds.given_length = np.concatenate([within_a[1], within_b[1]])
    rounds.alive = np.empty(max(1, len(rounds.given)), dtype=np.uint32)
    with rounds.team:
        return rounds.peel(n_trees)
