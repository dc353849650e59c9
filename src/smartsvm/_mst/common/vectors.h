/* Two doubles, or four floats, at once: what every processor has. */
#ifndef SMARTSVM_VECTORS_H
#define SMARTSVM_VECTORS_H

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

#endif
