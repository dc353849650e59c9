/* Searches by mutual reachability (edge_order.h). Equal points have the same core, that of their
 * site.
 *
 * The searches rely on three facts:
 * - No edge of a vertex is shorter than its core. If the best edge is as short as that, only an edge
 *   to a nearer site can be smaller.
 * - No edge to a site below a node is shorter than the least core below that node.
 * - Lists of neighbours are in the order of distances. So an edge to a site that is not listed is no
 *   shorter than the distance at the end of the list.
 *
 * An edge between equal points has the distance 0 and the length of their core, and no other edge of
 * these points is smaller. So every tree begins with them, as it does where lengths are distances
 * (state.pyx).
 */
#pragma once

#include "kdtree/graph.h"
#include "kdtree/nearest.h"

INLINE double mutual_max(double a, double b) { return a > b ? a : b; }

/* The distance beyond which no edge of a vertex with this core is smaller than its best. */
INLINE double farthest_to_beat(const Edge *best, double core)
{
    return best->length == core ? best->distance : best->length;
}

/* The core of a site; 0 where lengths are distances. */
INLINE double core_of(const Graph *graph, uint32_t site)
{
    return graph->core == NULL ? 0 : graph->core[site];
}

/* The cores of the sites of the leaves among nodes lo..hi-1, and the least core of each leaf. They
 * come from the lists, if these are long enough, else from searches; -1 without memory for those. */
INLINE void find_cores_with(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q,
                            ptrdiff_t d)
{
    const PointSet *set = graph->sets;
    const KDTree *tree = &set->tree;
    const ptrdiff_t k = graph->k;
    const int searches = graph->n_neighbors < k && graph->n_neighbors < tree->n_sites - 1;
    uint32_t *to = searches ? malloc((size_t)k * sizeof *to) : NULL;
    double *length = searches ? malloc((size_t)k * sizeof *length) : NULL;
    FOR_LEAVES(tree, leaf, lo, hi) {
        double least = INFINITY;
        for (uint32_t site = tree->start[leaf]; site < tree->start[leaf] + tree->count[leaf];
             site++) {
            double core = -1;
            if (!searches) {
                const uint32_t *list = graph->neighbors + (size_t)site * (size_t)graph->n_neighbors;
                ptrdiff_t seen = points_of_site(graph, site) - 1;
                int r = 0;
                for (; seen < k; r++) seen += points_of_site(graph, list[r]);
                if (d < KEEPS_DISTANCES) kd_read_site(tree, site, q, d);
                core = r == 0 ? 0 : listed_distance(graph, set, site, r - 1, q, d);
            } else if (to != NULL && length != NULL) {
                find_nearest(graph, first_point(graph, site), site, q, to, length, d);
                core = length[k - 1];
            }
            graph->core[site] = core;
            least = core < least ? core : least;
        }
        graph->node_core[leaf] = least;
    }
    free(to);
    free(length);
}

static void find_cores(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
    FOR_DIMENSION(graph->sets[0].tree.d, find_cores_with(graph, lo, hi, q, d));
}

/* The least core below each inner node; children have larger numbers. Returns that of the root. */
static inline double least_cores(const Graph *graph)
{
    const KDTree *tree = &graph->sets[0].tree;
    double *least = graph->node_core;
    for (ptrdiff_t v = tree->n_nodes - 1; v >= 0; v--)
        if (tree->count[v] != 0 && tree->right[v] != 0) {
            const double a = least[v + 1], b = least[tree->right[v]];
            least[v] = a < b ? a : b;
        }
    return least[0];
}

/* Read the list of vertex v. It gives the smallest edge of v, if no site beyond the list can have a
 * smaller one; else a lower bound of that, and perhaps an edge, which bounds the best of the
 * component. */
INLINE void read_mutual_list(const Graph *graph, const PointSet *set, uint32_t v, double *q,
                             ptrdiff_t d)
{
    const uint32_t site = site_of(graph, set, v), component = graph->component[v];
    const int size = graph->n_neighbors;
    const uint32_t *list = graph->neighbors + (size_t)site * (size_t)size;
    const double core = graph->core[site], end = graph->list_end[site];
    const double beyond = mutual_max(core, end);
    uint8_t *position = graph->position + v;
    Edge best = {INFINITY, INFINITY, 0, NONE};
    if (d < KEEPS_DISTANCES && *position < size) kd_read_site(&set->tree, site, q, d);
    for (int r = *position; r < size; r++) {
        if (!is_outside(graph, set, component, list[r])) {
            if (r == *position) ++*position;
            continue;
        }
        const double distance = listed_distance(graph, set, site, r, q, d);
        if (distance > farthest_to_beat(&best, core)) break;
        const double length = mutual_max(mutual_max(distance, core), graph->core[list[r]]);
        try_site(graph, set, v, list[r], length, distance, &best);
    }
    if (best.to != NONE
        && (best.length < beyond || (best.length == beyond && best.distance < end))) {
        keep(graph, v, &best);
        return;
    }
    if (beyond > graph->lower[v]) graph->lower[v] = beyond;
    if (best.to != NONE) shared_lower(graph->best_length + component, best.length);
}

/* A search for the smallest edge from a vertex to another component. */
typedef struct {
    const Graph *graph;
    uint32_t vertex, component;
    double core;                    /* of the vertex */
    double farthest;                /* distance beyond which no edge is smaller than the best */
    const double *q;
    Edge best;
} MutualSearch;

static inline int skip_mutual(const void *search, uint32_t node)
{
    const MutualSearch *mutual = search;
    const Graph *graph = mutual->graph;
    return graph->sets[0].node_component[node] == mutual->component
           || graph->node_core[node] > mutual->best.length;
}

INLINE void scan_mutual(void *search, uint32_t leaf, ptrdiff_t d)
{
    MutualSearch *mutual = search;
    const Graph *graph = mutual->graph;
    const KDTree *tree = &graph->sets[0].tree;
    Edge *best = &mutual->best;
    double distance[KD_LEAF];
    KD_BITS(j, kd_distances(tree, mutual->q, leaf, mutual->farthest, distance, d)) {
        const uint32_t site = tree->start[leaf] + j;
        if (graph->core[site] > best->length || distance[j] > mutual->farthest) continue;
        const double length =
            mutual_max(mutual_max(distance[j], mutual->core), graph->core[site]);
        try_site(graph, graph->sets, mutual->vertex, site, length, distance[j], best);
        if (best->to != NONE)
            mutual->farthest = farthest_to_beat(best, mutual->core);
    }
}

/* As find_outward of other_component.h. */
static Edge find_mutual(const Graph *graph, uint32_t v, double limit, double *q)
{
    const PointSet *set = graph->sets;
    const uint32_t site = site_of(graph, set, v);
    MutualSearch search = {graph, v, graph->component[v], graph->core[site], limit, q,
                           {limit, limit, 0, NONE}};
    FOR_DIMENSION(set->tree.d, kd_read_site(&set->tree, site, q, d);
                  kd_walk(&set->tree, set->tree.leaf[site], q, &search.farthest, &search,
                          kd_bound_of_point, skip_mutual, scan_mutual, 1, d));
    return search.best;
}
