/* Cutting a piece of points in two, across a direction in which it is wide.
 *
 * The direction leads from the centre of a sample to that of its points on the side of the
 * farthest one.
 * The cut is in a wide gap if there is one, else where blocks come out full. Gaps are found in
 * buckets, without sorting: one that is wide is wider than a bucket.
 *
 * Cost: O(n d) for a piece of n points.
 */
#ifndef SMARTSVM_CUT_BLOCKS_H
#define SMARTSVM_CUT_BLOCKS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/select.h"

enum {
    CUT_SAMPLE = 1024,  /* rows that show a direction well enough */
    CUT_BUCKETS = 50    /* one over the least share of the range that is a wide gap */
};

typedef struct {
    float along;
    uint32_t row;
} CutPlace;

/* Eight sums, so that none waits for the one before. */
static inline float cut_product(const float *x, const float *y, ptrdiff_t d)
{
    float lane[8] = {0, 0, 0, 0, 0, 0, 0, 0}, rest = 0;
    ptrdiff_t k = 0;
    for (; k + 8 <= d; k += 8)
        for (int r = 0; r < 8; r++) lane[r] += x[k + r] * y[k + r];
    for (; k < d; k++) rest += x[k] * y[k];
    for (int r = 0; r < 8; r++) rest += lane[r];
    return rest;
}

/* `room` has place for 3 d numbers. */
static void cut_direction(
    const float *points, ptrdiff_t d, const CutPlace *places, ptrdiff_t n, float *room,
    float *direction)
{
    const ptrdiff_t step = n / CUT_SAMPLE + 1;
    float *mean = room, *farthest = room + d, *x = room + 2 * d;
    float most = -1;
    ptrdiff_t n_sampled = (n + step - 1) / step;
    for (ptrdiff_t k = 0; k < d; k++) mean[k] = direction[k] = farthest[k] = 0;
    for (ptrdiff_t i = 0; i < n; i += step) {
        const float *point = points + (ptrdiff_t)places[i].row * d;
        for (ptrdiff_t k = 0; k < d; k++) mean[k] += point[k];
    }
    for (ptrdiff_t k = 0; k < d; k++) mean[k] /= (float)n_sampled;
    for (ptrdiff_t i = 0; i < n; i += step) {
        const float *point = points + (ptrdiff_t)places[i].row * d;
        for (ptrdiff_t k = 0; k < d; k++) x[k] = point[k] - mean[k];
        const float length = cut_product(x, x, d);
        if (length > most) {
            most = length;
            for (ptrdiff_t k = 0; k < d; k++) farthest[k] = x[k];
        }
    }
    for (ptrdiff_t i = 0; i < n; i += step) {
        const float *point = points + (ptrdiff_t)places[i].row * d;
        for (ptrdiff_t k = 0; k < d; k++) x[k] = point[k] - mean[k];
        if (cut_product(x, farthest, d) > 0)
            for (ptrdiff_t k = 0; k < d; k++) direction[k] += x[k];
    }
}

static inline void cut_swap(CutPlace *a, CutPlace *b)
{
    const CutPlace held = *a;
    *a = *b;
    *b = held;
}

/* Put the k smallest first. */
static void cut_select(CutPlace *places, ptrdiff_t n, ptrdiff_t k)
{
#define ALONG(i) places[i].along
#define SWAP(i, j) cut_swap(places + (i), places + (j))
    SELECT_SMALLEST(float, ALONG, SWAP, 0, n, k);
#undef ALONG
#undef SWAP
}

/* The lower side of the widest gap between the places, or infinity if none is wide. */
static float cut_gap(const CutPlace *places, ptrdiff_t n, double least_share)
{
    float low = INFINITY, high = -INFINITY, first[CUT_BUCKETS + 1], last[CUT_BUCKETS + 1];
    for (ptrdiff_t i = 0; i < n; i++) {
        if (places[i].along < low) low = places[i].along;
        if (places[i].along > high) high = places[i].along;
    }
    const float range = high - low, scale = CUT_BUCKETS / range;
    if (!(range > 0) || !isfinite(scale)) return INFINITY;
    for (int b = 0; b <= CUT_BUCKETS; b++) first[b] = INFINITY, last[b] = -INFINITY;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float along = places[i].along;
        const int b = (int)((along - low) * scale);
        if (along < first[b]) first[b] = along;
        if (along > last[b]) last[b] = along;
    }
    float widest = (float)(least_share * range), where = INFINITY, before = low;
    for (int b = 0; b <= CUT_BUCKETS; b++) {
        if (first[b] == INFINITY) continue;
        if (first[b] - before > widest) {
            widest = first[b] - before;
            where = before;
        }
        before = last[b];
    }
    return where;
}

/* Cut the piece; how many places are on the first side. */
static ptrdiff_t cut_piece(
    const float *points, ptrdiff_t d, CutPlace *places, ptrdiff_t n, ptrdiff_t block, float *room)
{
    const ptrdiff_t n_blocks = (n + block - 1) / block;
    const ptrdiff_t margin = block / 4 > n / 16 ? block / 4 : n / 16;
    float *direction = room + 3 * d;
    cut_direction(points, d, places, n, room, direction);
    for (ptrdiff_t i = 0; i < n; i++)
        places[i].along = cut_product(points + (ptrdiff_t)places[i].row * d, direction, d);
    if (n - 2 * margin > 2) {
        cut_select(places, n, margin);
        cut_select(places + margin, n - margin, n - 2 * margin - 1);
        const float gap = cut_gap(places + margin, n - 2 * margin, 0.02 + 16.0 / (double)n);
        if (gap < INFINITY) {
            ptrdiff_t middle = margin;
            for (ptrdiff_t i = margin; i < n - margin; i++)
                if (places[i].along <= gap) cut_swap(places + i, places + middle++);
            return middle;
        }
    }
    const ptrdiff_t middle = block * (n_blocks / 2);
    cut_select(places, n, middle);
    return middle;
}

/* Norms of a block's points, their products with its centre, and the squared radius of the
 * ball around that. The places are sorted by the distance from it: `along` becomes that. */
static int cut_compare(const void *left, const void *right)
{
    const float a = ((const CutPlace *)left)->along, b = ((const CutPlace *)right)->along;
    return (a > b) - (a < b);
}

static double cut_measure(
    const float *points, ptrdiff_t d, CutPlace *places, ptrdiff_t n, double *centre,
    double *norms, double *along_centre)
{
    double farthest = 0;
    for (ptrdiff_t k = 0; k < d; k++) centre[k] = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float *x = points + (ptrdiff_t)places[i].row * d;
        for (ptrdiff_t k = 0; k < d; k++) centre[k] += (double)x[k];
    }
    for (ptrdiff_t k = 0; k < d; k++) centre[k] /= (double)n;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float *x = points + (ptrdiff_t)places[i].row * d;
        double squared = 0;
        for (ptrdiff_t k = 0; k < d; k++) {
            const double apart = (double)x[k] - centre[k];
            squared += apart * apart;
        }
        if (squared > farthest) farthest = squared;
        places[i].along = (float)squared;
    }
    qsort(places, (size_t)n, sizeof(CutPlace), cut_compare);
    for (ptrdiff_t i = 0; i < n; i++) {
        const float *x = points + (ptrdiff_t)places[i].row * d;
        double norm = 0, along = 0;
        for (ptrdiff_t k = 0; k < d; k++) {
            norm += (double)x[k] * (double)x[k];
            along += (double)x[k] * centre[k];
        }
        norms[i] = norm;
        along_centre[i] = along;
    }
    return farthest;
}

#endif
