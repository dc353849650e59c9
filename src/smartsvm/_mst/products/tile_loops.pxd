# See tile_loops.h.
from libc.stdint cimport uint16_t, uint32_t

cdef enum:
    # Rows and columns of a tile at most; it stays in a cache of the second level.
    BLOCK = 256
    # Room of a row: a multiple of the groups of tile_loops.h, and no power of two.
    WIDTH = BLOCK + 16


cdef extern from *:
    """
    #include "products/tile_loops.h"
    _Static_assert(MOST_POINTS == 256 && PANEL == 8, "BLOCK and PANEL of tile_loops.pxd");
    """


cdef extern from "products/tile_loops.h" nogil:
    enum: PANEL
    enum: TILE_GROUP
    ctypedef struct Hit:
        uint16_t row
        uint16_t column
        float entry
    ctypedef struct TileEdge:
        float constant[BLOCK]
        float level[BLOCK]
    ctypedef struct TileLoops:
        Py_ssize_t most_features
        Py_ssize_t find_hits(
            const float *rows, Py_ssize_t n_rows, const float *columns, Py_ssize_t n_columns,
            Py_ssize_t d, const TileEdge *of_rows, const TileEdge *of_columns, float factor,
            Hit *hits, float *least,
        ) noexcept nogil
        void raise_reach(
            const float *panel, Py_ssize_t n_points, const float *own, const float *centres,
            Py_ssize_t n_centres, Py_ssize_t d, float *reach,
        ) noexcept nogil
        Py_ssize_t next_group(
            const float *entry, const float *threshold, const uint32_t *component,
            Py_ssize_t start, Py_ssize_t n, float row_threshold, uint32_t row_component,
            float *least, bint apart,
        ) noexcept nogil
