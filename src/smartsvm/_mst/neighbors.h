/* What a unit learns from the nearest neighbours of its site.
 *
 * Lists are made once and hold sites, so they serve every tree: units that have
 * merged and edges that are used are passed over when a list is read.
 */
#ifndef SMARTSVM_NEIGHBORS_H
#define SMARTSVM_NEIGHBORS_H

#include "graph.h"
#include "leaf_rows.h"

/* Below so many coordinates a leaf's sites have most of their neighbours in few leaves. */
enum { MOST_NEIGHBORS = 32, FEW_LEAVES_BELOW = 4 };

/* The lists of all sites of one leaf, made together: the way through the tree is the same.
 * Limits of rows are the lengths at the ends of their lists. */
typedef struct {
    KDRows rows;
    int size, listed;
    ptrdiff_t place;                        /* that searches alone */
    double length[KD_LEAF][MOST_NEIGHBORS];
    uint32_t neighbor[KD_LEAF][MOST_NEIGHBORS];
} LeafLists;

KD_INLINE int is_other_site(const void *search, ptrdiff_t i, uint32_t site)
{
    const KDRows *rows = &((const LeafLists *)search)->rows;
    return site != rows->tree->start[rows->leaf] + (uint32_t)i;
}

KD_INLINE void list_site(void *search, ptrdiff_t i, uint32_t site, double length)
{
    LeafLists *lists = search;
    double *lengths = lists->length[i];
    uint32_t *neighbors = lists->neighbor[i];
    int r = lists->size - 1;
    for (; r > 0 && length < lengths[r - 1]; r--) {
        lengths[r] = lengths[r - 1];
        neighbors[r] = neighbors[r - 1];
    }
    lengths[r] = length;
    neighbors[r] = site;
    kd_set_limit(&lists->rows, i, lengths[lists->size - 1]);
    lists->listed = 1;
}

KD_INLINE void look_for_neighbors(void *search, uint32_t leaf, ptrdiff_t d)
{
    LeafLists *lists = search;
    const KDTree *tree = lists->rows.tree;
    lists->listed = 0;
    kd_pairs_of_leaves(&lists->rows, tree, leaf, search, is_other_site, list_site, 0, d);
    if (lists->listed) kd_find_reach(&lists->rows);
}

/* The same for one place alone. */
KD_INLINE void look_for_neighbors_of_one(void *search, uint32_t leaf, ptrdiff_t d)
{
    LeafLists *lists = search;
    const KDRows *rows = &lists->rows;
    const uint32_t start = rows->tree->start[leaf];
    const ptrdiff_t i = lists->place;
    double length[KD_LEAF];
    const int count = kd_distances(rows->tree, rows->q, leaf, length, d);
    for (int j = 0; j < count; j++)
        if (length[j] < rows->limit[i] && is_other_site(search, i, start + (uint32_t)j))
            list_site(search, i, start + (uint32_t)j, length[j]);
}

/* The n_neighbors nearest sites of the sites of the leaves among nodes lo..hi-1, nearest
 * first, and their distances, site after site, unless `lengths` is NULL. In low dimension the
 * sites of a leaf need the same few other leaves, and search together; else each needs a
 * small part of what is near the leaf. */
KD_INLINE void list_neighbors_with(const Side *side, ptrdiff_t lo, ptrdiff_t hi, double *lengths,
                                   double *room, ptrdiff_t d)
{
    const KDTree *tree = &side->tree;
    LeafLists lists;
    lists.size = side->n_neighbors;
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (tree->count[leaf] == 0 || tree->right[leaf] != 0) continue;
        const ptrdiff_t count = tree->count[leaf];
        kd_start_rows(&lists.rows, tree, leaf, room, d);
        for (ptrdiff_t i = 0; i < count; i++) {
            kd_set_limit(&lists.rows, i, INFINITY);
            for (int r = 0; r < lists.size; r++) lists.length[i][r] = INFINITY;
        }
        kd_find_reach(&lists.rows);
        if (d < FEW_LEAVES_BELOW)
            kd_walk(tree, leaf, &lists.rows, &lists.rows.reach, &lists, kd_bound_of_rows,
                    kd_skip_nothing, look_for_neighbors, 0, d);
        else
            for (ptrdiff_t i = 0; i < count; i++) {
                lists.place = i;
                kd_read_site(tree, tree->start[leaf] + (uint32_t)i, lists.rows.q, d);
                kd_walk(tree, leaf, lists.rows.q, &lists.rows.limit[i], &lists,
                        kd_bound_of_point, kd_skip_nothing, look_for_neighbors_of_one, 0, d);
            }
        for (ptrdiff_t i = 0; i < count; i++) {
            const size_t site = tree->start[leaf] + (size_t)i;
            for (int r = 0; r < lists.size; r++)
                side->neighbors[site * (size_t)lists.size + (size_t)r] = lists.neighbor[i][r];
            if (lengths != NULL)
                for (int r = 0; r < lists.size; r++) *lengths++ = lists.length[i][r];
            side->list_end[site] =
                lists.size == tree->n_sites - 1 ? INFINITY : lists.rows.limit[i];
        }
    }
}

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

/* ---- for a dimension known when compiled, and for any other ---- */

static void list_neighbors(const Side *side, ptrdiff_t lo, ptrdiff_t hi, double *lengths,
                           double *room)
{
#define CALL(d) list_neighbors_with(side, lo, hi, lengths, room, d)
    KD_DISPATCH(side->tree.d, CALL)
#undef CALL
}

static void refresh(const Graph *graph, const Side *side, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
#define CALL(d) refresh_with(graph, side, lo, hi, q, d)
    KD_DISPATCH(side->tree.d, CALL)
#undef CALL
}

#endif
