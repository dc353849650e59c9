/* Pairs of near sites of two leaves: each site of one leaf is a row of distances.
 *
 * A row whose distance to the box of the other leaf exceeds its limit is skipped. Few
 * coordinates are summed in float64 at once. With KD_SINGLE coordinates or more, float32 sums
 * select and the float64 sum of a selected pair decides, so results do not depend on them.
 *
 * Why the float32 sums lose no pair: coordinates are kept relative to the middle of their leaf's
 * box, and the middles are subtracted in float64. So a difference of coordinates comes out of three
 * terms, u + w - v, each rounded once, and of two rounded additions: its error is at most 3 * 2^-24
 * (|u| + |w| + |v|) and a little, the error of the distance e <= 2^-22 S, where S is the length of
 * the vector of these sums, at most the farthest distance between the two boxes. A distance up to t
 * is then computed, squared, as at most (t + e)^2 (1 + (d + 2) 2^-24), which is below t^2 (1 +
 * 2^-9) + 2^-33 S^2 (by 2 t e <= 2^-10 t^2 + 2^10 e^2) for d < 2^13. The bounds of rows are no
 * larger than distances, and as exact. The root's width is kept in a range where nothing overflows
 * and what underflows stays below KD_UNDERFLOW.
 */
#pragma once

#include "kd/tree.h"

static const float KD_UNDERFLOW = 0x1p-120f;

/* The leaf whose sites search; they are numbered from 0 here. */
typedef struct {
    const KDTree *tree;
    uint32_t leaf;
    double limit[KD_LEAF];          /* site -> no pair beyond is wanted; negative: none at all */
    float most[KD_LEAF];            /* the same for float32, before what kd_see adds */
    double farthest;                /* the largest limit, as of the last kd_find_farthest */
    /* Room by coordinate: a point; the middle and half the width of the leaf's box; the offset of
     * its middle from that of another box, and half the width of that. */
    double *q, *middle, *half;
    float *shift, *other_half;
} KDRows;

enum { KD_ROOM = 4 };   /* doubles that KDRows needs, by coordinate, for an even number of them */

INLINE void kd_set_limit(KDRows *rows, ptrdiff_t i, double limit)
{
    rows->limit[i] = limit;
    rows->most[i] = limit < 0 ? -INFINITY : (float)(limit * (1 + 0x1p-9));
}

INLINE void kd_find_farthest(KDRows *rows)
{
    double2 most = kd_zero - 1;
    for (int i = 0; i < KD_LEAF; i += 2)
        most = double2_max(most, *(const double2 *)(rows->limit + i));
    rows->farthest = most[0] > most[1] ? most[0] : most[1];
}

/* Begin with a leaf, no site of it searching yet. */
INLINE void kd_start_rows(KDRows *rows, const KDTree *tree, uint32_t leaf, double *room,
                          ptrdiff_t d)
{
    const ptrdiff_t even = 2 * kd_pairs(d);
    const double *box = kd_box(tree, leaf, d);
    rows->tree = tree;
    rows->leaf = leaf;
    rows->q = room;
    rows->middle = room + even;
    rows->half = room + 2 * even;
    rows->shift = (float *)(room + 3 * even);
    rows->other_half = rows->shift + even;
    for (int i = 0; i < KD_LEAF; i++) kd_set_limit(rows, i, -1);
    if (d < KD_SINGLE) return;
    for (ptrdiff_t p = 0; p < kd_pairs(d); p++) {
        const double2 middle = kd_middle(box + 4 * p);
        *(double2 *)(rows->middle + 2 * p) = middle;
        *(double2 *)(rows->half + 2 * p) = kd_half(box + 4 * p, middle);
    }
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

/* ---- float64 ---- */

INLINE void kd_pairs_double(const KDRows *rows, const KDTree *tree, uint32_t leaf, void *search,
                            kd_wanted wanted, kd_found found, int ties, ptrdiff_t d)
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

/* The same for any dimension, not inlined: for data that the range of float32 cannot hold. */
static __attribute__((noinline)) void kd_pairs_of_any(const KDRows *rows, const KDTree *tree,
                                                      uint32_t leaf, void *search,
                                                      kd_wanted wanted, kd_found found, int ties)
{
    kd_pairs_double(rows, tree, leaf, search, wanted, found, ties, tree->d);
}

/* ---- float32 ---- */

/* By coordinate, the offset between the middles of the own box and another, and half the width
 * of the other, rounded up; returns what limits of squared lengths have to allow for. */
INLINE float kd_see(const KDRows *rows, const double *box, ptrdiff_t d)
{
    double2 farthest = kd_zero;
    for (ptrdiff_t p = 0; p < kd_pairs(d); p++) {
        const double2 middle = kd_middle(box + 4 * p), half = kd_half(box + 4 * p, middle);
        const double2 shift = *(const double2 *)(rows->middle + 2 * p) - middle;
        const double2 own_half = *(const double2 *)(rows->half + 2 * p);
        const double2 far = own_half + half + double2_max(shift, -shift);
        farthest += far * far;
        rows->shift[2 * p] = (float)shift[0];
        rows->shift[2 * p + 1] = (float)shift[1];
        rows->other_half[2 * p] = (float)half[0] * (1 + 0x1p-22f);
        rows->other_half[2 * p + 1] = (float)half[1] * (1 + 0x1p-22f);
    }
    return (float)(0x1p-33 * (farthest[0] + farthest[1])) * (1 + 0x1p-22f) + KD_UNDERFLOW;
}

/* Float32 selects, float64 decides. */
INLINE void kd_pairs_single(const KDRows *rows, const KDTree *tree, uint32_t leaf, void *search,
                            kd_wanted wanted, kd_found found, int ties, ptrdiff_t d)
{
    const float *u = kd_singles(rows->tree, rows->leaf, d), *y = kd_singles(tree, leaf, d);
    const ptrdiff_t n = rows->tree->count[rows->leaf], count = tree->count[leaf];
    const uint32_t start = tree->start[leaf];
    const unsigned all = (1u << count) - 1;
    const float slack = kd_see(rows, kd_box(tree, leaf, d), d);
    KD_BITS(i, tree->loops->near_rows(u, n, rows->shift, rows->other_half, rows->most, slack, d)) {
        const unsigned near =
            all & tree->loops->screen(u + i, n, rows->shift, y, count, rows->most[i] + slack, d);
        if (near == 0) continue;
        kd_read_row(rows, i, d);
        KD_BITS(j, near) {
            if (!wanted(search, i, start + j)) continue;
            const double exact = kd_distance_in(rows->q, kd_leaf(tree, leaf, d) + j, count, d);
            if (kd_is_below(exact, rows->limit[i], ties)) found(search, i, start + j, exact);
        }
    }
}

/* ---- either ---- */

/* All pairs of sites of the searching leaf and wanted sites of another, within the limits. */
INLINE void kd_pairs_of_leaves(const KDRows *rows, const KDTree *tree, uint32_t leaf,
                               void *search, kd_wanted wanted, kd_found found, int ties,
                               ptrdiff_t d)
{
    if (d < KD_SINGLE)
        kd_pairs_double(rows, tree, leaf, search, wanted, found, ties, d);
    else if (rows->tree->singles != NULL && tree->singles != NULL)
        kd_pairs_single(rows, tree, leaf, search, wanted, found, ties, d);
    else
        kd_pairs_of_any(rows, tree, leaf, search, wanted, found, ties);
}
