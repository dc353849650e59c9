/* Searches in a kd-tree for the smallest edge from a unit to another component.
 *
 * A node whose units are all of the searching component is skipped. Searches go
 * on at distances equal to the best, so that the smallest key decides.
 */
#ifndef SMARTSVM_ALIENS_H
#define SMARTSVM_ALIENS_H

#include "graph.h"

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
    if (own == other)
        kd_climb(&own->tree, own->tree.leaf[site], q, &aliens.best.length, &aliens, skip_own,
                 look_for_aliens, 1, d);
    else if (!skip_own(&aliens, 0))
        kd_descend(&other->tree, 0, kd_bound(&other->tree, 0, q, d), q, &aliens.best.length,
                   &aliens, skip_own, look_for_aliens, 1, d);
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

enum { MOST_NEAR_LEAVES = 64 };

/* The leaves of `other` with aliens of a component (or NONE: all leaves) no farther from a
 * box than limit; how many, or -1 if they are more than `nodes` can hold. */
KD_INLINE int near_leaves(const Side *other, uint32_t component, const double *box, double limit,
                          uint32_t *nodes, ptrdiff_t d)
{
    uint32_t waiting[KD_DEPTH];
    int n_waiting = 1, found = 0;
    waiting[0] = 0;
    while (n_waiting > 0) {
        const uint32_t node = waiting[--n_waiting];
        if (component != NONE && other->node_component[node] == component) continue;
        if (kd_box_bound(kd_box(&other->tree, node, d), box, d) > limit) continue;
        if (other->tree.right[node] != 0) {
            waiting[n_waiting++] = other->tree.right[node];
            waiting[n_waiting++] = node + 1;
        } else if (found == MOST_NEAR_LEAVES)
            return -1;
        else
            nodes[found++] = node;
    }
    return found;
}

/* Whether unit u must be searched, its component's best edge being this long. */
KD_INLINE int is_open(const Graph *graph, uint32_t u, double best)
{
    return graph->to[u] == NONE && graph->lower[u] <= best && graph->lower[u] < INFINITY;
}

/* The longest best length among the components of a leaf's units that must be searched,
 * or -1 if there are none. */
KD_INLINE double reach_of_units(const Graph *graph, uint32_t first, uint32_t last,
                                const double *best_length)
{
    double reach = -1;
    for (uint32_t u = first; u < last; u++) {
        const double best = shared_read(best_length + component_of(graph, u));
        if (best > reach && is_open(graph, u, best)) reach = best;
    }
    return reach;
}

/* All units of the leaves among nodes lo..hi-1 of side `own` whose bounds are not above
 * the best length of their component learn their smallest edge or, with that length,
 * a new bound. The near leaves are found once for all units of a leaf, unless these are
 * of several components of a single set: then most have an end to their search nearby. */
KD_INLINE void find_aliens_with(const Graph *graph, const Side *own, const Side *other,
                                ptrdiff_t lo, ptrdiff_t hi, double *best_length,
                                double *q, ptrdiff_t d)
{
    uint32_t nodes[MOST_NEAR_LEAVES];
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (own->tree.count[leaf] == 0 || own->tree.right[leaf] != 0) continue;
        const uint32_t common = own->node_component[leaf];
        uint32_t first, last;
        units_of_leaf(own, leaf, &first, &last);
        int n_nodes = -1;
        double reach = INFINITY;
        if (common != NONE) {
            const uint32_t least = own->leaf_least[leaf];
            reach = shared_read(best_length + common);
            if (!own->leaf_stale[leaf] && (least == NONE || graph->lower[least] > reach)) continue;
            own->leaf_stale[leaf] = 1;
        } else if (own != other) {
            reach = reach_of_units(graph, first, last, best_length);
            if (reach < 0) continue;
        }
        if (common != NONE || (own != other && reach < INFINITY))
            n_nodes = near_leaves(other, common, kd_box(&own->tree, leaf, d), reach, nodes, d);
        for (uint32_t u = first; u < last; u++) {
            const uint32_t component = component_of(graph, u);
            const double best = shared_read(best_length + component);
            if (!is_open(graph, u, best)) continue;
            if (n_nodes < 0) {
                const Edge found = find_alien(graph, own, other, u, best, q, d);
                keep(graph, u, &found);
                share(graph, &found, best_length);
                continue;
            }
            /* Lengths may have fallen since the leaves were chosen, never risen. */
            Aliens aliens = {q, graph, other, u, component, {best, 0, NONE, 0, 0}};
            if (n_nodes > 0) kd_read_site(&own->tree, site_of(graph, own, u), q, d);
            for (int i = 0; i < n_nodes; i++)
                if (!skip_own(&aliens, nodes[i])
                    && kd_bound(&other->tree, nodes[i], q, d) <= aliens.best.length)
                    look_for_aliens(&aliens, nodes[i], d);
            keep(graph, u, &aliens.best);
            share(graph, &aliens.best, best_length);
        }
    }
}

/* ---- for a dimension known when compiled, and for any other ---- */

static void find_aliens(const Graph *graph, const Side *own, const Side *other, ptrdiff_t lo,
                        ptrdiff_t hi, double *best_length, double *q)
{
#define CALL(d) find_aliens_with(graph, own, other, lo, hi, best_length, q, d)
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
