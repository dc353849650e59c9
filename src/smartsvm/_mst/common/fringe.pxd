# See fringe.h.
from libc.stdint cimport int64_t, uint32_t

cdef extern from "common/fringe.h" nogil:
    enum: FRINGE_GROUP

    ctypedef struct Fringe:
        Py_ssize_t size, block
        uint32_t *vertex
        uint32_t *position
        uint32_t *rank
        double *nearest
        int64_t *source
        double *points

    ctypedef struct FringeLoops:
        Py_ssize_t block
        double (*improve)(
            const Fringe *fringe, uint32_t entered, const double *x, Py_ssize_t d
        ) noexcept nogil
        Py_ssize_t (*smallest)(const Fringe *fringe, double length) noexcept nogil

    const FringeLoops *fringe_loops(int kind)
    double *fringe_point(const Fringe *fringe, Py_ssize_t j, Py_ssize_t d)
    double fringe_offer(const Fringe *fringe, uint32_t entered, Py_ssize_t j, double length)
