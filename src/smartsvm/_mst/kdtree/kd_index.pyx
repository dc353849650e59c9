"""The index of a set of points: equal points collapsed into sites, a kd-tree over the sites.

Collapsing equal points is right only while a squared distance of zero means equal points. If
squares of differences may underflow, every point keeps a site of its own: slower, and exact.

Cost: O(n d log n) time, about n (8 d + 8) bytes.
"""
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.common.equal_points cimport number_distinct
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._core.threads import run_chunks

cdef extern from "kdtree/build.h" nogil:
    ctypedef struct KDMoving:
        double *points
        uint32_t *order
        double *keys
        double *room

    enum: KD_BEYOND, KD_LEAF, KD_MIDDLE, AXIS_ROOM
    Py_ssize_t kd_leaves(Py_ssize_t n_sites)
    bint kd_can_collapse(const double *values, Py_ssize_t size)
    void kd_build(KDTree *tree, const KDMoving *moving, uint32_t node, bint root_only)
    void kd_pack(const KDTree *tree, double *spare, Py_ssize_t lo, Py_ssize_t hi)

cdef enum:
    NODES_IN_A_CHUNK = 1 << 12
    # Built by one thread: others would take about as long to start and to meet again.
    FEW_SITES = 1 << 13


cdef class _Builder:
    """What is needed while a tree is built; its methods are what threads run."""

    cdef KDIndex index
    cdef int n_threads
    cdef uint32_t[::1] order            # site -> row, or itself if some rows are equal
    cdef double[::1] keys               # what sites are split by
    cdef uint32_t[::1] roots            # subtrees that are left to build

    cdef build(self):
        cdef KDTree *tree = &self.index.tree
        self.order = np.arange(tree.n_sites, dtype=np.uint32)
        self.keys = np.empty(tree.n_sites)
        self.roots = np.zeros(1, dtype=np.uint32)
        if tree.n_sites < FEW_SITES:
            self.n_threads = 1
        while self.n_threads > 1 and 0 < self.roots.shape[0] < 4 * self.n_threads:
            # More subtrees, to share out.
            run_chunks(self.split_roots, self.roots.shape[0], 1, self.n_threads)
            split = [root for root in self.roots if tree.right[root] != 0]
            children = [child for root in split for child in (root + 1, tree.right[root])]
            self.roots = np.array(children, dtype=np.uint32)
        run_chunks(
            self.build_subtrees, self.roots.shape[0],
            1 + self.roots.shape[0] // (16 * self.n_threads), self.n_threads,
        )
        run_chunks(self.pack, tree.n_nodes, NODES_IN_A_CHUNK, self.n_threads)

    def split_roots(self, Py_ssize_t lo, Py_ssize_t hi):
        self.build_some(lo, hi, True)

    def build_subtrees(self, Py_ssize_t lo, Py_ssize_t hi):
        self.build_some(lo, hi, False)

    cdef build_some(self, Py_ssize_t lo, Py_ssize_t hi, bint roots_only):
        cdef double[::1] room = np.empty(AXIS_ROOM * self.index.tree.d)
        cdef KDMoving moving = KDMoving(
            self.index.tree.coords, &self.order[0], &self.keys[0], &room[0]
        )
        cdef Py_ssize_t i
        with nogil:
            for i in range(lo, hi):
                kd_build(&self.index.tree, &moving, self.roots[i], roots_only)

    def pack(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double[::1] spare = np.empty(self.index.tree.d * KD_LEAF)
        with nogil:
            kd_pack(&self.index.tree, &spare[0], lo, hi)


cdef class KDIndex:
    """See the module. Nothing of it changes once it is built: threads may share it."""

    def __init__(self, const double[:, ::1] points, const uint32_t[::1] ids, int n_threads):
        cdef _Builder builder = _Builder()
        self.n_points, self.tree.d = points.shape[0], points.shape[1]
        self.tree.loops = leaf_loops(vector_kind())
        site = self.find_sites(points)
        self.leaf = np.empty(self.tree.n_sites, dtype=np.uint32)
        self.tree.coords, self.tree.leaf = &self.coords[0], &self.leaf[0]
        self.lay_out_nodes()
        builder.index, builder.n_threads = self, n_threads
        builder.build()
        self.order_points(builder.order, site, ids)

    cdef find_sites(self, const double[:, ::1] points):
        """Copy the distinct points; the site of each row, or None if no rows are equal."""
        cdef Py_ssize_t n = self.n_points, d = self.tree.d, i
        cdef uint32_t[::1] table, site
        self.coords = np.zeros(n * d + KD_BEYOND)
        memcpy(&self.coords[0], &points[0, 0], n * d * sizeof(double))
        self.tree.n_sites = n
        self.collapsed = kd_can_collapse(&self.coords[0], n * d)
        if not self.collapsed:
            return None
        table, site = np.empty(3 * n, dtype=np.uint32), np.empty(n, dtype=np.uint32)
        with nogil:
            self.tree.n_sites = number_distinct(&self.coords[0], n, d, &table[0], &site[0])
            if self.tree.n_sites < n:
                # In place: no site comes after a row of its own.
                for i in range(n):
                    memcpy(&self.coords[site[i] * d], &self.coords[i * d], d * sizeof(double))
        if self.tree.n_sites == n:
            return None
        self.coords = np.asarray(self.coords)[:self.tree.n_sites * d + KD_BEYOND].copy()
        self.coords[self.tree.n_sites * d:] = 0
        return site

    @property
    def n_sites(self):
        """How many distinct points there are, if equal ones are collapsed."""
        return self.tree.n_sites

    cdef lay_out_nodes(self):
        cdef KDTree *tree = &self.tree
        cdef Py_ssize_t n_leaves = kd_leaves(tree.n_sites)
        # Two means leave many leaves less than full. Numbers that are not needed lie between the
        # others, where searches read.
        n_leaves += n_leaves if tree.d >= KD_MIDDLE else n_leaves // 8 + 1
        tree.n_nodes = 2 * n_leaves - 1
        self.box = np.empty(tree.n_nodes * 4 * ((tree.d + 1) // 2))
        self.nodes = np.zeros((4, tree.n_nodes), dtype=np.uint32)
        tree.box = &self.box[0]
        tree.right, tree.parent = &self.nodes[0, 0], &self.nodes[1, 0]
        tree.start, tree.count = &self.nodes[2, 0], &self.nodes[3, 0]
        tree.count[0], tree.right[0] = <uint32_t> tree.n_sites, <uint32_t> n_leaves

    cdef order_points(
        self, uint32_t[::1] order, const uint32_t[::1] site, const uint32_t[::1] ids
    ):
        """Rows and identities of the points in tree order, equal ones side by side."""
        cdef Py_ssize_t i, n_sites = self.tree.n_sites
        cdef uint32_t[::1] place, next_point
        cdef bint whole = True
        self.largest_site = 1
        self.site_start = None
        if n_sites == self.n_points:
            self.row = order
        else:
            place = np.empty(n_sites, dtype=np.uint32)
            self.row = np.empty(self.n_points, dtype=np.uint32)
            # Place s + 1 is where site s begins, then where its next point goes, and so in the end
            # where site s + 1 begins.
            next_point = np.zeros(n_sites + 2, dtype=np.uint32)
            for i in range(n_sites):
                place[order[i]] = <uint32_t> i
            for i in range(self.n_points):
                next_point[place[site[i]] + 2] += 1
            for i in range(2, n_sites + 2):
                self.largest_site = max(self.largest_site, <Py_ssize_t> next_point[i])
                next_point[i] += next_point[i - 1]
            for i in range(self.n_points):
                self.row[next_point[place[site[i]] + 1]] = <uint32_t> i
                next_point[place[site[i]] + 1] += 1
            self.site_start = next_point[:n_sites + 1]
        # Of a whole set the identities are the rows: no second copy.
        for i in range(self.n_points):
            whole = whole and ids[i] == i
        self.identity = self.row if whole else np.asarray(ids)[np.asarray(self.row)]
