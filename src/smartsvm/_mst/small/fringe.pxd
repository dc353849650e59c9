# See fringe.h.
from libc.stdint cimport int64_t, uint32_t

cdef extern from "small/screen.h" nogil:
    ctypedef struct Screen:
        double *middle

    void screen_start(
        Screen *screen, const double *points, const uint32_t *rows, Py_ssize_t n, Py_ssize_t d
    )
    float screen_value(const Screen *screen, double x, Py_ssize_t k)

cdef extern from "small/fringe.h" nogil:
    enum: FRINGE_GROUP, PAIR_BLOCK

    ctypedef struct Fringe:
        Py_ssize_t size, block
        uint32_t *vertex
        uint32_t *position
        uint32_t *rank
        double *nearest
        int64_t *source
        double *points
        double *least
        Screen screen
        float *singles
        float *limit
        float *query
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

    ctypedef struct CoreLists:
        Py_ssize_t k
        const double *points
        Screen screen
        const float *singles
        float *limit
        float *query
        double *nearest

    ctypedef struct PrimLoops:
        Py_ssize_t block
        void (*start)(
            Fringe *fringe, const double *points, const uint32_t *rows, const double *core,
            Py_ssize_t n, Py_ssize_t d
        ) noexcept nogil
        void (*improve)(
            const Fringe *fringe, uint32_t entered, double core, const double *x, Py_ssize_t d
        ) noexcept nogil
        void (*renew)(const Fringe *fringe) noexcept nogil
        Py_ssize_t (*smallest)(const Fringe *fringe) noexcept nogil
        void (*remove)(Fringe *fringe, Py_ssize_t j, Py_ssize_t d) noexcept nogil
        void (*fill)(
            const double *x, Py_ssize_t n, const double *points, Py_ssize_t width, double *out,
            Py_ssize_t d
        ) noexcept nogil
        void (*list_lengths)(
            const CoreLists *lists, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t d
        ) noexcept nogil
        Py_ssize_t (*grow)(PairTrees *pair, uint32_t *edges, double *out) noexcept nogil

    const PrimLoops *prim_loops(int kind)
    double *fringe_point(const Fringe *fringe, Py_ssize_t j, Py_ssize_t d)
    double fringe_improve(const Fringe *fringe, uint32_t entered, Py_ssize_t j, double length)
    double fringe_improve_mutual(
        const Fringe *fringe, uint32_t entered, double core, Py_ssize_t j, double distance
    )
    void turn_cross(const PairTrees *pair)
