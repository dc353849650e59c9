/* The k nearest other points of every point, in the order of edges: by distance, then by key. */
#pragma once

#include "common/smallest.h"
#include "kdtree/graph.h"

INLINE uint32_t first_point(const Graph *graph, uint32_t site)
{
    return graph->site_start == NULL ? site : graph->site_start[site];
}

INLINE ptrdiff_t points_of_site(const Graph *graph, uint32_t site)
{
    return graph->site_start == NULL ? 1 : graph->site_start[site + 1] - graph->site_start[site];
}

typedef struct {
    const Graph *graph;
    const double *q;
    uint32_t point;
    double limit;                   /* beyond it no point is wanted */
    uint32_t *to;
    double *length;
} NearestSearch;

/* List another point if it is among the k nearest so far; whether it is. */
static inline int list_point(NearestSearch *search, uint32_t point, double length)
{
    const Graph *graph = search->graph;
    const int listed = insert_nearest(graph->rank, search->point, search->length, search->to,
                                      graph->k, length, point);
    search->limit = search->length[graph->k - 1];
    return listed;
}

/* List the points of a site: their keys grow from the point's own rank on, in both directions. */
static inline void list_points(NearestSearch *search, uint32_t site, double length)
{
    const Graph *graph = search->graph;
    const ptrdiff_t first = first_point(graph, site), end = first + points_of_site(graph, site);
    if (end == first + 1) {
        if ((uint32_t)first != search->point) list_point(search, (uint32_t)first, length);
        return;
    }
    const ptrdiff_t above = first_above(graph->rank, end, first, graph->rank[search->point]);
    for (ptrdiff_t j = above; j < end; j++)
        if ((uint32_t)j != search->point && !list_point(search, (uint32_t)j, length)) break;
    for (ptrdiff_t j = above - 1; j >= first; j--)
        if (!list_point(search, (uint32_t)j, length)) break;
}

INLINE void scan_for_nearest(void *search, uint32_t leaf, ptrdiff_t d)
{
    NearestSearch *nearest = search;
    const KDTree *tree = &nearest->graph->sets[0].tree;
    double length[KD_LEAF];
    KD_BITS(j, kd_distances(tree, nearest->q, leaf, nearest->limit, length, d))
        if (length[j] <= nearest->limit)
            list_points(nearest, tree->start[leaf] + j, length[j]);
}

/* The k nearest points of one at a site; q is room for its coordinates. */
INLINE void find_nearest(const Graph *graph, uint32_t point, uint32_t site, double *q,
                         uint32_t *to, double *length, ptrdiff_t d)
{
    const KDTree *tree = &graph->sets[0].tree;
    NearestSearch search = {graph, q, point, INFINITY, to, length};
    for (ptrdiff_t r = 0; r < graph->k; r++) length[r] = INFINITY;
    kd_read_site(tree, site, q, d);
    kd_walk(tree, tree->leaf[site], q, &search.limit, &search, kd_bound_of_point,
            kd_skip_nothing, scan_for_nearest, 1, d);
}

/* Those of all points in the leaves among nodes lo..hi-1. */
INLINE void list_nearest_with(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q,
                              ptrdiff_t d)
{
    const KDTree *tree = &graph->sets[0].tree;
    FOR_LEAVES(tree, leaf, lo, hi) {
        for (uint32_t site = tree->start[leaf]; site < tree->start[leaf] + tree->count[leaf];
             site++) {
            const uint32_t first = first_point(graph, site);
            const uint32_t end = first + (uint32_t)points_of_site(graph, site);
            for (uint32_t point = first; point < end; point++)
                find_nearest(graph, point, site, q, graph->nearest + (size_t)point * graph->k,
                             graph->nearest_length + (size_t)point * graph->k, d);
        }
    }
}

static void list_nearest(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
    FOR_DIMENSION(graph->sets[0].tree.d, list_nearest_with(graph, lo, hi, q, d));
}
