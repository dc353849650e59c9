/* Searches in a kd-tree for the smallest edge from a vertex to another component.
 *
 * A node whose vertices are all of the searching component is skipped. Searches go on at
 * distances equal to the best, so that the smallest key decides.
 */
#pragma once

#include "kdtree/graph.h"
#include "kdtree/leaf_pairs.h"
#include "kdtree/mutual.h"

typedef struct {
    const double *q;
    const Graph *graph;
    const PointSet *set;            /* the one searched */
    uint32_t vertex, component;
    Edge best;
} OutwardSearch;

static inline int skip_own(const void *search, uint32_t node)
{
    const OutwardSearch *outward = search;
    return outward->set->node_component[node] == outward->component;
}

INLINE void scan_outward(void *search, uint32_t leaf, ptrdiff_t d)
{
    OutwardSearch *outward = search;
    const KDTree *tree = &outward->set->tree;
    double length[KD_LEAF];
    KD_BITS(j, kd_distances(tree, outward->q, leaf, outward->best.length, length, d))
        try_site(outward->graph, outward->set, outward->vertex, tree->start[leaf] + j, length[j],
                 length[j], &outward->best);
}

/* The smallest allowed edge from vertex v of set `own` into another component, if it is not
 * longer than limit. One function for each dimension, whoever calls it. */
static Edge find_outward(const Graph *graph, const PointSet *own, uint32_t v, double limit,
                         double *q)
{
    const PointSet *set = set_across(graph, own);
    const uint32_t site = site_of(graph, own, v), leaf = own == set ? own->tree.leaf[site] : 0;
    OutwardSearch outward = {q, graph, set, v, graph->component[v], {limit, limit, 0, NONE}};
    FOR_DIMENSION(own->tree.d, kd_read_site(&own->tree, site, q, d);
                  kd_walk(&set->tree, leaf, q, &outward.best.length, &outward, kd_bound_of_point,
                          skip_own, scan_outward, 1, d));
    return outward.best;
}

/* An edge found bounds the best of both its components. */
static inline void share(const Graph *graph, const Edge *found)
{
    if (found->to == NONE) return;
    shared_lower(graph->best_length + component_of_point(graph, found->from), found->length);
    shared_lower(graph->best_length + component_of_point(graph, found->to), found->length);
}

/* Whether vertex v must search if the best edge of its component is this long. */
INLINE int is_open(const Graph *graph, uint32_t v, double best)
{
    return graph->to[v] == NONE && graph->lower[v] <= best && graph->lower[v] < INFINITY;
}

/* The searches of all vertices of one leaf, one vertex a site, made together. */
typedef struct {
    KDRows rows;
    const Graph *graph;
    const PointSet *set;            /* the one searched */
    uint32_t first;                 /* vertex of the leaf's first site */
    uint32_t common;                /* component of all that search, or NONE */
    uint32_t component[KD_LEAF];
    double core[KD_LEAF];
    Edge best[KD_LEAF];
    double longest;                 /* of the best edges, as of the last find_longest */
    int improved;
} LeafSearch;

/* The farthest that any vertex searches, and the longest edge that it wants. */
INLINE void find_longest(LeafSearch *leaf)
{
    kd_find_farthest(&leaf->rows);
    leaf->longest = -1;
    for (ptrdiff_t i = 0; i < KD_LEAF; i++)
        if (leaf->rows.limit[i] >= 0) leaf->longest = mutual_max(leaf->longest, leaf->best[i].length);
}

static inline int skip_common(const void *search, uint32_t node)
{
    const LeafSearch *leaf = search;
    if (leaf->common != NONE && leaf->set->node_component[node] == leaf->common) return 1;
    return leaf->graph->core != NULL && leaf->graph->node_core[node] > leaf->longest;
}

INLINE int leads_outward(const void *search, ptrdiff_t i, uint32_t site)
{
    const LeafSearch *leaf = search;
    return core_of(leaf->graph, site) <= leaf->best[i].length
           && is_outside(leaf->graph, leaf->set, leaf->component[i], site);
}

INLINE void try_outward(void *search, ptrdiff_t i, uint32_t site, double distance)
{
    LeafSearch *leaf = search;
    Edge *best = &leaf->best[i];
    const double core = leaf->core[i];
    const double length = mutual_max(mutual_max(distance, core), core_of(leaf->graph, site));
    try_site(leaf->graph, leaf->set, leaf->first + (uint32_t)i, site, length, distance, best);
    if (best->to == NONE) return;
    const double limit = farthest_to_beat(best, core);
    if (limit == leaf->rows.limit[i]) return;
    leaf->rows.limit[i] = limit;
    leaf->improved = 1;
    if (leaf->common == NONE) return;
    /* The component has an edge this short now: no other vertex needs to look farther. */
    for (ptrdiff_t r = 0; r < KD_LEAF; r++)
        if (leaf->rows.limit[r] > best->length && leaf->best[r].to == NONE) {
            leaf->best[r].length = best->length;
            leaf->rows.limit[r] = best->length;
        }
}

INLINE void scan_outward_together(void *search, uint32_t node, ptrdiff_t d)
{
    LeafSearch *leaf = search;
    leaf->improved = 0;
    kd_pairs_of_leaves(&leaf->rows, &leaf->set->tree, node, search, leads_outward, try_outward, 1,
                       d);
    if (leaf->improved) find_longest(leaf);
}

/* Search for all vertices in the leaves among nodes lo..hi-1 of set `own` whose bound is not above the
 * best length of their component. Each learns its smallest edge; or, if it has none so short, that
 * length is its new bound. */
INLINE void find_edges_with(const Graph *graph, const PointSet *own, ptrdiff_t lo, ptrdiff_t hi,
                            double *room, ptrdiff_t d)
{
    LeafSearch search;
    search.graph = graph;
    search.set = set_across(graph, own);
    FOR_LEAVES(&own->tree, leaf, lo, hi) {
        uint32_t end, open = 0;
        vertices_of_leaf(own, leaf, &search.first, &end);
        /* In low dimension a search alone visits so few leaves that sharing them brings nothing. */
        if (d < KD_MIDDLE || end - search.first > own->tree.count[leaf]) {
            for (uint32_t v = search.first; v < end; v++) {
                const double best = shared_read(graph->best_length + graph->component[v]);
                if (!is_open(graph, v, best)) continue;
                const Edge found = graph->core == NULL ? find_outward(graph, own, v, best, room)
                                                       : find_mutual(graph, v, best, room);
                keep(graph, v, &found);
                share(graph, &found);
            }
            continue;
        }
        kd_start_rows(&search.rows, &own->tree, leaf, room);
        for (uint32_t v = search.first; v < end; v++) {
            const uint32_t i = v - search.first, component = graph->component[v];
            const double best = shared_read(graph->best_length + component);
            search.component[i] = component;
            search.core[i] = core_of(graph, site_of(graph, own, v));
            search.best[i] = (Edge){best, best, 0, NONE};
            if (!is_open(graph, v, best)) continue;
            search.rows.limit[i] = best;
            open |= (uint32_t)(best >= 0) << i;
        }
        if (open == 0) continue;
        search.common = search.component[__builtin_ctz(open)];
        KD_BITS(i, open) if (search.component[i] != search.common) search.common = NONE;
        find_longest(&search);
        kd_walk(&search.set->tree, own == search.set ? leaf : 0, &search.rows, &search.rows.farthest,
                &search, kd_bound_of_rows, skip_common, scan_outward_together, 1, d);
        for (uint32_t i = 0; i < end - search.first; i++)
            if (open >> i & 1) {
                keep(graph, search.first + i, &search.best[i]);
                share(graph, &search.best[i]);
            }
    }
}

static void find_edges(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    FOR_EACH_SET(graph, lo, hi, find_edges_with(graph, set, from, to, room, d))
}
