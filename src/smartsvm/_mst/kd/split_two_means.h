/* The direction along which points of middle dimension are split.
 *
 * A sample is cut in two along the axis of the largest mean deviation, and two means (Lloyd) start
 * from there. The points are split along the line between the means if it separates the sample
 * clearly better than the axis does. Without clusters the axis is better, because boxes are aligned
 * with axes. A few points far away must not decide: hence mean deviations instead of variances, and
 * groups of at least an eighth of the sample.
 *
 * Reference: S. P. Lloyd (1982), Least squares quantization in PCM.
 */
#pragma once

#include "kd/tree.h"

/* Sampled points: one of SAMPLE_STEP, but neither too few nor too many. */
enum { LEAST_SAMPLE = 64, MOST_SAMPLE = 512, SAMPLE_STEP = 8, MEANS_ROOM = 3 };

/* Some points, evenly spaced rows, and room for MEANS_ROOM of them. */
typedef struct {
    const double *rows;
    ptrdiff_t n, step;
    double *a, *b, *line;
} KDSample;

INLINE const double *kd_sampled(const KDSample *sample, ptrdiff_t i, ptrdiff_t d)
{
    return sample->rows + i * sample->step * d;
}

INLINE double kd_apart(const double *x, const double *y, ptrdiff_t d)
{
    return kd_distance_in(x, y, 1, d);
}

/* The means of the two groups, by `above` of each point; the sum of squares between them, 0 if one
 * is too small. */
INLINE double kd_group_means(const KDSample *sample, const char *above, ptrdiff_t d)
{
    ptrdiff_t n_above = 0;
    for (ptrdiff_t k = 0; k < d; k++) sample->a[k] = sample->b[k] = 0;
    for (ptrdiff_t i = 0; i < sample->n; i++) {
        const double *x = kd_sampled(sample, i, d);
        double *sum = above[i] ? sample->b : sample->a;
        n_above += above[i];
        for (ptrdiff_t k = 0; k < d; k++) sum[k] += x[k];
    }
    const double n_a = (double)(sample->n - n_above), n_b = (double)n_above;
    if (8 * n_a < n_b || 8 * n_b < n_a) return 0;
    for (ptrdiff_t k = 0; k < d; k++) {
        sample->a[k] /= n_a;
        sample->b[k] /= n_b;
    }
    return n_a * n_b / (n_a + n_b) * kd_apart(sample->a, sample->b, d);
}

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

/* The sum of squares between the groups that a cut of these keys makes of the sample. */
INLINE double kd_separated_by(const KDSample *sample, const double *keys, ptrdiff_t d)
{
    char above[MOST_SAMPLE];
    const double cut = kd_cut(keys, sample->n);
    for (ptrdiff_t i = 0; i < sample->n; i++) above[i] = keys[i] > cut;
    return kd_group_means(sample, above, d);
}

INLINE double kd_along(const double *x, const double *line, ptrdiff_t d)
{
    double sum;
    SUM_LANES(double, d, x[k] * line[k], sum);
    return sum;
}

/* The line between two means of the sample, from the two groups there are; how well it separates
 * the sample. */
INLINE double kd_find_line(const KDSample *sample, ptrdiff_t d)
{
    char above[MOST_SAMPLE];
    double keys[MOST_SAMPLE];
    const double *a = sample->a, *b = sample->b;
    for (int step = 0; step < 2; step++) {
        for (ptrdiff_t i = 0; i < sample->n; i++) {
            const double *x = kd_sampled(sample, i, d);
            above[i] = kd_apart(x, b, d) < kd_apart(x, a, d);
        }
        if (kd_group_means(sample, above, d) == 0) return 0;
    }
    for (ptrdiff_t k = 0; k < d; k++) sample->line[k] = b[k] - a[k];
    for (ptrdiff_t i = 0; i < sample->n; i++)
        keys[i] = kd_along(kd_sampled(sample, i, d), sample->line, d);
    return kd_separated_by(sample, keys, d);
}

/* Whether the sample has no more than two values along an axis. */
INLINE int kd_has_two_values(const KDSample *sample, ptrdiff_t axis, ptrdiff_t d)
{
    const double one = kd_sampled(sample, 0, d)[axis];
    double other = one;
    for (ptrdiff_t i = 1; i < sample->n; i++) {
        const double x = kd_sampled(sample, i, d)[axis];
        if (x == one || x == other) continue;
        if (other != one) return 0;
        other = x;
    }
    return 1;
}

/* The axis of the largest mean deviation; how well it separates the sample. */
INLINE double kd_find_axis(const KDSample *sample, ptrdiff_t *axis, ptrdiff_t d)
{
    double keys[MOST_SAMPLE], most = 0;
    const double share = 1 / (double)sample->n;
    for (ptrdiff_t k = 0; k < d; k++) sample->a[k] = sample->b[k] = 0;
    for (ptrdiff_t i = 0; i < sample->n; i++)
        for (ptrdiff_t k = 0; k < d; k++) sample->a[k] += kd_sampled(sample, i, d)[k] * share;
    for (ptrdiff_t i = 0; i < sample->n; i++)
        for (ptrdiff_t k = 0; k < d; k++)
            sample->b[k] += fabs(kd_sampled(sample, i, d)[k] - sample->a[k]);
    for (ptrdiff_t k = 0; k < d; k++)
        if (sample->b[k] > most) {
            most = sample->b[k];
            *axis = k;
        }
    for (ptrdiff_t i = 0; i < sample->n; i++) keys[i] = kd_sampled(sample, i, d)[*axis];
    return kd_separated_by(sample, keys, d);
}

/* The keys of n points by which to split them: the widest axis, unless a sample is to
 * decide and shows a better one. Two values are separated as well as can be. */
INLINE void kd_find_keys(const double *points, ptrdiff_t n, ptrdiff_t widest, double *keys,
                         double *room, int by_sample, ptrdiff_t d)
{
    ptrdiff_t step = (n + LEAST_SAMPLE - 1) / LEAST_SAMPLE;
    if (step > SAMPLE_STEP) step = SAMPLE_STEP;
    if (n > MOST_SAMPLE * step) step = (n + MOST_SAMPLE - 1) / MOST_SAMPLE;
    const KDSample sample = {points, (n + step - 1) / step, step, room, room + d, room + 2 * d};
    ptrdiff_t axis = widest;
    if (by_sample && !kd_has_two_values(&sample, widest, d)) {
        const double by_axis = kd_find_axis(&sample, &axis, d);
        if (kd_find_line(&sample, d) > 1.2 * by_axis) {
            for (ptrdiff_t i = 0; i < n; i++) keys[i] = kd_along(points + i * d, sample.line, d);
            return;
        }
    }
    for (ptrdiff_t i = 0; i < n; i++) keys[i] = points[i * d + axis];
}
