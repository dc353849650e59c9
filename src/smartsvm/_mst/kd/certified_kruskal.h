/* Kruskal's algorithm on known edges, as far as it is certain that no other is smaller.
 *
 * Of every component all edges shorter than its reach are known. Edges are taken in order
 * of length, then of their keys. One that is shorter than the reach of either component it joins
 * is the smallest edge out of that component: had a smaller one been passed over, that one's
 * length would be at least the reach, which only shrinks as components grow. So it belongs to the
 * tree. What cannot be certified is left alone.
 */
#ifndef SMARTSVM_KD_CERTIFIED_KRUSKAL_H
#define SMARTSVM_KD_CERTIFIED_KRUSKAL_H

#include "common/disjoint_set.h"
#include "kd/graph.h"

/* Components and the edges that may join them. */
typedef struct {
    const Graph *graph;
    uint32_t first;                 /* components are the sites from here on; NONE: the graph's */
    uint32_t *parent;
    double *reach;
    PackedEdge *edges, *spare;
    size_t n_edges;
    uint32_t *taken;                /* edges of the tree, as pairs of sites */
    double *taken_length;
    ptrdiff_t n_taken;
} Kruskal;

static inline uint32_t kruskal_root(const Kruskal *kruskal, uint32_t site)
{
    return union_root(kruskal->parent, kruskal->first == NONE ? component_of(kruskal->graph, site)
                                                              : site - kruskal->first);
}

static inline void kruskal_join(Kruskal *kruskal, uint32_t a, uint32_t b, PackedEdge edge,
                                double length)
{
    double *reach = kruskal->reach;
    const double less = reach[a] < reach[b] ? reach[a] : reach[b];
    reach[union_join(kruskal->parent, a, b)] = less;
    kruskal->taken[2 * kruskal->n_taken] = end_i(edge);
    kruskal->taken[2 * kruskal->n_taken + 1] = end_j(edge);
    kruskal->taken_length[kruskal->n_taken++] = length;
}

/* Room for this many edges and components, in one piece that begins with the edges; 0: none. */
static inline int kruskal_lay_out(Kruskal *kruskal, size_t n_edges, size_t n_components)
{
    const size_t n = n_edges + 1;   /* one more, since some write before they decide */
    kruskal->edges = malloc(2 * n * sizeof(PackedEdge) + (n_components + 1) * sizeof(double));
    kruskal->spare = kruskal->edges + n;
    kruskal->reach = (double *)(kruskal->edges + 2 * n);
    kruskal->n_edges = 0;
    kruskal->n_taken = 0;
    return kruskal->edges != NULL;
}

/* Take the edges that are certain. One may be there twice, from either end. */
static inline void take_certain(Kruskal *kruskal)
{
    edges_sort(kruskal->edges, kruskal->spare, (ptrdiff_t)kruskal->n_edges);
    PackedEdge *edge = kruskal->edges, *end = edge + kruskal->n_edges, *next;
    for (; edge < end; edge = next) {
        const double length = length_of(*edge);
        for (next = edge + 1; next < end && next->weight == edge->weight;) next++;
        if (next > edge + 1) {
            for (PackedEdge *e = edge; e < next; e++)
                e->weight = key_of_vertices(kruskal->graph, end_i(*e), end_j(*e));
            edges_sort(edge, kruskal->spare, next - edge);
        }
        for (const PackedEdge *e = edge; e < next; e++) {
            const uint32_t a = kruskal_root(kruskal, end_i(*e));
            const uint32_t b = kruskal_root(kruskal, end_j(*e));
            if (a != b && (length < kruskal->reach[a] || length < kruskal->reach[b]))
                kruskal_join(kruskal, a, b, *e, length);
        }
    }
}

/* Of every vertex all edges shorter than its bound are there: how far that is so of components,
 * from vertices lo..hi-1. */
static int find_reach(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    (void)room;
    for (uint32_t v = (uint32_t)lo; v < (uint32_t)hi; v++)
        shared_lower(graph->reach + component_of(graph, v), graph->bound[v]);
    return 1;
}

/* In chunks lo..hi-1, put those edges first that may be certain; of two that found each other
 * one. */
static int choose_certain(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    (void)room;
    const double *reach = graph->reach;
    for (Chunk *chunk = graph->chunks + lo; chunk < graph->chunks + hi; chunk++) {
        chunk->n_certain = 0;
        for (size_t e = 0; e < chunk->n_edges; e++) {
            const PackedEdge edge = chunk->edges[e];
            const double length = length_of(edge);
            const uint32_t i = end_i(edge), j = end_j(edge);
            const int certain = (length < reach[component_of(graph, i)])
                                | (length < reach[component_of(graph, j)]);
            const int twice = (i > j) & (length < graph->bound[j]);
            if (!certain || twice || is_used(graph, i, j)) continue;
            chunk->edges[e] = chunk->edges[chunk->n_certain];
            chunk->edges[chunk->n_certain++] = edge;
        }
    }
    return 1;
}

/* Join components with the edges that the chunks have chosen, and with those of `known` that are
 * numbered in `unused`. Returns how many edges did it; -1: no memory. */
static ptrdiff_t join_known(const Graph *graph, ptrdiff_t n_chunks, const PackedEdge *known,
                            const uint32_t *unused, ptrdiff_t n_unused)
{
    Kruskal kruskal = {
        .graph = graph, .first = NONE, .parent = graph->parent,
        .taken = graph->taken, .taken_length = graph->taken_length,
    };
    size_t most = (size_t)n_unused;
    for (ptrdiff_t p = 0; p < n_chunks; p++) most += graph->chunks[p].n_certain;
    if (!kruskal_lay_out(&kruskal, most, 0)) return -1;
    kruskal.reach = graph->reach;
    for (ptrdiff_t e = 0; e < n_unused; e++) kruskal.edges[kruskal.n_edges++] = known[unused[e]];
    for (ptrdiff_t p = 0; p < n_chunks; p++) {
        const Chunk *chunk = graph->chunks + p;
        if (chunk->n_certain == 0) continue;
        memcpy(kruskal.edges + kruskal.n_edges, chunk->edges, chunk->n_certain * sizeof *known);
        kruskal.n_edges += chunk->n_certain;
    }
    take_certain(&kruskal);
    free(kruskal.edges);
    return kruskal.n_taken;
}

#endif
