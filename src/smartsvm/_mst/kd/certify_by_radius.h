/* The edges between two sets up to a radius, and what they certify of a tree (Kruskal).
 *
 * The edges within the sets that matter are known already. Once all edges to the other set that are
 * shorter than the radius of a site are listed as well, all its edges below that radius are known;
 * for a component, those below the smallest radius of its sites. Edges are taken in order of
 * length, then of their keys. One that is shorter than this limit of either component it joins is
 * the smallest edge out of that component: had a smaller one been passed over, its length would be
 * at least the limit, which only falls as components grow. So it belongs to the tree. All other
 * edges are left to Borůvka's rounds.
 *
 * All sites of a leaf have the same radius, from the trees of their own set: where points lie close
 * together, edges that matter are short. Every site is one point.
 */
#ifndef SMARTSVM_KD_CERTIFY_BY_RADIUS_H
#define SMARTSVM_KD_CERTIFY_BY_RADIUS_H

#include "common/disjoint_set.h"
#include "kd/graph.h"
#include "kd/leaf_pairs.h"

/* A leaf with more such edges for each of its sites is left to Borůvka's rounds. */
enum { MOST_NEAR = 64 };

/* Squared, and as a multiple of the longest edge at a site, by the median over a leaf's sites. */
static const double NEAR_RADIUS = 1.75;

typedef struct {
    KDRows rows;
    const PointSet *other;
    uint32_t first;                 /* vertex of the leaf's first site */
    PackedEdge *edges;
    size_t n, most;
} NearSearch;

INLINE int has_room(const void *search, ptrdiff_t i, uint32_t site)
{
    const NearSearch *near = search;
    (void)i, (void)site;
    return near->n < near->most;
}

INLINE void add_near(void *search, ptrdiff_t i, uint32_t site, double length)
{
    NearSearch *near = search;
    near->edges[near->n++] =
        plain_edge(length, near->first + (uint32_t)i, near->other->first_vertex + site);
}

INLINE void scan_for_near(void *search, uint32_t leaf, ptrdiff_t d)
{
    NearSearch *near = search;
    kd_pairs_of_leaves(&near->rows, &near->other->tree, leaf, search, has_room, add_near, 0, d);
    if (near->n == near->most) near->rows.farthest = -1;
}

static inline double median_of(const double *values, int n)
{
    double sorted[KD_LEAF];
    for (int i = 0; i < n; i++) {
        int r = i;
        for (; r > 0 && sorted[r - 1] > values[i]; r--) sorted[r] = sorted[r - 1];
        sorted[r] = values[i];
    }
    return sorted[n / 2];
}

/* Room for `more` edges in a chunk; 0: no memory. */
static inline int chunk_has_room(Chunk *chunk, size_t more)
{
    if (chunk->n_edges + more <= chunk->room) return 1;
    const size_t room = 2 * chunk->room + more;
    PackedEdge *edges = realloc(chunk->edges, room * sizeof *edges);
    if (edges == NULL) return 0;
    chunk->edges = edges;
    chunk->room = room;
    return 1;
}

/* The near edges of the leaves among nodes lo..hi-1 of set `own`, and their radii, which take the
 * place of the longest edges within the set. 0: no memory. */
INLINE int list_near_with(const Graph *graph, const PointSet *own, ptrdiff_t lo, ptrdiff_t hi,
                          Chunk *chunk, double *room, ptrdiff_t d)
{
    NearSearch near;
    near.other = set_across(graph, own);
    FOR_LEAVES(&own->tree, leaf, lo, hi) {
        const uint32_t count = own->tree.count[leaf];
        near.most = MOST_NEAR * (size_t)count;
        if (!chunk_has_room(chunk, near.most)) return 0;
        near.first = own->first_vertex + own->tree.start[leaf];
        near.edges = chunk->edges + chunk->n_edges;
        near.n = 0;
        double *radius = graph->radius + near.first;
        double limit = NEAR_RADIUS * median_of(radius, (int)count);
        kd_start_rows(&near.rows, &own->tree, leaf, room, d);
        for (uint32_t i = 0; i < count; i++) kd_set_limit(&near.rows, i, limit);
        kd_find_farthest(&near.rows);
        kd_walk(&near.other->tree, 0, &near.rows, &near.rows.farthest, &near, kd_bound_of_rows,
                kd_skip_nothing, scan_for_near, 0, d);
        if (near.n == near.most)
            limit = 0;
        else
            chunk->n_edges += near.n;
        for (uint32_t i = 0; i < count; i++) radius[i] = limit;
    }
    return 1;
}

static int list_near(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    Chunk *chunk = graph->chunks + lo / NODES_IN_A_CHUNK;
    int done = 1;
    FOR_EACH_SET(graph, lo, hi, done &= list_near_with(graph, set, from, to, chunk, room, d))
    return done;
}

/* In chunks lo..hi-1, move those edges to the front that may be certain; of an edge that both its
 * ends have listed, one. */
static int choose_certain(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    (void)room;
    const double *limit = graph->known_below;
    for (Chunk *chunk = graph->chunks + lo; chunk < graph->chunks + hi; chunk++) {
        chunk->n_certain = 0;
        for (size_t e = 0; e < chunk->n_edges; e++) {
            const PackedEdge edge = chunk->edges[e];
            const double length = length_of(edge);
            const uint32_t i = end_i(edge), j = end_j(edge);
            const int certain = (length < limit[component_of(graph, i)])
                                | (length < limit[component_of(graph, j)]);
            const int twice = (i > j) & (length < graph->radius[j]);
            if (!certain || twice || is_used(graph, i, j)) continue;
            chunk->edges[e] = chunk->edges[chunk->n_certain];
            chunk->edges[chunk->n_certain++] = edge;
        }
    }
    return 1;
}

/* Sort the edges of one length from `edge` on by their keys; where the next length begins. */
static PackedEdge *sort_tied(const Graph *graph, PackedEdge *edge, const PackedEdge *end,
                             PackedEdge *spare)
{
    PackedEdge *next = edge + 1;
    while (next < end && next->weight == edge->weight) next++;
    if (next == edge + 1) return next;
    for (PackedEdge *e = edge; e < next; e++) e->weight = edge_key(graph, end_i(*e), end_j(*e));
    edges_sort(edge, spare, next - edge);
    return next;
}

/* Join components with those edges that are certain, of the chosen ones of all chunks and of those
 * of `known` that are numbered in `unused`. How many did it; -1: no memory. */
static ptrdiff_t join_known(const Graph *graph, ptrdiff_t n_chunks, const PackedEdge *known,
                            const uint32_t *unused, ptrdiff_t n_unused)
{
    ptrdiff_t n = n_unused, n_taken = 0;
    double *limit = graph->known_below;
    for (ptrdiff_t p = 0; p < n_chunks; p++) n += (ptrdiff_t)graph->chunks[p].n_certain;
    PackedEdge *edges = malloc(2 * (size_t)(n + 1) * sizeof *edges), *end = edges + n_unused, *next;
    if (edges == NULL) return -1;
    for (ptrdiff_t e = 0; e < n_unused; e++) edges[e] = known[unused[e]];
    for (const Chunk *chunk = graph->chunks; chunk < graph->chunks + n_chunks; chunk++)
        for (size_t e = 0; e < chunk->n_certain; e++) *end++ = chunk->edges[e];
    edges_sort(edges, end, n);
    for (PackedEdge *edge = edges; edge < end; edge = next) {
        const double length = length_of(*edge);
        next = sort_tied(graph, edge, end, end);
        for (const PackedEdge *e = edge; e < next; e++) {
            const uint32_t a = union_root(graph->parent, component_of(graph, end_i(*e)));
            const uint32_t b = union_root(graph->parent, component_of(graph, end_j(*e)));
            if (a == b || (length >= limit[a] && length >= limit[b])) continue;
            limit[union_join(graph->parent, a, b)] = limit[a] < limit[b] ? limit[a] : limit[b];
            graph->taken[2 * n_taken] = end_i(*e);
            graph->taken[2 * n_taken + 1] = end_j(*e);
            graph->taken_length[n_taken++] = length;
        }
    }
    free(edges);
    return n_taken;
}

/* What vertices know of their edges to the other set after that: the smallest, else a bound. */
static void settle_near(const Graph *graph, ptrdiff_t n_chunks, ptrdiff_t n)
{
    memcpy(graph->lower, graph->radius, (size_t)n * sizeof(double));
    for (ptrdiff_t p = 0; p < n_chunks; p++)
        for (size_t e = 0; e < graph->chunks[p].n_edges; e++) {
            const PackedEdge edge = graph->chunks[p].edges[e];
            const uint32_t i = end_i(edge), j = end_j(edge);
            const double length = length_of(edge);
            if (length > graph->lower[i] || component_of(graph, i) == component_of(graph, j)
                || is_used(graph, i, j))
                continue;
            /* Tied: a search will tell. */
            graph->to[i] = length == graph->lower[i] ? NONE : j;
            graph->lower[i] = length;
        }
}

#endif
