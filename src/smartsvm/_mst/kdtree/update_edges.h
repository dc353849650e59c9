/* The start of a round: each vertex forgets an edge that no longer leaves its component and reads its
 * list again, and each component learns how short the edges of its vertices are or may be. The end of
 * a round: each component chooses its best edge. */
#pragma once

#include "kdtree/graph.h"
#include "kdtree/mutual.h"

/* The smallest allowed edge of vertex v in its site's list, if it is shorter than the list's
 * end: no site that is not listed is nearer than that. Else only a bound. */
INLINE void read_list(const Graph *graph, const PointSet *set, uint32_t v, double *q,
                      ptrdiff_t d)
{
    const uint32_t site = site_of(graph, set, v);
    const int size = graph->n_neighbors;
    const uint32_t *list = graph->neighbors + (size_t)site * (size_t)size;
    const double end = graph->list_end[site];
    uint8_t *position = graph->position + v;
    Edge best = {INFINITY, INFINITY, 0, NONE};
    if (*position == size) return;
    if (d < KEEPS_DISTANCES) kd_read_site(&set->tree, site, q, d);
    for (int r = *position; r < size; r++) {
        if (!is_outside(graph, set, graph->component[v], list[r])) {
            if (best.to == NONE) ++*position;
            continue;
        }
        const double length = listed_distance(graph, set, site, r, q, d);
        if (length > best.length || length >= end) break;
        try_site(graph, set, v, list[r], length, length, &best);
        if (best.to == NONE) ++*position;
    }
    if (best.to != NONE) {
        keep(graph, v, &best);
        return;
    }
    *position = (uint8_t)size;
    if (end > graph->lower[v]) graph->lower[v] = end;
}

/* For the leaves among nodes lo..hi-1: forget edges whose ends have been joined, read the lists
 * again, and note the component of all vertices of a leaf. */
INLINE void update_edges_with(const Graph *graph, const PointSet *set, ptrdiff_t lo,
                              ptrdiff_t hi, double *q, ptrdiff_t d)
{
    FOR_LEAVES(&set->tree, leaf, lo, hi) {
        uint32_t first, end;
        vertices_of_leaf(set, leaf, &first, &end);
        uint32_t common = graph->component[first];
        for (uint32_t v = first; v < end; v++) {
            const uint32_t component = graph->component[v];
            if (component != common) common = NONE;
            if (graph->to[v] != NONE && component_of_point(graph, graph->to[v]) == component)
                graph->to[v] = NONE;
            if (graph->to[v] == NONE && graph->neighbors != NULL) {
                if (graph->core == NULL) read_list(graph, set, v, q, d);
                else read_mutual_list(graph, set, v, q, d);
            }
            /* How short the edge of the vertex is, or may be. */
            double *least = graph->to[v] != NONE ? graph->best_length : graph->least_bound;
            shared_lower(least + component, graph->lower[v]);
        }
        set->node_component[leaf] = common;
    }
}

static void update_edges(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
    FOR_EACH_SET(graph, lo, hi, update_edges_with(graph, set, from, to, q, d))
}

/* Among the vertices whose edge has the best length of their component, the one with the smallest key
 * becomes the best. The result does not depend on the order of vertices. */
static void choose_best(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *room)
{
    (void)room;
    for (uint32_t v = (uint32_t)lo; v < (uint32_t)hi; v++) {
        const uint32_t component = graph->component[v];
        if (graph->lower[v] != graph->best_length[component] || graph->to[v] == NONE) continue;
        uint32_t *best = graph->best_vertex + component;
        uint32_t seen = __atomic_load_n(best, __ATOMIC_RELAXED);
        while (seen == NONE || keeps_smaller(graph, v, seen))
            if (__atomic_compare_exchange_n(best, &seen, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                break;
    }
}
