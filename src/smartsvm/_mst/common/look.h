/* A cheap look at points, for the choice of a kernel: how well boxes prune.
 *
 * Points are cut into boxes as a kd-tree cuts them, and a few of them look for their nearest
 * neighbours in these boxes, nearest first, as searches in a kd-tree do. Of many points this is
 * done with a sample. Cost: O(m log m) for m points.
 */
#ifndef SMARTSVM_LOOK_H
#define SMARTSVM_LOOK_H

#include <math.h>

#include "common/edge_order.h"
#include "common/select.h"

/* Points of a box, points that look for neighbours, neighbours that each looks for, boxes after
 * which it gives up, and places that tell the widest feature of many rows. */
enum {
    LOOK_LEAF = 32, LOOK_QUERIES = 24, LOOK_NEIGHBORS = 6, LOOK_MOST = 128, LOOK_PLACES = 256
};

typedef struct {
    const double *points;
    ptrdiff_t d;
    uint32_t *rows;     /* in the order of boxes */
    uint32_t *starts;   /* of boxes among them, and their end */
    double *boxes;      /* lowest and highest values of each */
    double *bounds;     /* squared distances from one point to all boxes */
    ptrdiff_t n_boxes;
} Look;

static inline const double *look_point(const Look *look, ptrdiff_t i)
{
    return look->points + (size_t)look->rows[i] * (size_t)look->d;
}

/* Lowest and highest values of rows lo..hi-1, or of every `step`th of them; the widest feature. */
static ptrdiff_t look_box(const Look *look, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t step, double *box)
{
    const ptrdiff_t d = look->d;
    double *low = box, *high = box + d;
    for (ptrdiff_t k = 0; k < d; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (ptrdiff_t i = lo; i < hi; i += step) {
        const double *x = look_point(look, i);
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
static ptrdiff_t look_halve(const Look *look, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t k)
{
    const ptrdiff_t middle = lo + (hi - lo) / 2;
#define KEY(i) look_point(look, i)[k]
#define SWAP(i, j)                                                                       \
    do {                                                                                 \
        const uint32_t row_ = look->rows[i];                                             \
        look->rows[i] = look->rows[j];                                                   \
        look->rows[j] = row_;                                                            \
    } while (0)
    SELECT_SMALLEST(double, KEY, SWAP, lo, hi, middle);
#undef KEY
#undef SWAP
    return middle;
}

/* Cut rows lo..hi-1 in halves until they fit into boxes. */
static void look_cut(Look *look, ptrdiff_t lo, ptrdiff_t hi)
{
    double *box = look->boxes + 2 * look->n_boxes * look->d;
    const ptrdiff_t step = hi - lo > LOOK_LEAF ? (hi - lo) / LOOK_PLACES + 1 : 1;
    const ptrdiff_t widest = look_box(look, lo, hi, step, box);
    if (hi - lo > LOOK_LEAF) {
        const ptrdiff_t middle = look_halve(look, lo, hi, widest);
        look_cut(look, lo, middle);
        look_cut(look, middle, hi);
    } else {
        look->starts[look->n_boxes++] = (uint32_t)lo;
        look->starts[look->n_boxes] = (uint32_t)hi;
    }
}

/* Compare x with the points of box b, whose squared distances enter `near`, the smallest ones. */
static void look_compare(const Look *look, const double *x, ptrdiff_t b, double *near)
{
    for (ptrdiff_t i = look->starts[b]; i < look->starts[b + 1]; i++) {
        const double squared = squared_distance(x, look_point(look, i), look->d);
        if (squared == 0 || squared > near[LOOK_NEIGHBORS - 1]) continue;  /* copies say nothing */
        int place = LOOK_NEIGHBORS - 1;
        for (; place > 0 && near[place - 1] > squared; place--) near[place] = near[place - 1];
        near[place] = squared;
    }
}

/* Look for the nearest neighbours of x, box by box, nearest first; how many boxes the ball of
 * these touches, 0 if there is nothing but copies of x. */
static ptrdiff_t look_up(const Look *look, const double *x)
{
    double near[LOOK_NEIGHBORS];
    ptrdiff_t n_touched = 0;
    for (int k = 0; k < LOOK_NEIGHBORS; k++) near[k] = INFINITY;
    for (ptrdiff_t b = 0; b < look->n_boxes; b++) {
        const double *low = look->boxes + 2 * b * look->d, *high = low + look->d;
        double bound = 0;
        for (ptrdiff_t k = 0; k < look->d; k++) {
            const double gap = x[k] < low[k] ? low[k] - x[k] : x[k] > high[k] ? x[k] - high[k] : 0;
            bound += gap * gap;
        }
        look->bounds[b] = bound;
    }
    for (; n_touched < LOOK_MOST; n_touched++) {
        ptrdiff_t next = 0;
        for (ptrdiff_t b = 1; b < look->n_boxes; b++)
            next = look->bounds[b] < look->bounds[next] ? b : next;
        if (look->bounds[next] > near[LOOK_NEIGHBORS - 1] || look->bounds[next] == INFINITY)
            return near[0] < INFINITY ? n_touched : 0;
        look_compare(look, x, next, near);
        look->bounds[next] = INFINITY;
    }
    for (ptrdiff_t b = 0; b < look->n_boxes; b++)
        n_touched += look->bounds[b] <= near[LOOK_NEIGHBORS - 1];
    return near[0] < INFINITY ? n_touched : 0;
}

/* The mean number of boxes that the balls of nearest neighbours of a few of m points touch, those
 * of every n / m rows; 0 if none of them met anything but its copies. */
static double look_at_points(Look *look, ptrdiff_t n, ptrdiff_t m)
{
    ptrdiff_t n_touched = 0, n_found = 0;
    for (ptrdiff_t i = 0; i < m; i++) look->rows[i] = (uint32_t)(i * n / m);
    look->n_boxes = 0;
    look_cut(look, 0, m);
    for (int q = 0; q < LOOK_QUERIES; q++) {
        const ptrdiff_t touched = look_up(look, look_point(look, q * m / LOOK_QUERIES));
        n_touched += touched;
        n_found += touched > 0;
    }
    return n_found > 0 ? (double)n_touched / (double)n_found : 0;
}

#endif
