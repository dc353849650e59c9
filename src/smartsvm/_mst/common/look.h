/* A cheap look at points, for the choice of a kernel: how well boxes prune, and what ties.
 *
 * A region is what is left of all points after halving, so that they lie as densely in it as they
 * do in the whole: a sample would hide what clusters are like inside. It is cut into boxes, and a
 * few of its points look for their nearest neighbours in it. Cost: O(n).
 */
#ifndef SMARTSVM_LOOK_H
#define SMARTSVM_LOOK_H

#include <math.h>

#include "common/edge_order.h"
#include "common/select.h"

/* Points in a region and in a box of it; points that look for neighbours. */
enum { LOOK_REGION = 512, LOOK_LEAF = 32, LOOK_QUERIES = 24 };

typedef struct {
    const double *points;
    ptrdiff_t d;
    uint32_t *rows;
} Look;

static inline double look_key(const Look *look, ptrdiff_t i, ptrdiff_t k)
{
    return look->points[(size_t)look->rows[i] * (size_t)look->d + (size_t)k];
}

static inline void look_swap(const Look *look, ptrdiff_t i, ptrdiff_t j)
{
    const uint32_t row = look->rows[i];
    look->rows[i] = look->rows[j];
    look->rows[j] = row;
}

/* The widest feature of rows lo..hi-1, which a few of them show. */
static ptrdiff_t look_widest(const Look *look, ptrdiff_t lo, ptrdiff_t hi)
{
    ptrdiff_t widest = 0;
    double most = -1;
    for (ptrdiff_t k = 0; k < look->d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (ptrdiff_t i = lo; i < hi; i += (hi - lo) / LOOK_REGION + 1) {
            const double x = look_key(look, i, k);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (high - low > most) {
            most = high - low;
            widest = k;
        }
    }
    return widest;
}

/* Move the half of the first n rows that lies below (`side` 0) or above to the front; how many. */
static ptrdiff_t look_halve(const Look *look, ptrdiff_t n, int side)
{
    const ptrdiff_t k = look_widest(look, 0, n);
    double sample[LOOK_REGION];
    for (ptrdiff_t i = 0; i < LOOK_REGION; i++) sample[i] = look_key(look, i * n / LOOK_REGION, k);
#define KEY(i) sample[i]
#define SWAP(i, j)                                                                       \
    do {                                                                                 \
        const double key_ = sample[i];                                                   \
        sample[i] = sample[j];                                                           \
        sample[j] = key_;                                                                \
    } while (0)
    SELECT_SMALLEST(double, KEY, SWAP, 0, LOOK_REGION, LOOK_REGION / 2);
#undef KEY
#undef SWAP
    const double cut = sample[LOOK_REGION / 2];
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double x = look_key(look, i, k);
        if (side ? x > cut : x < cut) look_swap(look, i, kept++);
    }
    for (ptrdiff_t i = kept; i < n && kept < n / 2; i++)
        if (look_key(look, i, k) == cut) look_swap(look, i, kept++);
    return kept;
}

/* Cut rows lo..hi-1 into boxes; adds how many of the balls around `queries`, in `rows`, of these
 * squared radii touch one, and how many boxes there are. */
static void look_into_boxes(const Look *look, ptrdiff_t lo, ptrdiff_t hi, const uint32_t *queries,
                            const double *radius, ptrdiff_t *touched, ptrdiff_t *n_boxes)
{
    if (hi - lo > LOOK_LEAF) {
        const ptrdiff_t k = look_widest(look, lo, hi), middle = lo + (hi - lo) / 2;
#define KEY(i) look_key(look, i, k)
#define SWAP(i, j) look_swap(look, i, j)
        SELECT_SMALLEST(double, KEY, SWAP, lo, hi, middle);
#undef KEY
#undef SWAP
        look_into_boxes(look, lo, middle, queries, radius, touched, n_boxes);
        look_into_boxes(look, middle, hi, queries, radius, touched, n_boxes);
        return;
    }
    double bound[LOOK_QUERIES] = {0};
    for (ptrdiff_t k = 0; k < look->d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (ptrdiff_t i = lo; i < hi; i++) {
            const double x = look_key(look, i, k);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        for (int q = 0; q < LOOK_QUERIES; q++) {
            const double x = look->points[(size_t)queries[q] * (size_t)look->d + (size_t)k];
            const double gap = x < low ? low - x : x > high ? x - high : 0;
            bound[q] += gap * gap;
        }
    }
    for (int q = 0; q < LOOK_QUERIES; q++) *touched += bound[q] <= radius[q];
    ++*n_boxes;
}

/* What the nearest-neighbour balls of a few points meet in a region at one side of n points: the
 * mean number of boxes that one touches, were there LOOK_REGION / LOOK_LEAF of them, and of points
 * on its surface, if most balls are of one size. 0: the region has nothing but copies. */
static int look_at_region(Look *look, ptrdiff_t n, int side, double *boxes, double *ties)
{
    uint32_t queries[LOOK_QUERIES];
    double radius[LOOK_QUERIES], least = INFINITY;
    ptrdiff_t on_surface = 0, alike = 0, touched = 0, n_boxes = 0;
    for (ptrdiff_t i = 0; i < n; i++) look->rows[i] = (uint32_t)i;
    while (n > LOOK_REGION) n = look_halve(look, n, side);
    for (int q = 0; q < LOOK_QUERIES; q++) {
        queries[q] = look->rows[q * n / LOOK_QUERIES];
        radius[q] = INFINITY;
        ptrdiff_t equal = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const double squared =
                squared_distance(look->points + (size_t)queries[q] * (size_t)look->d,
                                 look->points + (size_t)look->rows[i] * (size_t)look->d, look->d);
            if (squared == 0 || squared > radius[q]) continue;  /* copies say nothing */
            equal = squared < radius[q] ? 1 : equal + 1;
            radius[q] = squared;
        }
        on_surface += equal;
        least = radius[q] < least ? radius[q] : least;
    }
    if (least == INFINITY) return 0;
    for (int q = 0; q < LOOK_QUERIES; q++) alike += radius[q] == least;
    look_into_boxes(look, 0, n, queries, radius, &touched, &n_boxes);
    *boxes = (double)touched / LOOK_QUERIES * (LOOK_REGION / LOOK_LEAF) / (double)n_boxes;
    *boxes = *boxes < 1 ? 1 : *boxes;
    *ties = 2 * alike > LOOK_QUERIES ? (double)on_surface / LOOK_QUERIES : 1;
    return 1;
}

#endif
