/* The graph that Borůvka's algorithm works on, and what is known of each vertex.
 *
 * Points are numbered in the order of their kd-tree; equal points are one site, and follow each
 * other. A vertex is a site whose points are connected from the start of a tree on. Where earlier
 * trees have used so many of a site's zero edges that the rest no longer connects it, each of its
 * points is a vertex. An edge between two sites stands for all pairs of their points; of those
 * allowed (between two components, not used by an earlier tree) the smallest key wins.
 *
 * Kept for every vertex v:
 *   to[v]      far point of its smallest allowed edge to another component (NONE: not known);
 *              from[v] is the near one, lower[v] the length;
 *   lower[v]   no allowed edge from v to another component is shorter.
 * Both stay true while components merge: an edge that was smallest stays so until its ends are
 * joined, and what is left then is not shorter. So no search starts from nothing again.
 *
 * All memory is owned by the State (state.pyx) whose method every worker runs.
 *
 * Reference: W. B. March, P. Ram, A. G. Gray (2010), Fast Euclidean Minimum Spanning
 * Tree: Algorithm, Analysis, and Applications.
 */
#pragma once

#include <stdlib.h>

#include "common/equal_points.h"
#include "common/edge_order.h"
#include "common/shared.h"
#include "common/used_edges.h"
#include "common/edge_sort.h"
#include "kdtree/tree.h"

#define NONE UINT32_MAX

/* The points of one kd-tree: there are one or two such sets. */
typedef struct {
    KDTree tree;
    uint32_t first_vertex;
    uint32_t *vertex_of_site;       /* site -> its first vertex; NULL: first_vertex + site */
    uint32_t *node_component;       /* component of all vertices under a node, or NONE */
} PointSet;

/* What a worker takes at once, where it searches and where it does not. */
enum { NODES_IN_A_CHUNK = 1 << 8, VERTICES_IN_A_CHUNK = 1 << 14, KEEPS_DISTANCES = 4 };

typedef struct {
    PointSet sets[2];
    int n_sets;
    /* By point: its rank in the order of ties, which sorts the points of a site, and its partners
     * in earlier trees (NULL: none yet). */
    const uint32_t *rank;
    const ptrdiff_t *used_start;
    const uint32_t *used;
    /* NULL where every site has one point: points and vertices are the same then. */
    uint32_t *vertex_of_point;
    uint32_t *vertex_start;         /* vertex -> its first point */
    uint32_t *site_of_vertex;
    uint32_t *component;            /* by vertex */
    double *lower;
    uint32_t *to, *from;            /* from is NULL where every vertex is one point */
    /* By component: its parent in the disjoint set, how many vertices it has (NULL before the
     * first round), the length of its best edge so far and the vertex that keeps it, and the least
     * bound of its vertices without an edge. */
    uint32_t *parent, *size;
    double *best_length, *least_bound;
    uint32_t *best_vertex;
    /* Neighbour lists, of one set: site -> its nearest sites, and no other is nearer than
     * list_end; vertex -> place in that list. Distances are listed from KEEPS_DISTANCES coordinates
     * on; with fewer it takes longer to read them than to compute them. */
    int n_neighbors;
    uint32_t *neighbors;
    double *neighbor_distance;
    double *list_end;
    uint8_t *position;
    /* Mutual reachability (mutual.h), else NULL: by site the squared distance to its k-th
     * neighbour, by node the least of these, by vertex the distance of the edge that it keeps. */
    double *core, *node_core, *distance;
    /* What a search for the k nearest points of every point writes (nearest.h). */
    ptrdiff_t k;
    const uint32_t *site_start;     /* site -> its first point; NULL where every site has one */
    uint32_t *nearest;
    double *nearest_length;
} Graph;

/* The best edge so far of some search. Its length is the distance of its ends, but for mutual
 * reachability, where distances decide between edges of one length. */
typedef struct {
    double length, distance;
    uint32_t from, to;
} Edge;

/* ---- points, vertices, components ---- */

static inline uint32_t component_of_point(const Graph *graph, uint32_t point)
{
    const uint32_t *vertex = graph->vertex_of_point;
    return graph->component[vertex == NULL ? point : vertex[point]];
}

INLINE uint32_t site_of(const Graph *graph, const PointSet *set, uint32_t v)
{
    return graph->site_of_vertex == NULL ? v - set->first_vertex : graph->site_of_vertex[v];
}

INLINE uint32_t first_vertex_of(const PointSet *set, uint32_t site)
{
    return set->vertex_of_site == NULL ? set->first_vertex + site : set->vertex_of_site[site];
}

INLINE void vertices_of_leaf(const PointSet *set, uint32_t leaf, uint32_t *first, uint32_t *end)
{
    const uint32_t site = set->tree.start[leaf];
    *first = first_vertex_of(set, site);
    *end = first_vertex_of(set, site + set->tree.count[leaf]);
}

/* Nodes of the second set are numbered on from the first: those of lo..hi-1 in set s, numbered
 * from 0; whether there are any. */
static inline int nodes_of_set(const Graph *graph, int s, ptrdiff_t *lo, ptrdiff_t *hi)
{
    const ptrdiff_t before = s == 0 ? 0 : graph->sets[0].tree.n_nodes;
    const ptrdiff_t n = graph->sets[s].tree.n_nodes;
    *lo = *lo > before ? *lo - before : 0;
    *hi = *hi - before < n ? *hi - before : n;
    return *lo < *hi;
}

/* A statement for each set that has some of nodes lo..hi-1: there they are from..to-1 of `set`, and
 * `d` is the dimension. */
#define FOR_EACH_SET(graph, lo, hi, ...)                                                  \
    for (int s_ = 0; s_ < (graph)->n_sets; s_++) {                                        \
        const PointSet *set = (graph)->sets + s_;                                         \
        ptrdiff_t from = lo, to = hi;                                                     \
        if (nodes_of_set(graph, s_, &from, &to)) FOR_DIMENSION(set->tree.d, __VA_ARGS__); \
    }

/* The squared distance of a site, at q, to entry r of its list. */
INLINE double listed_distance(const Graph *graph, const PointSet *set, uint32_t site, int r,
                              const double *q, ptrdiff_t d)
{
    const size_t entry = (size_t)site * (size_t)graph->n_neighbors + (size_t)r;
    return d < KEEPS_DISTANCES ? kd_distance(&set->tree, q, graph->neighbors[entry], d)
                               : graph->neighbor_distance[entry];
}

/* The set that edges from set `own` lead to: of two the other, else the same. */
static inline const PointSet *set_across(const Graph *graph, const PointSet *own)
{
    return graph->n_sets == 1 || own != graph->sets ? graph->sets : graph->sets + 1;
}

/* ---- edges ---- */

static inline uint64_t edge_key(const Graph *graph, uint32_t i, uint32_t j)
{
    return tie_key(graph->rank[i], graph->rank[j]);
}

static inline int is_used(const Graph *graph, uint32_t i, uint32_t j)
{
    return graph->used_start != NULL && count_used(graph->used_start, graph->used, i, j) > 0;
}

/* The near end of the edge that vertex v keeps. */
static inline uint32_t from_of(const Graph *graph, uint32_t v)
{
    return graph->from == NULL ? v : graph->from[v];
}

static inline uint64_t key_of_vertex(const Graph *graph, uint32_t v)
{
    return edge_key(graph, from_of(graph, v), graph->to[v]);
}

/* Whether the edge that vertex u keeps is smaller than that of v, which is as long. */
static inline int keeps_smaller(const Graph *graph, uint32_t u, uint32_t v)
{
    if (graph->distance != NULL && graph->distance[u] != graph->distance[v])
        return graph->distance[u] < graph->distance[v];
    return key_of_vertex(graph, u) < key_of_vertex(graph, v);
}

/* What the key of an edge must be below, to be smaller than the best, which is not shorter. */
static inline uint64_t key_to_beat(const Graph *graph, double length, double distance,
                                   const Edge *best)
{
    if (length < best->length || best->to == NONE || distance < best->distance) return UINT64_MAX;
    return distance > best->distance ? 0 : edge_key(graph, best->from, best->to);
}

/* Let the edge (i, j) become the best if it is allowed and smaller. */
static inline void try_pair(const Graph *graph, uint32_t i, uint32_t j, double length,
                            double distance, Edge *best)
{
    if (length > best->length || is_used(graph, i, j)) return;
    const uint64_t most = key_to_beat(graph, length, distance, best);
    if (most == UINT64_MAX || edge_key(graph, i, j) < most) *best = (Edge){length, distance, i, j};
}

/* Let the smallest allowed edge between the points of vertices u and v become the best if it is
 * smaller. */
static inline void try_groups(const Graph *graph, uint32_t u, uint32_t v, double length,
                              double distance, Edge *best)
{
    const uint32_t *start = graph->vertex_start, i = start[u], j = start[v];
    const TwoGroups groups = two_groups(graph->rank, i, start[u + 1], j, start[v + 1]);
    if (start[u + 1] == i + 1 && start[v + 1] == j + 1) {
        try_pair(graph, i, j, length, distance, best);
        return;
    }
    if (length > best->length) return;
    const uint64_t most = key_to_beat(graph, length, distance, best);
    ptrdiff_t place[2];
    uint64_t key = 0;
    /* Earlier trees have used few edges between the two. */
    while ((key = smallest_key(groups, key, most, place)) < most) {
        const uint32_t from = (uint32_t)place[0], to = (uint32_t)place[1];
        if (!is_used(graph, from, to)) {
            *best = (Edge){length, distance, from, to};
            return;
        }
        key++;
    }
}

/* Whether a site has a vertex outside a component. */
INLINE int is_outside(const Graph *graph, const PointSet *set, uint32_t component, uint32_t site)
{
    const uint32_t end = first_vertex_of(set, site + 1);
    for (uint32_t v = first_vertex_of(set, site); v < end; v++)
        if (graph->component[v] != component) return 1;
    return 0;
}

/* Offer all allowed pairs of vertex u and the site at this distance. */
INLINE void try_site(const Graph *graph, const PointSet *set, uint32_t u, uint32_t site,
                     double length, double distance, Edge *best)
{
    const uint32_t component = graph->component[u], end = first_vertex_of(set, site + 1);
    for (uint32_t v = first_vertex_of(set, site); v < end; v++) {
        if (graph->component[v] == component) continue;
        if (graph->vertex_start == NULL) {
            try_pair(graph, u, v, length, distance, best);
            return;
        }
        try_groups(graph, u, v, length, distance, best);
    }
}

static inline void keep(const Graph *graph, uint32_t v, const Edge *best)
{
    /* A search that found none has ruled out edges of that length, too. */
    graph->lower[v] = best->to == NONE ? nextafter(best->length, INFINITY) : best->length;
    graph->to[v] = best->to;
    if (graph->from != NULL) graph->from[v] = best->from;
    if (graph->distance != NULL) graph->distance[v] = best->distance;
}
