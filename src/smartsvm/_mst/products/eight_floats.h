/* Eight floats in registers: two of NEON on aarch64, one of AVX2 on x86-64.
 *
 * A wheel has to run on every x86-64 processor, so these functions are compiled for AVX2 by an
 * attribute and must only be called where `has_eight` is true.
 */
#ifndef SMARTSVM_EIGHT_FLOATS_H
#define SMARTSVM_EIGHT_FLOATS_H

#include <stdint.h>

#if defined(__GNUC__) && defined(__aarch64__) && !defined(__AARCH64EB__)
#include <arm_neon.h>

#define EIGHT_KNOWN 1
#define EIGHT_TARGET
typedef float32x4_t Register;
typedef uint32x4_t RegisterFlags;
/* Registers of a vector, and bits of a mask for each element. */
enum { REGISTERS = 2, MASK_BITS = 8 };
#define REGISTER_OF vdupq_n_f32
#define REGISTER_LOAD vld1q_f32
#define REGISTER_STORE vst1q_f32
#define REGISTER_MIN vminq_f32
#define REGISTER_MAX vmaxq_f32
#define REGISTER_OR_REACHES(flags, a, b) vorrq_u32(flags, vcgeq_f32(a, b))

static inline int has_eight(void) { return 1; }

#elif defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

#define EIGHT_KNOWN 1
#define EIGHT_TARGET __attribute__((target("avx2,fma")))
typedef __m256 Register, RegisterFlags;
enum { REGISTERS = 1, MASK_BITS = 1 };
#define REGISTER_OF _mm256_set1_ps
#define REGISTER_LOAD _mm256_loadu_ps
#define REGISTER_STORE _mm256_storeu_ps
#define REGISTER_MIN _mm256_min_ps
#define REGISTER_MAX _mm256_max_ps
/* Not by the operators of C: gcc would reorder them, and run out of registers. */
#define REGISTER_OR_REACHES(flags, a, b) _mm256_or_ps(flags, _mm256_cmp_ps(a, b, _CMP_GE_OQ))

static inline int has_eight(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#else
#define EIGHT_KNOWN 0

static inline int has_eight(void) { return 0; }
#endif

#if EIGHT_KNOWN
typedef struct {
    Register part[REGISTERS];
} Eight;

typedef struct {
    RegisterFlags part[REGISTERS];
} EightFlags;

#define EACH_PART for (int i = 0; i < REGISTERS; i++)
#define EIGHT_FUNCTION EIGHT_TARGET static inline

EIGHT_FUNCTION Eight eight_of(float value)
{
    Eight a;
    EACH_PART a.part[i] = REGISTER_OF(value);
    return a;
}

EIGHT_FUNCTION Eight eight_load(const float *x)
{
    Eight a;
    EACH_PART a.part[i] = REGISTER_LOAD(x + 8 / REGISTERS * i);
    return a;
}

EIGHT_FUNCTION void eight_store(float *x, Eight a)
{
    EACH_PART REGISTER_STORE(x + 8 / REGISTERS * i, a.part[i]);
}

#define EIGHT_FUNCTION_OF_TWO(name, result)                                                       \
    EIGHT_FUNCTION Eight name(Eight a, Eight b)                                                   \
    {                                                                                             \
        EACH_PART a.part[i] = result(a.part[i], b.part[i]);                                       \
        return a;                                                                                 \
    }
#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
EIGHT_FUNCTION_OF_TWO(eight_add, SUM)
EIGHT_FUNCTION_OF_TWO(eight_subtract, DIFFERENCE)
EIGHT_FUNCTION_OF_TWO(eight_min, REGISTER_MIN)
EIGHT_FUNCTION_OF_TWO(eight_max, REGISTER_MAX)
#undef SUM
#undef DIFFERENCE

EIGHT_FUNCTION EightFlags eight_none(void) { return (EightFlags){{{0}}}; }

EIGHT_FUNCTION EightFlags eight_or_reaches(EightFlags flags, Eight a, Eight b)
{
    EACH_PART flags.part[i] = REGISTER_OR_REACHES(flags.part[i], a.part[i], b.part[i]);
    return flags;
}

EIGHT_FUNCTION float eight_largest(Eight a)
{
    float value[8], largest;
    eight_store(value, a);
    largest = value[0];
    for (int c = 1; c < 8; c++) largest = value[c] > largest ? value[c] : largest;
    return largest;
}

/* a += y * x[r], with a constant r, where x is in registers and at `from` in memory. */
#if defined(__aarch64__)
#define EIGHT_ADD_PRODUCT(a, y, x, r, from)                                                       \
    (a.part[0] = vfmaq_laneq_f32(a.part[0], y.part[0], x.part[r / 4], r % 4),                     \
     a.part[1] = vfmaq_laneq_f32(a.part[1], y.part[1], x.part[r / 4], r % 4))

EIGHT_FUNCTION uint64_t eight_mask(EightFlags flags)
{
    const uint16x4_t low = vmovn_u32(flags.part[0]);
    const uint16x4_t high = vmovn_u32(flags.part[1]);
    return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(vcombine_u16(low, high))), 0);
}
#else
#define EIGHT_ADD_PRODUCT(a, y, x, r, from)                                                       \
    ((void)x, a.part[0] = _mm256_fmadd_ps(_mm256_broadcast_ss((from) + r), y.part[0], a.part[0]))

EIGHT_FUNCTION uint64_t eight_mask(EightFlags flags)
{
    return (uint64_t)_mm256_movemask_ps(flags.part[0]);
}
#endif
#endif

#endif
