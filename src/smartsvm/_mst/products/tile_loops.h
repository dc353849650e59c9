/* Loops over tiles of products, for the processor at hand (tile_loops.c).
 *
 * Points are packed in panels of eight, feature by feature, so that rows and columns are read in
 * order. What the loops compute are float32 bounds, which only propose (tiles.pxi): kinds of
 * processors may round them differently.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/vector_loops.h"

enum { PANEL = 8, MOST_POINTS = 256, TILE_GROUP = 16 };

typedef struct {
    uint16_t row, column;
    float entry;
} Hit;

/* The points along one edge of a tile: constants and thresholds, divided by the factor and padded
 * to a whole TILE_GROUP. */
typedef struct {
    float constant[MOST_POINTS], level[MOST_POINTS];
} TileEdge;

typedef struct {
    /* Features up to which `find_hits` is faster than a product by BLAS and a scan of it. */
    ptrdiff_t most_features;

    /* The entries of a tile within the level of their row or column; how many. `least` becomes a
     * lower bound of all others. Constants of padding are minus infinity; a hit in the padding is
     * possible nevertheless where a level is.
     *
     * Everything is divided by the factor of the product, which is a power of two times -2:
     * entries are inner products plus constants, and an entry within a threshold is one that is
     * not below it. */
    ptrdiff_t (*find_hits)(
        const float *rows, ptrdiff_t n_rows, const float *columns, ptrdiff_t n_columns,
        ptrdiff_t d, const TileEdge *of_rows, const TileEdge *of_columns, float factor, Hit *hits,
        float *least);

    /* How far the points of a panel come towards each centre: the largest product with it, less
     * what each point has of its own, if that is more than the reach so far. Centres are packed
     * too, those of padding are zero. */
    void (*raise_reach)(
        const float *panel, ptrdiff_t n_points, const float *own, const float *centres,
        ptrdiff_t n_centres, ptrdiff_t d, float *reach);

    /* Of a row of a tile that BLAS has filled: the first group at or after `start` (a multiple of
     * TILE_GROUP) with an entry that joins two components and is within the threshold of its row
     * or its column; n if there is none. If `apart`, every node is its own component, and
     * components are not compared (so a row's entry with itself is found). `least` becomes the
     * smallest entry so far, whatever its components. All arrays are padded to a multiple of
     * TILE_GROUP; padding entries are infinite. */
    ptrdiff_t (*next_group)(
        const float *entry, const float *threshold, const uint32_t *component, ptrdiff_t start,
        ptrdiff_t n, float row_threshold, uint32_t row_component, float *least, int apart);
} TileLoops;

DECLARE_KINDS(TileLoops, tile_loops)
