/* Splitting a piece of the points in two along a direction of large extent.
 *
 * The direction points from the mean of a sample to the mean of those sampled points that lie on
 * the side of the one farthest from it. The piece is split at a multiple of the block size, so that
 * blocks are full.
 *
 * Cost: O(n d) for a piece of n points.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/select.h"

/* Sampled rows, enough to find a direction. */
enum { CUT_SAMPLE = 1024 };

typedef struct {
    float along;
    uint32_t row;
} CutPlace;

/* The inner product of two points, in eight independent sums that hide the latency of additions. */
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

/* The inner product of rounded coordinates with others. */
static inline double product(const float *x, const double *y, ptrdiff_t d)
{
    double sum[4] = {0, 0, 0, 0};
    ptrdiff_t k = 0;
    for (; k + 4 <= d; k += 4)
        for (int lane = 0; lane < 4; lane++) sum[lane] += (double)x[k + lane] * y[k + lane];
    for (; k < d; k++) sum[0] += (double)x[k] * y[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Write the direction in which a piece is cut; `room` holds 3 d floats. */
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

/* Move the k smallest to the front. */
static void cut_select(CutPlace *places, ptrdiff_t n, ptrdiff_t k)
{
#define ALONG(i) places[i].along
#define SWAP(i, j) cut_swap(places + (i), places + (j))
    SELECT_SMALLEST(float, ALONG, SWAP, 0, n, k);
#undef ALONG
#undef SWAP
}

/* Split a piece; return the number of places in its first part. */
static ptrdiff_t cut_piece(
    const float *points, ptrdiff_t d, CutPlace *places, ptrdiff_t n, ptrdiff_t block, float *room)
{
    const ptrdiff_t n_blocks = (n + block - 1) / block;
    float *direction = room + 3 * d;
    cut_direction(points, d, places, n, room, direction);
    for (ptrdiff_t i = 0; i < n; i++)
        places[i].along = cut_product(points + (ptrdiff_t)places[i].row * d, direction, d);
    const ptrdiff_t middle = block * (n_blocks / 2);
    cut_select(places, n, middle);
    return middle;
}

static int cut_compare(const void *left, const void *right)
{
    const float a = ((const CutPlace *)left)->along, b = ((const CutPlace *)right)->along;
    return (a > b) - (a < b);
}

/* Squared norms of a block's points, their products with its centre, and the squared radius of the
 * ball around the centre, which is returned. Places are sorted by distance from the centre. */
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
