/* All sites at each site's nearest distance, where that distance is shared by many.
 *
 * On lattices and one-hot data a site has tens of equally near neighbours, more than
 * its list would hold, and the seeded order wants the one with the smallest key. All
 * of them are found once here, and Boruvka's rounds choose among them: a unit whose
 * ties are complete has no other edge up to that distance.
 *
 * Leaves near the box of a leaf are found once for all its sites. A leaf has room for
 * TIED_ROOM neighbours a site; a site that finds no room is incomplete, and searches.
 * Where most features have two values, counts of bits (sketch.h) exclude most pairs.
 */
#ifndef SMARTSVM_TIES_H
#define SMARTSVM_TIES_H

#include "kd/binary_features.h"

enum { TIED_ROOM = 48, MOST_TIED = 256, MOST_TIED_LEAVES = 256 };

typedef struct {
    const double *q;
    const KDTree *tree;
    uint32_t site;
    double nearest;
    int n, room, complete;
    uint32_t *found;
} Ties;

KD_INLINE void offer_tie(Ties *ties, uint32_t site, double length)
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

KD_INLINE void look_for_ties(void *search, uint32_t leaf, ptrdiff_t d)
{
    Ties *ties = search;
    double length[KD_LEAF];
    const int count = kd_distances(ties->tree, ties->q, leaf, length, d);
    for (int j = 0; j < count; j++) offer_tie(ties, ties->tree->start[leaf] + (uint32_t)j, length[j]);
}

/* The distance from q to a site that differs in these bits. */
KD_INLINE double distance_by_bits(const KDTree *tree, const Sketch *sketch, uint64_t differ,
                                  const double *q, uint32_t site, ptrdiff_t d)
{
    return sketch->unit > 0 ? count_bits(differ) * sketch->unit : kd_distance(tree, q, site, d);
}

/* The same, with distances only of sites that differ in few bits. */
KD_INLINE void look_for_ties_by_bits(Ties *ties, const Sketch *sketch, uint32_t leaf, ptrdiff_t d)
{
    const uint32_t start = ties->tree->start[leaf], end = start + ties->tree->count[leaf];
    const uint64_t own = sketch->bits[ties->site];
    double nearest = ties->nearest;
    int most = bits_within(sketch, nearest);
    if (has_more_bits(bits_to_node(sketch, own, leaf), most)) return;
    for (uint32_t site = start; site < end; site++) {
        const uint64_t differ = sketch->bits[site] ^ own;
        if (has_more_bits(differ, most)) continue;
        offer_tie(ties, site, distance_by_bits(ties->tree, sketch, differ, ties->q, site, d));
        if (ties->nearest == nearest) continue;
        nearest = ties->nearest;
        most = bits_within(sketch, nearest);
    }
}

/* The leaves no farther from a leaf than limit; how many, or -1 if `leaves` is too small. */
KD_INLINE int leaves_near(const KDTree *tree, const Sketch *sketch, uint32_t leaf, double limit,
                          uint32_t *leaves, ptrdiff_t d)
{
    const double *box = kd_box(tree, leaf, d);
    const int most = sketch->step > 0 ? bits_within(sketch, limit) : 0;
    uint32_t waiting[KD_DEPTH];
    int n_waiting = 1, found = 0;
    waiting[0] = 0;
    while (n_waiting > 0) {
        const uint32_t node = waiting[--n_waiting];
        if (sketch->step > 0 && has_more_bits(bits_between(sketch, node, leaf), most)) continue;
        if (!sketch->whole && kd_box_bound(kd_box(tree, node, d), box, d) > limit) continue;
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
KD_INLINE double bound_within(const KDTree *tree, const Sketch *sketch, uint32_t leaf,
                              double *bound, double *q, ptrdiff_t d)
{
    double length[KD_LEAF], largest = 0;
    const uint32_t start = tree->start[leaf], count = tree->count[leaf];
    for (uint32_t i = 0; i < count; i++) {
        bound[i] = INFINITY;
        kd_read_site(tree, start + i, q, d);
        if (sketch->step > 0) {
            /* The site that differs in fewest bits is as good as any. */
            int fewest = MOST_BITS + 1;
            uint32_t best = 0;
            for (uint32_t j = 0; j < count; j++) {
                const int n_bits = count_bits(sketch->bits[start + i] ^ sketch->bits[start + j]);
                if (j != i && n_bits < fewest) {
                    fewest = n_bits;
                    best = j;
                }
            }
            if (count > 1)
                bound[i] = distance_by_bits(
                    tree, sketch, sketch->bits[start + i] ^ sketch->bits[start + best], q,
                    start + best, d);
        } else {
            kd_distances(tree, q, leaf, length, d);
            for (uint32_t j = 0; j < count; j++)
                if (j != i && length[j] < bound[i]) bound[i] = length[j];
        }
        if (bound[i] > largest) largest = bound[i];
    }
    return largest;
}

/* For the sites of the leaves among nodes lo..hi-1, one after the other: the sites at
 * their nearest distance (`found`, with room for TIED_ROOM each), how many (`count`, by
 * site), that distance, and a bound that all other edges reach. How many were found. */
KD_INLINE ptrdiff_t list_ties_with(const KDTree *tree, const Sketch *sketch, ptrdiff_t lo,
                                   ptrdiff_t hi, uint32_t *found, uint32_t *count,
                                   double *nearest, double *bound, double *q, ptrdiff_t d)
{
    uint32_t leaves[MOST_TIED_LEAVES];
    double within[KD_LEAF];
    ptrdiff_t total = 0;
    for (uint32_t leaf = (uint32_t)lo; leaf < (uint32_t)hi; leaf++) {
        if (tree->count[leaf] == 0 || tree->right[leaf] != 0) continue;
        const uint32_t start = tree->start[leaf], end = start + tree->count[leaf];
        const double reach = bound_within(tree, sketch, leaf, within, q, d);
        const int n_leaves = leaves_near(tree, sketch, leaf, reach, leaves, d);
        int room = TIED_ROOM * (int)(end - start);
        for (uint32_t site = start; site < end; site++) {
            Ties ties = {q, tree, site, within[site - start], 0,
                         room < MOST_TIED ? room : MOST_TIED, 1, found + total};
            kd_read_site(tree, site, q, d);
            if (n_leaves < 0)
                kd_walk(tree, leaf, q, &ties.nearest, &ties, kd_bound_of_point, kd_skip_nothing,
                        look_for_ties, 1, d);
            for (int i = 0; i < n_leaves; i++) {
                if (!sketch->whole && kd_bound(tree, leaves[i], q, d) > ties.nearest) continue;
                if (sketch->step > 0)
                    look_for_ties_by_bits(&ties, sketch, leaves[i], d);
                else
                    look_for_ties(&ties, leaves[i], d);
            }
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
        kd_walk(tree, tree->leaf[site], q, &ties.nearest, &ties, kd_bound_of_point, kd_skip_nothing,
                look_for_ties, 1, d);
        tied += ties.n >= many;
        total += ties.n;
    }
    return 2 * tied > SAMPLE && total <= SAMPLE * TIED_ROOM;
}

/* ---- for a dimension known when compiled, and for any other ---- */

static ptrdiff_t list_ties(const KDTree *tree, const Sketch *sketch, ptrdiff_t lo, ptrdiff_t hi,
                           uint32_t *found, uint32_t *count, double *nearest, double *bound,
                           double *q)
{
    ptrdiff_t total = 0;
#define CALL(d) total = list_ties_with(tree, sketch, lo, hi, found, count, nearest, bound, q, d)
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
