/* How a vertex that enters Prim's tree improves the fringe. */
#include "common/feature_loops.h"
#include "common/wide_fringe.h"

/* Let the edges from `entered`, at x, improve the fringe; the length of the smallest edge. What is
 * written are not coordinates: else the compiler would read x again for every vector. */
INLINE double fringe_improve_with(const Fringe *fringe, uint32_t entered,
                                  const double *restrict x, const double *restrict points,
                                  ptrdiff_t d)
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
        const wide old = *(const wide *)(nearest + j);
        /* Of two positions one improves too often for a branch that is guessed well. */
        if (WIDTH > 2 && !wide_within(length, old))
            least = wide_min(old, least);
        else
            least = wide_min(fringe_improve_some(fringe, entered, j, length, nearest, sources),
                             least);
    }
    return wide_least(least);
}

static double fringe_improve(const Fringe *fringe, uint32_t entered, const double *x, ptrdiff_t d)
{
    double least;
    FOR_MORE_DIMENSIONS(d, least = fringe_improve_with(fringe, entered, x, fringe->points, d));
    return least;
}

const FringeLoops OF_THIS_KIND(fringe_loops) = {WIDTH, fringe_improve, fringe_smallest};
