/* What units know of their smallest edges, brought up to the components as they are. */
#ifndef SMARTSVM_REFRESH_H
#define SMARTSVM_REFRESH_H

#include "kd/graph.h"

/* The smallest allowed edge of unit u in its site's list, if it is shorter than the
 * list's end: all sites not listed are at least that far. Else only a bound. */
KD_INLINE void read_list(const Graph *graph, const Side *side, uint32_t u, uint32_t site,
                         double *q, ptrdiff_t d)
{
    const int size = side->n_neighbors;
    const uint32_t *list = side->neighbors + (size_t)site * (size_t)size;
    const double end = side->list_end[site];
    uint8_t *position = side->position + (u - side->first_unit);
    Edge best = {INFINITY, 0, NONE, 0, 0};
    if (*position == size) return;
    kd_read_site(&side->tree, site, q, d);
    for (int r = *position; r < size; r++) {
        if (!has_alien(graph, side, component_of(graph, u), list[r])) {
            if (best.to == NONE) ++*position;
            continue;
        }
        const double length = kd_distance(&side->tree, q, list[r], d);
        if (length > best.length || length >= end) break;
        offer_site(graph, side, u, list[r], length, &best);
        if (best.to == NONE) ++*position;
    }
    if (best.to != NONE) {
        keep(graph, u, &best);
        return;
    }
    *position = (uint8_t)size;
    if (end > graph->lower[u]) graph->lower[u] = end;
}

static inline int comes_before(const Graph *graph, uint32_t u, uint32_t v)
{
    if (graph->lower[u] != graph->lower[v]) return graph->lower[u] < graph->lower[v];
    return edge_key(graph, from_of(graph, u), graph->to[u])
           < edge_key(graph, from_of(graph, v), graph->to[v]);
}

/* Bring what the units of the leaves among nodes lo..hi-1 know up to the components as
 * they are. A leaf within one component whose smallest edge still leaves it, and is
 * shorter than all that its other units knew, needs no look at them. */
KD_INLINE void refresh_with(const Graph *graph, const Side *side, ptrdiff_t lo, ptrdiff_t hi,
                            double *q, ptrdiff_t d)
{
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (side->tree.count[leaf] == 0 || side->tree.right[leaf] != 0) continue;
        uint32_t first, end, best = side->leaf_best[leaf], least = NONE;
        units_of_leaf(side, leaf, &first, &end);
        const uint32_t component = component_of(graph, first);
        if (!side->leaf_stale[leaf] && (best == NONE || !is_inside(graph, best))) {
            side->node_component[leaf] = component;
            continue;
        }
        double second = INFINITY;
        int pure = 1;
        best = NONE;
        for (uint32_t u = first; u < end; u++) {
            if (graph->to[u] != NONE && is_inside(graph, u)) graph->to[u] = NONE;
            if (graph->to[u] == NONE && side->neighbors != NULL)
                read_list(graph, side, u, site_of(graph, side, u), q, d);
            pure &= component_of(graph, u) == component;
            if (graph->to[u] == NONE) {
                if (least == NONE || graph->lower[u] < graph->lower[least]) least = u;
            } else if (best == NONE || comes_before(graph, u, best)) {
                if (best != NONE) second = graph->lower[best];
                best = u;
            } else if (graph->lower[u] < second)
                second = graph->lower[u];
        }
        side->node_component[leaf] = pure ? component : NONE;
        side->leaf_best[leaf] = best;
        side->leaf_least[leaf] = least;
        side->leaf_stale[leaf] = !pure || (best != NONE && second == graph->lower[best]);
    }
}

static void refresh(const Graph *graph, const Side *side, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
#define CALL(d) refresh_with(graph, side, lo, hi, q, d)
    KD_DISPATCH(side->tree.d, CALL)
#undef CALL
}

#endif
