# See vector_loops.h.
from libc.stdint cimport int64_t, uint32_t

cdef extern from "common/vector_loops.h" nogil:
    enum: FRINGE_BLOCK

    ctypedef struct Fringe:
        Py_ssize_t size, block
        uint32_t *vertex
        uint32_t *position
        double *nearest
        int64_t *source
        double *points

    double *fringe_point(const Fringe *fringe, Py_ssize_t j, Py_ssize_t d)
    double fringe_offer(
        const Fringe *fringe, uint32_t entered, Py_ssize_t j, double length, const uint32_t *ranks
    )
    Py_ssize_t fringe_smallest(
        const Fringe *fringe, double least, const uint32_t *ranks
    )

    ctypedef struct KDLoops:
        pass

    ctypedef struct PairSide:
        Py_ssize_t n, width, first
        const Py_ssize_t *known_start
        const uint32_t *known_to
        double *known_length
        double *cross

    ctypedef struct PairTrees:
        PairSide side[2]
        Py_ssize_t size
        uint32_t *rank
        double *outside
        double *nearest
        int64_t *source

    ctypedef struct PairLoops:
        void (*fill)(
            const double *x, Py_ssize_t n, const double *blocks, Py_ssize_t width, Py_ssize_t d,
            double *out
        ) noexcept nogil
        Py_ssize_t (*grow)(PairTrees *pair, uint32_t *edges, double *out) noexcept nogil

    ctypedef struct VectorLoops:
        KDLoops kd
        PairLoops pair
        Py_ssize_t fringe_block
        Py_ssize_t (*improve_fringe)(
            const Fringe *fringe, uint32_t entered, const double *x, const uint32_t *ranks,
            Py_ssize_t d
        ) noexcept nogil


cdef const VectorLoops *vector_loops() noexcept nogil
