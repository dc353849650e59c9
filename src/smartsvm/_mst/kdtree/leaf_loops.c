/* The loops of LeafLoops (tree.h), in vectors as wide as the processor has. */
#include "common/vectors.h"
#include "kdtree/tree.h"

/* Marks as in tree.h. */
INLINE kd_marks wide_mark(kd_marks marks, wide a, double limit, ptrdiff_t j)
{
#if defined(__AVX2__)
    const wide zero = {0};
    return marks | wide_at_most(a, zero + limit) << j;
#else
    return kd_mark(marks, a, limit, j);
#endif
}

/* `out` is apart from the coordinates: else q would be read again for every vector. */
INLINE unsigned leaf_distances_with(const double *restrict q, const double *restrict y,
                                    ptrdiff_t count, double limit, double *restrict out,
                                    ptrdiff_t d)
{
    kd_marks marks = {0};
    for (ptrdiff_t j = 0; j < count; j += WIDTH) {
        wide length;
        SUM_LANES(wide, d, wide_square(q[k] - *(const wide *)(y + k * count + j)), length);
        *(wide *)(out + j) = length;
        marks = wide_mark(marks, length, limit, j);
    }
    return kd_marked(marks, count);
}

static unsigned leaf_distances(const double *q, const double *y, ptrdiff_t count, double limit,
                               double *out, ptrdiff_t d)
{
    unsigned bits;
    /* Most leaves are full: a loop the compiler can unroll. */
    LOOP_FOR_DIMENSION(d, bits = count == KD_LEAF
                                      ? leaf_distances_with(q, y, KD_LEAF, limit, out, d)
                                      : leaf_distances_with(q, y, count, limit, out, d));
    return bits;
}

const LeafLoops OF_THIS_KIND(leaf_loops) = {leaf_distances};
