/* The graph that Boruvka's algorithm works on, and what is known of each unit's edges.
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
#ifndef SMARTSVM_GRAPH_H
#define SMARTSVM_GRAPH_H

#include "kd/tree.h"
#include "common/order.h"

#define NONE UINT32_MAX

typedef struct {
    uint64_t seed;
    const uint32_t *identity;       /* slot -> identity of its point */
    const ptrdiff_t *used_start;    /* slot -> its partners in earlier trees; NULL: none yet */
    const uint32_t *used;
    /* NULL where every site has one slot: then slots and units are the same. */
    uint32_t *unit_of_slot;
    uint32_t *unit_start;     /* unit -> its first slot */
    uint32_t *site_of_unit;
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
    uint32_t *unit_of_site;   /* site -> its first unit; NULL: first_unit + site */
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
    const ptrdiff_t *start = graph->used_start;
    if (start[j + 1] - start[j] < start[i + 1] - start[i]) {
        const uint32_t t = i;
        i = j;
        j = t;
    }
    for (ptrdiff_t e = start[i]; e < start[i + 1]; e++)
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

/* The near end of the edge that unit u keeps. */
static inline uint32_t from_of(const Graph *graph, uint32_t u)
{
    return graph->from == NULL ? u : graph->from[u];
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

#endif
