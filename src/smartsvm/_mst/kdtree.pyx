"""The index of a set of points: equal points collapsed into sites, a kd-tree over the sites.

Equal points are found with one hash table. Points of one site get consecutive
slots, sites in tree order. Collapsing is right only while a squared distance of
zero means equal points; coordinates so small that squares of their differences
may underflow keep every point a site of its own, which is slower and exact.

Cost: O(n d log n) time, about n (8 d + 8) bytes (with float32 copies of 6 coordinates
and more: 12 d + 8) and as many again for the hash table while it is built.
"""
from libc.math cimport fabs
from libc.stdint cimport UINT32_MAX, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.team import Team

cdef extern from "order.h" nogil:
    uint64_t smartsvm_mix(uint64_t z)

cdef extern from "kdbuild.h" nogil:
    ctypedef struct KDPart:
        uint32_t node, budget, depth

    ctypedef struct KDMoving:
        double *points
        uint32_t *order
        double *keys
        double *room

    enum: KD_SINGLE, MEANS_ROOM
    Py_ssize_t kd_leaves(Py_ssize_t n_sites)
    bint kd_split(KDTree *tree, KDMoving moving, KDPart part, KDPart *left, KDPart *right)
    void kd_build(KDTree *tree, KDMoving moving, KDPart part)
    void kd_pack(
        const KDTree *tree, double *points, double *spare, Py_ssize_t lo, Py_ssize_t hi
    )
    bint kd_fits_single(const KDTree *tree)
    Py_ssize_t kd_number_leaves(KDTree *tree, uint32_t *leaf_number)
    void kd_keep_singles(KDTree *tree, float *singles)

cdef enum:
    NODES_IN_A_CHUNK = 1 << 12

# Nonzero floats of at least this size differ by at least 2^-52 of it, and the
# square of that is still a float: 2^-1064.
cdef double SMALLEST_SAFE = 2.0 ** -480


cdef bint _is_safe(const double *values, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(size):
        if fabs(values[i]) < SMALLEST_SAFE and values[i] != 0:
            return False
    return True


cdef inline bint _equal(const double *x, const double *y, Py_ssize_t d) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(d):
        if x[k] != y[k]:
            return False
    return True


cdef inline uint64_t _hash(const double *x, Py_ssize_t d) noexcept nogil:
    cdef Py_ssize_t k
    cdef uint64_t bits, value = 0
    cdef double positive
    for k in range(d):
        positive = x[k] + 0.0       # -0 equals 0 and must hash like it
        memcpy(&bits, &positive, sizeof(bits))
        value = (value ^ bits) * <uint64_t> 0x9e3779b97f4a7c15
        value ^= value >> 32
    return smartsvm_mix(value)


cdef Py_ssize_t _find_sites(
    const double *points, Py_ssize_t n, Py_ssize_t d, uint32_t *table, uint64_t mask,
    uint32_t *site,
) noexcept nogil:
    """Number the distinct points in the order of their first rows; how many they are."""
    cdef Py_ssize_t i, n_sites = 0
    cdef uint64_t place
    for i in range(mask + 1):
        table[i] = UINT32_MAX
    for i in range(n):
        place = _hash(points + i * d, d) & mask
        while table[place] != UINT32_MAX and not _equal(
            points + i * d, points + <Py_ssize_t> table[place] * d, d
        ):
            place = (place + 1) & mask
        if table[place] == UINT32_MAX:
            table[place] = <uint32_t> i
            site[i] = <uint32_t> n_sites
            n_sites += 1
        else:
            site[i] = site[table[place]]
    return n_sites


cdef class KDIndex:
    """See the module; built by `index`."""

    def __init__(self, const double[:, ::1] points, const uint32_t[::1] ids, int n_threads):
        cdef Py_ssize_t n = points.shape[0], d = points.shape[1], n_sites = n, i
        cdef uint32_t[::1] site, table, order
        cdef uint64_t mask = 1
        cdef KDTree *tree = &self.tree
        self.n_points = n
        self.slots = None
        self.collapsed = _is_safe(&points[0, 0], n * d)
        site = np.empty(n, dtype=np.uint32)
        if self.collapsed:
            while mask < 3 * n // 2:
                mask *= 2
            table = np.empty(mask, dtype=np.uint32)
            with nogil:
                n_sites = _find_sites(&points[0, 0], n, d, &table[0], mask - 1, &site[0])
            table = None
        tree.n_sites, tree.d = n_sites, d
        tree.n_nodes = 4 * kd_leaves(n_sites) - 1
        # A pair of coordinates may be read beyond the last one.
        self.coords = np.zeros(n_sites * d + 1)
        self.box = np.empty(tree.n_nodes * 4 * ((d + 1) // 2))
        self.nodes = np.zeros((4, tree.n_nodes), dtype=np.uint32)
        self.leaf = np.empty(n_sites, dtype=np.uint32)
        tree.box, tree.leaf = &self.box[0], &self.leaf[0]
        tree.right, tree.parent = &self.nodes[0, 0], &self.nodes[1, 0]
        tree.start, tree.count = &self.nodes[2, 0], &self.nodes[3, 0]
        tree.count[0] = <uint32_t> n_sites
        order = np.arange(n_sites, dtype=np.uint32)
        if n_sites == n:
            memcpy(&self.coords[0], &points[0, 0], n * d * sizeof(double))
        else:
            for i in range(n):
                memcpy(&self.coords[site[i] * d], &points[i, 0], d * sizeof(double))
        self._build(order, n_threads)
        self._order_slots(order, site, ids)

    def _build(self, uint32_t[::1] order, int n_threads):
        """Split the top of the tree level by level, and build the parts below it."""
        cdef Py_ssize_t d = self.tree.d
        cdef double[::1] keys = np.empty(self.tree.n_sites if d >= KD_SINGLE else 1)
        cdef KDMoving moving
        cdef KDPart root
        moving.points, moving.order, moving.keys = &self.coords[0], &order[0], &keys[0]
        root.node, root.depth = 0, 0
        root.budget = <uint32_t> (2 * kd_leaves(self.tree.n_sites))
        parts, below = [root], {}

        def split(Py_ssize_t lo, Py_ssize_t hi):
            cdef KDPart part = parts[lo], left, right
            cdef double[::1] room = np.empty(d * MEANS_ROOM)
            cdef KDMoving own = moving
            cdef bint inner
            own.room = &room[0]
            with nogil:
                inner = kd_split(&self.tree, own, part, &left, &right)
            below[lo] = [left, right] if inner else []

        def build(Py_ssize_t lo, Py_ssize_t hi):
            cdef KDPart part = parts[lo]
            cdef double[::1] room = np.empty(d * MEANS_ROOM)
            cdef KDMoving own = moving
            own.room = &room[0]
            with nogil:
                kd_build(&self.tree, own, part)

        def pack(Py_ssize_t lo, Py_ssize_t hi):
            cdef double[::1] spare = np.empty(d * KD_LEAF)
            with nogil:
                kd_pack(&self.tree, &self.coords[0], &spare[0], lo, hi)

        with Team(n_threads, parts.clear) as team:
            while n_threads > 1 and 0 < len(parts) < 4 * n_threads:
                team.run(split, len(parts), 1)
                parts[:] = [part for lo in sorted(below) for part in below[lo]]
                below.clear()
            team.run(build, len(parts), 1)
            team.run(pack, self.tree.n_nodes, NODES_IN_A_CHUNK)
        self.tree.coords = &self.coords[0]
        self.singles = None
        if kd_fits_single(&self.tree):
            self._keep_singles()

    cdef _keep_singles(self):
        cdef Py_ssize_t n_leaves
        self.leaf_number = np.empty(self.tree.n_nodes, dtype=np.uint32)
        n_leaves = kd_number_leaves(&self.tree, &self.leaf_number[0])
        self.singles = np.empty(n_leaves * KD_LEAF * self.tree.d, dtype=np.float32)
        kd_keep_singles(&self.tree, &self.singles[0])

    cdef _order_slots(self, uint32_t[::1] order, uint32_t[::1] site, const uint32_t[::1] ids):
        """Slots of equal points side by side, sites in tree order."""
        cdef Py_ssize_t n = self.n_points, n_sites = self.tree.n_sites, i
        cdef uint32_t[::1] place
        cdef uint32_t s
        self.largest_site = 1
        self.site_start = None
        if n_sites == n:
            self.row = order
        else:
            place = np.empty(n_sites, dtype=np.uint32)
            for i in range(n_sites):
                place[order[i]] = <uint32_t> i
            self.site_start = np.zeros(n_sites + 1, dtype=np.uint32)
            for i in range(n):
                self.site_start[place[site[i]] + 1] += 1
            for i in range(n_sites):
                self.largest_site = max(self.largest_site, self.site_start[i + 1])
                self.site_start[i + 1] += self.site_start[i]
            self.row = np.empty(n, dtype=np.uint32)
            for i in range(n):
                s = place[site[i]]
                self.row[self.site_start[s]] = <uint32_t> i
                self.site_start[s] += 1
            for i in range(n_sites, 0, -1):
                self.site_start[i] = self.site_start[i - 1]
            self.site_start[0] = 0
        # Of a whole set the identities are the rows: no second copy.
        for i in range(n):
            if ids[i] != i:
                self.identity = np.asarray(ids)[np.asarray(self.row)]
                return
        self.identity = self.row

    cdef const uint32_t[::1] slot_of_row(self):
        """The slot of each row; made when first asked for."""
        cdef uint32_t[::1] slots
        cdef Py_ssize_t slot
        if self.slots is None:
            slots = np.empty(self.n_points, dtype=np.uint32)
            for slot in range(self.n_points):
                slots[self.row[slot]] = <uint32_t> slot
            self.slots = slots
        return self.slots
