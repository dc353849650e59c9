/* As many floats as a panel has, or two panels: two registers of four, one of eight or sixteen. */
#pragma once

#include "common/vectors.h"

/* Where a is not a number, REGISTER_MIN and REGISTER_MAX are b. With AVX2 flags are not made by the
 * operators of C: gcc would reorder them, and run out of registers. */
#if defined(__AVX512F__)
#include <immintrin.h>

typedef __m512 Register;
typedef __mmask16 Flags;
enum { REGISTERS = 1, LANES = 16, MASK_BITS = 1 };
#define REGISTER_OF _mm512_set1_ps
#define REGISTER_LOAD _mm512_loadu_ps
#define REGISTER_STORE _mm512_storeu_ps
#define REGISTER_MIN _mm512_min_ps
#define REGISTER_MAX _mm512_max_ps
#define NO_FLAGS 0
#define FLAGS_AT_LEAST(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define FLAGS_OTHER(words, word)                                                                  \
    _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(words), _mm512_set1_epi32((int)(word)))
#define FLAGS_OR(a, b) ((Flags)((a) | (b)))
#define FLAGS_AND(a, b) ((Flags)((a) & (b)))

#elif defined(__AVX2__)
#include <immintrin.h>

typedef __m256 Register, Flags;
enum { REGISTERS = 1, LANES = 8, MASK_BITS = 1 };
#define REGISTER_OF _mm256_set1_ps
#define REGISTER_LOAD _mm256_loadu_ps
#define REGISTER_STORE _mm256_storeu_ps
#define REGISTER_MIN _mm256_min_ps
#define REGISTER_MAX _mm256_max_ps
#define NO_FLAGS _mm256_setzero_ps()
#define FLAGS_AT_LEAST(a, b) _mm256_cmp_ps(a, b, _CMP_GE_OQ)
#define FLAGS_OTHER(words, word)                                                                  \
    _mm256_xor_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(                                         \
                      _mm256_loadu_si256((const __m256i *)(words)),                               \
                      _mm256_set1_epi32((int)(word)))),                                           \
                  _mm256_castsi256_ps(_mm256_set1_epi32(-1)))
#define FLAGS_OR _mm256_or_ps
#define FLAGS_AND _mm256_and_ps

#else
typedef uint32_t Words __attribute__((vector_size(16), aligned(4), may_alias));
typedef float4 Register;
typedef Words Flags;
enum { REGISTERS = 2, LANES = 8, MASK_BITS = 8 };
#define REGISTER_OF(value) ((float4){value, value, value, value})
#define REGISTER_LOAD(x) (*(const float4 *)(x))
#define REGISTER_STORE(x, a) (*(float4 *)(x) = (a))
#define REGISTER_MIN float4_min
#define REGISTER_MAX float4_max
#define NO_FLAGS ((Words){0, 0, 0, 0})
#define FLAGS_AT_LEAST(a, b) ((Words)((a) >= (b)))
#define FLAGS_OTHER(from, word)                                                                   \
    ((Words)(*(const Words *)(from) != (Words){word, word, word, word}))
#define FLAGS_OR(a, b) ((a) | (b))
#define FLAGS_AND(a, b) ((a) & (b))
#endif

enum { REGISTER_LANES = LANES / REGISTERS };

/* A number for each of LANES columns. */
typedef struct {
    Register vector[REGISTERS];
} Entries;

typedef struct {
    Flags vector[REGISTERS];
} EntryFlags;

#define EACH_VECTOR for (int i = 0; i < REGISTERS; i++)

INLINE Entries entries_of(float value)
{
    Entries a;
    EACH_VECTOR a.vector[i] = REGISTER_OF(value);
    return a;
}

INLINE Entries entries_load(const float *x)
{
    Entries a;
    EACH_VECTOR a.vector[i] = REGISTER_LOAD(x + REGISTER_LANES * i);
    return a;
}

INLINE void entries_store(float *x, Entries a)
{
    EACH_VECTOR REGISTER_STORE(x + REGISTER_LANES * i, a.vector[i]);
}

#define FUNCTION_OF_TWO(name, result)                                                             \
    INLINE Entries name(Entries a, Entries b)                                                     \
    {                                                                                             \
        EACH_VECTOR a.vector[i] = result(a.vector[i], b.vector[i]);                                       \
        return a;                                                                                 \
    }
#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
FUNCTION_OF_TWO(entries_add, SUM)
FUNCTION_OF_TWO(entries_subtract, DIFFERENCE)
FUNCTION_OF_TWO(entries_min, REGISTER_MIN)
FUNCTION_OF_TWO(entries_max, REGISTER_MAX)
#undef SUM
#undef DIFFERENCE
#undef FUNCTION_OF_TWO

INLINE EntryFlags no_entries(void)
{
    EntryFlags flags;
    EACH_VECTOR flags.vector[i] = NO_FLAGS;
    return flags;
}

/* Where a is not below b. */
INLINE EntryFlags entries_at_least(Entries a, Entries b)
{
    EntryFlags flags;
    EACH_VECTOR flags.vector[i] = FLAGS_AT_LEAST(a.vector[i], b.vector[i]);
    return flags;
}

/* Where another word is in memory. */
INLINE EntryFlags entries_other(const uint32_t *words, uint32_t word)
{
    EntryFlags flags;
    EACH_VECTOR flags.vector[i] = FLAGS_OTHER(words + REGISTER_LANES * i, word);
    return flags;
}

INLINE EntryFlags entry_flags_or(EntryFlags a, EntryFlags b)
{
    EACH_VECTOR a.vector[i] = FLAGS_OR(a.vector[i], b.vector[i]);
    return a;
}

INLINE EntryFlags entry_flags_and(EntryFlags a, EntryFlags b)
{
    EACH_VECTOR a.vector[i] = FLAGS_AND(a.vector[i], b.vector[i]);
    return a;
}

/* A mask with MASK_BITS for each entry; and a += y * x[r], with a constant r, for x in memory or,
 * where lanes of a register can be factors, in `panel`. */
#if defined(__AVX512F__)
#define LOAD_PANEL(x)
#define ENTRIES_ADD_PRODUCT(a, y, x, r)                                                           \
    ((a).vector[0] = _mm512_fmadd_ps(_mm512_set1_ps((x)[r]), (y).vector[0], (a).vector[0]))
INLINE uint64_t entry_mask(EntryFlags flags) { return flags.vector[0]; }
#elif defined(__AVX2__)
#define LOAD_PANEL(x)
#define ENTRIES_ADD_PRODUCT(a, y, x, r)                                                           \
    ((a).vector[0] = _mm256_fmadd_ps(_mm256_broadcast_ss((x) + r), (y).vector[0], (a).vector[0]))
INLINE uint64_t entry_mask(EntryFlags flags)
{
    return (uint64_t)_mm256_movemask_ps(flags.vector[0]);
}
#elif defined(HAS_NEON)
#define LOAD_PANEL(x) const Entries panel = entries_load(x);
#define ENTRIES_ADD_PRODUCT(a, y, x, r)                                                           \
    ((a).vector[0] = vfmaq_laneq_f32((a).vector[0], (y).vector[0], panel.vector[r / 4], r % 4),           \
     (a).vector[1] = vfmaq_laneq_f32((a).vector[1], (y).vector[1], panel.vector[r / 4], r % 4))
INLINE uint64_t entry_mask(EntryFlags flags)
{
    const uint16x4_t low = vmovn_u32(flags.vector[0]), high = vmovn_u32(flags.vector[1]);
    return vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(vcombine_u16(low, high))), 0);
}
#else
#define LOAD_PANEL(x)
#define ENTRIES_ADD_PRODUCT(a, y, x, r)                                                           \
    ((a).vector[0] += (y).vector[0] * (x)[r], (a).vector[1] += (y).vector[1] * (x)[r])
INLINE uint64_t entry_mask(EntryFlags flags)
{
    uint64_t mask = 0;
    for (int c = 0; c < LANES; c++)
        if (flags.vector[c / 4][c % 4]) mask |= UINT64_C(0xff) << MASK_BITS * c;
    return mask;
}
#endif

/* Eight columns of a panel, or those of two panels. */
INLINE Entries columns_load(const float *y, const float *next)
{
#if defined(__AVX512F__)
    const __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd((const double *)y));
    const __m512d both = _mm512_insertf64x4(low, _mm256_loadu_pd((const double *)next), 1);
    return (Entries){{_mm512_castpd_ps(both)}};
#else
    return (void)next, entries_load(y);
#endif
}
