/* How well boxes prune, for the choice of a kernel.
 *
 * A sample is cut into boxes as a kd-tree cuts points, and a few of its points search these boxes
 * for their nearest neighbours, nearest box first. Cost: O(m log m) for m sampled points.
 */
#pragma once

#include <math.h>

#include "common/edge_order.h"
#include "common/select.h"
#include "common/smallest.h"

/* Points of a box, queries at least and points for each, neighbours and boxes of a query at most,
 * and rows that tell the widest feature of many. */
enum {
    PROBE_LEAF = 32, PROBE_QUERIES = 24, PROBE_POINTS = 128, PROBE_NEIGHBORS = 6, PROBE_MOST = 128,
    PROBE_PLACES = 256
};

typedef struct {
    const double *points;
    ptrdiff_t d;
    uint32_t *rows;     /* in the order of boxes */
    uint32_t *starts;   /* of boxes among them, and their end */
    double *boxes;      /* lowest and highest values of each */
    double *bounds;     /* squared distances from one point to all boxes */
    ptrdiff_t n_boxes;
} Probe;

static inline const double *probe_point(const Probe *probe, ptrdiff_t i)
{
    return probe->points + (size_t)probe->rows[i] * (size_t)probe->d;
}

/* Lowest and highest values of rows lo..hi-1, or of every `step`th of them; the widest feature. */
static ptrdiff_t probe_box(const Probe *probe, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t step, double *box)
{
    const ptrdiff_t d = probe->d;
    double *low = box, *high = box + d;
    for (ptrdiff_t k = 0; k < d; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (ptrdiff_t i = lo; i < hi; i += step) {
        const double *x = probe_point(probe, i);
        for (ptrdiff_t k = 0; k < d; k++) {
            low[k] = x[k] < low[k] ? x[k] : low[k];
            high[k] = x[k] > high[k] ? x[k] : high[k];
        }
    }
    ptrdiff_t widest = 0;
    for (ptrdiff_t k = 1; k < d; k++)
        if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    return widest;
}

/* Halve rows lo..hi-1 at the middle value of feature k; where the upper half begins. */
static ptrdiff_t probe_halve(const Probe *probe, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t k)
{
    const ptrdiff_t middle = lo + (hi - lo) / 2;
#define KEY(i) probe_point(probe, i)[k]
#define SWAP(i, j)                                                                       \
    do {                                                                                 \
        const uint32_t row_ = probe->rows[i];                                             \
        probe->rows[i] = probe->rows[j];                                                   \
        probe->rows[j] = row_;                                                            \
    } while (0)
    SELECT_SMALLEST(double, KEY, SWAP, lo, hi, middle);
#undef KEY
#undef SWAP
    return middle;
}

/* Cut rows lo..hi-1 in halves until they fit into boxes. */
static void probe_cut(Probe *probe, ptrdiff_t lo, ptrdiff_t hi)
{
    double *box = probe->boxes + 2 * probe->n_boxes * probe->d;
    const ptrdiff_t step = hi - lo > PROBE_LEAF ? (hi - lo) / PROBE_PLACES + 1 : 1;
    const ptrdiff_t widest = probe_box(probe, lo, hi, step, box);
    if (hi - lo > PROBE_LEAF) {
        const ptrdiff_t middle = probe_halve(probe, lo, hi, widest);
        probe_cut(probe, lo, middle);
        probe_cut(probe, middle, hi);
    } else {
        probe->starts[probe->n_boxes++] = (uint32_t)lo;
        probe->starts[probe->n_boxes] = (uint32_t)hi;
    }
}

/* Compare x with the points of box b, whose squared distances enter `near`, the smallest ones. */
static void probe_compare(const Probe *probe, const double *x, ptrdiff_t b, double *near)
{
    for (ptrdiff_t i = probe->starts[b]; i < probe->starts[b + 1]; i++) {
        const double squared = squared_distance(x, probe_point(probe, i), probe->d);
        if (squared > 0)  /* copies say nothing */
            insert_smallest(near, NULL, PROBE_NEIGHBORS, squared, 0);
    }
}

/* Probe for the nearest neighbours of x, box by box, nearest first; how many boxes the ball of
 * these touches, 0 if there is nothing but copies of x. */
static ptrdiff_t probe_up(const Probe *probe, const double *x)
{
    double near[PROBE_NEIGHBORS];
    ptrdiff_t n_touched = 0;
    for (int k = 0; k < PROBE_NEIGHBORS; k++) near[k] = INFINITY;
    for (ptrdiff_t b = 0; b < probe->n_boxes; b++) {
        const double *low = probe->boxes + 2 * b * probe->d, *high = low + probe->d;
        double bound = 0;
        for (ptrdiff_t k = 0; k < probe->d; k++) {
            const double gap = x[k] < low[k] ? low[k] - x[k] : x[k] > high[k] ? x[k] - high[k] : 0;
            bound += gap * gap;
        }
        probe->bounds[b] = bound;
    }
    for (; n_touched < PROBE_MOST; n_touched++) {
        ptrdiff_t next = 0;
        for (ptrdiff_t b = 1; b < probe->n_boxes; b++)
            next = probe->bounds[b] < probe->bounds[next] ? b : next;
        if (probe->bounds[next] > near[PROBE_NEIGHBORS - 1] || probe->bounds[next] == INFINITY)
            return near[0] < INFINITY ? n_touched : 0;
        probe_compare(probe, x, next, near);
        probe->bounds[next] = INFINITY;
    }
    for (ptrdiff_t b = 0; b < probe->n_boxes; b++)
        n_touched += probe->bounds[b] <= near[PROBE_NEIGHBORS - 1];
    return near[0] < INFINITY ? n_touched : 0;
}

/* The mean number of boxes that the balls of nearest neighbours of a few of m points touch, those
 * of every n / m rows; 0 if none of them met anything but its copies. */
static double probe_points(Probe *probe, ptrdiff_t n, ptrdiff_t m)
{
    ptrdiff_t n_touched = 0, n_found = 0;
    for (ptrdiff_t i = 0; i < m; i++) probe->rows[i] = (uint32_t)(i * n / m);
    probe->n_boxes = 0;
    probe_cut(probe, 0, m);
    const ptrdiff_t most = m / PROBE_POINTS, n_queries = most > PROBE_QUERIES ? most : PROBE_QUERIES;
    for (ptrdiff_t q = 0; q < n_queries; q++) {
        const ptrdiff_t touched = probe_up(probe, probe_point(probe, q * m / n_queries));
        n_touched += touched;
        n_found += touched > 0;
    }
    return n_found > 0 ? (double)n_touched / (double)n_found : 0;
}
