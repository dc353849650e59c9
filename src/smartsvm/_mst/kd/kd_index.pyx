"""The index of a set of points: equal points collapsed into sites, a kd-tree over the sites.

Points of few coordinates are assigned to regions of space first (top.h), the top of the tree, and
equal ones are found there: a region fits the cache, equal points are in the same one, and each has
a hash table of its own. Sites lie region after region in the order of their first rows, whatever
the number of threads. Points of one site follow each other, sites in tree order.

Collapsing equal points is right only while a squared distance of zero means equal points;
coordinates so small that squares of their differences may underflow keep every point a site of
its own, which is slower and exact.

Cost: O(n d log n) time, about n (8 d + 8) bytes (with float32 copies of 6 coordinates
and more: 12 d + 8).
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.common.counting cimport find_places
from smartsvm._mst.common.equal_points cimport number_distinct
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._core.threads import run_chunks

cdef extern from "kd/top.h" nogil:
    ctypedef struct KDMoving:
        double *points
        uint32_t *order
        double *keys
        void *room

    # Two doubles, or numbers as long.
    ctypedef struct KDCut:
        pass

    enum: KD_BEYOND, KD_LEAF, KD_SINGLE, TOP_SAMPLE
    size_t kd_room(Py_ssize_t d)
    Py_ssize_t kd_leaves(Py_ssize_t n_sites)
    void kd_find_cuts(
        KDMoving moving, Py_ssize_t lo, Py_ssize_t hi, KDCut *cuts, Py_ssize_t h,
        Py_ssize_t n_regions, double *box, Py_ssize_t d,
    )
    void kd_find_regions(
        const KDCut *cuts, Py_ssize_t n_regions, const double *points, Py_ssize_t n,
        uint16_t *region, Py_ssize_t *count, Py_ssize_t d,
    )
    bint kd_can_collapse(const double *values, Py_ssize_t size)
    Py_ssize_t kd_link_top(
        KDTree *tree, uint32_t node, const Py_ssize_t *start, Py_ssize_t n_regions, uint32_t *below
    )
    void kd_build(KDTree *tree, KDMoving moving, uint32_t node, bint root_only)
    void kd_enclose_top(KDTree *tree, const uint32_t *below, Py_ssize_t n_below)
    bint kd_fits_single(const KDTree *tree)
    void kd_pack(const KDTree *tree, double *spare, Py_ssize_t lo, Py_ssize_t hi)

cdef enum:
    # Points of a region, if there are not more than MOST_REGIONS of them.
    POINTS_IN_A_REGION = 1 << 11
    MOST_REGIONS = 1 << 12
    LEAST_CHUNK = 1 << 13
    NODES_IN_A_CHUNK = 1 << 12


cdef class _Builder:
    """What is needed while an index is built; its methods are what threads run."""

    cdef KDIndex index
    cdef int n_threads
    cdef const double[:, ::1] points
    cdef Py_ssize_t n, d, n_regions, n_sites, chunk
    cdef bint collapsed
    cdef double[::1] coords             # of the sites, region after region, and KD_BEYOND more
    cdef uint32_t[::1] order            # site -> row, or itself if some rows are equal
    cdef uint32_t[::1] site             # row -> site; None: no rows are equal
    cdef Py_ssize_t[::1] start          # region -> its first site
    # While points are assigned to regions.
    cdef double[:, ::1] cuts            # KDCut
    cdef uint16_t[::1] region_of
    cdef Py_ssize_t[:, ::1] place       # by chunk and region: how many points, then where to
    cdef uint8_t[::1] collapsible       # by chunk
    # While equal points are collapsed; by place: the number of its site in the region.
    cdef uint32_t[::1] number
    cdef Py_ssize_t[::1] n_distinct, first_site
    cdef double[::1] sites
    # While the tree is built: keys that points are split by, and the roots of subtrees to do.
    cdef double[::1] keys
    cdef uint32_t[::1] roots

    def __init__(self, KDIndex index, const double[:, ::1] points, int n_threads):
        cdef Py_ssize_t n = points.shape[0], d = points.shape[1]
        self.index, self.points, self.n_threads = index, points, n_threads
        self.n = self.n_sites = n
        self.d = d
        self.n_regions = 1
        if d < KD_SINGLE:
            while self.n_regions < MOST_REGIONS and self.n_regions * POINTS_IN_A_REGION < n:
                self.n_regions *= 2
        self.site = None
        self.coords = np.empty(n * d + KD_BEYOND)
        self.coords[n * d:] = 0
        self.start = np.zeros(self.n_regions + 1, dtype=np.intp)

    cdef find_sites(self):
        """Move the points to their regions, and leave one of equal points."""
        cdef Py_ssize_t n = self.n
        self.chunk = max(LEAST_CHUNK, (n + 4 * self.n_threads - 1) // (4 * self.n_threads))
        self.order = np.empty(n, dtype=np.uint32)
        self.region_of = np.empty(n, dtype=np.uint16)
        self.place = np.zeros(((n + self.chunk - 1) // self.chunk, self.n_regions), dtype=np.intp)
        self.collapsible = np.empty(len(self.place), dtype=np.uint8)
        self.find_cuts()
        run_chunks(self.find_regions, n, self.chunk, self.n_threads)
        self.collapsed = np.all(self.collapsible)
        find_places(self.place, self.start)
        run_chunks(self.move_points, n, self.chunk, self.n_threads)
        self.region_of = self.place = None
        if self.collapsed:
            self.collapse()

    cdef find_cuts(self):
        """Borders of the regions, from a sample of the points."""
        cdef Py_ssize_t size = min(self.n, TOP_SAMPLE * self.n_regions), d = self.d, s
        cdef double[::1] sample = np.zeros(size * d + 1)
        cdef double[::1] box = np.empty(4 * ((d + 1) // 2))
        cdef uint32_t[::1] order = np.empty(size, dtype=np.uint32)
        cdef KDMoving moving
        self.cuts = np.empty((self.n_regions, 2))
        for s in range(size):
            memcpy(&sample[s * d], &self.points[s * self.n // size, 0], d * sizeof(double))
        moving.points, moving.order = &sample[0], &order[0]
        with nogil:
            kd_find_cuts(
                moving, 0, size, <KDCut *> &self.cuts[0, 0], 1, self.n_regions, &box[0], d
            )

    def find_regions(self, Py_ssize_t lo, Py_ssize_t hi):
        """The regions of points lo..hi-1, and how many there are of each."""
        cdef Py_ssize_t chunk = lo // self.chunk
        cdef const double *points = &self.points[lo, 0]
        with nogil:
            self.collapsible[chunk] = kd_can_collapse(points, (hi - lo) * self.d)
            kd_find_regions(
                <KDCut *> &self.cuts[0, 0], self.n_regions, points, hi - lo, &self.region_of[lo],
                &self.place[chunk, 0], self.d,
            )

    def move_points(self, Py_ssize_t lo, Py_ssize_t hi):
        """Move points lo..hi-1 to their regions."""
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef const double *points = &self.points[0, 0]
        cdef double *coords = &self.coords[0]
        cdef uint32_t *order = &self.order[0]
        cdef const uint16_t *region_of = &self.region_of[0]
        cdef Py_ssize_t d = self.d, i, k, to
        with nogil:
            for i in range(lo, hi):
                to = place[region_of[i]]
                place[region_of[i]] = to + 1
                order[to] = <uint32_t> i
                for k in range(d):
                    coords[to * d + k] = points[i * d + k]

    cdef collapse(self):
        self.number = np.empty(self.n, dtype=np.uint32)
        self.n_distinct = np.empty(self.n_regions, dtype=np.intp)
        self.chunk = 1 + self.n_regions // (16 * self.n_threads)
        run_chunks(self.count_distinct, self.n_regions, self.chunk, self.n_threads)
        self.n_sites = np.sum(self.n_distinct)
        if self.n_sites == self.n:
            self.number = None
            return
        self.first_site = np.concatenate([[0], np.cumsum(self.n_distinct)]).astype(np.intp)
        self.sites = np.empty(self.n_sites * self.d + KD_BEYOND)
        self.sites[self.n_sites * self.d:] = 0
        self.site = np.empty(self.n, dtype=np.uint32)
        run_chunks(self.keep_distinct, self.n_regions, self.chunk, self.n_threads)
        self.coords, self.start = self.sites, self.first_site
        self.order = np.arange(self.n_sites, dtype=np.uint32)

    def count_distinct(self, Py_ssize_t region, Py_ssize_t end):
        most = np.diff(self.start[region:end + 1]).max()
        cdef uint32_t[::1] table = np.empty(3 * most + 1, dtype=np.uint32)
        cdef Py_ssize_t lo, n, r
        with nogil:
            for r in range(region, end):
                lo, n = self.start[r], self.start[r + 1] - self.start[r]
                self.n_distinct[r] = number_distinct(
                    &self.coords[lo * self.d], n, self.d, &table[0], &self.number[lo]
                )

    def keep_distinct(self, Py_ssize_t region, Py_ssize_t end):
        cdef Py_ssize_t r, d = self.d, i
        cdef uint32_t s
        with nogil:
            for r in range(region, end):
                for i in range(self.start[r], self.start[r + 1]):
                    s = <uint32_t> self.first_site[r] + self.number[i]
                    self.site[self.order[i]] = s
                    memcpy(&self.sites[s * d], &self.coords[i * d], d * sizeof(double))

    cdef build(self):
        """Lay out the top of the tree, and build the subtrees below it."""
        cdef KDTree *tree = &self.index.tree
        cdef uint32_t[::1] below = np.empty(self.n_regions, dtype=np.uint32)
        cdef Py_ssize_t n_below = kd_link_top(tree, 0, &self.start[0], self.n_regions, &below[0])
        self.keys = np.empty(self.n_sites if self.d >= KD_SINGLE else 1)
        # By numpy: Cython 3.3.0 does not count a slice of a view that is stored like this.
        self.roots = np.asarray(below)[:n_below]
        while self.n_threads > 1 and 0 < self.roots.shape[0] < 4 * self.n_threads:
            # More subtrees, to be shared out.
            run_chunks(self.split_roots, self.roots.shape[0], 1, self.n_threads)
            split = [root for root in self.roots if tree.right[root] != 0]
            children = [child for root in split for child in (root + 1, tree.right[root])]
            self.roots = np.array(children, dtype=np.uint32)
        run_chunks(
            self.build_subtrees, self.roots.shape[0],
            1 + self.roots.shape[0] // (16 * self.n_threads), self.n_threads,
        )
        kd_enclose_top(tree, &below[0], n_below)
        if kd_fits_single(tree):
            self.index.singles = np.zeros(self.n_sites * self.d + KD_LEAF, dtype=np.float32)
            tree.singles = &self.index.singles[0]
        run_chunks(self.pack, tree.n_nodes, NODES_IN_A_CHUNK, self.n_threads)

    def split_roots(self, Py_ssize_t lo, Py_ssize_t hi):
        self.build_some(lo, hi, True)

    def build_subtrees(self, Py_ssize_t lo, Py_ssize_t hi):
        self.build_some(lo, hi, False)

    cdef build_some(self, Py_ssize_t lo, Py_ssize_t hi, bint roots_only):
        cdef double[::1] room = np.empty(kd_room(self.d) // sizeof(double))
        cdef KDMoving moving
        cdef Py_ssize_t i
        moving.points, moving.order = &self.coords[0], &self.order[0]
        moving.keys, moving.room = &self.keys[0], &room[0]
        with nogil:
            for i in range(lo, hi):
                kd_build(&self.index.tree, moving, self.roots[i], roots_only)

    def pack(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double[::1] spare = np.empty(self.d * KD_LEAF)
        with nogil:
            kd_pack(&self.index.tree, &spare[0], lo, hi)


cdef class KDIndex:
    """See the module. Nothing of it changes once it is built: threads may share it."""

    def __init__(self, const double[:, ::1] points, const uint32_t[::1] ids, int n_threads):
        cdef _Builder builder = _Builder(self, points, n_threads)
        self.n_points = points.shape[0]
        builder.find_sites()
        self.collapsed = builder.collapsed
        self.tree.n_sites, self.tree.d = builder.n_sites, builder.d
        self.tree.loops = leaf_loops(vector_kind())
        self.coords = builder.coords
        self.leaf = np.empty(builder.n_sites, dtype=np.uint32)
        self.tree.coords, self.tree.leaf = &self.coords[0], &self.leaf[0]
        self.lay_out_nodes()
        builder.build()
        self.order_points(builder.order, builder.site, ids)

    @property
    def n_sites(self):
        """How many distinct points there are, if equal ones are collapsed."""
        return self.tree.n_sites

    cdef lay_out_nodes(self):
        cdef KDTree *tree = &self.tree
        cdef Py_ssize_t n_leaves = kd_leaves(tree.n_sites)
        # Two means leave many leaves less than full. Numbers that are not needed lie between the
        # others, where searches read.
        n_leaves += n_leaves if tree.d >= KD_SINGLE else n_leaves // 8 + 1
        tree.n_nodes = 2 * n_leaves - 1
        self.box = np.empty(tree.n_nodes * 4 * ((tree.d + 1) // 2))
        self.nodes = np.zeros((4, tree.n_nodes), dtype=np.uint32)
        tree.box = &self.box[0]
        tree.right, tree.parent = &self.nodes[0, 0], &self.nodes[1, 0]
        tree.start, tree.count = &self.nodes[2, 0], &self.nodes[3, 0]
        tree.count[0], tree.right[0] = <uint32_t> tree.n_sites, <uint32_t> n_leaves

    cdef order_points(self, uint32_t[::1] order, uint32_t[::1] site, const uint32_t[::1] ids):
        """Rows and identities of the points in tree order, equal ones side by side."""
        cdef Py_ssize_t i, n_sites = self.tree.n_sites
        cdef const uint32_t[::1] place
        cdef uint32_t[::1] next_point
        self.largest_site = 1
        self.site_start = None
        if n_sites == self.n_points:
            self.row = order
        else:
            places = np.empty(n_sites, dtype=np.uint32)
            places[order] = np.arange(n_sites, dtype=np.uint32)
            place = places[site]
            sizes = np.bincount(place, minlength=n_sites)
            self.largest_site = sizes.max()
            self.site_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
            next_point = self.site_start.copy()
            self.row = np.empty(self.n_points, dtype=np.uint32)
            for i in range(self.n_points):
                self.row[next_point[place[i]]] = <uint32_t> i
                next_point[place[i]] += 1
        # Of a whole set the identities are the rows: no second copy.
        whole = np.array_equal(ids, np.arange(self.n_points, dtype=np.uint32))
        self.identity = self.row if whole else np.asarray(ids)[np.asarray(self.row)]
