/* Equal points: how they are found, and the order of the edges among and between groups of them.
 *
 * All edges between two groups have one length, so keys decide, which are differences of ranks
 * (edge_order.h). With the ranks of a group sorted, the first tree of its points joins neighbours
 * in that list. Tree number t joins points that are at most 2 t - 1 places apart: by induction, the
 * trees before it have no edge over more than 2 t - 3 places. Let p < q < r < s be places with
 * q next to p, r next to s, and s - p >= 2 t. Then (p, r), (q, r) and (q, s) are over at least
 * 2 t - 2 places, hence unused; they join p to s, and all are smaller than (p, s).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/edge_order.h"
#include "common/edge_sort.h"

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

/* Number the distinct points in the order of the first ones; how many they are. `table` has
 * room for 3 n entries. */
static ptrdiff_t number_distinct(const double *points, ptrdiff_t n, ptrdiff_t d, uint32_t *table,
                                 uint32_t *number)
{
    uint64_t mask = 1;
    uint32_t n_distinct = 0;
    while (2 * mask < 3 * (uint64_t)n) mask *= 2;
    mask--;
    for (uint64_t place = 0; place <= mask; place++) table[place] = UINT32_MAX;
    for (ptrdiff_t i = 0; i < n; i++) {
        uint64_t place = hash_point(points + i * d, d) & mask;
        while (table[place] != UINT32_MAX
               && !points_are_equal(points + i * d, points + (ptrdiff_t)table[place] * d, d))
            place = (place + 1) & mask;
        if (table[place] == UINT32_MAX) {
            table[place] = (uint32_t)i;
            number[i] = n_distinct++;
        } else {
            number[i] = number[table[place]];
        }
    }
    return (ptrdiff_t)n_distinct;
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

/* The first place from `start` to `n` of a rank above the given one, by steps that double. */
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

/* Two groups of points, as ranges of an array in which the ranks of each are sorted. */
typedef struct {
    const uint32_t *rank;
    ptrdiff_t first[2], end[2];
} TwoGroups;

static inline TwoGroups two_groups(const uint32_t *rank, ptrdiff_t i, ptrdiff_t i_end, ptrdiff_t j,
                                   ptrdiff_t j_end)
{
    return (TwoGroups){rank, {i, j}, {i_end, j_end}};
}

/* The smallest key of an edge between two groups among those from `least` to before `most`, and
 * the places of its ends; `most` if there is none. */
static inline uint64_t smallest_key(TwoGroups groups, uint64_t least, uint64_t most,
                                    ptrdiff_t place[2])
{
    const ptrdiff_t *first = groups.first, *end = groups.end;
    const int few = end[1] - first[1] < end[0] - first[0];
    const uint32_t *rank = groups.rank;
    ptrdiff_t above = first[!few];
    for (ptrdiff_t i = first[few]; i < end[few]; i++) {
        above = first_above(rank, end[!few], above, rank[i]);
        /* Keys grow in either direction. */
        for (int up = 0; up < 2; up++)
            for (ptrdiff_t j = above - !up; j >= first[!few] && j < end[!few]; j += up ? 1 : -1) {
                const uint64_t key = tie_key(rank[i], rank[j]);
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
