/* Kruskal's algorithm on known edges, as far as it is certain that no other is smaller.
 *
 * Of every component all edges shorter than its reach are known. Edges are taken in order
 * of length. One that is shorter than the reach of either component it joins is the smallest
 * edge out of that component: had a smaller one been passed over, that one's length would be
 * at least the reach, which only shrinks as components grow. So it belongs to the tree. What
 * cannot be certified is left alone, and so are ties.
 */
#ifndef SMARTSVM_KRUSKAL_H
#define SMARTSVM_KRUSKAL_H

#include <stdlib.h>
#include <string.h>

#include "kd/graph.h"
#include "common/disjoint_set.h"

typedef struct {
    double length;
    uint32_t i, j;                  /* sites */
} Candidate;

/* Components and the edges that may join them. */
typedef struct {
    const Graph *graph;
    uint32_t first;                 /* components are the sites from here on; NONE: the graph's */
    uint32_t *parent;               /* by union and find; a root is the least of its component */
    double *reach;
    Candidate *edges, *spare;
    size_t n_edges;
    uint32_t *taken;                /* edges of the tree, as pairs of sites */
    double *taken_length;
    ptrdiff_t n_taken;
} Kruskal;

enum { KRUSKAL_DIGIT = 11, KRUSKAL_BUCKETS = 1 << KRUSKAL_DIGIT, KRUSKAL_LONG_RUN = 32 };

static inline uint32_t kruskal_component(const Kruskal *kruskal, uint32_t site)
{
    return kruskal->first == NONE ? component_of(kruskal->graph, site) : site - kruskal->first;
}

static inline void kruskal_join(Kruskal *kruskal, uint32_t a, uint32_t b, const Candidate *edge)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    kruskal->parent[high] = low;
    if (kruskal->reach[high] < kruskal->reach[low]) kruskal->reach[low] = kruskal->reach[high];
    kruskal->taken[2 * kruskal->n_taken] = edge->i;
    kruskal->taken[2 * kruskal->n_taken + 1] = edge->j;
    kruskal->taken_length[kruskal->n_taken++] = edge->length;
}

static inline uint64_t length_bits(const Candidate *edge)
{
    uint64_t bits;
    memcpy(&bits, &edge->length, sizeof bits);
    return bits;
}

static int compare_candidates(const void *left, const void *right)
{
    const double a = ((const Candidate *)left)->length, b = ((const Candidate *)right)->length;
    return (a > b) - (a < b);
}

/* Sort the edges by length: by the upper 22 bits in which they differ, then within. With
 * edge_sort.h, which sorts by the ends as well, a tree in the plane took 5 % longer. */
static inline void sort_candidates(Kruskal *kruskal)
{
    const size_t n = kruskal->n_edges;
    Candidate *edges = kruskal->edges, *spare = kruskal->spare;
    uint32_t low[KRUSKAL_BUCKETS] = {0}, high[KRUSKAL_BUCKETS] = {0}, at_low = 0, at_high = 0;
    uint64_t least = UINT64_MAX, most = 0;
    int shift = 0;
    for (size_t e = 0; e < n; e++) {
        const uint64_t bits = length_bits(edges + e);
        if (bits < least) least = bits;
        if (bits > most) most = bits;
    }
    while ((most - least) >> shift >= (uint64_t)1 << 2 * KRUSKAL_DIGIT) shift++;
#define UPPER(edge) ((uint32_t)((length_bits(edge) - least) >> shift))
    for (size_t e = 0; e < n; e++) {
        low[UPPER(edges + e) % KRUSKAL_BUCKETS]++;
        high[UPPER(edges + e) / KRUSKAL_BUCKETS]++;
    }
    for (int b = 0; b < KRUSKAL_BUCKETS; b++) {
        const uint32_t in_low = low[b], in_high = high[b];
        low[b] = at_low;
        high[b] = at_high;
        at_low += in_low;
        at_high += in_high;
    }
    for (size_t e = 0; e < n; e++) spare[low[UPPER(edges + e) % KRUSKAL_BUCKETS]++] = edges[e];
    for (size_t e = 0; e < n; e++) edges[high[UPPER(spare + e) / KRUSKAL_BUCKETS]++] = spare[e];
    for (size_t run = 0, e = 1; e <= n; e++) {
        if (e < n && UPPER(edges + e) == UPPER(edges + run)) continue;
        if (e - run > KRUSKAL_LONG_RUN)
            qsort(edges + run, e - run, sizeof *edges, compare_candidates);
        else
            for (size_t f = run + 1; f < e; f++) {
                const Candidate edge = edges[f];
                size_t g = f;
                for (; g > run && edges[g - 1].length > edge.length; g--) edges[g] = edges[g - 1];
                edges[g] = edge;
            }
        run = e;
    }
#undef UPPER
}

/* Take the edges that are certain. One may be there twice, from either end. */
static inline void take_certain(Kruskal *kruskal)
{
    if (kruskal->n_edges > 1) sort_candidates(kruskal);
    const Candidate *edge = kruskal->edges, *end = edge + kruskal->n_edges, *next;
    for (; edge < end; edge = next) {
        int tied = 0;
        for (next = edge + 1; next < end && next->length == edge->length; next++)
            tied |= next->i != edge->j || next->j != edge->i;
        for (const Candidate *e = edge; e < next; e++) {
            const uint32_t a = union_root(kruskal->parent, kruskal_component(kruskal, e->i));
            const uint32_t b = union_root(kruskal->parent, kruskal_component(kruskal, e->j));
            double *of_a = kruskal->reach + a, *of_b = kruskal->reach + b;
            if (a == b || !(e->length < *of_a || e->length < *of_b)) continue;
            if (!tied) {
                kruskal_join(kruskal, a, b, e);
                continue;
            }
            /* From here on these are not known to be the smallest. */
            if (e->length < *of_a) *of_a = e->length;
            if (e->length < *of_b) *of_b = e->length;
        }
    }
}

#endif
