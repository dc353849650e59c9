# The kd-tree of tree.h, and the index over a set of points that owns one.
from libc.stdint cimport uint32_t

cdef extern from "kdtree/tree.h" nogil:
    ctypedef struct LeafLoops:
        pass

    ctypedef struct KDTree:
        Py_ssize_t n_sites, n_nodes, d
        const LeafLoops *loops
        double *coords
        double *box
        uint32_t *right, *parent, *start, *count, *leaf

    const LeafLoops *leaf_loops(int kind)


cdef class KDIndex:
    cdef KDTree tree                    # it points into the arrays below
    cdef readonly Py_ssize_t n_points, largest_site
    cdef readonly bint collapsed        # equal points share a site
    # Points in tree order: their rows, their identities, and the first point of each site.
    cdef uint32_t[::1] row, identity
    cdef uint32_t[::1] site_start       # None: every site is one point
    cdef double[::1] coords, box
    cdef uint32_t[:, ::1] nodes
    cdef uint32_t[::1] leaf

    cdef find_sites(self, const double[:, ::1] points)
    cdef lay_out_nodes(self)
    cdef order_points(
        self, uint32_t[::1] order, const uint32_t[::1] site, const uint32_t[::1] ids
    )
