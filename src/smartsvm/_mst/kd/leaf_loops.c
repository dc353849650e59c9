/* The loops of LeafLoops (tree.h), in vectors as wide as the processor has. */
#include "kd/tree.h"

/* Vectors that hold a number for each site of a leaf. */
enum { N_WIDE = KD_LEAF / FLOATS };

/* Loops over features where the compiler would else move all sums from one register to another
 * after each feature. */
#define FOR_FEATURES(k, d) _Pragma("GCC unroll 20") for (ptrdiff_t k = 0; k < (d); k++)

/* Marks as in tree.h, of floats, which come in N_WIDE vectors. */
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
    return marks | wide_float_within(a, b) << FLOATS * r;
}
INLINE unsigned wide_float_marked(float_marks marks) { return marks; }
#endif

/* Near a box, or near one of n sites: a constant, so that either is a loop of its own. */
INLINE unsigned leaf_near_with(const float *x, ptrdiff_t count, const float *u, ptrdiff_t n,
                               const float *shift, const float *half, const float *most,
                               float slack, int is_box, ptrdiff_t d)
{
    const wide_float zero = {0};
    wide_float sum[N_WIDE] = {{0}};
    float_marks marks = {0};
    FOR_FEATURES(k, d) {
        const float from = is_box ? -shift[k] : u[k * n] + shift[k];
        for (int r = 0; r < N_WIDE; r++) {
            const wide_float to = *(const wide_float *)(x + k * count + FLOATS * r);
            wide_float gap = from - to;
            if (is_box) gap = wide_float_max(wide_float_apart(to, zero + from) - half[k], zero);
            sum[r] = wide_float_add_square(sum[r], gap);
        }
    }
    for (int r = 0; r < N_WIDE; r++) {
        wide_float limit = zero + slack;
        if (is_box) limit += *(const wide_float *)(most + FLOATS * r);
        marks = wide_float_mark(marks, sum[r], limit, r);
    }
    return wide_float_marked(marks);
}

static unsigned leaf_distances(const double *q, const double *y, ptrdiff_t count, double limit,
                               double *out, ptrdiff_t d)
{
    unsigned bits;
    FOR_MORE_DIMENSIONS(d, bits = kd_distances_at(q, y, count, limit, out, d));
    return bits;
}

static unsigned leaf_near_box(const float *x, ptrdiff_t count, const float *shift,
                              const float *half, const float *most, float slack, ptrdiff_t d)
{
    unsigned bits;
    FOR_MORE_DIMENSIONS(
        d, bits = leaf_near_with(x, count, NULL, 0, shift, half, most, slack, 1, d));
    return bits;
}

static unsigned leaf_near_site(const float *x, ptrdiff_t count, const float *u, ptrdiff_t n,
                               const float *shift, float limit, ptrdiff_t d)
{
    unsigned bits;
    FOR_MORE_DIMENSIONS(d, bits = leaf_near_with(x, count, u, n, shift, NULL, NULL, limit, 0, d));
    return bits;
}

const LeafLoops OF_THIS_KIND(leaf_loops) = {leaf_distances, leaf_near_box, leaf_near_site};
