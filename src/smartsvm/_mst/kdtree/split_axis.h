/* The axis along which points of middle dimension are split, and where.
 *
 * The axis is that of the largest mean deviation in a sample: a few points far away widen a box,
 * and must not decide. The cut lies between two means in one dimension (Lloyd).
 *
 * Reference: S. P. Lloyd (1982), Least squares quantization in PCM.
 */
#pragma once

#include "kdtree/tree.h"

/* Sampled points: one of SAMPLE_STEP, but neither too few nor too many. */
enum { LEAST_SAMPLE = 64, MOST_SAMPLE = 512, SAMPLE_STEP = 8 };

/* Numbers that the choice of an axis needs, by coordinate. */
enum { AXIS_ROOM = 2 };

/* A cut of some keys by two means in one dimension, after a few steps. */
INLINE double kd_cut(const double *keys, ptrdiff_t n)
{
    const double share = 1 / (double)n;
    double cut = 0;
    for (ptrdiff_t i = 0; i < n; i++) cut += keys[i] * share;
    for (int step = 0; step < 4; step++) {
        double below = 0, above = 0;
        ptrdiff_t n_below = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const int is_below = keys[i] <= cut;
            n_below += is_below;
            below += is_below ? keys[i] : 0;
            above += is_below ? 0 : keys[i];
        }
        if (n_below == 0 || n_below == n) break;
        cut = .5 * (below / (double)n_below) + .5 * (above / (double)(n - n_below));
    }
    return cut;
}

/* Whether n rows, `stride` numbers apart, have no more than two values along an axis. */
INLINE int kd_has_two_values(const double *rows, ptrdiff_t n, ptrdiff_t stride, ptrdiff_t axis)
{
    const double one = rows[axis];
    double other = one;
    for (ptrdiff_t i = 1; i < n; i++) {
        const double x = rows[i * stride + axis];
        if (x == one || x == other) continue;
        if (other != one) return 0;
        other = x;
    }
    return 1;
}

/* The axis of the largest mean deviation of n rows, `stride` numbers apart; `room` holds two. */
INLINE ptrdiff_t kd_find_axis(const double *rows, ptrdiff_t n, ptrdiff_t stride, double *room,
                              ptrdiff_t d)
{
    double *mean = room, *deviation = room + d;
    const double share = 1 / (double)n;
    ptrdiff_t axis = 0;
    for (ptrdiff_t k = 0; k < d; k++) mean[k] = deviation[k] = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t k = 0; k < d; k++) mean[k] += rows[i * stride + k] * share;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t k = 0; k < d; k++) deviation[k] += fabs(rows[i * stride + k] - mean[k]);
    for (ptrdiff_t k = 1; k < d; k++)
        if (deviation[k] > deviation[axis]) axis = k;
    return axis;
}

/* The axis by which to split n points: the widest one, unless a sample shows a better one. Two
 * values are separated as well as can be. */
INLINE ptrdiff_t kd_choose_axis(const double *points, ptrdiff_t n, ptrdiff_t widest, double *room,
                                ptrdiff_t d)
{
    ptrdiff_t step = (n + LEAST_SAMPLE - 1) / LEAST_SAMPLE;
    if (step > SAMPLE_STEP) step = SAMPLE_STEP;
    if (n > MOST_SAMPLE * step) step = (n + MOST_SAMPLE - 1) / MOST_SAMPLE;
    const ptrdiff_t size = (n + step - 1) / step;
    return kd_has_two_values(points, size, step * d, widest)
               ? widest
               : kd_find_axis(points, size, step * d, room, d);
}
