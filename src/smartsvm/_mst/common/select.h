/* Selection: move the `middle` smallest of [lo, hi) to the front (Hoare's quickselect).
 *
 * A macro, because callers move different things: KEY(i) is the key at place i, SWAP(i, j)
 * exchanges two places. The pivot is the median of three places taken at random, from a fixed
 * seed. Places after `middle` hold no smaller key than those before it. Cost: O(hi - lo).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline ptrdiff_t select_place(uint64_t *state, ptrdiff_t lo, ptrdiff_t hi)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (ptrdiff_t)((*state >> 33) % (uint64_t)(hi - lo));
}

#define SELECT_SMALLEST(type, KEY, SWAP, lo, hi, middle)                                          \
    do {                                                                                          \
        ptrdiff_t first_ = (lo), end_ = (hi);                                                     \
        uint64_t state_ = (uint64_t)(end_ - first_);                                              \
        while (end_ - first_ > 1) {                                                               \
            const type one_ = KEY(select_place(&state_, first_, end_));                           \
            const type two_ = KEY(select_place(&state_, first_, end_));                           \
            const type three_ = KEY(select_place(&state_, first_, end_));                         \
            const type low_ = one_ < two_ ? one_ : two_, high_ = one_ < two_ ? two_ : one_;       \
            const type pivot_ = three_ < low_ ? low_ : (three_ > high_ ? high_ : three_);         \
            ptrdiff_t i_ = first_, j_ = end_ - 1;                                                 \
            while (i_ <= j_) {                                                                    \
                while (KEY(i_) < pivot_) i_++;                                                    \
                while (KEY(j_) > pivot_) j_--;                                                    \
                if (i_ <= j_) {                                                                   \
                    SWAP(i_, j_);                                                                 \
                    i_++, j_--;                                                                   \
                }                                                                                 \
            }                                                                                     \
            if ((middle) <= j_) end_ = j_ + 1;                                                    \
            else if ((middle) >= i_) first_ = i_;                                                 \
            else break;                                                                           \
        }                                                                                         \
    } while (0)
