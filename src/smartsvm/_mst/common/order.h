/* The one total order on edges, and the one routine that computes its first key.
 *
 * An edge (i, j) is ordered by its squared Euclidean distance and then by a
 * seeded hash of the two points' identities. Both are defined here and nowhere
 * else, so that every kernel, subproblem, block and thread orders every edge
 * alike; then "the" minimum spanning tree is unique even among tied distances.
 *
 * Distance. The sum runs in eight lanes (term k goes to lane k mod 8) that are
 * folded 8 -> 4 -> 2 -> 1. A kernel with another memory layout that keeps this
 * order gets the same bits; (x-y)^2 makes it symmetric. Compile with
 * -ffp-contract=off.
 *
 * Tie key. Two rounds of the splitmix64 finaliser over the unordered pair. Each
 * round is a bijection of 64-bit words, so for identities below 2^32 distinct
 * pairs never share a key: the order is strict. Breaking ties by index instead
 * would turn duplicates into stars and tie the counts to the order of the rows.
 */
#ifndef SMARTSVM_ORDER_H
#define SMARTSVM_ORDER_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t smartsvm_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t tie_key(uint32_t i, uint32_t j, uint64_t seed)
{
    const uint64_t low = i < j ? i : j, high = i < j ? j : i;
    return smartsvm_mix(smartsvm_mix((low << 32 | high) + UINT64_C(0x9e3779b97f4a7c15)) ^ seed);
}

/* The definition. Constant small d unrolls and vectorises over the points of a row. */
static inline double squared_distance_lanes(const double *x, const double *y, ptrdiff_t d)
{
    double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    ptrdiff_t k = 0;
    for (; k + 8 <= d; k += 8)
        for (int r = 0; r < 8; r++) {
            const double t = x[k + r] - y[k + r];
            s[r] += t * t;
        }
    for (int r = 0; k + r < d; r++) {
        const double t = x[k + r] - y[k + r];
        s[r] += t * t;
    }
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* The same sum with lanes in registers: compilers leave the array above in memory
 * when d is not a constant, which costs up to half of the time (d = 9..34). */
typedef double smartsvm_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline smartsvm_pair smartsvm_square(const double *x, const double *y)
{
    const smartsvm_pair t = *(const smartsvm_pair *)x - *(const smartsvm_pair *)y;
    return t * t;
}

static inline double squared_distance(const double *x, const double *y, ptrdiff_t d)
{
    smartsvm_pair s01 = {0, 0}, s23 = s01, s45 = s01, s67 = s01;
    ptrdiff_t k = 0;
    for (; k + 8 <= d; k += 8) {
        s01 += smartsvm_square(x + k, y + k);
        s23 += smartsvm_square(x + k + 2, y + k + 2);
        s45 += smartsvm_square(x + k + 4, y + k + 4);
        s67 += smartsvm_square(x + k + 6, y + k + 6);
    }
    const ptrdiff_t left = d - k;
    if (left >= 2) s01 += smartsvm_square(x + k, y + k);
    if (left >= 4) s23 += smartsvm_square(x + k + 2, y + k + 2);
    if (left >= 6) s45 += smartsvm_square(x + k + 4, y + k + 4);
    if (left & 1) {
        const double t = x[d - 1] - y[d - 1];
        const smartsvm_pair last = {t * t, 0};
        if (left == 1) s01 += last;
        else if (left == 3) s23 += last;
        else if (left == 5) s45 += last;
        else s67 += last;
    }
    const smartsvm_pair s = (s01 + s45) + (s23 + s67);
    return s[0] + s[1];
}

/* out[j] = squared distance from x to row j of points. Small dimensions are
 * compile-time constants: their loops unroll. */
static inline void squared_distances_small(const double *x, const double *points, ptrdiff_t n,
                                           ptrdiff_t d, double *out)
{
    for (ptrdiff_t j = 0; j < n; j++)
        out[j] = squared_distance_lanes(x, points + j * d, d);
}

static void squared_distances(const double *x, const double *points, ptrdiff_t n, ptrdiff_t d,
                              double *out)
{
    switch (d) {
    case 1: squared_distances_small(x, points, n, 1, out); return;
    case 2: squared_distances_small(x, points, n, 2, out); return;
    case 3: squared_distances_small(x, points, n, 3, out); return;
    case 4: squared_distances_small(x, points, n, 4, out); return;
    case 5: squared_distances_small(x, points, n, 5, out); return;
    case 6: squared_distances_small(x, points, n, 6, out); return;
    case 7: squared_distances_small(x, points, n, 7, out); return;
    case 8: squared_distances_small(x, points, n, 8, out); return;
    }
    for (ptrdiff_t j = 0; j < n; j++)
        out[j] = squared_distance(x, points + j * d, d);
}

#endif
