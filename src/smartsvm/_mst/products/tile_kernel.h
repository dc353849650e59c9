/* Products of two blocks of points, compared where they are computed.
 *
 * What tiles.pxd does with a matrix product and a scan of it, without the tile in memory:
 * eight rows by eight columns stay in registers from the first term to the comparison.
 * Worth it where the inner dimension is small, so that moving entries costs as much as
 * computing them. Points are packed in panels of eight, feature by feature, so that rows and
 * columns are read in order.
 *
 * Everything is divided by the factor of the product, which is a power of two times -2: entries
 * are inner products plus constants, and an entry within a threshold is one that is not below it.
 */
#ifndef SMARTSVM_TILE_KERNEL_H
#define SMARTSVM_TILE_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "products/eight_floats.h"

enum { PANEL = 8, MOST_POINTS = 256 };

typedef struct {
    uint16_t row, column;
    float entry;
} Hit;

/* The points along one edge of a tile: constants and thresholds, divided by the factor and padded
 * to whole panels. Of each panel: the highest threshold, not divided, and how far it reaches
 * towards the other block (block_bounds.pyx). */
typedef struct {
    float constant[MOST_POINTS], level[MOST_POINTS];
    float threshold[MOST_POINTS / PANEL], reach[MOST_POINTS / PANEL];
} TileEdge;

/* Features up to which this is faster than a product by BLAS; wider vectors are left to that. */
static inline ptrdiff_t most_features_packed(void)
{
    if (!has_eight()) return 0;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") ? 24 : 128;
#else
    return 4096;
#endif
}

#if EIGHT_KNOWN
/* Eight sums by name: compilers leave an array of them in memory. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define CLEAR(r) Eight sum##r = eight_of(0);
#define ADD_PRODUCTS(r) EIGHT_ADD_PRODUCT(sum##r, y_k, x_k, r, x);
#define COMPARE(r)                                                                                \
    sum##r = eight_add(sum##r, eight_add(add, eight_of(of_rows->constant[row + r])));             \
    found = eight_or_reaches(found, sum##r, eight_min(level, eight_of(of_rows->level[row + r]))); \
    top = eight_max(top, sum##r);
#define KEEP(r) entry[r] = sum##r;

EIGHT_TARGET static inline ptrdiff_t panel_hits(
    const Eight *entry, const float *row_level, const float *column_level, ptrdiff_t row,
    ptrdiff_t column, float factor, Hit *hits)
{
    const Eight level = eight_load(column_level);
    ptrdiff_t n = 0;
    for (int r = 0; r < PANEL; r++) {
        uint64_t found = eight_mask(
            eight_or_reaches(eight_none(), entry[r], eight_min(level, eight_of(row_level[r]))));
        if (found == 0) continue;
        float value[PANEL];
        eight_store(value, entry[r]);
        while (found != 0) {
            const int c = __builtin_ctzll(found) / MASK_BITS;
            hits[n].row = (uint16_t)(row + r);
            hits[n].column = (uint16_t)(column + c);
            hits[n].entry = value[c] * factor;
            n++;
            found &= ~(((UINT64_C(1) << MASK_BITS) - 1) << MASK_BITS * c);
        }
    }
    return n;
}

/* The entries within the level of their row or column; how many. `least` becomes a lower
 * bound of all others. Constants of padding are minus infinity; a hit in the padding is possible
 * nevertheless where a level is. Two panels are farther apart than minus the sum of their
 * reaches, and if that is beyond both thresholds they are not multiplied. */
EIGHT_TARGET static ptrdiff_t find_hits(
    const float *rows, ptrdiff_t n_rows, const float *columns, ptrdiff_t n_columns, ptrdiff_t d,
    const TileEdge *of_rows, const TileEdge *of_columns, float factor, Hit *hits, float *least)
{
    Eight top = eight_of(-INFINITY);
    float skipped = INFINITY;
    ptrdiff_t n = 0;
    for (ptrdiff_t row = 0; row < n_rows; row += PANEL)
        for (ptrdiff_t column = 0; column < n_columns; column += PANEL) {
            const ptrdiff_t p = row / PANEL, q = column / PANEL;
            const float threshold = of_rows->threshold[p] > of_columns->threshold[q]
                                        ? of_rows->threshold[p] : of_columns->threshold[q];
            const float apart = -(of_rows->reach[p] + of_columns->reach[q]);
            const float bound = apart * apart * (1 - 1e-6f);
            if (apart > 0 && bound > threshold) {
                if (bound < skipped) skipped = bound;
                continue;
            }
            if (threshold == -INFINITY) {
                skipped = -INFINITY; /* no point asks: nothing is known of these entries */
                continue;
            }
            const float *x = rows + row * d, *y = columns + column * d;
            EACH_ROW(CLEAR)
            for (ptrdiff_t k = 0; k < d; k++, x += PANEL, y += PANEL) {
                const Eight x_k = eight_load(x), y_k = eight_load(y);
                EACH_ROW(ADD_PRODUCTS)
            }
            const Eight add = eight_load(of_columns->constant + column);
            const Eight level = eight_load(of_columns->level + column);
            EightFlags found = eight_none();
            EACH_ROW(COMPARE)
            if (eight_mask(found) != 0) {
                Eight entry[PANEL];
                EACH_ROW(KEEP)
                n += panel_hits(entry, of_rows->level + row, of_columns->level + column, row,
                                column, factor, hits + n);
            }
        }
    *least = eight_largest(top) * factor;
    if (skipped < *least) *least = skipped;
    return n;
}

/* How far the points of a panel come towards each centre: the largest product with it, less
 * what each point has of its own. Centres are packed too, those of padding are zero. */
EIGHT_TARGET static void panel_reach(
    const float *panel, ptrdiff_t n_points, const float *own, const float *centres,
    ptrdiff_t n_centres, ptrdiff_t d, float *reach)
{
    for (ptrdiff_t first = 0; first < n_centres; first += PANEL) {
        const float *x = panel, *y = centres + first * d;
        Eight entry[PANEL], most = eight_of(-INFINITY);
        float value[PANEL];
        EACH_ROW(CLEAR)
        for (ptrdiff_t k = 0; k < d; k++, x += PANEL, y += PANEL) {
            const Eight x_k = eight_load(x), y_k = eight_load(y);
            EACH_ROW(ADD_PRODUCTS)
        }
        EACH_ROW(KEEP)
        for (int r = 0; r < n_points; r++)
            most = eight_max(most, eight_subtract(entry[r], eight_of(own[r])));
        eight_store(value, most);
        for (ptrdiff_t c = first; c < n_centres && c < first + PANEL; c++)
            reach[c] = value[c - first];
    }
}
#undef EACH_ROW
#undef CLEAR
#undef ADD_PRODUCTS
#undef COMPARE
#undef KEEP
#else
/* Never called: all products are those of BLAS. */
static ptrdiff_t find_hits(
    const float *rows, ptrdiff_t n_rows, const float *columns, ptrdiff_t n_columns, ptrdiff_t d,
    const TileEdge *of_rows, const TileEdge *of_columns, float factor, Hit *hits, float *least)
{
    (void)rows, (void)n_rows, (void)columns, (void)n_columns, (void)d, (void)of_rows;
    (void)of_columns, (void)factor, (void)hits;
    *least = -INFINITY;
    return 0;
}

static void panel_reach(
    const float *panel, ptrdiff_t n_points, const float *own, const float *centres,
    ptrdiff_t n_centres, ptrdiff_t d, float *reach)
{
    (void)panel, (void)n_points, (void)own, (void)centres, (void)d;
    for (ptrdiff_t c = 0; c < n_centres; c++) reach[c] = INFINITY;
}
#endif

#endif
