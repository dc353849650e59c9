/* The edges of a tree that neighbour lists certify (certified_kruskal.h), one point a site.
 *
 * They are looked for in chunks of the kd-tree first, where a site's reach ends at the first of
 * its neighbours outside. Chunks are independent of each other and small enough for the cache.
 * Then once among all components, with the edges that the chunks leave. Most of a tree in low
 * dimension is found this way, without rounds over all sites.
 */
#ifndef SMARTSVM_KD_CERTIFY_BY_LISTS_H
#define SMARTSVM_KD_CERTIFY_BY_LISTS_H

#include "kd/certified_kruskal.h"
#include "kd/neighbor_lists.h"

/* About 5,000 sites: what is known of them fits into a cache. */
enum { NODES_IN_A_FOREST = 1 << 10 };

/* The sites of the leaves among nodes lo..hi-1. */
static void sites_of_nodes(const KDTree *tree, ptrdiff_t lo, ptrdiff_t hi, Chunk *chunk)
{
    chunk->n_sites = 0;
    for (ptrdiff_t v = lo; v < hi; v++) {
        if (tree->count[v] == 0 || tree->right[v] != 0) continue;
        if (chunk->n_sites == 0) chunk->first = tree->start[v];
        chunk->n_sites += tree->count[v];
    }
}

/* Write the edges known of a site, nearest first, and its reach; how many. `lengths` are those
 * of its list; NULL: not computed yet. */
INLINE size_t know_site(const Graph *graph, const Chunk *chunk, uint32_t site,
                        const double *lengths, PackedEdge *edges, double *reach, double *q,
                        ptrdiff_t d)
{
    const KDTree *tree = &graph->sets[0].tree;
    const int size = graph->n_neighbors;
    const uint32_t *list = graph->neighbors + (size_t)site * (size_t)size;
    const double end = graph->list_end[site];
    size_t known = 0;
    *reach = end;
    if (lengths == NULL) kd_read_site(tree, site, q, d);
    for (int r = 0; r < size; r++) {
        const double length = lengths == NULL ? kd_distance(tree, q, list[r], d) : lengths[r];
        if (length >= end) break;
        if (is_used(graph, site, list[r])) continue;
        if (list[r] - chunk->first >= chunk->n_sites && length < *reach) *reach = length;
        edges[known++] = plain_edge(length, site, list[r]);
    }
    return known;
}

/* Know all sites of a chunk. */
INLINE void know_sites(Kruskal *kruskal, Chunk *chunk, const double *lengths, double *q,
                       ptrdiff_t d)
{
    const ptrdiff_t size = kruskal->graph->n_neighbors;
    PackedEdge *edges = chunk->edges;
    for (uint32_t c = 0; c < chunk->n_sites; c++) {
        edges += know_site(kruskal->graph, chunk, chunk->first + c,
                           lengths == NULL ? NULL : lengths + c * size, edges,
                           kruskal->reach + c, q, d);
        kruskal->parent[c] = c;
    }
    chunk->n_edges = (size_t)(edges - chunk->edges);
}

/* The edges within the chunk that may still be taken; of two that know each other one. */
static inline void choose_candidates(Kruskal *kruskal, const Chunk *chunk)
{
    const double *reach = kruskal->reach;
    PackedEdge *chosen = kruskal->edges;
    for (const PackedEdge *edge = chunk->edges; edge < chunk->edges + chunk->n_edges; edge++) {
        const double length = length_of(*edge);
        const uint32_t i = end_i(*edge) - chunk->first, other = end_j(*edge) - chunk->first;
        const uint32_t j = other < chunk->n_sites ? other : i;
        const int twice = (i > j) & (length < reach[j]);
        /* All or none of these hold often: no branches. */
        *chosen = *edge;
        chosen += (i != j) & (twice ^ 1) & ((length < reach[i]) | (length < reach[j]));
    }
    kruskal->n_edges = (size_t)(chosen - kruskal->edges);
}

/* What a chunk leaves: the edges that may be certain once other chunks are known. */
static inline void leave_chunk(Kruskal *kruskal, Chunk *chunk)
{
    const uint32_t n = chunk->n_sites;
    uint32_t *parent = kruskal->parent;
    double *reach = kruskal->reach;
    size_t kept = 0;
    for (uint32_t c = 0; c < n; c++) {
        parent[c] = union_root(parent, c);
        reach[c] = INFINITY;
    }
    reach[n] = INFINITY;            /* of all that is outside */
    for (uint32_t c = 0; c < n; c++) {
        const double end = kruskal->graph->list_end[chunk->first + c];
        if (end < reach[parent[c]]) reach[parent[c]] = end;
    }
    for (size_t e = 0; e < chunk->n_edges; e++) {
        const PackedEdge edge = chunk->edges[e];
        const double length = length_of(edge);
        const uint32_t j = end_j(edge) - chunk->first;
        const uint32_t a = parent[end_i(edge) - chunk->first], b = j < n ? parent[j] : n;
        chunk->edges[kept] = edge;
        kept += (a != b) & ((length < reach[a]) | (length < reach[b]));
    }
    chunk->n_edges = kept;
}

/* Join the sites of nodes lo..hi-1, each a component so far, in `parent`. Where the lists are to
 * be made, that comes first, and their lengths are used at once. 0: no memory. */
static int join_chunk(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
    const KDTree *tree = &graph->sets[0].tree;
    Chunk *chunk = graph->chunks + lo / NODES_IN_A_FOREST;
    chunk->n_edges = 0;
    sites_of_nodes(tree, lo, hi, chunk);
    if (chunk->n_sites == 0) return 1;
    const size_t most = chunk->n_sites * (size_t)graph->n_neighbors;
    double *lengths = graph->listing ? malloc(most * sizeof *lengths) : NULL;
    Kruskal kruskal = {
        .graph = graph, .first = chunk->first, .parent = graph->parent + chunk->first,
        .taken = graph->taken + 2 * (size_t)chunk->first,
        .taken_length = graph->taken_length + chunk->first,
    };
    const int done = (lengths != NULL || !graph->listing) && chunk_has_room(chunk, most)
                     && kruskal_lay_out(&kruskal, most, chunk->n_sites);
    if (done) {
        if (graph->listing) list_neighbors(graph, lo, hi, lengths, q);
        FOR_DIMENSION(tree->d, know_sites(&kruskal, chunk, lengths, q, d));
        choose_candidates(&kruskal, chunk);
        take_certain(&kruskal);
        leave_chunk(&kruskal, chunk);
        chunk->n_taken = kruskal.n_taken;
        for (uint32_t c = 0; c < chunk->n_sites; c++) kruskal.parent[c] += chunk->first;
        chunk_trim(chunk);
        free(kruskal.edges);
    }
    free(lengths);
    return done;
}

#endif
