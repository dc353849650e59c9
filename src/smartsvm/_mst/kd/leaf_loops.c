/* The loops of LeafLoops (tree.h), in vectors as wide as the processor has. */
#include "common/vectors.h"
#include "kd/tree.h"

/* Vectors that hold a number for each site of a leaf. */
enum { N_WIDE = KD_LEAF / FLOATS };

/* Loops over features where the compiler would else move all sums from one register to another
 * after each feature. */
#define FOR_FEATURES(k, d) _Pragma("GCC unroll 20") for (ptrdiff_t k = 0; k < (d); k++)

/* Marks as in tree.h, and those of floats, which come in N_WIDE vectors. */
INLINE kd_marks wide_mark(kd_marks marks, wide a, double limit, ptrdiff_t j)
{
#if defined(__AVX2__)
    const wide zero = {0};
    return marks | wide_at_most(a, zero + limit) << j;
#else
    return kd_mark(marks, a, limit, j);
#endif
}

#if defined(HAS_NEON)
typedef uint32x4_t float_marks;
INLINE float_marks wide_float_mark(float_marks marks, wide_float a, wide_float b, int r)
{
    (void)r;
    return vsriq_n_u32(vcleq_f32(a, b), marks, FLOATS);
}
INLINE unsigned wide_float_marked(float_marks marks)
{
    const uint32x4_t own = {0x1111, 0x2222, 0x4444, 0x8888};
    return vaddvq_u32(vandq_u32(vshrq_n_u32(marks, 32 - KD_LEAF), own));
}
#else
typedef unsigned float_marks;
INLINE float_marks wide_float_mark(float_marks marks, wide_float a, wide_float b, int r)
{
    return marks | wide_float_at_most(a, b) << FLOATS * r;
}
INLINE unsigned wide_float_marked(float_marks marks) { return marks; }
#endif

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

INLINE unsigned leaf_near_rows_with(const float *u, ptrdiff_t count, const float *shift,
                                    const float *half, const float *most, float slack,
                                    ptrdiff_t d)
{
    const wide_float zero = {0};
    wide_float sum[N_WIDE] = {{0}};
    float_marks marks = {0};
    FOR_FEATURES(k, d) {
        const wide_float from = zero - shift[k];
        for (int r = 0; r < N_WIDE; r++) {
            const wide_float x = *(const wide_float *)(u + k * count + FLOATS * r);
            const wide_float gap = wide_float_max(wide_float_apart(x, from) - half[k], zero);
            sum[r] = wide_float_add_square(sum[r], gap);
        }
    }
    for (int r = 0; r < N_WIDE; r++)
        marks = wide_float_mark(marks, sum[r],
                                *(const wide_float *)(most + FLOATS * r) + slack, r);
    return wide_float_marked(marks);
}

INLINE unsigned leaf_screen_with(const float *u, ptrdiff_t n, const float *shift, const float *y,
                                 ptrdiff_t count, float limit, ptrdiff_t d)
{
    const wide_float zero = {0};
    wide_float sum[N_WIDE] = {{0}};
    float_marks marks = {0};
    FOR_FEATURES(k, d)
        for (int r = 0; r < N_WIDE; r++) {
            const wide_float gap =
                u[k * n] + shift[k] - *(const wide_float *)(y + k * count + FLOATS * r);
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
    LOOP_FOR_DIMENSION(d, bits = count == KD_LEAF
                                      ? leaf_distances_with(q, y, KD_LEAF, limit, out, d)
                                      : leaf_distances_with(q, y, count, limit, out, d));
    return bits;
}

static unsigned leaf_near_rows(const float *u, ptrdiff_t count, const float *shift,
                               const float *half, const float *most, float slack, ptrdiff_t d)
{
    unsigned bits;
    LOOP_FOR_DIMENSION(d, bits = leaf_near_rows_with(u, count, shift, half, most, slack, d));
    return bits;
}

static unsigned leaf_screen(const float *u, ptrdiff_t n, const float *shift, const float *y,
                            ptrdiff_t count, float limit, ptrdiff_t d)
{
    unsigned bits;
    LOOP_FOR_DIMENSION(d, bits = leaf_screen_with(u, n, shift, y, count, limit, d));
    return bits;
}

const LeafLoops OF_THIS_KIND(leaf_loops) = {leaf_distances, leaf_near_rows, leaf_screen};
