/* The edges of a tree that neighbour lists certify; see kruskal.h. Every site is one unit.
 *
 * They are looked for in parts of the kd-tree first, where a site's reach ends at the first of
 * its neighbours outside. Parts are independent of each other and small enough for the cache.
 * Then once among all components, with the edges that the parts leave. Most of a tree in low
 * dimension is found this way, without rounds over all sites.
 */
#ifndef SMARTSVM_LOCAL_FORESTS_H
#define SMARTSVM_LOCAL_FORESTS_H

#include "kd/certified_kruskal.h"

typedef struct {
    uint32_t first, n;              /* sites */
    Candidate *left;                /* edges between components, to other parts too */
    size_t n_left;
    ptrdiff_t n_taken;              /* edges of the tree, written from `first` on */
} LocalPart;

/* The sites of the leaves among nodes lo..hi-1. */
static void start_part(const KDTree *tree, ptrdiff_t lo, ptrdiff_t hi, LocalPart *part)
{
    const LocalPart empty = {0, 0, NULL, 0, 0};
    *part = empty;
    for (ptrdiff_t v = lo; v < hi; v++) {
        if (tree->count[v] == 0 || tree->right[v] != 0) continue;
        if (part->n == 0) part->first = tree->start[v];
        part->n += tree->count[v];
    }
}

/* Write the edges known of a site, nearest first, and its reach; how many. `lengths` are those
 * of its list; NULL: not computed yet. */
KD_INLINE size_t know_site(const Graph *graph, const Side *side, const LocalPart *part,
                           uint32_t site, const double *lengths, Candidate *edges, double *reach,
                           double *q, ptrdiff_t d)
{
    const int size = side->n_neighbors;
    const uint32_t *list = side->neighbors + (size_t)site * (size_t)size;
    const double end = side->list_end[site];
    size_t known = 0;
    *reach = end;
    if (lengths == NULL) kd_read_site(&side->tree, site, q, d);
    for (int r = 0; r < size; r++) {
        const double length =
            lengths == NULL ? kd_distance(&side->tree, q, list[r], d) : lengths[r];
        if (length >= end) break;
        if (is_used(graph, site, list[r])) continue;
        if (list[r] - part->first >= part->n && length < *reach) *reach = length;
        const Candidate edge = {length, site, list[r]};
        edges[known++] = edge;
    }
    return known;
}

/* Know all sites of a part, and take their smallest edges unless they are tied. */
KD_INLINE void take_nearest(Kruskal *kruskal, const Side *side, LocalPart *part,
                            const double *lengths, double *q, ptrdiff_t d)
{
    const ptrdiff_t size = side->n_neighbors;
    Candidate *edges = part->left, *nearest = kruskal->spare;
    size_t n_nearest = 0;
    for (uint32_t c = 0; c < part->n; c++) {
        const size_t known = know_site(kruskal->graph, side, part, part->first + c,
                                       lengths == NULL ? NULL : lengths + c * size, edges,
                                       kruskal->reach + c, q, d);
        kruskal->parent[c] = c;
        if (known > 0 && edges->length < kruskal->reach[c]
            && (known == 1 || edges->length < edges[1].length))
            nearest[n_nearest++] = *edges;
        edges += known;
    }
    part->n_left = (size_t)(edges - part->left);
    for (const Candidate *edge = nearest; edge < nearest + n_nearest; edge++) {
        const uint32_t a = union_root(kruskal->parent, edge->i - part->first);
        const uint32_t b = union_root(kruskal->parent, edge->j - part->first);
        if (a != b) kruskal_join(kruskal, a, b, edge);
    }
    for (uint32_t c = 0; c < part->n; c++)
        kruskal->parent[c] = union_root(kruskal->parent, c);
}

/* The edges within the part that may still be taken; of two that know each other one. */
static inline void choose_candidates(Kruskal *kruskal, const LocalPart *part)
{
    const uint32_t *parent = kruskal->parent;
    const double *reach = kruskal->reach;
    Candidate *chosen = kruskal->edges;
    for (const Candidate *edge = part->left; edge < part->left + part->n_left; edge++) {
        const uint32_t i = edge->i - part->first;
        const uint32_t j = edge->j - part->first < part->n ? edge->j - part->first : i;
        const uint32_t a = parent[i], b = parent[j];
        /* All or none of these hold often: no branches. */
        *chosen = *edge;
        chosen += (a != b) & !((i > j) & (edge->length < reach[j]))
                  & ((edge->length < reach[a]) | (edge->length < reach[b]));
    }
    kruskal->n_edges = (size_t)(chosen - kruskal->edges);
}

/* What a part leaves: places in its lists, bounds where they have ended, and the edges that
 * may be certain once other parts are known. */
static inline void leave_part(Kruskal *kruskal, const Side *side, LocalPart *part)
{
    const int size = side->n_neighbors;
    uint32_t *parent = kruskal->parent;
    double *reach = kruskal->reach;
    size_t kept = 0;
    for (uint32_t c = 0; c < part->n; c++) {
        parent[c] = union_root(parent, c);
        reach[c] = INFINITY;
    }
    reach[part->n] = INFINITY;      /* of all that is outside */
    for (uint32_t c = 0; c < part->n; c++) {
        const uint32_t site = part->first + c;
        const uint32_t *list = side->neighbors + (size_t)site * (size_t)size;
        const double end = side->list_end[site];
        int r = 0, inside = 1;
        for (int k = 0; k < size; k++) {
            const uint32_t other = list[k] - part->first;
            inside &= other < part->n && parent[other] == parent[c];
            r += inside;
        }
        side->position[site] = (uint8_t)r;
        if (r == size) kruskal->graph->lower[site] = end;
        if (end < reach[parent[c]]) reach[parent[c]] = end;
    }
    for (size_t e = 0; e < part->n_left; e++) {
        const Candidate edge = part->left[e];
        const uint32_t i = edge.i - part->first, j = edge.j - part->first;
        const uint32_t a = parent[i], b = j < part->n ? parent[j] : part->n;
        part->left[kept] = edge;
        kept += (a != b) & ((edge.length < reach[a]) | (edge.length < reach[b]));
    }
    part->n_left = kept;
}

/* Join the sites of a part, each a component so far, in `parent`, by site; the edges that did
 * it. `lengths` of the lists are given if they have just been made. 0: no memory. */
static int join_part(const Graph *graph, const Side *side, LocalPart *part, const double *lengths,
                     uint32_t *parent, uint32_t *taken, double *taken_length, double *q)
{
    const size_t n = part->n, most = n * (size_t)side->n_neighbors;
    if (n == 0) return 1;
    Candidate *edges = malloc((2 * most + 1) * sizeof *edges + (n + 1) * sizeof(double));
    part->left = malloc(most * sizeof *part->left);
    if (edges != NULL && part->left != NULL) {
        Kruskal kruskal = {
            graph, part->first, parent + part->first, (double *)(edges + 2 * most + 1), edges,
            edges + most + 1, 0, taken + 2 * (size_t)part->first, taken_length + part->first, 0,
        };
#define CALL(d) take_nearest(&kruskal, side, part, lengths, q, d)
        KD_DISPATCH(side->tree.d, CALL)
#undef CALL
        choose_candidates(&kruskal, part);
        take_certain(&kruskal);
        leave_part(&kruskal, side, part);
        part->n_taken = kruskal.n_taken;
        for (uint32_t c = 0; c < part->n; c++) kruskal.parent[c] += part->first;
        Candidate *left = realloc(part->left, (part->n_left + 1) * sizeof *left);
        if (left != NULL) part->left = left;
    }
    free(edges);
    return edges != NULL && part->left != NULL;
}

/* Keep the edges left by a part that may still be taken, of two that know each other one. */
static inline size_t keep_useful(const Graph *graph, const Side *side, LocalPart *part,
                                 const double *reach)
{
    size_t kept = 0;
    for (size_t e = 0; e < part->n_left; e++) {
        const Candidate edge = part->left[e];
        const uint32_t a = component_of(graph, edge.i), b = component_of(graph, edge.j);
        part->left[kept] = edge;
        kept += !((edge.i > edge.j) & (edge.length < side->list_end[edge.j]))
                & ((edge.length < reach[a]) | (edge.length < reach[b]));
    }
    part->n_left = kept;
    return kept;
}

/* Join all components with the edges that the parts have left. Returns how many edges did it;
 * -1: no memory. */
static ptrdiff_t join_rest(const Graph *graph, const Side *side, LocalPart *parts,
                           ptrdiff_t n_parts, size_t n_components, uint32_t *parent,
                           uint32_t *taken, double *taken_length)
{
    double *reach = malloc((n_components + 1) * sizeof *reach);
    if (reach == NULL) return -1;
    for (size_t c = 0; c < n_components; c++) reach[c] = INFINITY;
    for (uint32_t site = 0; site < (uint32_t)side->tree.n_sites; site++) {
        double *own = reach + component_of(graph, site);
        if (side->list_end[site] < *own) *own = side->list_end[site];
    }
    size_t n_edges = 0;
    for (ptrdiff_t p = 0; p < n_parts; p++) n_edges += keep_useful(graph, side, parts + p, reach);
    Candidate *edges = malloc((2 * n_edges + 1) * sizeof *edges);
    Kruskal kruskal = {
        graph, NONE, parent, reach, edges, edges + n_edges, 0, taken, taken_length, 0,
    };
    for (ptrdiff_t p = 0; p < n_parts && edges != NULL; p++) {
        memcpy(edges + kruskal.n_edges, parts[p].left, parts[p].n_left * sizeof *edges);
        kruskal.n_edges += parts[p].n_left;
        free(parts[p].left);
        parts[p].left = NULL;
    }
    if (edges != NULL) take_certain(&kruskal);
    free(edges);
    free(reach);
    return edges == NULL ? -1 : kruskal.n_taken;
}

#endif
