/* Pairs of near sites of two leaves: each site of one leaf is a row of distances.
 *
 * A row whose distance to the box of the other leaf exceeds its limit is skipped.
 */
#pragma once

#include "kdtree/tree.h"

/* The leaf whose sites search; they are numbered from 0 here. */
typedef struct {
    const KDTree *tree;
    uint32_t leaf;
    double limit[KD_LEAF];          /* site -> no pair beyond is wanted; negative: none at all */
    double farthest;                /* the largest limit, as of the last kd_find_farthest */
    double *q;                      /* room for a point */
} KDRows;

INLINE void kd_find_farthest(KDRows *rows)
{
    double2 most = kd_zero - 1;
    for (int i = 0; i < KD_LEAF; i += 2)
        most = double2_max(most, *(const double2 *)(rows->limit + i));
    rows->farthest = most[0] > most[1] ? most[0] : most[1];
}

/* Begin with a leaf, no site of it searching yet. */
INLINE void kd_start_rows(KDRows *rows, const KDTree *tree, uint32_t leaf, double *room)
{
    rows->tree = tree;
    rows->leaf = leaf;
    rows->q = room;
    for (int i = 0; i < KD_LEAF; i++) rows->limit[i] = -1;
}

/* A lower bound of the squared distances from the leaf to the sites under a node. */
INLINE double kd_bound_of_rows(const KDTree *tree, uint32_t node, const void *query, ptrdiff_t d)
{
    const KDRows *rows = query;
    return kd_box_bound(kd_box(tree, node, d), kd_box(rows->tree, rows->leaf, d), d);
}

/* Callbacks of a search for pairs, for site i of its own leaf and a site of the other: whether the
 * pair is wanted, and what to do with it. `found` may lower the limits of rows, which are read again
 * for every pair. */
typedef int (*kd_wanted)(const void *search, ptrdiff_t i, uint32_t site);
typedef void (*kd_found)(void *search, ptrdiff_t i, uint32_t site, double length);

INLINE int kd_is_below(double length, double limit, int ties)
{
    return ties ? length <= limit : length < limit;
}

INLINE void kd_read_row(const KDRows *rows, ptrdiff_t i, ptrdiff_t d)
{
    const ptrdiff_t count = rows->tree->count[rows->leaf];
    const double *x = kd_leaf(rows->tree, rows->leaf, d) + i;
    for (ptrdiff_t k = 0; k < d; k++) rows->q[k] = x[k * count];
    if (d % 2) rows->q[d] = 0;
}

/* All pairs of sites of the searching leaf and wanted sites of another, within the limits. */
INLINE void kd_pairs_of_leaves(const KDRows *rows, const KDTree *tree, uint32_t leaf,
                               void *search, kd_wanted wanted, kd_found found, int ties,
                               ptrdiff_t d)
{
    const double *x = kd_leaf(rows->tree, rows->leaf, d), *box = kd_box(tree, leaf, d);
    const ptrdiff_t n_rows = rows->tree->count[rows->leaf];
    const uint32_t start = tree->start[leaf];
    double bound[KD_LEAF], length[KD_LEAF];
    if (n_rows == KD_LEAF)  /* most are full: a loop the compiler can unroll */
        kd_row_bounds(x, KD_LEAF, box, bound, d);
    else
        kd_row_bounds(x, n_rows, box, bound, d);
    for (ptrdiff_t i = 0; i < n_rows; i++) {
        if (!kd_is_below(bound[i], rows->limit[i], ties)) continue;
        kd_read_row(rows, i, d);
        KD_BITS(j, kd_distances(tree, rows->q, leaf, rows->limit[i], length, d))
            if (kd_is_below(length[j], rows->limit[i], ties) && wanted(search, i, start + j))
                found(search, i, start + j, length[j]);
    }
}
