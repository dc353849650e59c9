/* Vectors of numbers as wide as the processor has that a file is compiled for. */
#ifndef SMARTSVM_WIDE_H
#define SMARTSVM_WIDE_H

#include "kd/tree.h"

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif

enum { FLOATS = 2 * WIDTH };
typedef double wide __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t wide_int __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

typedef float wide_float __attribute__((vector_size(8 * WIDTH), aligned(4), may_alias));

/* Whether any number of a is at most that of b, or equals it; marks as in kd/tree.h, and those of
 * floats, which come in KD_LEAF / FLOATS vectors. Where a is not a number, wide_min is b. */
#if defined(__AVX512F__)
#include <immintrin.h>
KD_INLINE wide wide_min(wide a, wide b) { return _mm512_min_pd(a, b); }
KD_INLINE unsigned wide_within(wide a, wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
KD_INLINE int wide_equal(wide a, wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ) != 0; }
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b) { return _mm512_max_ps(a, b); }
KD_INLINE unsigned wide_float_within(wide_float a, wide_float b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
#elif defined(__AVX2__)
#include <immintrin.h>
KD_INLINE wide wide_min(wide a, wide b) { return _mm256_min_pd(a, b); }
KD_INLINE unsigned wide_within(wide a, wide b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
}
KD_INLINE int wide_equal(wide a, wide b)
{
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) != 0;
}
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b) { return _mm256_max_ps(a, b); }
KD_INLINE unsigned wide_float_within(wide_float a, wide_float b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
#elif defined(KD_NEON)
KD_INLINE wide wide_min(wide a, wide b) { return kd_min(a, b); }
/* All bits of a number's flag are alike, so half of them will do. */
KD_INLINE int wide_any(uint64x2_t flags)
{
    return vget_lane_u64(vreinterpret_u64_u32(vmovn_u64(flags)), 0) != 0;
}
KD_INLINE int wide_within(wide a, wide b) { return wide_any(vcleq_f64(a, b)); }
KD_INLINE int wide_equal(wide a, wide b) { return wide_any(vceqq_f64(a, b)); }
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b) { return vmaxnmq_f32(a, b); }
#else
KD_INLINE wide wide_min(wide a, wide b) { return kd_min(a, b); }
KD_INLINE unsigned wide_within(wide a, wide b) { return (a[0] <= b[0]) | (a[1] <= b[1]); }
KD_INLINE int wide_equal(wide a, wide b) { return (a[0] == b[0]) | (a[1] == b[1]); }
#if defined(__SSE2__)
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b) { return _mm_max_ps(a, b); }
#else
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b)
{
    return (wide_float){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1],
                        a[2] > b[2] ? a[2] : b[2], a[3] > b[3] ? a[3] : b[3]};
}
#endif
KD_INLINE unsigned wide_float_within(wide_float a, wide_float b)
{
    typedef int32_t flags __attribute__((vector_size(16)));
    const flags bit = {1, 2, 4, 8}, set = (flags)(a <= b) & bit;
    return (unsigned)(set[0] | set[1] | set[2] | set[3]);
}
#endif

KD_INLINE kd_marks wide_mark(kd_marks marks, wide a, double limit, ptrdiff_t j)
{
#if defined(__AVX2__)
    const wide zero = {0};
    return marks | wide_within(a, zero + limit) << j;
#else
    return kd_mark(marks, a, limit, j);
#endif
}

#if defined(KD_NEON)
typedef uint32x4_t float_marks;
KD_INLINE float_marks wide_float_mark(float_marks marks, wide_float a, wide_float b, int r)
{
    (void)r;
    return vsriq_n_u32(vcleq_f32(a, b), marks, FLOATS);
}
KD_INLINE unsigned wide_float_marked(float_marks marks)
{
    const uint32x4_t own = {0x1111, 0x2222, 0x4444, 0x8888};
    return vaddvq_u32(vandq_u32(vshrq_n_u32(marks, 32 - KD_LEAF), own));
}
KD_INLINE wide_float wide_float_add_square(wide_float sum, wide_float a)
{
    return vfmaq_f32(sum, a, a);
}
#else
typedef unsigned float_marks;
KD_INLINE float_marks wide_float_mark(float_marks marks, wide_float a, wide_float b, int r)
{
    return marks | wide_float_within(a, b) << FLOATS * r;
}
KD_INLINE unsigned wide_float_marked(float_marks marks) { return marks; }
KD_INLINE wide_float wide_float_add_square(wide_float sum, wide_float a) { return sum + a * a; }
#endif

KD_INLINE wide wide_square(wide t) { return t * t; }

#endif
