/* Building the kd-tree of tree.h: points are moved in place, together with their order.
 *
 * Leaves should be full and should not span the gap between two clusters. A node is split across
 * the widest side of its tight box: in the middle if an empty slab lies there, else at a multiple
 * of KD_LEAF next to the median. With KD_MIDDLE coordinates or more it is split along the axis of
 * the largest mean deviation, between two means (split_axis.h): on tables of integers several times
 * faster than the widest side.
 *
 * Splits may be uneven. A budget of leaves, larger than needed, limits how many are, and below a
 * certain depth none is. Until a node is split, its `right` holds the budget b of its subtree, which
 * owns 2 b - 1 numbers.
 *
 * Cost: O(n d) per level in expectation, O(log n) levels.
 */
#pragma once

#include <string.h>

#include "common/select.h"
#include "kdtree/split_axis.h"

/* The points as they are moved: rows, their order, and the keys they are split by. */
typedef struct {
    double *points;
    uint32_t *order;
    double *keys;
    double *room;           /* for AXIS_ROOM points */
} KDMoving;

INLINE ptrdiff_t kd_leaves(ptrdiff_t n_sites) { return (n_sites + KD_LEAF - 1) / KD_LEAF; }

INLINE int kd_depth(const KDTree *tree, uint32_t node)
{
    int depth = 0;
    for (; node != 0; node = tree->parent[node]) depth++;
    return depth;
}

INLINE double kd_width(const double *box, ptrdiff_t k)
{
    return kd_high(box, k) - kd_low(box, k);
}

INLINE ptrdiff_t kd_widest(const double *box, ptrdiff_t d)
{
    ptrdiff_t widest = 0;
    for (ptrdiff_t k = 1; k < d; k++)
        if (kd_width(box, k) > kd_width(box, widest)) widest = k;
    return widest;
}

/* How many sites of a node go to the left: those before the cut, or full leaves next to the median
 * if there is no cut (0) or it is too uneven. */
INLINE ptrdiff_t kd_n_left(const KDTree *tree, uint32_t node, ptrdiff_t cut)
{
    const ptrdiff_t n = tree->count[node];
    if (cut > 0 && cut < n && kd_leaves(cut) + kd_leaves(n - cut) <= (ptrdiff_t)tree->right[node]
        && kd_depth(tree, node) < KD_EVEN_FROM)
        return cut;
    return (kd_leaves(n) + 1) / 2 * KD_LEAF;
}

/* Link the children of a node; they share what its budget has beyond need. */
INLINE void kd_link(KDTree *tree, uint32_t node, ptrdiff_t n_left)
{
    const ptrdiff_t n = tree->count[node], budget = tree->right[node];
    const ptrdiff_t need_left = kd_leaves(n_left), need_right = kd_leaves(n - n_left);
    const ptrdiff_t spare = budget - need_left - need_right;
    const ptrdiff_t budget_left =
        need_left + (ptrdiff_t)((double)spare * (double)n_left / (double)n);
    const uint32_t left = node + 1, right = node + 2 * (uint32_t)budget_left;
    tree->right[node] = right;
    tree->right[left] = (uint32_t)budget_left;
    tree->right[right] = (uint32_t)(budget - budget_left);
    tree->parent[left] = tree->parent[right] = node;
    tree->start[left] = tree->start[node];
    tree->count[left] = (uint32_t)n_left;
    tree->start[right] = tree->start[node] + (uint32_t)n_left;
    tree->count[right] = (uint32_t)(n - n_left);
}

INLINE void kd_swap(const KDMoving *moving, ptrdiff_t i, ptrdiff_t j, ptrdiff_t d)
{
    double *points = moving->points, *keys = moving->keys, t;
    const uint32_t row = moving->order[i];
    for (ptrdiff_t k = 0; k < d; k++)
        t = points[i * d + k], points[i * d + k] = points[j * d + k], points[j * d + k] = t;
    t = keys[i], keys[i] = keys[j], keys[j] = t;
    moving->order[i] = moving->order[j];
    moving->order[j] = row;
}

/* Two coordinates of a point, or an odd last one and 0. */
INLINE double2 kd_pair(const double *x, ptrdiff_t k, ptrdiff_t d)
{
    return k + 1 < d ? *(const double2 *)(x + k) : (double2){x[k], 0};
}

INLINE void kd_tight_box(const double *points, ptrdiff_t lo, ptrdiff_t hi, double *box,
                         ptrdiff_t d)
{
    for (ptrdiff_t k = 0; k < d; k += 2) {
        double2 low = kd_pair(points + lo * d, k, d), high = low;
        for (ptrdiff_t i = lo + 1; i < hi; i++) {
            const double2 x = kd_pair(points + i * d, k, d);
            low = double2_min(low, x);
            high = double2_max(high, x);
        }
        *(double2 *)(box + 2 * k) = low;
        *(double2 *)(box + 2 * k + 2) = high;
    }
}

/* How many keys lie below the middle of their range if the slab around it is empty, else 0. */
INLINE ptrdiff_t kd_find_slab(const double *keys, ptrdiff_t n)
{
    double low = keys[0], high = keys[0];
    ptrdiff_t n_below = 0;
    for (ptrdiff_t i = 1; i < n; i++) {
        if (keys[i] < low) low = keys[i];
        if (keys[i] > high) high = keys[i];
    }
    const double from = low + .4 * (high - low), to = low + .6 * (high - low);
    for (ptrdiff_t i = 0; i < n; i++) {
        if (keys[i] >= from && keys[i] <= to) return 0;
        n_below += keys[i] < from;
    }
    return n_below;
}

/* How many points of a node come before its cut: the middle of an empty slab, or two means that
 * are not too uneven; 0 if there is no such cut. */
INLINE ptrdiff_t kd_find_cut(const double *keys, ptrdiff_t n, ptrdiff_t d)
{
    const ptrdiff_t n_below = kd_find_slab(keys, n);
    if (d < KD_MIDDLE || n_below > 0 || n <= 2 * KD_LEAF) return n_below;
    const double cut = kd_cut(keys, n);
    ptrdiff_t n_left = 0;
    for (ptrdiff_t i = 0; i < n; i++) n_left += keys[i] <= cut;
    const ptrdiff_t smaller = n_left < n - n_left ? n_left : n - n_left;
    if (smaller < n / 8) return 0;
    /* Full leaves, where there are several. */
    return n <= 4 * KD_LEAF ? n_left : (n_left + KD_LEAF / 2) / KD_LEAF * KD_LEAF;
}

/* Box and links of one node, its sites split in two unless it is a leaf. */
INLINE void kd_split(KDTree *tree, const KDMoving *moving, uint32_t node, ptrdiff_t d)
{
    const ptrdiff_t lo = tree->start[node], n = tree->count[node];
    double *box = tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
    kd_tight_box(moving->points, lo, lo + n, box, d);
    if (n <= KD_LEAF) {
        tree->right[node] = 0;
        return;
    }
    const double *points = moving->points + lo * d;
    ptrdiff_t axis = kd_widest(box, d);
    if (d >= KD_MIDDLE && n > 4 * KD_LEAF) axis = kd_choose_axis(points, n, axis, moving->room, d);
    for (ptrdiff_t i = 0; i < n; i++) moving->keys[lo + i] = points[i * d + axis];
    const ptrdiff_t n_left = kd_n_left(tree, node, kd_find_cut(moving->keys + lo, n, d));
#define KEY(i) moving->keys[i]
#define SWAP(i, j) kd_swap(moving, i, j, d)
    SELECT_SMALLEST(double, KEY, SWAP, lo, lo + n, lo + n_left);
#undef KEY
#undef SWAP
    kd_link(tree, node, n_left);
}

/* All nodes of a subtree, each before those below it; or its root only. */
static void kd_build(KDTree *tree, const KDMoving *moving, uint32_t node, int root_only)
{
    const uint32_t end = node + (root_only ? 1 : 2 * tree->right[node] - 1);
    for (; node < end; node++)
        if (tree->count[node] > 0)
            FOR_DIMENSION(tree->d, kd_split(tree, moving, node, d));
}

/* Whether squared distances of points with these coordinates are zero only between equal ones.
 * Nonzero floats of at least 2^-480 differ by at least 2^-532, the square of which is a float. */
static int kd_can_collapse(const double *values, ptrdiff_t size)
{
    int found = 0;
    for (ptrdiff_t i = 0; i < size; i++) found |= (fabs(values[i]) < 0x1p-480) & (values[i] != 0);
    return !found;
}

/* Turn the leaves among nodes lo..hi-1 from row-major to coordinate-major, in place, and
 * note the leaf of each site. `spare` holds one leaf. */
static void kd_pack(const KDTree *tree, double *spare, ptrdiff_t lo, ptrdiff_t hi)
{
    const ptrdiff_t d = tree->d;
    FOR_LEAVES(tree, leaf, lo, hi) {
        const ptrdiff_t count = tree->count[leaf], start = tree->start[leaf];
        double *x = tree->coords + start * d;
        for (ptrdiff_t j = 0; j < count; j++) tree->leaf[start + j] = leaf;
        memcpy(spare, x, (size_t)(count * d) * sizeof(double));
        for (ptrdiff_t j = 0; j < count; j++)
            for (ptrdiff_t k = 0; k < d; k++) x[k * count + j] = spare[j * d + k];
    }
}
