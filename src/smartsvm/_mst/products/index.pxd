from libc.stdint cimport uint32_t

from smartsvm._mst.products.tile_loops cimport TileLoops


cdef class Index:
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t d
    cdef readonly object basis          # (d, width) of the projections, or None
    cdef readonly Py_ssize_t width      # float32 coordinates of a point
    cdef readonly object order          # node -> row of the caller's points
    cdef readonly object points         # float64 coordinates, in blocks
    cdef readonly object ids
    cdef readonly object centre         # float64
    cdef float[:, ::1] single     # float32 coordinates about the centre / 2^exponent
    cdef float[:, :, ::1] packed  # the same in panels; None if products are left to BLAS
    cdef const Py_ssize_t[::1] panel_start  # block -> its first panel
    cdef const TileLoops *loops         # what multiplies panels on this processor
    cdef readonly int exponent
    cdef double[::1] norms        # squared norms of these, in float64
    cdef double largest_norm
    cdef readonly const Py_ssize_t[::1] start   # block -> its first node
    cdef readonly bint clustered        # blocks follow clusters, which are far apart
    cdef readonly bint lies_together    # bounds exclude many tiles: points near a manifold, or few
    cdef readonly object ball_centre    # of the float32 coordinates
    cdef double[::1] ball_radius
    cdef double[::1] along_centre  # products of the points with the centres of their balls
    cdef readonly object equal_start    # groups of equal points, as starts in
    cdef readonly object equal          # a list of nodes
    cdef bint is_built                  # before it is, nodes are the caller's rows
    cdef tuple last_edges               # the last arguments and the last result of `own_edges`
    cdef object lock                    # of the last two, and of building

    cdef build(self, n_threads)
    cdef rows(self)
    cdef own_edges(self, forests, Py_ssize_t n_trees)


cdef void pack(const float *rows, Py_ssize_t n, Py_ssize_t d, float *packed) noexcept nogil
cpdef double rounding_slack(Py_ssize_t d, bint symmetric) noexcept nogil
