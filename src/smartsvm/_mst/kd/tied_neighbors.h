/* All sites at each site's nearest distance, where that distance is shared by many.
 *
 * On lattices and one-hot data a site has tens of equally near neighbours, more than
 * its list would hold, and the seeded order wants the one with the smallest key. All
 * of them are found once here, and Borůvka's rounds choose among them: a site whose
 * ties are complete has no other edge up to that distance.
 *
 * Leaves near the box of a leaf are found once for all its sites. A leaf has room for
 * TIED_ROOM neighbours per site; a site that finds no room is incomplete, and searches.
 */
#ifndef SMARTSVM_KD_TIED_NEIGHBORS_H
#define SMARTSVM_KD_TIED_NEIGHBORS_H

#include "kd/graph.h"

enum { TIED_ROOM = 48, MOST_TIED = 256, MOST_TIED_LEAVES = 256 };

typedef struct {
    const double *q;
    const KDTree *tree;
    uint32_t site;
    double nearest;
    int n, room, complete;
    uint32_t found[MOST_TIED];
} Ties;

INLINE void start_ties(Ties *ties, const KDTree *tree, uint32_t site, double nearest, int room,
                       double *q, ptrdiff_t d)
{
    ties->q = q;
    ties->tree = tree;
    ties->site = site;
    ties->nearest = nearest;
    ties->n = 0;
    ties->room = room < MOST_TIED ? room : MOST_TIED;
    ties->complete = 1;
    kd_read_site(tree, site, q, d);
}

INLINE void offer_tie(Ties *ties, uint32_t site, double length)
{
    if (length > ties->nearest || site == ties->site) return;
    if (length < ties->nearest) {
        ties->nearest = length;
        ties->n = 0;
        ties->complete = 1;
    }
    if (ties->n < ties->room)
        ties->found[ties->n++] = site;
    else
        ties->complete = 0;
}

INLINE void look_for_ties(void *search, uint32_t leaf, ptrdiff_t d)
{
    Ties *ties = search;
    double length[KD_LEAF];
    KD_BITS(j, kd_distances(ties->tree, ties->q, leaf, ties->nearest, length, d))
        offer_tie(ties, ties->tree->start[leaf] + j, length[j]);
}

/* All ties of one site, by a search of its own. */
INLINE void search_ties(Ties *ties, ptrdiff_t d)
{
    kd_walk(ties->tree, ties->tree->leaf[ties->site], ties->q, &ties->nearest, ties,
            kd_bound_of_point, kd_skip_nothing, look_for_ties, 1, d);
}

/* The leaves no farther from a leaf than limit; how many, or -1 if `leaves` is too small. */
INLINE int leaves_near(const KDTree *tree, uint32_t leaf, double limit, uint32_t *leaves,
                       ptrdiff_t d)
{
    const double *box = kd_box(tree, leaf, d);
    uint32_t waiting[KD_DEPTH];
    int n_waiting = 1, found = 0;
    waiting[0] = 0;
    while (n_waiting > 0) {
        const uint32_t node = waiting[--n_waiting];
        if (kd_box_bound(kd_box(tree, node, d), box, d) > limit) continue;
        if (tree->right[node] != 0) {
            waiting[n_waiting++] = tree->right[node];
            waiting[n_waiting++] = node + 1;
        } else if (found == MOST_TIED_LEAVES)
            return -1;
        else
            leaves[found++] = node;
    }
    return found;
}

/* Bounds of the nearest distances of a leaf's sites, from within the leaf; the largest. */
INLINE double bounds_within_leaf(const KDTree *tree, uint32_t leaf, double *bound, double *q,
                                 ptrdiff_t d)
{
    double length[KD_LEAF], largest = 0;
    for (uint32_t i = 0; i < tree->count[leaf]; i++) {
        bound[i] = INFINITY;
        kd_read_site(tree, tree->start[leaf] + i, q, d);
        KD_BITS(j, kd_distances(tree, q, leaf, INFINITY, length, d))
            if (j != i && length[j] < bound[i]) bound[i] = length[j];
        if (bound[i] > largest) largest = bound[i];
    }
    return largest;
}

/* For the sites of the leaves among nodes lo..hi-1: the edges to the sites at their nearest
 * distance, and a bound that all other edges reach (`radius`). 0: no memory. */
INLINE int list_ties_with(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, Chunk *chunk,
                          double *q, ptrdiff_t d)
{
    const KDTree *tree = &graph->sets[0].tree;
    uint32_t leaves[MOST_TIED_LEAVES];
    double within[KD_LEAF];
    Ties ties;
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (tree->count[leaf] == 0 || tree->right[leaf] != 0) continue;
        const uint32_t start = tree->start[leaf], end = start + tree->count[leaf];
        const double reach = bounds_within_leaf(tree, leaf, within, q, d);
        const int n_leaves = leaves_near(tree, leaf, reach, leaves, d);
        int room = TIED_ROOM * (int)(end - start);
        if (!chunk_has_room(chunk, (size_t)room)) return 0;
        for (uint32_t site = start; site < end; site++) {
            start_ties(&ties, tree, site, within[site - start], room, q, d);
            if (n_leaves < 0) search_ties(&ties, d);
            for (int i = 0; i < n_leaves; i++)
                if (kd_bound(tree, leaves[i], q, d) <= ties.nearest)
                    look_for_ties(&ties, leaves[i], d);
            for (int i = 0; i < ties.n; i++)
                chunk->edges[chunk->n_edges++] = plain_edge(ties.nearest, site, ties.found[i]);
            room -= ties.n;
            graph->radius[site] = ties.complete ? nextafter(ties.nearest, INFINITY) : ties.nearest;
        }
    }
    return 1;
}

static int list_ties(const Graph *graph, ptrdiff_t lo, ptrdiff_t hi, double *q)
{
    Chunk *chunk = graph->chunks + lo / NODES_IN_A_CHUNK;
    int done = 1;
    FOR_DIMENSION(graph->sets[0].tree.d, done = list_ties_with(graph, lo, hi, chunk, q, d));
    if (done) chunk_trim(chunk);
    return done;
}

/* Whether most sites have at least `many` nearest neighbours, and few enough to list. */
static int has_many_ties(const KDTree *tree, int many, double *q)
{
    enum { SAMPLE = 32 };
    int tied = 0, total = 0;
    for (ptrdiff_t i = 0; i < SAMPLE; i++) {
        Ties ties;
        start_ties(&ties, tree, (uint32_t)(i * tree->n_sites / SAMPLE), INFINITY, MOST_TIED, q,
                   tree->d);
        search_ties(&ties, tree->d);
        tied += ties.n >= many;
        total += ties.n;
    }
    return 2 * tied > SAMPLE && total <= SAMPLE * TIED_ROOM;
}

#endif
