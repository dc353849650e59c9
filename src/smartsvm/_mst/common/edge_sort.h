/* Sorting edges by (weight, i, j), in place.
 *
 * The range of the weights' bits (those of nonnegative floats are in the order of their values)
 * is cut into cells of equal width, at least one for each edge, whose numbers have two digits if edges
 * are many. They are moved to their cells by the lower digit, then by the upper one, and an insertion
 * sort does the rest. A cell that many edges share is sorted in the same manner first: its range is smaller by
 * the number of cells, so that skewed weights cost a few more rounds, at worst a radix sort. Edges
 * of one weight are sorted by their ends.
 *
 * Cost: O(n) for smooth weights.
 */
#ifndef SMARTSVM_EDGE_SORT_H
#define SMARTSVM_EDGE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t weight; /* the bits of a double */
    uint64_t ends;   /* i in the upper half, j in the lower */
} PackedEdge;

/* Edges that are sorted by insertion, and bits of a digit at most. */
enum { FEW_EDGES = 24, DIGIT_BITS = 11 };

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

/* For few edges, or nearly sorted ones. */
static inline void edges_insert(PackedEdge *edges, ptrdiff_t n)
{
    for (ptrdiff_t e = 1; e < n; e++) {
        const PackedEdge edge = edges[e];
        ptrdiff_t place = e;
        for (; place > 0 && edge_before(edge, edges[place - 1]); place--)
            edges[place] = edges[place - 1];
        edges[place] = edge;
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

static void edges_sort_with(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n, uint32_t *counts);

/* Sort by the digits of a key first; 0, and nothing is done, if all edges have the same. */
static inline __attribute__((always_inline)) int
edges_by_digits(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n, uint32_t *counts, int by_ends)
{
    uint64_t low, high;
    edges_range(edges, n, by_ends, &low, &high);
    if (low == high) return 0;
    /* A second pass is worth its time where one digit would leave several edges to a cell. */
    const int by_two = n > 1 << DIGIT_BITS;
    int bits = 4, shift = 0;
    while (bits < DIGIT_BITS && (ptrdiff_t)1 << bits < n) bits++;
    const int lower_bits = by_two ? bits : 0;
    while ((high - low) >> shift >> (bits + lower_bits)) shift++;
    const uint64_t n_cells = UINT64_C(1) << bits, mask = n_cells - 1;
    uint32_t *lower = counts, *upper = counts + n_cells, at_lower = 0, at_upper = 0;
    memset(counts, 0, 2 * n_cells * sizeof *counts);
#define DIGITS(edge) ((packed_key(edge, by_ends) - low) >> shift)
    for (ptrdiff_t e = 0; e < n; e++) {
        if (by_two) lower[DIGITS(edges[e]) & mask]++;
        upper[DIGITS(edges[e]) >> lower_bits]++;
    }
    for (uint64_t cell = 0; cell < n_cells; cell++) {
        const uint32_t in_lower = lower[cell], in_upper = upper[cell];
        lower[cell] = at_lower;
        upper[cell] = at_upper;
        at_lower += in_lower;
        at_upper += in_upper;
    }
    if (!by_two) memcpy(spare, edges, (size_t)n * sizeof *edges);
    for (ptrdiff_t e = 0; by_two && e < n; e++)
        spare[lower[DIGITS(edges[e]) & mask]++] = edges[e];
    for (ptrdiff_t e = 0; e < n; e++) edges[upper[DIGITS(spare[e]) >> lower_bits]++] = spare[e];
    for (ptrdiff_t first = 0, e = 1; e <= n; e++) {
        if (e < n && DIGITS(edges[e]) == DIGITS(edges[first])) continue;
        if (e - first > FEW_EDGES)
            edges_sort_with(edges + first, spare + first, e - first, counts);
        first = e;
    }
#undef DIGITS
    edges_insert(edges, n);
    return 1;
}

static void edges_sort_with(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n, uint32_t *counts)
{
    if (!edges_by_digits(edges, spare, n, counts, 0))
        edges_by_digits(edges, spare, n, counts, 1);
}

/* `spare` has room for n edges. */
static inline void edges_sort(PackedEdge *edges, PackedEdge *spare, ptrdiff_t n)
{
    uint32_t counts[2 << DIGIT_BITS];
    if (n > FEW_EDGES) edges_sort_with(edges, spare, n, counts);
    else edges_insert(edges, n);
}

#endif
