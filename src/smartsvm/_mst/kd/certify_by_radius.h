/* All edges between two sets up to a radius, and what they certify (certified_kruskal.h).
 *
 * The edges within the sets that matter are known already. So where all edges from a site to
 * the other set that are shorter than its radius are known too, that radius is its reach. It is
 * the same for all sites of a leaf, and follows from the trees of their own set: where
 * points lie close together, edges that matter are short. Every site is one point.
 */
#ifndef SMARTSVM_KD_CERTIFY_BY_RADIUS_H
#define SMARTSVM_KD_CERTIFY_BY_RADIUS_H

#include "kd/certified_kruskal.h"
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

INLINE void look_near(void *search, uint32_t leaf, ptrdiff_t d)
{
    NearSearch *near = search;
    kd_pairs_of_leaves(&near->rows, &near->other->tree, leaf, search, has_room, add_near, 0, d);
    if (near->n == near->most) near->rows.reach = -1;
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

/* The near edges of the leaves among nodes lo..hi-1 of set `own`, and their radii, which take the
 * place of the longest edges within the set. 0: no memory. */
INLINE int list_near_with(const Graph *graph, const PointSet *own, ptrdiff_t lo, ptrdiff_t hi,
                          Chunk *chunk, double *room, ptrdiff_t d)
{
    NearSearch near;
    near.other = set_across(graph, own);
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        const uint32_t count = own->tree.count[leaf];
        if (count == 0 || own->tree.right[leaf] != 0) continue;
        near.most = MOST_NEAR * (size_t)count;
        if (!chunk_has_room(chunk, near.most)) return 0;
        near.first = own->first_vertex + own->tree.start[leaf];
        near.edges = chunk->edges + chunk->n_edges;
        near.n = 0;
        double *radius = graph->radius + near.first;
        double limit = NEAR_RADIUS * median_of(radius, (int)count);
        kd_start_rows(&near.rows, &own->tree, leaf, room, d);
        for (uint32_t i = 0; i < count; i++) kd_set_limit(&near.rows, i, limit);
        kd_find_reach(&near.rows);
        kd_walk(&near.other->tree, 0, &near.rows, &near.rows.reach, &near, kd_bound_of_rows,
                kd_skip_nothing, look_near, 0, d);
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
