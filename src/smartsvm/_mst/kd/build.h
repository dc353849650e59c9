/* Building the kd-tree of tree.h, points moved in place with their order.
 *
 * Leaves should not span the space between clusters, and should be full. A node is split
 * along the widest side of its tight box: in the middle if there is an empty slab, else at a
 * multiple of KD_LEAF next to the median. With KD_SINGLE coordinates or more clusters overlap
 * along every single one: there a node is split by two means (split_two_means.h), along an axis
 * or, where that separates the points better, along the line between the means.
 *
 * Cost: O(n d) per level in expectation, O(log n) levels.
 */
#ifndef SMARTSVM_KD_BUILD_H
#define SMARTSVM_KD_BUILD_H

#include "common/select.h"
#include "kd/build_sorted.h"
#include "kd/split_two_means.h"

/* The points as they are moved: rows, their order, and what they are split by. */
typedef struct {
    double *points;
    uint32_t *order;
    double *keys;           /* from KD_SINGLE coordinates on; else coordinate `axis` */
    void *room;             /* kd_room bytes, as doubles */
    ptrdiff_t axis;
} KDMoving;

/* What one thread needs to build with: KDLists, or MEANS_ROOM points. */
static size_t kd_room(ptrdiff_t d)
{
    return d < KD_SINGLE ? sizeof(KDLists) : MEANS_ROOM * (size_t)d * sizeof(double);
}

INLINE double kd_key(const KDMoving *moving, ptrdiff_t i, ptrdiff_t d)
{
    return d < KD_SINGLE ? moving->points[i * d + moving->axis] : moving->keys[i];
}

INLINE void kd_swap(const KDMoving *moving, ptrdiff_t i, ptrdiff_t j, ptrdiff_t d)
{
    double *points = moving->points;
    for (ptrdiff_t k = 0; k < d; k++) {
        const double t = points[i * d + k];
        points[i * d + k] = points[j * d + k];
        points[j * d + k] = t;
    }
    const uint32_t t = moving->order[i];
    moving->order[i] = moving->order[j];
    moving->order[j] = t;
    if (d >= KD_SINGLE) {
        const double key = moving->keys[i];
        moving->keys[i] = moving->keys[j];
        moving->keys[j] = key;
    }
}

/* Move the points so that those before `middle` have no key above it, those after it none
 * below. */
INLINE void kd_select(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t middle,
                      ptrdiff_t d)
{
#define KEY(i) kd_key(moving, i, d)
#define SWAP(i, j) kd_swap(moving, i, j, d)
    SELECT_SMALLEST(double, KEY, SWAP, lo, hi, middle);
#undef KEY
#undef SWAP
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
INLINE ptrdiff_t kd_find_slab(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t hi, double low,
                              double width, ptrdiff_t d)
{
    const double from = low + .4 * width, to = low + .6 * width;
    ptrdiff_t n_below = 0;
    for (ptrdiff_t i = lo; i < hi; i++) {
        const double x = kd_key(moving, i, d);
        if (x >= from && x <= to) return 0;
        n_below += x < from;
    }
    return n_below;
}

/* How many points of a node come before its cut: the middle of an empty slab, or two means
 * that are not too uneven; 0 if there is no such cut. */
INLINE ptrdiff_t kd_find_cut(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t n,
                             const double *box, ptrdiff_t d)
{
    if (d < KD_SINGLE) {
        return kd_find_slab(moving, lo, lo + n, kd_low(box, moving->axis),
                            kd_width(box, moving->axis), d);
    }
    const double *keys = moving->keys + lo;
    double low = keys[0], high = keys[0];
    for (ptrdiff_t i = 1; i < n; i++) {
        if (keys[i] < low) low = keys[i];
        if (keys[i] > high) high = keys[i];
    }
    const ptrdiff_t n_below = kd_find_slab(moving, lo, lo + n, low, high - low, d);
    if (n_below > 0 || n <= 2 * KD_LEAF) return n_below;
    const double cut = kd_cut(keys, n);
    ptrdiff_t n_left = 0;
    for (ptrdiff_t i = 0; i < n; i++) n_left += keys[i] <= cut;
    const ptrdiff_t smaller = n_left < n - n_left ? n_left : n - n_left;
    if (smaller < n / 8) return 0;
    /* Full leaves, where there are several. */
    return n <= 4 * KD_LEAF ? n_left : (n_left + KD_LEAF / 2) / KD_LEAF * KD_LEAF;
}

/* Box and links of one node, its sites split in two unless it is a leaf. */
INLINE void kd_split(KDTree *tree, KDMoving moving, uint32_t node, ptrdiff_t d)
{
    const ptrdiff_t lo = tree->start[node], n = tree->count[node];
    double *box = tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
    kd_tight_box(moving.points, lo, lo + n, box, d);
    if (n <= KD_LEAF) {
        tree->right[node] = 0;
        return;
    }
    moving.axis = kd_widest(box, d);
    if (d >= KD_SINGLE)
        kd_find_keys(moving.points + lo * d, n, moving.axis, moving.keys + lo, moving.room,
                     n > 4 * KD_LEAF, d);
    const ptrdiff_t n_left = kd_n_left(tree, node, kd_find_cut(&moving, lo, n, box, d));
    kd_select(&moving, lo, lo + n, lo + n_left, d);
    kd_link(tree, node, n_left);
}

/* All nodes of a subtree, each before those below it; or its root only. */
INLINE void kd_build_with(KDTree *tree, KDMoving moving, uint32_t node, int root_only, ptrdiff_t d)
{
    const uint32_t end = root_only ? node + 1 : kd_end(tree, node);
    for (uint32_t next; node < end; node = next) {
        next = node + 1;
        if (tree->count[node] == 0) continue;
        if (root_only || d >= KD_SINGLE || tree->count[node] > KD_SORTED) {
            kd_split(tree, moving, node, d);
        } else {
            next = kd_end(tree, node);
            kd_build_sorted(tree, moving.points, moving.order, moving.room, node, d);
        }
    }
}

static void kd_build(KDTree *tree, KDMoving moving, uint32_t node, int root_only)
{
    FOR_FEW_DIMENSIONS(tree->d, kd_build_with(tree, moving, node, root_only, d));
}

/* Whether float32 can hold what leaf_pairs.h computes of these points. */
static int kd_fits_single(const KDTree *tree)
{
    const double widest = kd_width(tree->box, kd_widest(tree->box, tree->d));
    return tree->d >= KD_SINGLE && tree->d < 1 << 13 && widest > 0x1p-30 && widest < 0x1p40;
}

/* In the leaves among nodes lo..hi-1, from points row after row to coordinate after coordinate, in
 * place; where float32 is kept, that too; the leaf of each of them. `spare` holds one leaf. */
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
        for (ptrdiff_t k = 0; k < d && tree->singles != NULL; k++) {
            const double middle = kd_middle(kd_box(tree, leaf, d) + 4 * (k / 2))[k % 2];
            for (ptrdiff_t j = k * count; j < (k + 1) * count; j++)
                tree->singles[start * d + j] = (float)(x[j] - middle);
        }
    }
}

#endif
