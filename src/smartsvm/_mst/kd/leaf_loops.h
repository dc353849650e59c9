/* The loops of KDLoops (tree.h), in vectors as wide as the processor has. */
#ifndef SMARTSVM_KD_LEAF_LOOPS_H
#define SMARTSVM_KD_LEAF_LOOPS_H

#include "common/wide.h"

/* Vectors that hold a number for each site of a leaf. */
enum { N_WIDE = KD_LEAF / FLOATS };

KD_INLINE unsigned leaf_distances_with(const double *q, const double *y, ptrdiff_t count,
                                       double limit, double *out, ptrdiff_t d)
{
    kd_marks marks = {0};
    for (ptrdiff_t j = 0; j < count; j += WIDTH) {
        wide length;
        KD_SUM(wide, d, wide_square(q[k] - *(const wide *)(y + k * count + j)), length);
        *(wide *)(out + j) = length;
        marks = wide_mark(marks, length, limit, j);
    }
    return kd_marked(marks, count);
}

KD_INLINE unsigned leaf_near_rows_with(const float *u, const float *shift, const float *half,
                                       const float *most, float slack, ptrdiff_t d)
{
    const wide_float zero = {0};
    wide_float sum[N_WIDE] = {{0}};
    float_marks marks = {0};
    for (ptrdiff_t k = 0; k < d; k++)
        for (int r = 0; r < N_WIDE; r++) {
            const wide_float x = *(const wide_float *)(u + k * KD_LEAF + FLOATS * r) + shift[k];
            const wide_float gap = wide_float_max(wide_float_max(x, -x) - half[k], zero);
            sum[r] = wide_float_add_square(sum[r], gap);
        }
    for (int r = 0; r < N_WIDE; r++)
        marks = wide_float_mark(marks, sum[r],
                                *(const wide_float *)(most + FLOATS * r) + slack, r);
    return wide_float_marked(marks);
}

KD_INLINE unsigned leaf_screen_with(const float *u, const float *shift, const float *y,
                                    float limit, ptrdiff_t d)
{
    const wide_float zero = {0};
    wide_float sum[N_WIDE] = {{0}};
    float_marks marks = {0};
    for (ptrdiff_t k = 0; k < d; k++)
        for (int r = 0; r < N_WIDE; r++) {
            const wide_float gap =
                u[k * KD_LEAF] + shift[k] - *(const wide_float *)(y + k * KD_LEAF + FLOATS * r);
            sum[r] = wide_float_add_square(sum[r], gap);
        }
    for (int r = 0; r < N_WIDE; r++) marks = wide_float_mark(marks, sum[r], zero + limit, r);
    return wide_float_marked(marks);
}

static unsigned leaf_distances(const double *q, const double *y, ptrdiff_t count, double limit,
                               double *out, ptrdiff_t d)
{
    unsigned bits;
    /* Most leaves are full: a loop the compiler can unroll. */
#define CALL(d)                                                                          \
    bits = count == KD_LEAF ? leaf_distances_with(q, y, KD_LEAF, limit, out, d)          \
                            : leaf_distances_with(q, y, count, limit, out, d)
    KD_DISPATCH(d, CALL)
#undef CALL
    return bits;
}

static unsigned leaf_near_rows(const float *u, const float *shift, const float *half,
                               const float *most, float slack, ptrdiff_t d)
{
    unsigned bits;
#define CALL(d) bits = leaf_near_rows_with(u, shift, half, most, slack, d)
    KD_DISPATCH(d, CALL)
#undef CALL
    return bits;
}

static unsigned leaf_screen(const float *u, const float *shift, const float *y, float limit,
                            ptrdiff_t d)
{
    unsigned bits;
#define CALL(d) bits = leaf_screen_with(u, shift, y, limit, d)
    KD_DISPATCH(d, CALL)
#undef CALL
    return bits;
}

#endif
