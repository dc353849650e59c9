/* The top of the kd-tree: regions of space that hold about as many points each.
 *
 * They are the leaves of a rough kd-tree over a sample. Each point takes one walk of comparisons
 * and one move, where the exact medians of build.h would move it once or twice for each of these
 * levels. Nodes are cut as there: in an empty slab, or at the median, of the sample.
 *
 * The region is a function of the values of a point: equal points have the same. Only below
 * KD_SINGLE coordinates: two means separate points of more better than regions do.
 */
#ifndef SMARTSVM_KD_TOP_H
#define SMARTSVM_KD_TOP_H

#include "kd/build.h"

/* Points of the sample for each region. */
enum { TOP_SAMPLE = 32 };

/* Node h, from 1 on, has the children 2h and 2h + 1: points with at most `cut` there go to the
 * first. */
typedef struct {
    double cut;
    ptrdiff_t axis;
} KDCut;

/* The cuts of node h and below for sampled points lo..hi-1; those of nodes from n_regions on are
 * not made. */
static void kd_find_cuts(KDMoving moving, ptrdiff_t lo, ptrdiff_t hi, KDCut *cuts, ptrdiff_t h,
                         ptrdiff_t n_regions, double *box, ptrdiff_t d)
{
    if (h >= n_regions) return;
    ptrdiff_t middle = lo;
    cuts[h] = (KDCut){INFINITY, 0};
    if (lo < hi) {
        kd_tight_box(moving.points, lo, hi, box, d);
        moving.axis = kd_widest(box, d);
        const double low = kd_low(box, moving.axis), width = kd_width(box, moving.axis);
        double cut = low + .5 * width;
        if (kd_find_slab(&moving, lo, hi, low, width, d) == 0) {
            kd_select(&moving, lo, hi, (lo + hi) / 2, d);
            cut = kd_key(&moving, (lo + hi) / 2, d);
        }
        for (ptrdiff_t i = lo; i < hi; i++)
            if (kd_key(&moving, i, d) <= cut) kd_swap(&moving, i, middle++, d);
        cuts[h] = (KDCut){cut, moving.axis};
    }
    kd_find_cuts(moving, lo, middle, cuts, 2 * h, n_regions, box, d);
    kd_find_cuts(moving, middle, hi, cuts, 2 * h + 1, n_regions, box, d);
}

/* The regions of some points, and how many are in each. */
static void kd_find_regions(const KDCut *cuts, ptrdiff_t n_regions, const double *points,
                            ptrdiff_t n, uint16_t *region, ptrdiff_t *count, ptrdiff_t d)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        ptrdiff_t h = 1;
        while (h < n_regions) h = 2 * h + (points[i * d + cuts[h].axis] > cuts[h].cut);
        region[i] = (uint16_t)(h - n_regions);
        count[region[i]]++;
    }
}

/* Whether squared distances of points with these coordinates are zero only between equal ones.
 * Nonzero floats of at least 2^-480 differ by at least 2^-532, the square of which is a float. */
static int kd_can_collapse(const double *values, ptrdiff_t size)
{
    int found = 0;
    for (ptrdiff_t i = 0; i < size; i++) found |= (fabs(values[i]) < 0x1p-480) & (values[i] != 0);
    return !found;
}

#endif
