/* Parts of space that hold about as many points each: a rough kd-tree over a sample.
 *
 * All its cuts are made at once, for each point one walk of comparisons and one move, where the
 * exact medians of kdbuild.h would move it once or twice for each of these levels. Nodes are cut
 * as there: in an empty slab, or at the median, of the sample.
 *
 * The part is a function of the values of a point: equal points have the same.
 */
#ifndef SMARTSVM_SKELETON_H
#define SMARTSVM_SKELETON_H

#include "kd/build.h"

/* Points of the sample for each part; walks that go on side by side. */
enum { SKELETON_SAMPLE = 32, SKELETON_WALKS = 8 };

/* Node h, from 1 on, has the children 2h and 2h + 1: points with at most `cut` there go to the
 * first. */
typedef struct {
    double cut;
    ptrdiff_t axis;
} KDCut;

/* Where to cut sampled points lo..hi-1, of which `middle` should come first, such that both sides
 * get some; they have two keys at least, and are moved. */
KD_INLINE double kd_cut_sample(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t hi,
                               ptrdiff_t middle, ptrdiff_t d)
{
    kd_select(moving, lo, hi, middle, d);
    double at = kd_key(moving, lo, d), below = -INFINITY, above = INFINITY;
    for (ptrdiff_t i = lo; i < middle; i++)
        if (kd_key(moving, i, d) > at) at = kd_key(moving, i, d);
    for (ptrdiff_t i = lo; i < hi; i++) {
        const double key = kd_key(moving, i, d);
        if (key < at && key > below) below = key;
        if (key > at && key < above) above = key;
    }
    if (above == INFINITY) return below;
    /* Others of the points before the cut may lie beyond the sampled ones. */
    const double between = at / 2 + above / 2;
    return between < above ? between : at;
}

/* The cuts of node h and below for sampled points lo..hi-1; those of nodes from n_parts on are
 * not made. */
static void kd_find_cuts(KDMoving moving, ptrdiff_t lo, ptrdiff_t hi, KDCut *cuts, ptrdiff_t h,
                         ptrdiff_t n_parts, double *box, ptrdiff_t d)
{
    if (h >= n_parts) return;
    ptrdiff_t middle = hi;
    moving.axis = 0;
    double cut = INFINITY;
    if (hi - lo > 1) {
        kd_tight_box(moving.points, lo, hi, box, d);
        moving.axis = kd_widest(box, d);
        const double width = kd_width(box, moving.axis);
        if (d >= KD_SINGLE)
            for (ptrdiff_t i = lo; i < hi; i++)
                moving.keys[i] = moving.points[i * d + moving.axis];
        if (width > 0) {
            const double low = box[4 * (moving.axis / 2) + moving.axis % 2];
            const ptrdiff_t n_below = kd_find_slab(&moving, lo, hi, low, width, d);
            cut = kd_cut_sample(&moving, lo, hi, n_below > 0 ? lo + n_below : (lo + hi) / 2, d);
            middle = lo;
            for (ptrdiff_t i = lo; i < hi; i++)
                if (kd_key(&moving, i, d) <= cut) kd_swap(&moving, i, middle++, d);
        }
    }
    cuts[h].axis = moving.axis;
    cuts[h].cut = cut;
    kd_find_cuts(moving, lo, middle, cuts, 2 * h, n_parts, box, d);
    kd_find_cuts(moving, middle, hi, cuts, 2 * h + 1, n_parts, box, d);
}

/* The parts of some points. One walk waits for each of its comparisons; several wait together. */
KD_INLINE void kd_find_parts_with(const KDCut *cuts, ptrdiff_t n_parts, const double *points,
                                  ptrdiff_t n, uint16_t *part, ptrdiff_t d)
{
    for (ptrdiff_t first = 0; first < n; first += SKELETON_WALKS) {
        const ptrdiff_t walks = n - first < SKELETON_WALKS ? n - first : SKELETON_WALKS;
        const double *x = points + first * d;
        ptrdiff_t h[SKELETON_WALKS];
        for (ptrdiff_t r = 0; r < SKELETON_WALKS; r++) h[r] = 1;
        if (walks == SKELETON_WALKS)
            for (ptrdiff_t level = 1; level < n_parts; level *= 2)
                for (ptrdiff_t r = 0; r < SKELETON_WALKS; r++)
                    h[r] = 2 * h[r] + (x[r * d + cuts[h[r]].axis] > cuts[h[r]].cut);
        else
            for (ptrdiff_t r = 0; r < walks; r++)
                while (h[r] < n_parts)
                    h[r] = 2 * h[r] + (x[r * d + cuts[h[r]].axis] > cuts[h[r]].cut);
        for (ptrdiff_t r = 0; r < walks; r++) part[first + r] = (uint16_t)(h[r] - n_parts);
    }
}

static void kd_find_parts(const KDCut *cuts, ptrdiff_t n_parts, const double *points, ptrdiff_t n,
                          uint16_t *part, ptrdiff_t d)
{
#define CALL(d) kd_find_parts_with(cuts, n_parts, points, n, part, d)
    KD_DISPATCH(d, CALL)
#undef CALL
}

#endif
