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
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

from smartsvm._mst.common.counting cimport find_places
from smartsvm._mst.common.equal_points cimport number_distinct
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._threads import run_chunks

cdef extern from "kd/top.h" nogil:
    ctypedef struct KDMoving:
        double *points
        uint32_t *order
        double *keys
        void *room

    ctypedef struct KDSubtree:
        uint32_t node, budget, depth

    ctypedef struct KDTop:
        uint32_t *above
        KDSubtree *below
        Py_ssize_t n_above, n_below

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
        uint16_t *region, Py_ssize_t d,
    )
    bint kd_can_collapse(const double *values, Py_ssize_t size)
    void kd_lay_out(
        KDTree *tree, KDSubtree subtree, const Py_ssize_t *start, Py_ssize_t n_regions, KDTop *top
    )
    void kd_build(KDTree *tree, KDMoving moving, KDSubtree subtree, KDSubtree *children)
    void kd_enclose(KDTree *tree, const KDTop *top)
    void kd_pack(
        const KDTree *tree, double *points, double *spare, Py_ssize_t lo, Py_ssize_t hi
    )
    bint kd_fits_single(const KDTree *tree)
    void kd_keep_singles(KDTree *tree, float *singles)

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
    cdef KDCut *cuts
    cdef uint16_t[::1] region_of
    cdef Py_ssize_t[:, ::1] place       # by chunk and region: how many points, then where to
    cdef uint8_t[::1] collapsible       # by chunk
    # While equal points are collapsed; by place: the number of its site in the region.
    cdef uint32_t[::1] number
    cdef Py_ssize_t[::1] n_distinct, first_site
    cdef double[::1] sites
    # While the tree is built: keys that points are split by, and subtrees (KDSubtree) to do.
    cdef double[::1] keys
    cdef uint32_t[:, ::1] subtrees, children

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

    def __dealloc__(self):
        free(self.cuts)

    cdef find_sites(self):
        """Move the points to their regions, and leave one of equal points."""
        cdef Py_ssize_t n = self.n
        if self.n_regions == 1:
            self.start[1] = n
            self.order = np.arange(n, dtype=np.uint32)
            self.collapsed = kd_can_collapse(&self.points[0, 0], n * self.d)
            memcpy(&self.coords[0], &self.points[0, 0], n * self.d * sizeof(double))
        else:
            self.chunk = max(LEAST_CHUNK, (n + 4 * self.n_threads - 1) // (4 * self.n_threads))
            self.order = np.empty(n, dtype=np.uint32)
            self.region_of = np.empty(n, dtype=np.uint16)
            self.place = np.zeros(
                ((n + self.chunk - 1) // self.chunk, self.n_regions), dtype=np.intp
            )
            self.find_cuts()
            self.collapsible = np.empty(len(self.place), dtype=np.uint8)
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
        self.cuts = <KDCut *> malloc(self.n_regions * sizeof(KDCut))
        if self.cuts == NULL:
            raise MemoryError
        for s in range(size):
            memcpy(&sample[s * d], &self.points[s * self.n // size, 0], d * sizeof(double))
        moving.points, moving.order = &sample[0], &order[0]
        with nogil:
            kd_find_cuts(moving, 0, size, self.cuts, 1, self.n_regions, &box[0], d)

    def find_regions(self, Py_ssize_t lo, Py_ssize_t hi):
        """The regions of points lo..hi-1, and how many there are of each."""
        cdef Py_ssize_t *count = &self.place[lo // self.chunk, 0]
        cdef Py_ssize_t i
        with nogil:
            self.collapsible[lo // self.chunk] = kd_can_collapse(
                &self.points[lo, 0], (hi - lo) * self.d
            )
            kd_find_regions(
                self.cuts, self.n_regions, &self.points[lo, 0], hi - lo, &self.region_of[lo],
                self.d,
            )
            for i in range(lo, hi):
                count[self.region_of[i]] += 1

    def move_points(self, Py_ssize_t lo, Py_ssize_t hi):
        """Move points lo..hi-1 to their regions."""
        with nogil:
            self.move(lo, hi)

    cdef void move(self, Py_ssize_t lo, Py_ssize_t hi) noexcept nogil:
        cdef Py_ssize_t *place = &self.place[lo // self.chunk, 0]
        cdef const double *points = &self.points[0, 0]
        cdef double *coords = &self.coords[0]
        cdef uint32_t *order = &self.order[0]
        cdef const uint16_t *region_of = &self.region_of[0]
        cdef Py_ssize_t d = self.d, i, k, to
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
        cdef uint32_t[::1] above = np.empty(self.n_regions, dtype=np.uint32)
        cdef uint32_t[:, ::1] below = np.empty((self.n_regions, 3), dtype=np.uint32)
        cdef KDSubtree root
        cdef KDTop top
        self.keys = np.empty(self.n_sites if self.d >= KD_SINGLE else 1)
        root.node, root.depth = 0, 0
        root.budget = <uint32_t> (tree.n_nodes + 1) // 2
        top.above, top.below = &above[0], <KDSubtree *> &below[0, 0]
        top.n_above = top.n_below = 0
        kd_lay_out(tree, root, &self.start[0], self.n_regions, &top)
        # By numpy: Cython 3.3.0 does not count a slice of a view that is stored like this.
        self.subtrees = np.asarray(below)[:top.n_below]
        while self.n_threads > 1 and 0 < self.subtrees.shape[0] < 4 * self.n_threads:
            # No child is node 0: that is how leaves, which have none, show.
            self.children = np.zeros((2 * self.subtrees.shape[0], 3), dtype=np.uint32)
            run_chunks(self.split, self.subtrees.shape[0], 1, self.n_threads)
            made = np.asarray(self.children)
            self.subtrees = np.ascontiguousarray(made[made[:, 0] > 0])
        run_chunks(
            self.build_subtrees, self.subtrees.shape[0],
            1 + self.subtrees.shape[0] // (16 * self.n_threads), self.n_threads,
        )
        kd_enclose(tree, &top)
        run_chunks(self.pack, tree.n_nodes, NODES_IN_A_CHUNK, self.n_threads)

    def split(self, Py_ssize_t lo, Py_ssize_t hi):
        """Split one subtree, so that there are more to share out."""
        self.build_some(lo, hi, <KDSubtree *> &self.children[2 * lo, 0])

    def build_subtrees(self, Py_ssize_t lo, Py_ssize_t hi):
        self.build_some(lo, hi, NULL)

    cdef build_some(self, Py_ssize_t lo, Py_ssize_t hi, KDSubtree *children):
        cdef double[::1] room = np.empty(kd_room(self.d) // sizeof(double))
        cdef KDSubtree *subtrees = <KDSubtree *> &self.subtrees[0, 0]
        cdef KDMoving moving
        cdef Py_ssize_t i
        moving.points, moving.order = &self.coords[0], &self.order[0]
        moving.keys, moving.room = &self.keys[0], &room[0]
        with nogil:
            for i in range(lo, hi):
                kd_build(&self.index.tree, moving, subtrees[i], children)

    def pack(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef double[::1] spare = np.empty(self.d * KD_LEAF)
        with nogil:
            kd_pack(&self.index.tree, &self.coords[0], &spare[0], lo, hi)


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
        if kd_fits_single(&self.tree):
            self.singles = np.zeros(builder.n_sites * builder.d + KD_LEAF, dtype=np.float32)
            kd_keep_singles(&self.tree, &self.singles[0])
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
        tree.count[0] = <uint32_t> tree.n_sites

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
