/* The searches of Boruvka's algorithm: neighbour lists and nearest aliens.
 *
 * A site stands for all points with its coordinates. Points of one site lie in
 * consecutive slots. The unit of the search is a run of slots of one site that
 * share a component from the start of the tree on: the whole site, or one slot
 * each where earlier trees have used so many of the site's zero edges that they
 * no longer connect it. An edge between two sites stands for all pairs of their
 * slots; among those allowed (ends in two components, not used by an earlier
 * tree) the smallest key wins.
 *
 * Kept for every unit u:
 *   to[u]      far slot of its smallest allowed edge to another component
 *              (NONE: not known), with from[u] in u and lower[u] its length;
 *   lower[u]   no allowed edge from u to another component is shorter.
 * Both stay true while components merge: an edge that was smallest stays so until
 * its ends are joined, and what is left then is not shorter. So nothing restarts.
 *
 * Reference: W. B. March, P. Ram, A. G. Gray (2010), Fast Euclidean Minimum Spanning
 * Tree: Algorithm, Analysis, and Applications.
 */
#ifndef SMARTSVM_BORUVKA_H
#define SMARTSVM_BORUVKA_H

#include "kdtree.h"
#include "order.h"

#define NONE UINT32_MAX

enum { MOST_NEIGHBORS = 32 };

typedef struct {
    uint64_t seed;
    const uint32_t *identity;       /* slot -> identity of its point */
    const int64_t *used_start;      /* slot -> its partners in earlier trees; NULL: none yet */
    const uint32_t *used;
    /* NULL where every site has one slot: then slots and units are the same. */
    const uint32_t *unit_of_slot;
    const uint32_t *unit_start;     /* unit -> its first slot */
    const uint32_t *site_of_unit;
    /* unit -> label -> component: labels are renewed only while there are many, so a
     * late round need not touch every unit. */
    uint32_t *label, *component;
    double *lower;
    uint32_t *to, *from;            /* from is NULL where every unit is one slot */
    const volatile int *cancel;     /* looked at where sites hold very many points */
} Graph;

/* The sites of one kd-tree as part of a graph. */
typedef struct {
    KDTree tree;
    uint32_t first_unit;            /* of this tree */
    const uint32_t *unit_of_site;   /* site -> its first unit; NULL: first_unit + site */
    uint32_t *node_component;       /* component of all units under a node, or NONE */
    /* Of a leaf within one component: its unit with the smallest edge known, and of those
     * without an edge the one with the least bound (or NONE); stale if to be redone. */
    uint32_t *leaf_best, *leaf_least;
    uint8_t *leaf_stale;
    int n_neighbors;
    uint32_t *neighbors;            /* site -> its nearest sites */
    double *list_end;               /* site -> no site that is not listed is nearer */
    uint8_t *position;              /* unit -> place in that list, reset for every tree */
} Side;

typedef struct {
    double length;
    uint32_t from, to;
    uint64_t key;
    int keyed;                      /* keys cost a hash: only ties need them */
} Edge;

/* ---- components' best lengths, shared by threads ---- */

#if defined(__GNUC__)
static inline double shared_read(const double *x)
{
    double value;
    __atomic_load((double *)x, &value, __ATOMIC_RELAXED);
    return value;
}

static inline void shared_lower(double *x, double value)
{
    double seen = shared_read(x);
    while (value < seen
           && !__atomic_compare_exchange(x, &seen, &value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
#else
static inline double shared_read(const double *x) { return *(const volatile double *)x; }
static inline void shared_lower(double *x, double value)
{
    if (value < *x) *(volatile double *)x = value;
}
#endif

/* ---- edges ---- */

static inline uint32_t component_of(const Graph *graph, uint32_t u)
{
    return graph->component[graph->label[u]];
}

static inline uint64_t edge_key(const Graph *graph, uint32_t i, uint32_t j)
{
    return tie_key(graph->identity[i], graph->identity[j], graph->seed);
}

static inline int is_used(const Graph *graph, uint32_t i, uint32_t j)
{
    if (graph->used_start == NULL) return 0;
    const int64_t *start = graph->used_start;
    if (start[j + 1] - start[j] < start[i + 1] - start[i]) {
        const uint32_t t = i;
        i = j;
        j = t;
    }
    for (int64_t e = start[i]; e < start[i + 1]; e++)
        if (graph->used[e] == j) return 1;
    return 0;
}

static inline void offer_pair(const Graph *graph, uint32_t i, uint32_t j, double length, Edge *best)
{
    if (length > best->length || is_used(graph, i, j)) return;
    uint64_t key = 0;
    int keyed = 0;
    if (length == best->length && best->to != NONE) {
        if (!best->keyed) {
            best->key = edge_key(graph, best->from, best->to);
            best->keyed = 1;
        }
        key = edge_key(graph, i, j);
        keyed = 1;
        if (key >= best->key) return;
    }
    best->length = length;
    best->from = i;
    best->to = j;
    best->key = key;
    best->keyed = keyed;
}

KD_INLINE int has_alien(const Graph *graph, const Side *side, uint32_t component, uint32_t site)
{
    if (side->unit_of_site == NULL)
        return component_of(graph, side->first_unit + site) != component;
    for (uint32_t v = side->unit_of_site[site]; v < side->unit_of_site[site + 1]; v++)
        if (component_of(graph, v) != component) return 1;
    return 0;
}

/* Offer all allowed pairs of unit u and the site at this distance. */
KD_INLINE void offer_site(const Graph *graph, const Side *side, uint32_t u, uint32_t site,
                          double length, Edge *best)
{
    const uint32_t component = component_of(graph, u);
    if (side->unit_of_site == NULL) {
        const uint32_t v = side->first_unit + site;
        if (component_of(graph, v) != component) offer_pair(graph, u, v, length, best);
        return;
    }
    for (uint32_t v = side->unit_of_site[site]; v < side->unit_of_site[site + 1]; v++) {
        if (component_of(graph, v) == component) continue;
        for (uint32_t i = graph->unit_start[u]; i < graph->unit_start[u + 1]; i++) {
            if (*graph->cancel) return;
            for (uint32_t j = graph->unit_start[v]; j < graph->unit_start[v + 1]; j++)
                offer_pair(graph, i, j, length, best);
        }
    }
}

static inline void keep(const Graph *graph, uint32_t u, const Edge *best)
{
    graph->lower[u] = best->length;
    graph->to[u] = best->to;
    if (graph->from != NULL) graph->from[u] = best->from;
}

static inline uint32_t unit_of(const Graph *graph, uint32_t slot)
{
    return graph->unit_of_slot == NULL ? slot : graph->unit_of_slot[slot];
}

/* ---- neighbour lists ---- */

typedef struct {
    const double *q;
    const KDTree *tree;
    uint32_t site;
    int size;
    double length[MOST_NEIGHBORS];
    uint32_t neighbor[MOST_NEIGHBORS];
} Neighbors;

KD_INLINE void look_for_neighbors(void *search, uint32_t leaf, ptrdiff_t d)
{
    Neighbors *found = search;
    double length[KD_LEAF];
    const int last = found->size - 1;
    const int count = kd_distances(found->tree, found->q, leaf, length, d);
    for (int j = 0; j < count; j++)
        if (length[j] < found->length[last]) {
            const uint32_t site = found->tree->start[leaf] + (uint32_t)j;
            int r = last;
            if (site == found->site) continue;
            for (; r > 0 && length[j] < found->length[r - 1]; r--) {
                found->length[r] = found->length[r - 1];
                found->neighbor[r] = found->neighbor[r - 1];
            }
            found->length[r] = length[j];
            found->neighbor[r] = site;
        }
}

static int skip_nothing(const void *search, uint32_t node)
{
    (void)search;
    (void)node;
    return 0;
}

/* The n_neighbors nearest sites of the sites lo..hi-1, nearest first. Where units are
 * sites the first is the smallest edge of its unit, unless it is tied. */
KD_INLINE void list_neighbors_with(const Graph *graph, const Side *side, ptrdiff_t lo,
                                   ptrdiff_t hi, double *q, ptrdiff_t d)
{
    Neighbors found = {q, &side->tree, 0, side->n_neighbors, {0}, {0}};
    for (ptrdiff_t site = lo; site < hi; site++) {
        found.site = (uint32_t)site;
        for (int r = 0; r < found.size; r++) found.length[r] = INFINITY;
        kd_read_site(&side->tree, found.site, q, d);
        kd_climb(&side->tree, side->tree.leaf[site], q, &found.length[found.size - 1], &found,
                 skip_nothing, look_for_neighbors, 0, d);
        for (int r = 0; r < found.size; r++)
            side->neighbors[site * found.size + r] = found.neighbor[r];
        side->list_end[site] =
            found.size == side->tree.n_sites - 1 ? INFINITY : found.length[found.size - 1];
        if (side->unit_of_site == NULL && found.size > 1 && found.length[0] < found.length[1]) {
            graph->lower[site] = found.length[0];
            graph->to[site] = found.neighbor[0];
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

KD_INLINE void units_of_leaf(const Side *side, uint32_t leaf, uint32_t *first, uint32_t *end)
{
    const uint32_t site = side->tree.start[leaf], after = site + side->tree.count[leaf];
    *first = side->unit_of_site == NULL ? side->first_unit + site : side->unit_of_site[site];
    *end = side->unit_of_site == NULL ? side->first_unit + after : side->unit_of_site[after];
}

KD_INLINE uint32_t site_of(const Graph *graph, const Side *side, uint32_t u)
{
    return graph->site_of_unit == NULL ? u - side->first_unit : graph->site_of_unit[u];
}

KD_INLINE int is_inside(const Graph *graph, uint32_t u)
{
    return component_of(graph, unit_of(graph, graph->to[u])) == component_of(graph, u);
}

static inline int comes_before(const Graph *graph, uint32_t u, uint32_t v)
{
    if (graph->lower[u] != graph->lower[v]) return graph->lower[u] < graph->lower[v];
    const uint32_t from_u = graph->from ? graph->from[u] : u, from_v = graph->from ? graph->from[v] : v;
    return edge_key(graph, from_u, graph->to[u]) < edge_key(graph, from_v, graph->to[v]);
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

/* ---- nearest aliens ---- */

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

/* The leaves of `other` with aliens of a component no farther from a box than limit;
 * how many, or -1 if they are more than `nodes` can hold. */
KD_INLINE int near_leaves(const Side *other, uint32_t component, const double *box, double limit,
                          uint32_t *nodes, ptrdiff_t d)
{
    uint32_t waiting[KD_DEPTH];
    int n_waiting = 1, found = 0;
    waiting[0] = 0;
    while (n_waiting > 0) {
        const uint32_t node = waiting[--n_waiting];
        if (other->node_component[node] == component) continue;
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

/* All units of the leaves among nodes lo..hi-1 of side `own` whose bounds are not above
 * the best length of their component learn their smallest edge or, with that length
 * times `reach`, a new bound. */
KD_INLINE void find_aliens_with(const Graph *graph, const Side *own, const Side *other,
                                ptrdiff_t lo, ptrdiff_t hi, double *best_length, double reach,
                                double *q, ptrdiff_t d)
{
    uint32_t nodes[MOST_NEAR_LEAVES];
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (own->tree.count[leaf] == 0 || own->tree.right[leaf] != 0) continue;
        const uint32_t common = own->node_component[leaf];
        uint32_t first, last;
        units_of_leaf(own, leaf, &first, &last);
        int n_nodes = -1;
        double limit = INFINITY;
        if (common != NONE) {
            const uint32_t least = own->leaf_least[leaf];
            limit = shared_read(best_length + common) * reach;
            if (!own->leaf_stale[leaf] && (least == NONE || graph->lower[least] > limit)) continue;
            own->leaf_stale[leaf] = 1;
            n_nodes = near_leaves(other, common, kd_box(&own->tree, leaf, d), limit, nodes, d);
        }
        for (uint32_t u = first; u < last; u++) {
            const double best = shared_read(best_length + component_of(graph, u));
            if (graph->to[u] != NONE || graph->lower[u] > best || graph->lower[u] == INFINITY)
                continue;
            if (n_nodes < 0) {
                const Edge found = find_alien(graph, own, other, u, best * reach, q, d);
                keep(graph, u, &found);
                share(graph, &found, best_length);
                continue;
            }
            Aliens aliens = {q, graph, other, u, common, {limit, 0, NONE, 0, 0}};
            if (n_nodes > 0) kd_read_site(&own->tree, site_of(graph, own, u), q, d);
            for (int i = 0; i < n_nodes; i++)
                if (kd_bound(&other->tree, nodes[i], q, d) <= aliens.best.length)
                    look_for_aliens(&aliens, nodes[i], d);
            keep(graph, u, &aliens.best);
            share(graph, &aliens.best, best_length);
        }
    }
}

/* The site of tree `other` with the coordinates of a site of `own`, or -1. */
static ptrdiff_t find_site(const KDTree *own, ptrdiff_t site, const KDTree *other, double *q)
{
    const ptrdiff_t d = own->d;
    uint32_t waiting[KD_DEPTH];
    int n_waiting = 1;
    waiting[0] = 0;
    kd_read_site(own, (uint32_t)site, q, d);
    while (n_waiting > 0) {
        const uint32_t node = waiting[--n_waiting];
        if (kd_bound(other, node, q, d) > 0) continue;
        if (other->right[node] != 0) {
            waiting[n_waiting++] = node + 1;
            waiting[n_waiting++] = other->right[node];
            continue;
        }
        const double *leaf = kd_leaf(other, node, d);
        for (uint32_t j = 0; j < other->count[node]; j++) {
            ptrdiff_t k = 0;
            while (k < d && leaf[k * other->count[node] + j] == q[k]) k++;
            if (k == d) return (ptrdiff_t)(other->start[node] + j);
        }
    }
    return -1;
}

/* ---- for a dimension known when compiled, and for any other ---- */

static void list_neighbors(const Graph *graph, const Side *side, ptrdiff_t lo, ptrdiff_t hi,
                           double *q)
{
#define CALL(d) list_neighbors_with(graph, side, lo, hi, q, d)
    KD_DISPATCH(side->tree.d, CALL)
#undef CALL
}

static void refresh(const Graph *graph, const Side *side, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
#define CALL(d) refresh_with(graph, side, lo, hi, q, d)
    KD_DISPATCH(side->tree.d, CALL)
#undef CALL
}

static void find_aliens(const Graph *graph, const Side *own, const Side *other, ptrdiff_t lo,
                        ptrdiff_t hi, double *best_length, double reach, double *q)
{
#define CALL(d) find_aliens_with(graph, own, other, lo, hi, best_length, reach, q, d)
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
