/* Sorting edges by (weight, i, j), in place.
 *
 * The range of the weights' bits (those of nonnegative floats are in the order of their values) is
 * cut into about as many cells as there are edges; each edge goes to its cell, and an insertion
 * sort does the rest. Cells that many edges share are sorted in the same manner first: skewed
 * weights cost a few more rounds, at worst a radix sort. Edges of one weight are sorted by their
 * ends. Cost: O(n) for smooth weights.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t weight; /* the bits of a double */
    uint64_t ends;   /* i in the upper half, j in the lower */
} PackedEdge;

/* A round with 2^b cells leaves b bits fewer of the 128; so all rounds below each other need
 * less than EDGE_ROOM counts together. */
enum { FEW_EDGES = 16, DIGIT_BITS = 11, EDGE_ROOM = 16 << DIGIT_BITS };

static inline int edge_before(PackedEdge a, PackedEdge b)
{
    return (a.weight < b.weight) | ((a.weight == b.weight) & (a.ends < b.ends));
}

static inline PackedEdge plain_edge(double length, uint32_t i, uint32_t j)
{
    PackedEdge edge = {0, (uint64_t)i << 32 | j};
    memcpy(&edge.weight, &length, sizeof length);
    return edge;
}

static inline double length_of(PackedEdge edge)
{
    double length;
    memcpy(&length, &edge.weight, sizeof length);
    return length;
}

static inline uint32_t end_i(PackedEdge edge) { return (uint32_t)(edge.ends >> 32); }
static inline uint32_t end_j(PackedEdge edge) { return (uint32_t)edge.ends; }

/* The edges of `from`, nearly sorted, into `to`; it may be the same. */
static inline void edges_insert(const PackedEdge *from, PackedEdge *to, ptrdiff_t n)
{
    for (ptrdiff_t e = 0; e < n; e++) {
        const PackedEdge edge = from[e];
        ptrdiff_t place = e;
        for (; place > 0 && edge_before(edge, to[place - 1]); place--) to[place] = to[place - 1];
        to[place] = edge;
    }
}

static inline uint64_t packed_key(PackedEdge edge, int by_ends)
{
    return by_ends ? edge.ends : edge.weight;
}

static inline void edges_range(const PackedEdge *edges, ptrdiff_t n, int by_ends, uint64_t *low,
                               uint64_t *high)
{
    *low = *high = packed_key(edges[0], by_ends);
    for (ptrdiff_t e = 1; e < n; e++) {
        const uint64_t key = packed_key(edges[e], by_ends);
        *low = key < *low ? key : *low;
        *high = key > *high ? key : *high;
    }
}

static void edges_sort_with(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n, uint32_t *room);

/* One round by cells of a key that has more than one value. */
static inline __attribute__((always_inline)) void
edges_to_cells(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n, uint32_t *room, uint64_t low,
               uint64_t high, int by_ends)
{
    int bits = 4, shift = 0;
    while (bits < DIGIT_BITS && (ptrdiff_t)1 << bits < n) bits++;
    while ((high - low) >> shift >> bits) shift++;
    const ptrdiff_t n_cells = (ptrdiff_t)((high - low) >> shift) + 1;
    memset(room, 0, (size_t)n_cells * sizeof *room);
    for (ptrdiff_t e = 0; e < n; e++) room[(packed_key(edges[e], by_ends) - low) >> shift]++;
    uint32_t start = 0, most = 0;
    for (ptrdiff_t cell = 0; cell < n_cells; cell++) {
        const uint32_t count = room[cell];
        most = count > most ? count : most;
        room[cell] = start;
        start += count;
    }
    for (ptrdiff_t e = 0; e < n; e++)
        spare[room[(packed_key(edges[e], by_ends) - low) >> shift]++] = edges[e];
    /* What was the start of a cell now is its end. */
    if (most > FEW_EDGES)
        for (ptrdiff_t cell = 0; cell < n_cells; cell++) {
            const uint32_t first = cell == 0 ? 0 : room[cell - 1];
            if (room[cell] - first > FEW_EDGES)
                edges_sort_with(spare + first, edges + first, room[cell] - first, room + n_cells);
        }
    edges_insert(spare, edges, n);
}

static void edges_sort_with(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n, uint32_t *room)
{
    uint64_t low, high;
    edges_range(edges, n, 0, &low, &high);
    if (low < high) {
        edges_to_cells(edges, spare, n, room, low, high, 0);
        return;
    }
    edges_range(edges, n, 1, &low, &high);
    if (low < high) edges_to_cells(edges, spare, n, room, low, high, 1);
}

/* `spare` has room for n edges. Those that are sorted already stay as they are. */
static inline void edges_sort(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n)
{
    uint32_t room[EDGE_ROOM];
    ptrdiff_t sorted = 1;
    while (sorted < n && edge_before(edges[sorted - 1], edges[sorted])) sorted++;
    if (sorted >= n) return;
    if (n > FEW_EDGES) edges_sort_with(edges, spare, n, room);
    else edges_insert(edges, edges, n);
}
