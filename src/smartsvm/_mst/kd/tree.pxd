# The kd-tree of kdtree.h, and the index over a set of points that owns one.
from libc.stdint cimport uint32_t


cdef extern from "kd/tree.h" nogil:
    enum: KD_LEAF

    ctypedef struct KDTree:
        Py_ssize_t n_sites, n_nodes, d
        double *coords
        float *singles
        uint32_t *leaf_number
        double *box
        uint32_t *right
        uint32_t *parent
        uint32_t *start
        uint32_t *count
        uint32_t *leaf


cdef class KDIndex:
    cdef KDTree tree
    cdef readonly Py_ssize_t n_points
    cdef readonly Py_ssize_t largest_site
    cdef readonly bint collapsed        # equal points share a site
    cdef uint32_t[::1] row              # slot -> row of the points given
    cdef uint32_t[::1] identity         # slot -> identity of its point
    cdef uint32_t[::1] site_start       # site -> its first slot; None: every site has one
    cdef double[::1] coords, box
    # In float32, None where not kept.
    cdef float[::1] singles
    cdef uint32_t[::1] leaf_number
    cdef uint32_t[:, ::1] nodes
    cdef uint32_t[::1] leaf
    cdef const uint32_t[::1] slots      # row -> slot, once asked for

    cdef _keep_singles(self)
    cdef _order_slots(self, uint32_t[::1] order, uint32_t[::1] site, const uint32_t[::1] ids)
    cdef const uint32_t[::1] slot_of_row(self)
    cdef _lay_out_nodes(self, Py_ssize_t n_nodes)
    cdef _close_gaps(self)
