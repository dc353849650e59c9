/* Vectors of numbers: two doubles, or four floats, which every processor has, and those that are as
 * wide as the processor has that a file is compiled for. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if !defined(__GNUC__) && !defined(__clang__)
#error "the kernels use vector types of gcc and clang; on Windows build with clang-cl or MinGW"
#endif

#define INLINE static inline __attribute__((always_inline))

typedef double double2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

/* Where a is not a number, these are b. */
#if defined(__aarch64__) && !defined(__AARCH64EB__)
#define HAS_NEON
#include <arm_neon.h>
INLINE double2 double2_max(double2 a, double2 b) { return vmaxnmq_f64(a, b); }
INLINE double2 double2_min(double2 a, double2 b) { return vminnmq_f64(a, b); }
INLINE float4 float4_max(float4 a, float4 b) { return vmaxnmq_f32(a, b); }
INLINE float4 float4_min(float4 a, float4 b) { return vminnmq_f32(a, b); }
#elif defined(__SSE2__)
#include <emmintrin.h>
INLINE double2 double2_max(double2 a, double2 b) { return _mm_max_pd(a, b); }
INLINE double2 double2_min(double2 a, double2 b) { return _mm_min_pd(a, b); }
INLINE float4 float4_max(float4 a, float4 b) { return _mm_max_ps(a, b); }
INLINE float4 float4_min(float4 a, float4 b) { return _mm_min_ps(a, b); }
#else
INLINE double2 double2_max(double2 a, double2 b)
{
    return (double2){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}
INLINE double2 double2_min(double2 a, double2 b) { return -double2_max(-a, -b); }
INLINE float4 float4_max(float4 a, float4 b)
{
    return (float4){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1],
                    a[2] > b[2] ? a[2] : b[2], a[3] > b[3] ? a[3] : b[3]};
}
INLINE float4 float4_min(float4 a, float4 b) { return -float4_max(-a, -b); }
#endif

INLINE double2 double2_square(double2 t) { return t * t; }

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

/* Whether any number of a is at most that of b, or equals it. Where a is not a number, wide_min
 * and wide_max are b. */
#if defined(__AVX512F__)
#include <immintrin.h>
INLINE wide wide_min(wide a, wide b) { return _mm512_min_pd(a, b); }
INLINE wide wide_max(wide a, wide b) { return _mm512_max_pd(a, b); }
INLINE unsigned wide_at_most(wide a, wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
INLINE int wide_equal(wide a, wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ) != 0; }
INLINE wide_float wide_float_max(wide_float a, wide_float b) { return _mm512_max_ps(a, b); }
INLINE unsigned wide_float_at_most(wide_float a, wide_float b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
#elif defined(__AVX2__)
#include <immintrin.h>
INLINE wide wide_min(wide a, wide b) { return _mm256_min_pd(a, b); }
INLINE wide wide_max(wide a, wide b) { return _mm256_max_pd(a, b); }
INLINE unsigned wide_at_most(wide a, wide b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
}
INLINE int wide_equal(wide a, wide b)
{
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) != 0;
}
INLINE wide_float wide_float_max(wide_float a, wide_float b) { return _mm256_max_ps(a, b); }
INLINE unsigned wide_float_at_most(wide_float a, wide_float b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}
#elif defined(HAS_NEON)
INLINE wide wide_min(wide a, wide b) { return double2_min(a, b); }
INLINE wide wide_max(wide a, wide b) { return double2_max(a, b); }
/* All bits of a number's flag are alike, so half of them will do. */
INLINE int wide_any(uint64x2_t flags)
{
    return vget_lane_u64(vreinterpret_u64_u32(vmovn_u64(flags)), 0) != 0;
}
INLINE int wide_at_most(wide a, wide b) { return wide_any(vcleq_f64(a, b)); }
INLINE int wide_equal(wide a, wide b) { return wide_any(vceqq_f64(a, b)); }
INLINE wide_float wide_float_max(wide_float a, wide_float b) { return float4_max(a, b); }
#else
INLINE wide wide_min(wide a, wide b) { return double2_min(a, b); }
INLINE wide wide_max(wide a, wide b) { return double2_max(a, b); }
INLINE unsigned wide_at_most(wide a, wide b) { return (a[0] <= b[0]) | (a[1] <= b[1]); }
INLINE int wide_equal(wide a, wide b) { return (a[0] == b[0]) | (a[1] == b[1]); }
INLINE wide_float wide_float_max(wide_float a, wide_float b) { return float4_max(a, b); }
INLINE unsigned wide_float_at_most(wide_float a, wide_float b)
{
    typedef int32_t flags __attribute__((vector_size(16)));
    const flags bit = {1, 2, 4, 8}, set = (flags)(a <= b) & bit;
    return (unsigned)(set[0] | set[1] | set[2] | set[3]);
}
#endif

#if defined(HAS_NEON)
INLINE wide_float wide_float_add_square(wide_float sum, wide_float a)
{
    return vfmaq_f32(sum, a, a);
}
INLINE wide_float wide_float_apart(wide_float a, wide_float b) { return vabdq_f32(a, b); }
#else
INLINE wide_float wide_float_apart(wide_float a, wide_float b)
{
    return wide_float_max(a - b, b - a);
}
INLINE wide_float wide_float_add_square(wide_float sum, wide_float a) { return sum + a * a; }
#endif

INLINE wide wide_square(wide t) { return t * t; }
