# See fringe.h.
from libc.stdint cimport int64_t, uint32_t

cdef extern from "prim/fringe.h" nogil:
    enum: FRINGE_GROUP, PAIR_BLOCK

    ctypedef struct Fringe:
        Py_ssize_t size, block
        uint32_t *vertex
        uint32_t *position
        uint32_t *rank
        double *nearest
        int64_t *source
        double *points
        double *core
        double *distance

    ctypedef struct PairSet:
        Py_ssize_t n, width, first
        const Py_ssize_t *known_start
        const uint32_t *known_to
        double *known_length
        double *cross

    ctypedef struct PairTrees:
        PairSet sets[2]
        Fringe fringe
        double *outside

    ctypedef struct PrimLoops:
        Py_ssize_t block
        double (*improve)(
            const Fringe *fringe, uint32_t entered, const double *x, Py_ssize_t d
        ) noexcept nogil
        double (*improve_mutual)(
            const Fringe *fringe, uint32_t entered, double core, const double *x, Py_ssize_t d
        ) noexcept nogil
        Py_ssize_t (*smallest)(const Fringe *fringe, double length) noexcept nogil
        void (*fill)(
            const double *x, Py_ssize_t n, const double *points, Py_ssize_t width, double *out,
            Py_ssize_t d
        ) noexcept nogil
        void (*list_lengths)(
            const double *points, const double *blocks, Py_ssize_t lo, Py_ssize_t hi,
            double *nearest, Py_ssize_t width, Py_ssize_t k, Py_ssize_t d
        ) noexcept nogil
        Py_ssize_t (*grow)(PairTrees *pair, uint32_t *edges, double *out) noexcept nogil

    const PrimLoops *prim_loops(int kind)
    double *fringe_point(const Fringe *fringe, Py_ssize_t j, Py_ssize_t d)
    double fringe_improve(const Fringe *fringe, uint32_t entered, Py_ssize_t j, double length)
    double fringe_improve_mutual(
        const Fringe *fringe, uint32_t entered, double core, Py_ssize_t j, double distance
    )
    void turn_cross(const PairTrees *pair)
