/* A screen in float32: it shows which of many pairs of points are too far apart, in half the time
 * that float64 takes. What passes is computed in float64, so results do not depend on it.
 *
 * Points are taken relative to the middle of their box, times a power of two that makes its diagonal
 * S at most 1. Why no pair is lost: a difference of two coordinates, each rounded once, is off by at
 * most 2^-22 times half the width of the box, so a distance by e <= 2^-23 S. A distance up to t is
 * then computed, squared, as at most (t + e)^2 (1 + (d + 2) 2^-24), which is below t^2 (1 + 2^-9) +
 * 2^-33 (by 2 t e <= 2^-10 t^2 + 2^10 e^2) for d < 2^13. With more features, or a box whose squares
 * leave the range of float64, every pair passes.
 */
#pragma once

#include <math.h>

#include "common/feature_loops.h"

typedef struct {
    double *middle;     /* by feature */
    double scale;       /* of coordinates; 0: every pair passes */
    double squared;     /* of squared distances */
} Screen;

/* A screen for some rows of points; `screen->middle` is room for d numbers. */
static inline void screen_start(Screen *screen, const double *points, const uint32_t *rows,
                                ptrdiff_t n, ptrdiff_t d)
{
    double diagonal = 0;
    int exponent;
    for (ptrdiff_t k = 0; k < d; k++) {
        double low = points[rows[0] * (size_t)d + (size_t)k], high = low;
        for (ptrdiff_t i = 1; i < n; i++) {
            const double x = points[rows[i] * (size_t)d + (size_t)k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        screen->middle[k] = .5 * low + .5 * high;
        diagonal += (high - low) * (high - low);
    }
    screen->scale = 0;
    screen->squared = 1;
    if (d < 1 << 13 && diagonal > 0x1p-1000 && diagonal < 0x1p1000) {
        frexp(sqrt(diagonal), &exponent);
        screen->scale = ldexp(1, -exponent);
        screen->squared = ldexp(1, -2 * exponent);
    }
}

INLINE float screen_value(const Screen *screen, double x, ptrdiff_t k)
{
    return (float)((x - screen->middle[k]) * screen->scale);
}

/* What no computed distance exceeds if the squared distance is at most this. */
INLINE float screen_limit(const Screen *screen, double squared)
{
    return (float)(squared * screen->squared * (1 + 0x1p-9)) + 0x1p-33f;
}

/* Squared distances from q to FLOATS points of a block. */
INLINE wide_float screen_lengths(const float *restrict q, const float *restrict y, ptrdiff_t d)
{
    wide_float sum = {0};
    for (ptrdiff_t k = 0; k < d; k++)
        sum = wide_float_add_square(sum, q[k] - *(const wide_float *)(y + k * FLOATS));
    return sum;
}
