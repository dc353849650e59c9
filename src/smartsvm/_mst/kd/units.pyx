"""The units that Boruvka's algorithm joins, and the edges it has taken.

Equal points share a site of their kd-tree and lie in consecutive slots. Edges
of length zero are the smallest of all, so a tree begins with the forests of the
keys among equal points (Prim's algorithm: O(m^2) for m of them). A site that is
connected then is one unit; where earlier trees have used too many of its edges,
each of its slots is one. So a site that many points share costs one search.
"""
from libc.stdint cimport UINT64_MAX, uint8_t, uint32_t, uint64_t

import numpy as np

from smartsvm._mst.kd.graph cimport NONE, edge_key, is_used
from smartsvm._mst.kd.tree cimport KDIndex, KDTree
from smartsvm._mst.common.disjoint_set cimport root
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._threads cimport check_interrupt

cdef extern from "kd/tree.h" nogil:
    Py_ssize_t kd_find(const KDTree *own, Py_ssize_t site, const KDTree *other, double *q)

# Keys between two looks for Ctrl-C: about a tenth of a second.
cdef enum:
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 24


cdef class Units:
    """Slots, sites and units of one set of points, or of two."""

    def __init__(
        self, KDIndex first not None, KDIndex second, uint64_t seed, Py_ssize_t n_trees
    ):
        cdef Py_ssize_t most
        self.first, self.second = first, second
        self.n_sides = 1 if second is None else 2
        self.graph.seed = seed
        self.graph.cancel = &self.cancelled
        self.sides[0].tree = first.tree
        self.n_slots, self.largest_site = first.n_points, first.largest_site
        self.collapsed = first.collapsed
        self.identity = first.identity
        if second is not None:
            self.sides[1].tree = second.tree
            self.n_slots += second.n_points
            self.largest_site = max(self.largest_site, second.largest_site)
            self.collapsed = first.collapsed and second.collapsed
            self.identity = np.concatenate([first.identity, second.identity])
        self.graph.identity = &self.identity[0]
        self._lay_out_sites()
        # One spare edge, so that a single point has addresses to pass on as well.
        most = n_trees * (self.n_slots - 1) + 1
        self.edges = np.empty((most, 2), dtype=np.uint32)
        self.lengths = np.empty(most)
        self.n_edges = 0

    cdef _lay_out_sites(self):
        """Arrays by unit, large enough for units of one slot each."""
        cdef Py_ssize_t n = self.n_slots
        self.by_unit = np.empty((3, n), dtype=np.uint32)
        self.lower = np.empty(n)
        self.graph.label, self.graph.component = &self.by_unit[0, 0], &self.by_unit[1, 0]
        self.graph.to, self.graph.lower = &self.by_unit[2, 0], &self.lower[0]
        self.site_start = None
        if self.largest_site == 1:
            self.sides[1].first_unit = <uint32_t> self.sides[0].tree.n_sites
            return
        starts, shift = [], 0
        for one in (self.first, self.second)[:self.n_sides]:
            starts.append(shift + _site_starts(one))
            shift += one.n_points
        self.site_start = np.concatenate([*starts, [n]]).astype(np.uint32)
        self.unit_of_site = np.empty(len(self.site_start), dtype=np.uint32)
        self.by_slot = np.empty((5, n + 1), dtype=np.uint32)
        self.graph.unit_of_slot, self.graph.unit_start = &self.by_slot[0, 0], &self.by_slot[1, 0]
        self.graph.site_of_unit, self.graph.from_ = &self.by_slot[2, 0], &self.by_slot[3, 0]
        self.slot_parent = &self.by_slot[4, 0]
        self.sides[0].unit_of_site = &self.unit_of_site[0]
        if self.n_sides == 2:
            self.sides[1].unit_of_site = &self.unit_of_site[self.sides[0].tree.n_sites]

    cdef start_units(self):
        """Units at the start of a tree: nothing joined but equal points."""
        cdef Py_ssize_t u
        if self.site_start is None:
            self.n_units = self.n_components = self.n_slots
            for u in range(self.n_slots):
                self.graph.label[u] = <uint32_t> u
        else:
            for u in range(self.n_slots):
                self.slot_parent[u] = <uint32_t> u
            if self.collapsed:
                self._join_equal_points()
            # Nothing has an edge yet: its room serves as the labels of roots.
            self._lay_out_units(self.graph.to)
        for u in range(self.n_units):
            self.graph.lower[u] = 0
            self.graph.to[u] = NONE
        for u in range(self.n_components):
            self.graph.component[u] = <uint32_t> u

    cdef void _lay_out_units(self, uint32_t *label) noexcept nogil:
        """A site whose slots are all joined is one unit, else each of its slots is."""
        cdef Py_ssize_t s, n_sites = self.sides[0].tree.n_sites, n_all = n_sites
        cdef uint32_t slot, first, top, u = 0, n_components = 0
        cdef bint whole
        if self.n_sides == 2:
            n_all += self.sides[1].tree.n_sites
        for slot in range(self.n_slots):
            label[slot] = NONE
        for s in range(n_all):
            if s == n_sites:
                self.sides[1].first_unit = u
            first = self.site_start[s]
            top = root(self.slot_parent, first)
            whole = True
            for slot in range(first + 1, self.site_start[s + 1]):
                whole = whole and root(self.slot_parent, slot) == top
            self.unit_of_site[s] = u
            for slot in range(first, self.site_start[s + 1]):
                if slot == first or not whole:
                    top = root(self.slot_parent, slot)
                    if label[top] == NONE:
                        label[top] = n_components
                        n_components += 1
                    self.graph.unit_start[u] = slot
                    self.graph.site_of_unit[u] = <uint32_t> (s if s < n_sites else s - n_sites)
                    self.graph.label[u] = label[top]
                    u += 1
                self.graph.unit_of_slot[slot] = u - 1
        self.unit_of_site[n_all] = u
        self.graph.unit_start[u] = <uint32_t> self.n_slots
        self.n_units, self.n_components = u, n_components

    cdef _join_equal_points(self):
        """The smallest edges of all: the forests of the keys among equal points."""
        cdef Py_ssize_t s, t, n_sites = self.sides[0].tree.n_sites
        cdef Py_ssize_t n_all = len(self.site_start) - 1, count
        cdef double[::1] q = np.empty(self.sides[0].tree.d + 1)
        cdef uint32_t[:, ::1] room = np.empty((2, 2 * self.largest_site), dtype=np.uint32)
        cdef uint64_t[::1] key = np.empty(2 * self.largest_site, dtype=np.uint64)
        cdef uint8_t[::1] done = np.zeros(n_all, dtype=np.uint8)
        for s in range(n_all):
            if done[s]:
                continue
            count = self._append_slots(&room[0, 0], 0, s)
            if self.n_sides == 2 and s < n_sites:
                t = kd_find(&self.sides[0].tree, s, &self.sides[1].tree, &q[0])
                if t >= 0:
                    done[n_sites + t] = 1
                    count = self._append_slots(&room[0, 0], count, n_sites + t)
            if count > 1:
                self._join_by_keys(&room[0, 0], count, &key[0], &room[1, 0])

    cdef Py_ssize_t _append_slots(self, uint32_t *slots, Py_ssize_t count, Py_ssize_t site):
        cdef uint32_t slot
        for slot in range(self.site_start[site], self.site_start[site + 1]):
            slots[count] = slot
            count += 1
        return count

    cdef _join_by_keys(self, uint32_t *slots, Py_ssize_t size, uint64_t *key, uint32_t *source):
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
            if work > WORK_BETWEEN_SIGNAL_CHECKS:
                work = 0
                check_interrupt()
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
                self.add_edge(source[least], entered, 0)
                self.slot_parent[root(self.slot_parent, entered)] = root(
                    self.slot_parent, source[least]
                )
            size -= 1
            slots[least], key[least], source[least] = slots[size], key[size], source[size]

    cdef void add_edge(self, uint32_t i, uint32_t j, double length) noexcept nogil:
        self.edges[self.n_edges, 0] = i
        self.edges[self.n_edges, 1] = j
        self.lengths[self.n_edges] = length
        self.n_edges += 1

    cdef strike_out(self):
        """The edges so far are used: no later tree may have them."""
        self.used_start = np.empty(self.n_slots + 1, dtype=np.intp)
        self.used = np.empty(2 * self.n_edges + 1, dtype=np.uint32)
        index_used(
            &self.edges[0, 0], self.n_edges, self.n_slots, &self.used_start[0], &self.used[0]
        )
        self.graph.used_start, self.graph.used = &self.used_start[0], &self.used[0]

    cdef rows_of_edges(self):
        """The edges as rows: those of the second set are counted on from the first."""
        cdef Py_ssize_t e, n_first = self.first.n_points
        cdef uint32_t slot, end
        for e in range(self.n_edges):
            for end in range(2):
                slot = self.edges[e, end]
                if slot < n_first:
                    self.edges[e, end] = self.first.row[slot]
                else:
                    self.edges[e, end] = <uint32_t> n_first + self.second.row[slot - n_first]
        return np.asarray(self.edges)[:self.n_edges], np.asarray(self.lengths)[:self.n_edges]


cdef _site_starts(KDIndex index):
    if index.site_start is None:
        return np.arange(index.n_points)
    return np.asarray(index.site_start, dtype=np.int64)[:index.tree.n_sites]
