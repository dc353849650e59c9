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

/* A bit for each number of a that is at most that of b, or equals it. Where a is not a number,
 * wide_min is b. */
#if defined(__AVX512F__)
#include <immintrin.h>
KD_INLINE wide wide_min(wide a, wide b) { return _mm512_min_pd(a, b); }
KD_INLINE unsigned wide_within(wide a, wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
KD_INLINE unsigned wide_equal(wide a, wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
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
KD_INLINE unsigned wide_equal(wide a, wide b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ));
}
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b) { return _mm256_max_ps(a, b); }
KD_INLINE unsigned wide_float_within(wide_float a, wide_float b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
#else
KD_INLINE wide wide_min(wide a, wide b) { return kd_min(a, b); }
KD_INLINE unsigned wide_within(wide a, wide b) { return (a[0] <= b[0]) | (a[1] <= b[1]) << 1; }
KD_INLINE unsigned wide_equal(wide a, wide b) { return (a[0] == b[0]) | (a[1] == b[1]) << 1; }
#if defined(__aarch64__)
KD_INLINE wide_float wide_float_max(wide_float a, wide_float b) { return vmaxnmq_f32(a, b); }
#elif defined(__SSE2__)
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

#if defined(__aarch64__)
KD_INLINE wide_float wide_float_add_square(wide_float sum, wide_float a)
{
    return vfmaq_f32(sum, a, a);
}
#else
KD_INLINE wide_float wide_float_add_square(wide_float sum, wide_float a) { return sum + a * a; }
#endif

KD_INLINE wide wide_square(wide t) { return t * t; }

#endif
