/* The loop of LeafLoops (tree.h), compiled for each kind of processors. */
#include "kdtree/tree.h"

static unsigned leaf_distances(const double *q, const double *y, ptrdiff_t count, double limit,
                               double *out, ptrdiff_t d)
{
    unsigned bits;
    LOOP_FOR_DIMENSION(d, bits = kd_distances_in_leaf(q, y, count, limit, out, d));
    return bits;
}

const LeafLoops OF_THIS_KIND(leaf_loops) = {leaf_distances};
