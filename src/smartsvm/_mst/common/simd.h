/* Vectors of eight floats, for tile_kernel.h: two NEON vectors on aarch64, one on x86-64 with AVX2.
 *
 * A wheel has to run on every x86-64 processor, so these functions are compiled for AVX2 by an
 * attribute and must only be called where `has_eight` is true.
 */
#ifndef SMARTSVM_SIMD_H
#define SMARTSVM_SIMD_H

#include <stdint.h>

#if defined(__GNUC__) && defined(__aarch64__) && !defined(__AARCH64EB__)
#include <arm_neon.h>

#define EIGHT_KNOWN 1
#define EIGHT_TARGET
/* Bits of a mask for each element. */
enum { MASK_BITS = 8 };

typedef struct {
    float32x4_t low, high;
} Eight;

typedef struct {
    uint32x4_t low, high;
} EightFlags;

static inline int has_eight(void) { return 1; }

static inline Eight eight_of(float value)
{
    const float32x4_t all = vdupq_n_f32(value);
    return (Eight){all, all};
}

static inline Eight eight_load(const float *x) { return (Eight){vld1q_f32(x), vld1q_f32(x + 4)}; }

static inline void eight_store(float *x, Eight a)
{
    vst1q_f32(x, a.low);
    vst1q_f32(x + 4, a.high);
}

static inline Eight eight_add(Eight a, Eight b)
{
    return (Eight){vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}

static inline Eight eight_subtract(Eight a, Eight b)
{
    return (Eight){vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}

static inline Eight eight_min(Eight a, Eight b)
{
    return (Eight){vminq_f32(a.low, b.low), vminq_f32(a.high, b.high)};
}

static inline Eight eight_max(Eight a, Eight b)
{
    return (Eight){vmaxq_f32(a.low, b.low), vmaxq_f32(a.high, b.high)};
}

static inline float eight_largest(Eight a) { return vmaxvq_f32(vmaxq_f32(a.low, a.high)); }

/* a += y * x[r], with a constant r; x is in registers. */
#define EIGHT_ADD_PRODUCT(a, y, x, r, from)                                                       \
    (a.low = vfmaq_laneq_f32(a.low, y.low, r < 4 ? x.low : x.high, r % 4),                        \
     a.high = vfmaq_laneq_f32(a.high, y.high, r < 4 ? x.low : x.high, r % 4))

static inline EightFlags eight_none(void) { return (EightFlags){vdupq_n_u32(0), vdupq_n_u32(0)}; }

static inline EightFlags eight_or_reaches(EightFlags flags, Eight a, Eight b)
{
    return (EightFlags){vorrq_u32(flags.low, vcgeq_f32(a.low, b.low)),
                        vorrq_u32(flags.high, vcgeq_f32(a.high, b.high))};
}

static inline uint64_t eight_mask(EightFlags flags)
{
    const uint16x8_t both = vcombine_u16(vmovn_u32(flags.low), vmovn_u32(flags.high));
    return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(both)), 0);
}

#elif defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#define EIGHT_KNOWN 1
#define EIGHT_TARGET __attribute__((target("avx2,fma")))
enum { MASK_BITS = 1 };

typedef __m256 Eight;
typedef __m256 EightFlags;

static inline int has_eight(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

EIGHT_TARGET static inline Eight eight_of(float value) { return _mm256_set1_ps(value); }
EIGHT_TARGET static inline Eight eight_load(const float *x) { return _mm256_loadu_ps(x); }
EIGHT_TARGET static inline void eight_store(float *x, Eight a) { _mm256_storeu_ps(x, a); }
EIGHT_TARGET static inline Eight eight_add(Eight a, Eight b) { return _mm256_add_ps(a, b); }
EIGHT_TARGET static inline Eight eight_subtract(Eight a, Eight b) { return _mm256_sub_ps(a, b); }
EIGHT_TARGET static inline Eight eight_min(Eight a, Eight b) { return _mm256_min_ps(a, b); }
EIGHT_TARGET static inline Eight eight_max(Eight a, Eight b) { return _mm256_max_ps(a, b); }

EIGHT_TARGET static inline float eight_largest(Eight a)
{
    float value[8], largest;
    eight_store(value, a);
    largest = value[0];
    for (int c = 1; c < 8; c++) largest = value[c] > largest ? value[c] : largest;
    return largest;
}

/* The same; AVX2 broadcasts x[r] from memory, at `from`. */
#define EIGHT_ADD_PRODUCT(a, y, x, r, from)                                                       \
    ((void)x, a = _mm256_fmadd_ps(_mm256_broadcast_ss((from) + r), y, a))

EIGHT_TARGET static inline EightFlags eight_none(void) { return _mm256_setzero_ps(); }

EIGHT_TARGET static inline EightFlags eight_or_reaches(EightFlags flags, Eight a, Eight b)
{
    return _mm256_or_ps(flags, _mm256_cmp_ps(a, b, _CMP_GE_OQ));
}

EIGHT_TARGET static inline uint64_t eight_mask(EightFlags flags)
{
    return (uint64_t)_mm256_movemask_ps(flags);
}

#else
#define EIGHT_KNOWN 0

static inline int has_eight(void) { return 0; }
#endif

#endif
