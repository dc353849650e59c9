"""The index of a set of points: equal points collapsed into sites, a kd-tree over the sites.

Points are dealt to parts of space first, and equal ones are found there (parts.pyx). Below
KD_SINGLE coordinates these parts are the top of the tree, too. Points of one site get
consecutive slots, sites in tree order.

Cost: O(n d log n) time, about n (8 d + 8) bytes (with float32 copies of 6 coordinates
and more: 12 d + 8).
"""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.kd.parts cimport KDMoving, Parts
from smartsvm._threads import run_chunks

cdef extern from "kd/build.h" nogil:
    ctypedef struct KDPart:
        uint32_t node, budget, depth

    ctypedef struct KDTop:
        uint32_t *above
        KDPart *below
        Py_ssize_t n_above, n_below

    enum: KD_SINGLE
    size_t kd_room(Py_ssize_t d)
    Py_ssize_t kd_leaves(Py_ssize_t n_sites)
    void kd_lay_out(
        KDTree *tree, KDPart part, const Py_ssize_t *start, Py_ssize_t n_parts, KDTop *top
    )
    void kd_enclose(KDTree *tree, const KDTop *top)
    Py_ssize_t kd_count_nodes(const KDTree *tree)
    void kd_close_gaps(const KDTree *old, KDTree *to, uint32_t *number)
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


cdef class KDIndex:
    """See the module; built by `index`."""

    def __init__(self, const double[:, ::1] points, const uint32_t[::1] ids, int n_threads):
        cdef Parts parts
        self.n_points = points.shape[0]
        self.slots = None
        parts = Parts(points, n_threads)
        self.collapsed = parts.collapsed
        self._lay_out(parts)
        self._build(parts, n_threads)
        self.singles = None
        if kd_fits_single(&self.tree):
            self._keep_singles()
        self._order_slots(parts.order, parts.site, ids)

    def _lay_out(self, Parts parts):
        self.tree.n_sites, self.tree.d = parts.n_sites, parts.d
        self.coords = parts.coords
        self.leaf = np.empty(parts.n_sites, dtype=np.uint32)
        self.tree.coords, self.tree.leaf = &self.coords[0], &self.leaf[0]
        self._lay_out_nodes(4 * kd_leaves(parts.n_sites) - 1)
        self.tree.count[0] = <uint32_t> parts.n_sites

    cdef _lay_out_nodes(self, Py_ssize_t n_nodes):
        cdef KDTree *tree = &self.tree
        tree.n_nodes = n_nodes
        self.box = np.empty(n_nodes * 4 * ((tree.d + 1) // 2))
        self.nodes = np.zeros((4, n_nodes), dtype=np.uint32)
        tree.box = &self.box[0]
        tree.right, tree.parent = &self.nodes[0, 0], &self.nodes[1, 0]
        tree.start, tree.count = &self.nodes[2, 0], &self.nodes[3, 0]

    cdef _close_gaps(self):
        """Number the nodes without gaps: searches then read half the memory."""
        cdef KDTree old = self.tree
        # What the old one points to stays until it is copied.
        cdef uint32_t[:, ::1] _nodes = self.nodes
        cdef double[::1] _box = self.box
        cdef uint32_t[::1] number = np.empty(old.n_nodes, dtype=np.uint32)
        self._lay_out_nodes(kd_count_nodes(&old))
        kd_close_gaps(&old, &self.tree, &number[0])

    def _build(self, Parts dealt, int n_threads):
        """Lay out the top of the tree, and build the parts below it."""
        cdef Py_ssize_t d = self.tree.d, n_parts = dealt.n_parts, i
        cdef double[::1] keys = np.empty(self.tree.n_sites if d >= KD_SINGLE else 1)
        cdef uint32_t[::1] above = np.empty(n_parts, dtype=np.uint32)
        cdef uint32_t[:, ::1] under = np.empty((n_parts, 3), dtype=np.uint32)
        cdef KDMoving moving
        cdef KDPart root
        cdef KDTop top
        moving.points, moving.order, moving.keys = &self.coords[0], &dealt.order[0], &keys[0]
        root.node, root.depth = 0, 0
        root.budget = <uint32_t> (2 * kd_leaves(self.tree.n_sites))
        top.above, top.below = &above[0], <KDPart *> &under[0, 0]
        top.n_above = top.n_below = 0
        # Two means part points of more coordinates better.
        if d >= KD_SINGLE:
            n_parts = 1
        kd_lay_out(&self.tree, root, &dealt.start[0], n_parts, &top)
        parts, below = [top.below[i] for i in range(top.n_below)], {}

        def split(Py_ssize_t lo, Py_ssize_t hi):
            cdef KDPart part = parts[lo], left, right
            cdef double[::1] room = np.empty(kd_room(d) // sizeof(double))
            cdef KDMoving own = moving
            cdef bint inner
            own.room = &room[0]
            with nogil:
                inner = kd_split(&self.tree, own, part, &left, &right)
            below[lo] = [left, right] if inner else []

        def build(Py_ssize_t lo, Py_ssize_t hi):
            cdef KDPart part
            cdef double[::1] room = np.empty(kd_room(d) // sizeof(double))
            cdef KDMoving own = moving
            own.room = &room[0]
            for part in parts[lo:hi]:
                with nogil:
                    kd_build(&self.tree, own, part)

        def pack(Py_ssize_t lo, Py_ssize_t hi):
            cdef double[::1] spare = np.empty(d * KD_LEAF)
            with nogil:
                kd_pack(&self.tree, &self.coords[0], &spare[0], lo, hi)

        while n_threads > 1 and 0 < len(parts) < 4 * n_threads:
            run_chunks(split, len(parts), 1, n_threads)
            parts[:] = [part for lo in sorted(below) for part in below[lo]]
            below.clear()
        run_chunks(build, len(parts), 1 + len(parts) // (16 * n_threads), n_threads)
        kd_enclose(&self.tree, &top)
        if self.tree.n_nodes > NODES_IN_A_CHUNK:
            self._close_gaps()
        run_chunks(pack, self.tree.n_nodes, NODES_IN_A_CHUNK, n_threads)

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

    @property
    def n_sites(self):
        """How many distinct points there are, if equal ones are collapsed."""
        return self.tree.n_sites

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
