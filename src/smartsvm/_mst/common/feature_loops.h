/* Loops over the features of a point: compiled for the usual numbers of features, and summed in the
 * lanes of edge_order.h.
 *
 * Functions whose last argument is `d` are inlined into callers that pass a constant
 * (FOR_DIMENSION), so that these loops unroll.
 */
#pragma once

#include "common/vectors.h"

/* Run a statement with `d` as the dimension, a constant where that pays: for long code only with
 * very few features, since elsewhere it calls short loops for most of its work, which have more
 * cases. Debug and sanitizer builds, which would take too long to compile, have one case. */
#define DIMENSION_CASE(value, ...)                                                       \
    case value: {                                                                        \
        const ptrdiff_t d = value;                                                       \
        __VA_ARGS__;                                                                     \
        break;                                                                           \
    }
#define FOR_DIMENSION_OF(cases, dimension, ...)                                          \
    do {                                                                                 \
        const ptrdiff_t dimension_ = (dimension);                                        \
        switch (dimension_) {                                                            \
            cases(__VA_ARGS__)                                                           \
        default: {                                                                       \
            const ptrdiff_t d = dimension_;                                              \
            __VA_ARGS__;                                                                 \
        }                                                                                \
        }                                                                                \
    } while (0)
#if defined(FEW_DIMENSIONS)
#define CASES_OF_LONG_CODE(...) DIMENSION_CASE(2, __VA_ARGS__)
#define CASES_OF_LOOPS CASES_OF_LONG_CODE
#else
#define CASES_OF_LONG_CODE(...) DIMENSION_CASE(2, __VA_ARGS__) DIMENSION_CASE(3, __VA_ARGS__)
#define CASES_OF_LOOPS(...)                                                              \
    DIMENSION_CASE(2, __VA_ARGS__) DIMENSION_CASE(3, __VA_ARGS__)                        \
    DIMENSION_CASE(4, __VA_ARGS__) DIMENSION_CASE(5, __VA_ARGS__)                        \
    DIMENSION_CASE(6, __VA_ARGS__) DIMENSION_CASE(7, __VA_ARGS__)                        \
    DIMENSION_CASE(8, __VA_ARGS__) DIMENSION_CASE(9, __VA_ARGS__)                        \
    DIMENSION_CASE(10, __VA_ARGS__) DIMENSION_CASE(11, __VA_ARGS__)                      \
    DIMENSION_CASE(12, __VA_ARGS__) DIMENSION_CASE(16, __VA_ARGS__)
#endif
#define FOR_DIMENSION(dimension, ...) FOR_DIMENSION_OF(CASES_OF_LONG_CODE, dimension, __VA_ARGS__)
#define LOOP_FOR_DIMENSION(dimension, ...)                                               \
    FOR_DIMENSION_OF(CASES_OF_LOOPS, dimension, __VA_ARGS__)

/* sum = the lanes of `term` over k < d, folded as edge_order.h does. A lane without a term is left
 * out: adding 0 to a square changes no bit. Lanes are variables, not an array, which compilers
 * would leave in memory where d is not a constant. */
#define SUM_LANES(T, d, term, sum)                                                          \
    do {                                                                                 \
        ptrdiff_t k = 0;                                                                 \
        T s0_ = (term), s1_ = {0}, s2_ = {0}, s3_ = {0};                                 \
        T s4_ = {0}, s5_ = {0}, s6_ = {0}, s7_ = {0};                                    \
        if ((d) > 1) k = 1, s1_ = (term);                                                \
        if ((d) > 2) k = 2, s2_ = (term);                                                \
        if ((d) > 3) k = 3, s3_ = (term);                                                \
        if ((d) > 4) k = 4, s4_ = (term);                                                \
        if ((d) > 5) k = 5, s5_ = (term);                                                \
        if ((d) > 6) k = 6, s6_ = (term);                                                \
        if ((d) > 7) k = 7, s7_ = (term);                                                \
        for (k = 8; k + 8 <= (d);) {                                                     \
            s0_ += (term), k++;                                                          \
            s1_ += (term), k++;                                                          \
            s2_ += (term), k++;                                                          \
            s3_ += (term), k++;                                                          \
            s4_ += (term), k++;                                                          \
            s5_ += (term), k++;                                                          \
            s6_ += (term), k++;                                                          \
            s7_ += (term), k++;                                                          \
        }                                                                                \
        if (k < (d)) s0_ += (term), k++;                                                 \
        if (k < (d)) s1_ += (term), k++;                                                 \
        if (k < (d)) s2_ += (term), k++;                                                 \
        if (k < (d)) s3_ += (term), k++;                                                 \
        if (k < (d)) s4_ += (term), k++;                                                 \
        if (k < (d)) s5_ += (term), k++;                                                 \
        if (k < (d)) s6_ += (term), k++;                                                 \
        if ((d) > 4) s0_ += s4_;                                                         \
        if ((d) > 5) s1_ += s5_;                                                         \
        if ((d) > 6) s2_ += s6_;                                                         \
        if ((d) > 7) s3_ += s7_;                                                         \
        if ((d) > 2) s0_ += s2_;                                                         \
        if ((d) > 3) s1_ += s3_;                                                         \
        if ((d) > 1) s0_ += s1_;                                                         \
        sum = s0_;                                                                       \
    } while (0)
