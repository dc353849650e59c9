/* All edges between two sets up to a radius, and what they certify; see kruskal.h.
 *
 * The edges within the sets that matter are known already. So where all edges from a site to
 * the other set that are shorter than its radius are known too, that radius is its reach. It is
 * the same for all sites of a leaf, and follows from the trees of their own set: where
 * points lie close together, edges that matter are short. Every site is one unit.
 */
#ifndef SMARTSVM_NEAR_EDGES_H
#define SMARTSVM_NEAR_EDGES_H

#include "kd/certified_kruskal.h"
#include "kd/leaf_pairs.h"

/* A leaf with more such edges for each of its sites is left to Boruvka's rounds. */
enum { MOST_NEAR = 64 };

/* Squared, and in units of the longest edge at a site, by the median over a leaf's sites. */
static const double NEAR_RADIUS = 1.75;

/* The edges from some leaves; of the two ends the one that searched comes first. */
typedef struct {
    Candidate *edges;
    size_t n, room;
} NearEdges;

typedef struct {
    KDRows rows;
    const Side *other;
    uint32_t first;                 /* unit of the leaf's first place */
    Candidate *edges;
    size_t n, most;
} LeafNear;

KD_INLINE int is_near(const void *search, ptrdiff_t i, uint32_t site)
{
    const LeafNear *near = search;
    (void)i, (void)site;
    return near->n < near->most;
}

KD_INLINE void add_near(void *search, ptrdiff_t i, uint32_t site, double length)
{
    LeafNear *near = search;
    const Candidate edge = {length, near->first + (uint32_t)i, near->other->first_unit + site};
    near->edges[near->n++] = edge;
}

KD_INLINE void look_near(void *search, uint32_t leaf, ptrdiff_t d)
{
    LeafNear *near = search;
    kd_pairs_of_leaves(&near->rows, &near->other->tree, leaf, search, is_near, add_near, 0, d);
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

/* The near edges of the leaves among nodes lo..hi-1 of side `own`, by their radii. These stand
 * in the place of the longest edges within the set, by unit. 0: no memory. */
KD_INLINE int list_near_with(const Side *own, const Side *other, ptrdiff_t lo, ptrdiff_t hi,
                             double *radius, NearEdges *found, double *room, ptrdiff_t d)
{
    LeafNear near;
    near.other = other;
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        const uint32_t count = own->tree.count[leaf];
        if (count == 0 || own->tree.right[leaf] != 0) continue;
        near.most = MOST_NEAR * (size_t)count;
        if (found->n + near.most > found->room) {
            const size_t larger = 2 * found->room + near.most;
            Candidate *edges = realloc(found->edges, larger * sizeof *edges);
            if (edges == NULL) return 0;
            found->edges = edges;
            found->room = larger;
        }
        near.first = own->first_unit + own->tree.start[leaf];
        near.edges = found->edges + found->n;
        near.n = 0;
        double limit = NEAR_RADIUS * median_of(radius + near.first, (int)count);
        kd_start_rows(&near.rows, &own->tree, leaf, room, d);
        for (uint32_t i = 0; i < count; i++) kd_set_limit(&near.rows, i, limit);
        kd_find_reach(&near.rows);
        kd_walk(&other->tree, 0, &near.rows, &near.rows.reach, &near, kd_bound_of_rows,
                kd_skip_nothing, look_near, 0, d);
        if (near.n == near.most)
            limit = 0;
        else
            found->n += near.n;
        for (uint32_t i = 0; i < count; i++) radius[near.first + i] = limit;
    }
    return 1;
}

static int list_near(const Side *own, const Side *other, ptrdiff_t lo, ptrdiff_t hi,
                     double *radius, NearEdges *found, double *room)
{
    int done = 0;
#define CALL(d) done = list_near_with(own, other, lo, hi, radius, found, room, d)
    KD_DISPATCH(own->tree.d, CALL)
#undef CALL
    return done;
}

/* Join all units, each a component so far, in `parent`. Known edges within the sets are
 * those numbered in `alive`. Returns how many edges did it; -1: no memory. */
static ptrdiff_t join_near(const Graph *graph, const NearEdges *near, ptrdiff_t n_near,
                           const uint32_t *known, const double *known_length,
                           const uint32_t *alive, size_t n_alive, const double *radius, size_t n,
                           uint32_t *parent, uint32_t *taken, double *taken_length)
{
    size_t most = n_alive;
    for (ptrdiff_t p = 0; p < n_near; p++) most += near[p].n;
    Candidate *edges = malloc(2 * most * sizeof *edges + n * sizeof(double));
    if (edges == NULL) return -1;
    Kruskal kruskal = {
        graph, 0, parent, (double *)(edges + 2 * most), edges, edges + most, n_alive,
        taken, taken_length, 0,
    };
    memcpy(kruskal.reach, radius, n * sizeof(double));
    for (size_t e = 0; e < n_alive; e++) {
        const size_t a = alive[e];
        const Candidate edge = {known_length[a], known[2 * a], known[2 * a + 1]};
        edges[e] = edge;
    }
    for (ptrdiff_t p = 0; p < n_near; p++)
        for (const Candidate *edge = near[p].edges; edge < near[p].edges + near[p].n; edge++) {
            /* Of two that found each other one is enough. */
            if (edge->i > edge->j && edge->length < radius[edge->j]) continue;
            if (!is_used(graph, edge->i, edge->j)) edges[kruskal.n_edges++] = *edge;
        }
    take_certain(&kruskal);
    free(edges);
    return kruskal.n_taken;
}

/* What units know of their edges to the other set after that: the smallest, else a bound. */
static void settle_near(const Graph *graph, const NearEdges *near, ptrdiff_t n_near,
                        const double *radius, size_t n)
{
    for (size_t u = 0; u < n; u++) graph->lower[u] = radius[u];
    for (ptrdiff_t p = 0; p < n_near; p++)
        for (const Candidate *edge = near[p].edges; edge < near[p].edges + near[p].n; edge++) {
            const uint32_t u = edge->i;
            if (edge->length > graph->lower[u]
                || component_of(graph, u) == component_of(graph, edge->j)
                || is_used(graph, u, edge->j))
                continue;
            /* Tied: a search will tell. */
            graph->to[u] = edge->length == graph->lower[u] ? NONE : edge->j;
            graph->lower[u] = edge->length;
        }
}

#endif
