/* Equal points: how they are found, and the order of the edges among and between groups of them.
 *
 * All edges between two groups have one length, so keys decide, which are differences of ranks
 * (order.h). With the ranks of a group sorted, the first tree of its points joins neighbours in
 * that list. Tree number t joins points that are at most 2 t - 1 places apart: by induction, the
 * trees before it have no edge over more than 2 t - 3 places. Let p < q < r < s be places with
 * q next to p, r next to s, and s - p >= 2 t. Then (p, r), (q, r) and (q, s) are over at least
 * 2 t - 2 places, hence unused; they join p to s, and all are smaller than (p, s).
 */
#ifndef SMARTSVM_EQUAL_POINTS_H
#define SMARTSVM_EQUAL_POINTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/order.h"
#include "edges/sort.h"

/* -0 equals 0. */
static inline int points_are_equal(const double *x, const double *y, ptrdiff_t d)
{
    for (ptrdiff_t k = 0; k < d; k++)
        if (x[k] != y[k]) return 0;
    return 1;
}

/* A hash that equal points share. */
static inline uint64_t hash_point(const double *x, ptrdiff_t d)
{
    uint64_t value = 0;
    for (ptrdiff_t k = 0; k < d; k++) {
        const double positive = x[k] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &positive, sizeof bits);
        /* A product carries upwards only, and small integers have high bits only. */
        value = (value ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        value ^= value >> 32;
    }
    return smartsvm_mix(value);
}

static inline int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sort n points by rank; `room` is for n words. */
static inline void sort_by_rank(uint32_t *rank, uint32_t *point, ptrdiff_t n, uint64_t *room)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const uint64_t word = (uint64_t)rank[i] << 32 | point[i];
        ptrdiff_t place = i;
        if (n <= FEW_EDGES)
            for (; place > 0 && word < room[place - 1]; place--) room[place] = room[place - 1];
        room[place] = word;
    }
    if (n > FEW_EDGES) qsort(room, (size_t)n, sizeof *room, compare_words);
    for (ptrdiff_t i = 0; i < n; i++) {
        rank[i] = (uint32_t)(room[i] >> 32);
        point[i] = (uint32_t)room[i];
    }
}

/* All edges that trees 2..n_trees of n points with sorted ranks may have; how many. */
static inline ptrdiff_t list_later_edges(const uint32_t *rank, ptrdiff_t n, ptrdiff_t n_trees,
                                         PackedEdge *edges)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t apart = 2; apart < 2 * n_trees && apart < n; apart++)
        for (ptrdiff_t i = 0; i + apart < n; i++) {
            edges[count].weight = tie_key(rank[i], rank[i + apart]);
            edges[count++].ends = (uint64_t)i << 32 | (uint64_t)(i + apart);
        }
    return count;
}

/* The first place from `start` on of a rank above the given one, by steps that double. */
static inline ptrdiff_t first_above(const uint32_t *rank, ptrdiff_t n, ptrdiff_t start,
                                    uint32_t value)
{
    ptrdiff_t step = 1, end = start;
    while (end < n && rank[end] < value) {
        start = end + 1;
        end += step;
        step *= 2;
    }
    end = end < n ? end : n;
    while (start < end) {
        const ptrdiff_t middle = start + (end - start) / 2;
        if (rank[middle] < value) start = middle + 1;
        else end = middle;
    }
    return start;
}

/* Two groups of points by their sorted ranks. */
typedef struct {
    const uint32_t *rank[2];
    ptrdiff_t n[2];
} TwoGroups;

/* The smallest key of an edge between two groups among those from `least` to before `most`, and
 * the places of its ends; `most` if there is none. */
static inline uint64_t smallest_key(TwoGroups groups, uint64_t least, uint64_t most,
                                    ptrdiff_t place[2])
{
    const int few = groups.n[1] < groups.n[0];
    const uint32_t *a = groups.rank[few], *b = groups.rank[!few];
    const ptrdiff_t n_b = groups.n[!few];
    ptrdiff_t above = 0;
    for (ptrdiff_t i = 0; i < groups.n[few]; i++) {
        above = first_above(b, n_b, above, a[i]);
        /* Keys grow in either direction. */
        for (int up = 0; up < 2; up++)
            for (ptrdiff_t j = above - !up; j >= 0 && j < n_b; j += up ? 1 : -1) {
                const uint64_t key = tie_key(a[i], b[j]);
                if (key >= most) break;
                if (key < least) continue;
                most = key;
                place[few] = i;
                place[!few] = j;
                break;
            }
    }
    return most;
}

#endif
