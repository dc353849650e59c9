/* Searches in a kd-tree for the smallest edge from a unit to another component.
 *
 * A node whose units are all of the searching component is skipped. Searches go
 * on at distances equal to the best, so that the smallest key decides.
 */
#ifndef SMARTSVM_ALIENS_H
#define SMARTSVM_ALIENS_H

#include "kd/graph.h"
#include "kd/leaf_pairs.h"

typedef struct {
    const double *q;
    const Graph *graph;
    const Side *side;               /* the tree searched */
    uint32_t unit, component;
    Edge best;
} Aliens;

static inline int skip_own(const void *search, uint32_t node)
{
    const Aliens *aliens = search;
    return aliens->side->node_component[node] == aliens->component;
}

KD_INLINE void look_for_aliens(void *search, uint32_t leaf, ptrdiff_t d)
{
    Aliens *aliens = search;
    const KDTree *tree = &aliens->side->tree;
    double length[KD_LEAF];
    const int count = kd_distances(tree, aliens->q, leaf, length, d);
    for (int j = 0; j < count; j++)
        if (length[j] <= aliens->best.length)
            offer_site(aliens->graph, aliens->side, aliens->unit,
                       tree->start[leaf] + (uint32_t)j, length[j], &aliens->best);
}

/* An edge found bounds the best of both its components. */
static inline void share(const Graph *graph, const Edge *found, double *best_length)
{
    if (found->to == NONE) return;
    shared_lower(best_length + component_of(graph, unit_of(graph, found->from)), found->length);
    shared_lower(best_length + component_of(graph, unit_of(graph, found->to)), found->length);
}

/* The smallest allowed edge from unit u, of side `own`, into another component among
 * the units of side `other`, if it is not longer than limit. */
KD_INLINE Edge find_alien(const Graph *graph, const Side *own, const Side *other, uint32_t u,
                          double limit, double *q, ptrdiff_t d)
{
    const uint32_t site = site_of(graph, own, u);
    Aliens aliens = {q, graph, other, u, component_of(graph, u), {limit, 0, NONE, 0, 0}};
    kd_read_site(&own->tree, site, q, d);
    kd_walk(&other->tree, own == other ? own->tree.leaf[site] : 0, q, &aliens.best.length, &aliens,
            kd_bound_of_point, skip_own, look_for_aliens, 1, d);
    return aliens.best;
}

/* A good bound for component after component before all their units search: from
 * a unit to its nearest alien, from there to its nearest alien, while that helps. */
KD_INLINE void probe_with(const Graph *graph, const Side *sides, int n_sides,
                          const uint32_t *units, ptrdiff_t lo, ptrdiff_t hi, double *best_length,
                          double *q, ptrdiff_t d)
{
    for (ptrdiff_t i = lo; i < hi; i++) {
        uint32_t u = units[i];
        if (u == NONE || graph->lower[u] > shared_read(best_length + i)) continue;
        double limit = shared_read(best_length + i);
        for (int step = 0; step < 6; step++) {
            const Side *own = sides + (n_sides == 2 && u >= sides[1].first_unit);
            const Side *other = n_sides == 1 ? own : sides + (own == sides);
            const Edge found = find_alien(graph, own, other, u, limit, q, d);
            share(graph, &found, best_length);
            if (found.to == NONE || (step > 0 && found.length == limit)) break;
            limit = found.length;
            u = unit_of(graph, found.to);
        }
    }
}

/* Whether unit u must be searched, its component's best edge being this long. */
KD_INLINE int is_open(const Graph *graph, uint32_t u, double best)
{
    return graph->to[u] == NONE && graph->lower[u] <= best && graph->lower[u] < INFINITY;
}

/* The searches of all units of one leaf, one unit a site, made together. */
typedef struct {
    KDRows rows;
    const Graph *graph;
    const Side *other;
    uint32_t first;                 /* unit of the leaf's first place */
    uint32_t common;                /* component of all its units, or NONE */
    uint32_t component[KD_LEAF];
    Edge best[KD_LEAF];
    int improved;
} LeafAliens;

static inline int skip_common(const void *search, uint32_t node)
{
    const LeafAliens *aliens = search;
    return aliens->common != NONE && aliens->other->node_component[node] == aliens->common;
}

KD_INLINE int is_alien(const void *search, ptrdiff_t i, uint32_t site)
{
    const LeafAliens *aliens = search;
    return has_alien(aliens->graph, aliens->other, aliens->component[i], site);
}

KD_INLINE void offer_alien(void *search, ptrdiff_t i, uint32_t site, double length)
{
    LeafAliens *aliens = search;
    Edge *best = &aliens->best[i];
    offer_site(aliens->graph, aliens->other, aliens->first + (uint32_t)i, site, length, best);
    if (best->length == aliens->rows.limit[i]) return;
    kd_set_limit(&aliens->rows, i, best->length);
    aliens->improved = 1;
    if (aliens->common == NONE) return;
    /* The component has an edge this short now: who has none yet need not look farther. */
    for (ptrdiff_t r = 0; r < KD_LEAF; r++)
        if (aliens->rows.limit[r] > length && aliens->best[r].to == NONE) {
            aliens->best[r].length = length;
            kd_set_limit(&aliens->rows, r, length);
        }
}

KD_INLINE void look_for_leaf_aliens(void *search, uint32_t leaf, ptrdiff_t d)
{
    LeafAliens *aliens = search;
    aliens->improved = 0;
    kd_pairs_of_leaves(&aliens->rows, &aliens->other->tree, leaf, search, is_alien, offer_alien, 1, d);
    if (aliens->improved) kd_find_reach(&aliens->rows);
}

/* All units of the leaves among nodes lo..hi-1 of side `own` whose bounds are not above
 * the best length of their component learn their smallest edge or, with that length,
 * a new bound. */
KD_INLINE void find_aliens_with(const Graph *graph, const Side *own, const Side *other,
                                ptrdiff_t lo, ptrdiff_t hi, double *best_length,
                                double *room, ptrdiff_t d)
{
    LeafAliens aliens;
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (own->tree.count[leaf] == 0 || own->tree.right[leaf] != 0) continue;
        uint32_t first, last;
        units_of_leaf(own, leaf, &first, &last);
        aliens.common = own->node_component[leaf];
        if (aliens.common != NONE) {
            const uint32_t least = own->leaf_least[leaf];
            if (!own->leaf_stale[leaf]
                && (least == NONE
                    || graph->lower[least] > shared_read(best_length + aliens.common)))
                continue;
            own->leaf_stale[leaf] = 1;
        }
        /* Where several components meet in low dimension, most searches end nearby. */
        const int nearby = d < KD_SINGLE && aliens.common == NONE && own == other;
        if (nearby || last - first > own->tree.count[leaf]) {
            for (uint32_t u = first; u < last; u++) {
                const double best = shared_read(best_length + component_of(graph, u));
                if (!is_open(graph, u, best)) continue;
                const Edge found = find_alien(graph, own, other, u, best, room, d);
                keep(graph, u, &found);
                share(graph, &found, best_length);
            }
            continue;
        }
        kd_start_rows(&aliens.rows, &own->tree, leaf, room, d);
        aliens.graph = graph;
        aliens.other = other;
        aliens.first = first;
        for (uint32_t u = first; u < last; u++) {
            const uint32_t i = u - first, component = component_of(graph, u);
            const double best = shared_read(best_length + component);
            const Edge none = {best, 0, NONE, 0, 0};
            aliens.component[i] = component;
            aliens.best[i] = none;
            if (is_open(graph, u, best)) kd_set_limit(&aliens.rows, i, best);
        }
        uint32_t open = 0;
        for (uint32_t i = 0; i < last - first; i++) open |= (uint32_t)(aliens.rows.limit[i] >= 0) << i;
        if (open == 0) continue;
        kd_find_reach(&aliens.rows);
        kd_walk(&other->tree, own == other ? leaf : 0, &aliens.rows, &aliens.rows.reach, &aliens,
                kd_bound_of_rows, skip_common, look_for_leaf_aliens, 1, d);
        for (uint32_t i = 0; i < last - first; i++)
            if (open >> i & 1) {
                keep(graph, first + i, &aliens.best[i]);
                share(graph, &aliens.best[i], best_length);
            }
    }
}

/* ---- for a dimension known when compiled, and for any other ---- */

static void find_aliens(const Graph *graph, const Side *own, const Side *other, ptrdiff_t lo,
                        ptrdiff_t hi, double *best_length, double *room)
{
#define CALL(d) find_aliens_with(graph, own, other, lo, hi, best_length, room, d)
    KD_DISPATCH(own->tree.d, CALL)
#undef CALL
}

static void probe(const Graph *graph, const Side *sides, int n_sides, const uint32_t *units,
                  ptrdiff_t lo, ptrdiff_t hi, double *best_length, double *q)
{
#define CALL(d) probe_with(graph, sides, n_sides, units, lo, hi, best_length, q, d)
    KD_DISPATCH(sides->tree.d, CALL)
#undef CALL
}

#endif
