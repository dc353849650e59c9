/* How a vertex that enters Prim's tree improves the fringe, in vectors of WIDTH positions. */
#include "common/feature_loops.h"
#include "common/fringe.h"
#include "common/wide.h"

/* Let the edges from `entered`, at x, improve the fringe; the length of the smallest edge. What is
 * written are not coordinates: else the compiler would read x again for every vector. */
INLINE double fringe_improve_with(const Fringe *fringe, uint32_t entered,
                                  const double *restrict x, const double *restrict points,
                                  const uint32_t *ranks, ptrdiff_t d)
{
    const wide zero = {0};
    const ptrdiff_t size = fringe->size;
    double *nearest = fringe->nearest;
    int64_t *sources = fringe->source;
    wide least = zero + INFINITY;
    for (ptrdiff_t j = 0; j < size; j += WIDTH) {
        const double *y = points + j * d;
        wide length;
        SUM_LANES(wide, d, wide_square(x[k] - *(const wide *)(y + k * WIDTH)), length);
        const wide old = *(const wide *)(nearest + j), now = wide_min(old, length);
        least = wide_min(least, now);
        /* Of two positions one improves too often for a branch that is guessed well. */
        if (WIDTH > 2 && !wide_within(length, old)) continue;
        const wide_int improved = length < old;
        wide_int *source = (wide_int *)(sources + j);
        *(wide *)(nearest + j) = now;
        *source = (improved & (int64_t)entered) | (~improved & *source);
        if (!wide_equal(length, old)) continue;
        for (ptrdiff_t r = 0; r < WIDTH; r++)
            if (length[r] == old[r] && length[r] < INFINITY)
                fringe_tie(fringe, entered, j + r, ranks);
    }
    double smallest = INFINITY;
    for (int r = 0; r < WIDTH; r++) smallest = least[r] < smallest ? least[r] : smallest;
    return smallest;
}

/* As fringe_smallest. */
INLINE ptrdiff_t fringe_find(const Fringe *fringe, double least, const uint32_t *ranks)
{
    const wide zero = {0}, wanted = zero + least;
    ptrdiff_t smallest = -1;
    if (least == INFINITY) return 0;
    for (ptrdiff_t j = 0; j < fringe->size; j += FRINGE_BLOCK) {
        int here = 0;
        for (ptrdiff_t r = j; r < j + FRINGE_BLOCK; r += WIDTH)
            here |= wide_equal(*(const wide *)(fringe->nearest + r), wanted);
        if (!here) continue;
        for (ptrdiff_t r = j; r < j + FRINGE_BLOCK && r < fringe->size; r++)
            if (fringe->nearest[r] == least
                && (smallest < 0
                    || fringe_key(fringe, r, ranks) < fringe_key(fringe, smallest, ranks)))
                smallest = r;
    }
    return smallest;
}

static ptrdiff_t fringe_improve(const Fringe *fringe, uint32_t entered, const double *x,
                                const uint32_t *ranks, ptrdiff_t d)
{
    double least;
    FOR_MORE_DIMENSIONS(
        d, least = fringe_improve_with(fringe, entered, x, fringe->points, ranks, d));
    return fringe_find(fringe, least, ranks);
}

const FringeLoops OF_THIS_KIND(fringe_loops) = {WIDTH, fringe_improve};
