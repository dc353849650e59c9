/* All sites at each site's nearest distance, where that distance is shared by many.
 *
 * On lattices and one-hot data a site has tens of equally near neighbours, more than
 * its list would hold, and the seeded order wants the one with the smallest key. All
 * of them are found once here, and Boruvka's rounds choose among them: a unit whose
 * ties are complete has no other edge up to that distance.
 *
 * Leaves near the box of a leaf are found once for all its sites. A leaf has room for
 * TIED_ROOM neighbours a site; a site that finds no room is incomplete, and searches.
 */
#ifndef SMARTSVM_TIES_H
#define SMARTSVM_TIES_H

#include "kdtree.h"

enum { TIED_ROOM = 48, MOST_TIED = 256, MOST_TIED_LEAVES = 256 };

typedef struct {
    const double *q;
    const KDTree *tree;
    uint32_t site;
    double nearest;
    int n, room, complete;
    uint32_t *found;
} Ties;

KD_INLINE void look_for_ties(void *search, uint32_t leaf, ptrdiff_t d)
{
    Ties *ties = search;
    double length[KD_LEAF];
    const int count = kd_distances(ties->tree, ties->q, leaf, length, d);
    for (int j = 0; j < count; j++) {
        const uint32_t site = ties->tree->start[leaf] + (uint32_t)j;
        if (length[j] > ties->nearest || site == ties->site) continue;
        if (length[j] < ties->nearest) {
            ties->nearest = length[j];
            ties->n = 0;
            ties->complete = 1;
        }
        if (ties->n < ties->room)
            ties->found[ties->n++] = site;
        else
            ties->complete = 0;
    }
}

/* The leaves no farther from a box than limit; how many, or -1 if `leaves` is too small. */
KD_INLINE int leaves_near(const KDTree *tree, const double *box, double limit, uint32_t *leaves,
                          ptrdiff_t d)
{
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

/* The largest distance of a site of this leaf to the nearest other one in it. */
KD_INLINE double reach_within(const KDTree *tree, uint32_t leaf, double *q, ptrdiff_t d)
{
    double length[KD_LEAF], reach = 0;
    const uint32_t start = tree->start[leaf], count = tree->count[leaf];
    for (uint32_t i = 0; i < count; i++) {
        double nearest = INFINITY;
        kd_read_site(tree, start + i, q, d);
        kd_distances(tree, q, leaf, length, d);
        for (uint32_t j = 0; j < count; j++)
            if (j != i && length[j] < nearest) nearest = length[j];
        if (nearest > reach) reach = nearest;
    }
    return reach;
}

/* For the sites of the leaves among nodes lo..hi-1, one after the other: the sites at
 * their nearest distance (`found`, with room for TIED_ROOM each), how many (`count`, by
 * site), that distance, and a bound that all other edges reach. How many were found. */
KD_INLINE ptrdiff_t list_ties_with(const KDTree *tree, ptrdiff_t lo, ptrdiff_t hi,
                                   uint32_t *found, uint32_t *count, double *nearest,
                                   double *bound, double *q, ptrdiff_t d)
{
    uint32_t leaves[MOST_TIED_LEAVES];
    ptrdiff_t total = 0;
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (tree->count[leaf] == 0 || tree->right[leaf] != 0) continue;
        const uint32_t start = tree->start[leaf], end = start + tree->count[leaf];
        const int n_leaves = leaves_near(tree, kd_box(tree, leaf, d),
                                         reach_within(tree, leaf, q, d), leaves, d);
        int room = TIED_ROOM * (int)(end - start);
        for (uint32_t site = start; site < end; site++) {
            Ties ties = {q, tree, site, INFINITY, 0, room < MOST_TIED ? room : MOST_TIED, 1,
                         found + total};
            kd_read_site(tree, site, q, d);
            if (n_leaves < 0)
                kd_climb(tree, leaf, q, &ties.nearest, &ties, kd_skip_nothing, look_for_ties, 1, d);
            else
                look_for_ties(&ties, leaf, d);
            for (int i = 0; i < n_leaves; i++)
                if (leaves[i] != leaf && kd_bound(tree, leaves[i], q, d) <= ties.nearest)
                    look_for_ties(&ties, leaves[i], d);
            total += ties.n;
            room -= ties.n;
            count[site] = (uint32_t)ties.n;
            nearest[site] = ties.nearest;
            bound[site] = ties.complete ? nextafter(ties.nearest, INFINITY) : ties.nearest;
        }
    }
    return total;
}

/* Whether most sites have at least `many` nearest neighbours, and few enough to list. */
KD_INLINE int has_many_ties_with(const KDTree *tree, int many, double *q, ptrdiff_t d)
{
    enum { SAMPLE = 32 };
    uint32_t found[MOST_TIED];
    int tied = 0, total = 0;
    for (ptrdiff_t i = 0; i < SAMPLE; i++) {
        const uint32_t site = (uint32_t)(i * tree->n_sites / SAMPLE);
        Ties ties = {q, tree, site, INFINITY, 0, MOST_TIED, 1, found};
        kd_read_site(tree, site, q, d);
        kd_climb(tree, tree->leaf[site], q, &ties.nearest, &ties, kd_skip_nothing, look_for_ties, 1,
                 d);
        tied += ties.n >= many;
        total += ties.n;
    }
    return 2 * tied > SAMPLE && total <= SAMPLE * TIED_ROOM;
}

/* ---- for a dimension known when compiled, and for any other ---- */

static ptrdiff_t list_ties(const KDTree *tree, ptrdiff_t lo, ptrdiff_t hi, uint32_t *found,
                           uint32_t *count, double *nearest, double *bound, double *q)
{
    ptrdiff_t total = 0;
#define CALL(d) total = list_ties_with(tree, lo, hi, found, count, nearest, bound, q, d)
    KD_DISPATCH(tree->d, CALL)
#undef CALL
    return total;
}

static int has_many_ties(const KDTree *tree, int many, double *q)
{
    int tied = 0;
#define CALL(d) tied = has_many_ties_with(tree, many, q, d)
    KD_DISPATCH(tree->d, CALL)
#undef CALL
    return tied;
}

#endif
