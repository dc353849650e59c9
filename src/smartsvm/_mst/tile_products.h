/* Products of two blocks of points, compared where they are computed.
 *
 * What tiles.pyx does with a matrix product and a scan of it, without the tile in memory:
 * eight rows by eight columns stay in registers from the first term to the comparison.
 * Worth it where the inner dimension is small, so that moving entries costs as much as
 * computing them. Points are packed in panels of eight, feature by feature, so that both
 * sides are read in order.
 *
 * Everything is divided by the factor of the product, which is a negative power of two times
 * -2: entries are inner products plus constants, and an entry within a threshold is one
 * that is not below it.
 */
#ifndef SMARTSVM_TILE_PRODUCTS_H
#define SMARTSVM_TILE_PRODUCTS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { PANEL = 8 };

typedef struct {
    uint16_t row, column;
    float entry;
} Hit;

#if defined(__GNUC__) && defined(__aarch64__) && !defined(__AARCH64EB__)
#include <arm_neon.h>

/* Features up to which this is faster than a product by BLAS. */
enum { MOST_FEATURES_PACKED = 4096 };

typedef struct {
    float32x4_t low, high;
} PanelRow;

/* Sixteen sums by name: compilers leave an array of them in memory. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define CLEAR(r) float32x4_t low##r = vdupq_n_f32(0), high##r = low##r;
#define ADD_PRODUCTS(r)                                                                           \
    low##r = vfmaq_laneq_f32(low##r, y_low, r < 4 ? x_low : x_high, r % 4);                       \
    high##r = vfmaq_laneq_f32(high##r, y_high, r < 4 ? x_low : x_high, r % 4);
#define COMPARE(r)                                                                                \
    {                                                                                             \
        const float32x4_t add = vdupq_n_f32(row_constant[row + r]);                               \
        const float32x4_t level = vdupq_n_f32(row_level[row + r]);                                \
        low##r = vaddq_f32(low##r, vaddq_f32(add_low, add));                                      \
        high##r = vaddq_f32(high##r, vaddq_f32(add_high, add));                                   \
        found = vorrq_u32(found, vcgeq_f32(low##r, vminq_f32(level_low, level)));                 \
        found = vorrq_u32(found, vcgeq_f32(high##r, vminq_f32(level_high, level)));               \
        top = vmaxq_f32(top, vmaxq_f32(low##r, high##r));                                         \
    }
#define KEEP(r)                                                                                   \
    entry[r].low = low##r;                                                                        \
    entry[r].high = high##r;

static inline ptrdiff_t panel_hits(
    const PanelRow *entry, const float *row_level, const float *column_level, ptrdiff_t row,
    ptrdiff_t column, float factor, Hit *hits)
{
    const float32x4_t level_low = vld1q_f32(column_level), level_high = vld1q_f32(column_level + 4);
    ptrdiff_t n = 0;
    for (int r = 0; r < PANEL; r++) {
        const float32x4_t level = vdupq_n_f32(row_level[r]);
        const uint16x4_t low = vmovn_u32(vcgeq_f32(entry[r].low, vminq_f32(level_low, level)));
        const uint16x4_t high = vmovn_u32(vcgeq_f32(entry[r].high, vminq_f32(level_high, level)));
        uint64_t found = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(vcombine_u16(low, high))), 0);
        if (found == 0) continue;
        float value[PANEL];
        vst1q_f32(value, entry[r].low);
        vst1q_f32(value + 4, entry[r].high);
        while (found != 0) {
            const int c = __builtin_ctzll(found) / 8;
            hits[n].row = (uint16_t)(row + r);
            hits[n].column = (uint16_t)(column + c);
            hits[n].entry = value[c] * factor;
            n++;
            found &= ~(UINT64_C(0xff) << 8 * c);
        }
    }
    return n;
}

/* The entries within the level of their row or column; how many. `least` becomes a lower
 * bound of all others. Constants and levels are padded to whole panels, constants of padding
 * are minus infinity; a hit in the padding is possible nevertheless where a level is. By
 * panel there are thresholds and reaches: two panels are farther apart than minus the sum of
 * their reaches (gaps.pyx), and if that is beyond both thresholds they are not multiplied. */
static ptrdiff_t find_hits(
    const float *rows, ptrdiff_t n_rows, const float *columns, ptrdiff_t n_columns, ptrdiff_t d,
    const float *row_constant, const float *column_constant, const float *row_level,
    const float *column_level, const float *row_threshold, const float *column_threshold,
    const float *row_reach, const float *column_reach, float factor, Hit *hits, float *least)
{
    float32x4_t top = vdupq_n_f32(-INFINITY);
    float skipped = INFINITY;
    ptrdiff_t n = 0;
    for (ptrdiff_t row = 0; row < n_rows; row += PANEL)
        for (ptrdiff_t column = 0; column < n_columns; column += PANEL) {
            const ptrdiff_t p = row / PANEL, q = column / PANEL;
            const float gap = -(row_reach[p] + column_reach[q]);
            if (row_threshold[p] == -INFINITY && column_threshold[q] == -INFINITY) {
                skipped = -INFINITY;  /* nobody asks: nothing is known of these entries */
                continue;
            }
            if (gap > 0) {
                const float bound = gap * gap * (1 - 1e-6f);
                if (bound > row_threshold[p] && bound > column_threshold[q]) {
                    if (bound < skipped) skipped = bound;
                    continue;
                }
            }
            const float *x = rows + row * d, *y = columns + column * d;
            EACH_ROW(CLEAR)
            for (ptrdiff_t k = 0; k < d; k++, x += PANEL, y += PANEL) {
                const float32x4_t x_low = vld1q_f32(x), x_high = vld1q_f32(x + 4);
                const float32x4_t y_low = vld1q_f32(y), y_high = vld1q_f32(y + 4);
                EACH_ROW(ADD_PRODUCTS)
            }
            const float32x4_t add_low = vld1q_f32(column_constant + column);
            const float32x4_t add_high = vld1q_f32(column_constant + column + 4);
            const float32x4_t level_low = vld1q_f32(column_level + column);
            const float32x4_t level_high = vld1q_f32(column_level + column + 4);
            uint32x4_t found = vdupq_n_u32(0);
            EACH_ROW(COMPARE)
            const uint64x2_t any = vreinterpretq_u64_u32(found);
            if ((vgetq_lane_u64(any, 0) | vgetq_lane_u64(any, 1)) != 0) {
                PanelRow entry[PANEL];
                EACH_ROW(KEEP)
                n += panel_hits(entry, row_level + row, column_level + column, row, column, factor,
                                hits + n);
            }
        }
    *least = vmaxvq_f32(top) * factor;
    if (skipped < *least) *least = skipped;
    return n;
}
/* How far the points of a panel come towards each centre: the largest product with it, less
 * what each point has of its own. Centres are packed too, those of padding are zero. */
static void panel_reach(
    const float *panel, ptrdiff_t n_points, const float *own, const float *centres,
    ptrdiff_t n_centres, ptrdiff_t d, float *reach)
{
    for (ptrdiff_t first = 0; first < n_centres; first += PANEL) {
        const float *x = panel, *y = centres + first * d;
        PanelRow entry[PANEL];
        EACH_ROW(CLEAR)
        for (ptrdiff_t k = 0; k < d; k++, x += PANEL, y += PANEL) {
            const float32x4_t x_low = vld1q_f32(x), x_high = vld1q_f32(x + 4);
            const float32x4_t y_low = vld1q_f32(y), y_high = vld1q_f32(y + 4);
            EACH_ROW(ADD_PRODUCTS)
        }
        EACH_ROW(KEEP)
        float32x4_t low = vdupq_n_f32(-INFINITY), high = low;
        for (int r = 0; r < n_points; r++) {
            const float32x4_t less = vdupq_n_f32(own[r]);
            low = vmaxq_f32(low, vsubq_f32(entry[r].low, less));
            high = vmaxq_f32(high, vsubq_f32(entry[r].high, less));
        }
        float value[PANEL];
        vst1q_f32(value, low);
        vst1q_f32(value + 4, high);
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
/* BLAS knows the widest vectors of the machine, which a compiler for all of them does not. */
enum { MOST_FEATURES_PACKED = 0 };

static ptrdiff_t find_hits(
    const float *rows, ptrdiff_t n_rows, const float *columns, ptrdiff_t n_columns, ptrdiff_t d,
    const float *row_constant, const float *column_constant, const float *row_level,
    const float *column_level, const float *row_threshold, const float *column_threshold,
    const float *row_reach, const float *column_reach, float factor, Hit *hits, float *least)
{
    (void)rows, (void)n_rows, (void)columns, (void)n_columns, (void)d, (void)row_constant;
    (void)column_constant, (void)row_level, (void)column_level, (void)row_threshold;
    (void)column_threshold, (void)row_reach, (void)column_reach, (void)factor, (void)hits;
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
