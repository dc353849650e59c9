/* The one total order on edges, and the one routine that computes its first key.
 *
 * Edges are ordered by squared Euclidean distance, then by a key computed from the identities
 * of their two points and a seed. Both are defined here and nowhere else, so every kernel,
 * subproblem, block and thread uses the same order, and the minimum spanning tree is unique even
 * where distances tie.
 *
 * Distance. The sum runs in eight lanes (term k goes to lane k mod 8), folded 8 -> 4 -> 2 -> 1.
 * A kernel with another memory layout that keeps this order of summation gets the same bits;
 * squaring x - y makes it symmetric. Compile with -ffp-contract=off.
 *
 * Tie key. A seeded permutation of 32-bit words gives each point a rank. The key is the
 * difference of the two ranks, then the smaller rank. Together they identify the pair, so distinct
 * pairs have distinct keys: the order is strict. Every point is as likely to get any rank, so trees
 * do not depend on labels or row order, and no point attracts more edges than others (with row
 * numbers as keys, duplicates would form stars). Since ranks lie on a line, the smallest edge
 * between two sets of points joins neighbours in their sorted lists, and the trees of equal points
 * take O(n log n) (equal_points.h). A key without structure, such as a hash of the pair, would
 * require looking at all pairs.
 *
 * Mutual reachability. Where a caller asks for it, the length of an edge is max(d(i, j), core(i),
 * core(j)), squared; the core of a point is its distance to the k-th nearest other point. Edges are
 * ordered by length, then by distance, then by the tie key: lengths tie often, since all points
 * within the core of a point may be that far from it.
 */
#pragma once

#include "common/vectors.h"

static inline uint64_t smartsvm_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The finaliser of MurmurHash3, a bijection. */
static inline uint32_t smartsvm_mix_word(uint32_t x)
{
    x = (x ^ (x >> 16)) * UINT32_C(0x85ebca6b);
    x = (x ^ (x >> 13)) * UINT32_C(0xc2b2ae35);
    return x ^ (x >> 16);
}

static inline uint32_t tie_rank(uint32_t identity, uint64_t seed)
{
    const uint64_t keys = smartsvm_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    const uint32_t mixed = smartsvm_mix_word(identity ^ (uint32_t)keys);
    return smartsvm_mix_word(mixed ^ (uint32_t)(keys >> 32));
}

static inline void tie_ranks(const uint32_t *identities, ptrdiff_t n, uint64_t seed,
                             uint32_t *ranks)
{
    for (ptrdiff_t i = 0; i < n; i++) ranks[i] = tie_rank(identities[i], seed);
}

/* The key of an edge between points of two ranks; never 0. */
static inline uint64_t tie_key(uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (uint64_t)(high - low) << 32 | low;
}

static inline double2 squares(const double *x, const double *y)
{
    return double2_square(*(const double2 *)x - *(const double2 *)y);
}

/* Lanes are variables: compilers leave an array of them in memory where d is not a constant, which
 * costs up to half of the time (d = 9..34). */
static inline double squared_distance(const double *x, const double *y, ptrdiff_t d)
{
    double2 s01 = {0, 0}, s23 = s01, s45 = s01, s67 = s01;
    ptrdiff_t k = 0;
    for (; k + 8 <= d; k += 8) {
        s01 += squares(x + k, y + k);
        s23 += squares(x + k + 2, y + k + 2);
        s45 += squares(x + k + 4, y + k + 4);
        s67 += squares(x + k + 6, y + k + 6);
    }
    const ptrdiff_t left = d - k;
    if (left >= 2) s01 += squares(x + k, y + k);
    if (left >= 4) s23 += squares(x + k + 2, y + k + 2);
    if (left >= 6) s45 += squares(x + k + 4, y + k + 4);
    if (left & 1) {
        const double t = x[d - 1] - y[d - 1];
        const double2 last = {t * t, 0};
        if (left == 1) s01 += last;
        else if (left == 3) s23 += last;
        else if (left == 5) s45 += last;
        else s67 += last;
    }
    const double2 s = (s01 + s45) + (s23 + s67);
    return s[0] + s[1];
}
