/* What a vertex that enters Prim's tree does to the fringe, in vectors of WIDTH positions. */
#ifndef SMARTSVM_WIDE_FRINGE_H
#define SMARTSVM_WIDE_FRINGE_H

#include "common/fringe.h"
#include "common/wide.h"

/* Let edges of these lengths from `entered` improve the positions from j on; the lengths of their
 * smallest edges then. One that is not a number improves nothing. */
INLINE wide fringe_improve_some(const Fringe *fringe, uint32_t entered, ptrdiff_t j, wide length,
                                double *nearest, int64_t *sources)
{
    const wide old = *(const wide *)(nearest + j), now = wide_min(length, old);
    const wide_int improved = length < old;
    wide_int *source = (wide_int *)(sources + j);
    *(wide *)(nearest + j) = now;
    *source = (improved & (int64_t)entered) | (~improved & *source);
    if (wide_equal(length, old))
        for (ptrdiff_t r = 0; r < WIDTH; r++)
            if (length[r] == old[r] && length[r] < INFINITY) fringe_tie(fringe, entered, j + r);
    return now;
}

INLINE double wide_least(wide a)
{
    double least = a[0];
    for (int r = 1; r < WIDTH; r++) least = a[r] < least ? a[r] : least;
    return least;
}

/* As FringeLoops has it. */
static inline ptrdiff_t fringe_smallest(const Fringe *fringe, double length)
{
    const wide zero = {0}, wanted = zero + length;
    ptrdiff_t smallest = -1;
    if (length == INFINITY) return 0;
    for (ptrdiff_t j = 0; j < fringe->size; j += 4 * WIDTH) {
        const wide *nearest = (const wide *)(fringe->nearest + j);
        const int here = wide_equal(nearest[0], wanted) | wide_equal(nearest[1], wanted)
                         | wide_equal(nearest[2], wanted) | wide_equal(nearest[3], wanted);
        if (!here) continue;
        for (ptrdiff_t r = j; r < j + 4 * WIDTH; r++)
            if (fringe->nearest[r] == length
                && (smallest < 0 || fringe_key(fringe, r) < fringe_key(fringe, smallest)))
                smallest = r;
    }
    return smallest;
}

#endif
