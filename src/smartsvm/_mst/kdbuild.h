/* Building the kd-tree of kdtree.h, points moved in place with their order.
 *
 * Leaves should not span the space between clusters, and should be full. A node is split
 * along the widest side of its tight box: in the middle if there is an empty slab, else at a
 * multiple of KD_LEAF next to the median. From KD_SINGLE coordinates on clusters overlap along
 * every single one: there a node is split by two means (two_means.h), along an axis or, where
 * that parts the points better, along the line between the means.
 *
 * Such splits may be uneven; a budget of leaves, twice what is needed, bounds how many can
 * be, and a depth from which on none is.
 *
 * Cost: O(n d) a level in expectation, O(log n) levels. Pivots are drawn by a small
 * generator, so that no common pattern of the input is quadratic; Hoare's partition
 * stops at equal values, so ties split evenly.
 */
#ifndef SMARTSVM_KDBUILD_H
#define SMARTSVM_KDBUILD_H

#include "two_means.h"

#include <string.h>

/* The points as they are moved: rows, their order, and what they are split by. */
typedef struct {
    double *points;
    uint32_t *order;
    double *keys;           /* from KD_SINGLE coordinates on; else coordinate `axis` */
    double *room;           /* for MEANS_ROOM points */
    ptrdiff_t axis;
} KDMoving;

KD_INLINE double kd_key(const KDMoving *moving, ptrdiff_t i, ptrdiff_t d)
{
    return d < KD_SINGLE ? moving->points[i * d + moving->axis] : moving->keys[i];
}

KD_INLINE void kd_swap(const KDMoving *moving, ptrdiff_t i, ptrdiff_t j, ptrdiff_t d)
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
KD_INLINE void kd_select(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t middle,
                         ptrdiff_t d)
{
    uint64_t state = (uint64_t)(hi - lo);
    while (hi - lo > 1) {
        double sample[3];
        for (int r = 0; r < 3; r++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sample[r] = kd_key(moving, lo + (ptrdiff_t)((state >> 33) % (uint64_t)(hi - lo)), d);
        }
        const double low = sample[0] < sample[1] ? sample[0] : sample[1];
        const double high = sample[0] < sample[1] ? sample[1] : sample[0];
        const double pivot = sample[2] < low ? low : (sample[2] > high ? high : sample[2]);
        ptrdiff_t i = lo, j = hi - 1;
        while (i <= j) {
            while (kd_key(moving, i, d) < pivot) i++;
            while (kd_key(moving, j, d) > pivot) j--;
            if (i <= j) kd_swap(moving, i++, j--, d);
        }
        if (middle <= j) hi = j + 1;
        else if (middle >= i) lo = i;
        else return;
    }
}

#if defined(__aarch64__)
KD_INLINE kd_pair kd_min(kd_pair a, kd_pair b) { return vminnmq_f64(a, b); }
#elif defined(__SSE2__)
KD_INLINE kd_pair kd_min(kd_pair a, kd_pair b) { return _mm_min_pd(a, b); }
#else
KD_INLINE kd_pair kd_min(kd_pair a, kd_pair b) { return -kd_max(-a, -b); }
#endif

/* Pairs of coordinates in registers, row after row; an odd last one is read with what
 * follows it, which there always is. */
KD_INLINE void kd_tight_box(const double *points, ptrdiff_t lo, ptrdiff_t hi, double *box, ptrdiff_t d)
{
    const ptrdiff_t pairs = kd_pairs(d);
    for (ptrdiff_t p = 0; p < pairs; p += 4) {
        const ptrdiff_t n = pairs - p < 4 ? pairs - p : 4;
        kd_pair low[4], high[4];
        for (ptrdiff_t r = 0; r < n; r++)
            low[r] = high[r] = *(const kd_pair *)(points + lo * d + 2 * (p + r));
        if (n == 4)
            for (ptrdiff_t i = lo + 1; i < hi; i++)
                for (ptrdiff_t r = 0; r < 4; r++) {
                    const kd_pair x = *(const kd_pair *)(points + i * d + 2 * (p + r));
                    low[r] = kd_min(low[r], x);
                    high[r] = kd_max(high[r], x);
                }
        else
            for (ptrdiff_t r = 0; r < n; r++)
                for (ptrdiff_t i = lo + 1; i < hi; i++) {
                    const kd_pair x = *(const kd_pair *)(points + i * d + 2 * (p + r));
                    low[r] = kd_min(low[r], x);
                    high[r] = kd_max(high[r], x);
                }
        for (ptrdiff_t r = 0; r < n; r++) {
            *(kd_pair *)(box + 4 * (p + r)) = low[r];
            *(kd_pair *)(box + 4 * (p + r) + 2) = high[r];
        }
    }
    if (d % 2) box[4 * pairs - 3] = box[4 * pairs - 1] = 0;
}

KD_INLINE double kd_width(const double *box, ptrdiff_t k)
{
    return box[4 * (k / 2) + k % 2 + 2] - box[4 * (k / 2) + k % 2];
}

/* How many keys lie below the middle of their range if the slab around it is empty, else 0. */
KD_INLINE ptrdiff_t kd_find_slab(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t hi, double low,
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

KD_INLINE ptrdiff_t kd_leaves(ptrdiff_t n_sites) { return (n_sites + KD_LEAF - 1) / KD_LEAF; }

/* A subtree still to be built: its root, and how many leaves and levels it may have. */
typedef struct {
    uint32_t node, budget, depth;
} KDPart;

/* How many points of a node come before its cut: the middle of an empty slab, or two means
 * that are not too uneven; 0 if there is no such cut. */
KD_INLINE ptrdiff_t kd_find_cut(const KDMoving *moving, ptrdiff_t lo, ptrdiff_t n,
                                const double *box, ptrdiff_t d)
{
    if (d < KD_SINGLE) {
        const ptrdiff_t axis = moving->axis;
        return kd_find_slab(moving, lo, lo + n, box[4 * (axis / 2) + axis % 2],
                            kd_width(box, axis), d);
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

/* The children of a node whose first n_left sites go to the left; they share what its budget
 * has beyond need. */
KD_INLINE void kd_link(KDTree *tree, KDPart part, ptrdiff_t n_left, KDPart *left, KDPart *right)
{
    const uint32_t node = part.node, lo = tree->start[node];
    const ptrdiff_t n = tree->count[node];
    const ptrdiff_t need_left = kd_leaves(n_left), need_right = kd_leaves(n - n_left);
    const ptrdiff_t spare = (ptrdiff_t)part.budget - need_left - need_right;
    const ptrdiff_t spare_left = (ptrdiff_t)((double)spare * (double)n_left / (double)n);
    left->budget = (uint32_t)(need_left + spare_left);
    right->budget = (uint32_t)(need_right + spare - spare_left);
    left->depth = right->depth = part.depth + 1;
    left->node = node + 1;
    right->node = tree->right[node] = node + 2 * left->budget;
    tree->parent[left->node] = tree->parent[right->node] = node;
    tree->start[left->node] = lo;
    tree->count[left->node] = (uint32_t)n_left;
    tree->start[right->node] = lo + (uint32_t)n_left;
    tree->count[right->node] = (uint32_t)(n - n_left);
}

/* Box and links of one node, its sites split in two; 0 for a leaf. */
KD_INLINE int kd_split_with(KDTree *tree, KDMoving moving, KDPart part, KDPart *left,
                            KDPart *right, ptrdiff_t d)
{
    enum { EVEN_FROM_DEPTH = 56 };
    const uint32_t node = part.node;
    const ptrdiff_t lo = tree->start[node], n = tree->count[node];
    double *box = tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
    kd_tight_box(moving.points, lo, lo + n, box, d);
    if (n <= KD_LEAF) {
        tree->right[node] = 0;
        for (ptrdiff_t i = lo; i < lo + n; i++) tree->leaf[i] = node;
        return 0;
    }
    moving.axis = 0;
    for (ptrdiff_t k = 1; k < d; k++)
        if (kd_width(box, k) > kd_width(box, moving.axis)) moving.axis = k;
    if (d >= KD_SINGLE)
        kd_find_keys(moving.points + lo * d, n, moving.axis, moving.keys + lo, moving.room,
                     n > 2 * KD_LEAF, d);
    ptrdiff_t n_left = 0;
    if (part.depth < EVEN_FROM_DEPTH) n_left = kd_find_cut(&moving, lo, n, box, d);
    if (n_left <= 0 || n_left >= n || kd_leaves(n_left) + kd_leaves(n - n_left) > part.budget)
        n_left = (kd_leaves(n) + 1) / 2 * KD_LEAF;
    kd_select(&moving, lo, lo + n, lo + n_left, d);
    kd_link(tree, part, n_left, left, right);
    return 1;
}

/* All nodes of a part. */
KD_INLINE void kd_build_with(KDTree *tree, KDMoving moving, KDPart part, ptrdiff_t d)
{
    KDPart waiting[KD_DEPTH];
    int n_waiting = 0;
    for (;;) {
        KDPart left, right;
        if (kd_split_with(tree, moving, part, &left, &right, d)) {
            waiting[n_waiting++] = right;
            part = left;
        } else {
            if (n_waiting == 0) return;
            part = waiting[--n_waiting];
        }
    }
}

static int kd_split(KDTree *tree, KDMoving moving, KDPart part, KDPart *left, KDPart *right)
{
    int split = 0;
#define CALL(d) split = kd_split_with(tree, moving, part, left, right, d)
    KD_DISPATCH(tree->d, CALL)
#undef CALL
    return split;
}

static void kd_build(KDTree *tree, KDMoving moving, KDPart part)
{
#define CALL(d) kd_build_with(tree, moving, part, d)
    KD_DISPATCH(tree->d, CALL)
#undef CALL
}

/* The top of a tree: its nodes, and what is to be built below them. */
typedef struct {
    uint32_t *above;
    KDPart *below;
    ptrdiff_t n_above, n_below;
} KDTop;

/* The top of the tree under `part`, whose sites are dealt to parts of space already (skeleton.h),
 * each from start[] on. */
static void kd_lay_out(KDTree *tree, KDPart part, const ptrdiff_t *start, ptrdiff_t n_parts,
                       KDTop *top)
{
    const ptrdiff_t half = n_parts / 2, n_left = start[half] - start[0];
    const ptrdiff_t n_right = start[n_parts] - start[half];
    if (n_parts == 1 || n_left + n_right <= KD_LEAF) {
        top->below[top->n_below++] = part;
    } else if (n_left == 0 || n_right == 0) {
        kd_lay_out(tree, part, n_left == 0 ? start + half : start, half, top);
    } else if (kd_leaves(n_left) + kd_leaves(n_right) > (ptrdiff_t)part.budget) {
        top->below[top->n_below++] = part;
    } else {
        KDPart left, right;
        top->above[top->n_above++] = part.node;
        kd_link(tree, part, n_left, &left, &right);
        kd_lay_out(tree, left, start, half, top);
        kd_lay_out(tree, right, start + half, half, top);
    }
}

/* The boxes of the top, once those below it are known. */
static void kd_enclose(KDTree *tree, const KDTop *top)
{
    const size_t size = 4 * (size_t)kd_pairs(tree->d);
    /* Children have larger numbers. */
    for (ptrdiff_t i = top->n_above - 1; i >= 0; i--) {
        const uint32_t node = top->above[i];
        double *box = tree->box + node * size;
        const double *left = tree->box + (node + 1) * size;
        const double *right = tree->box + tree->right[node] * size;
        for (size_t k = 0; k < size; k += 4)
            for (size_t r = 0; r < 2; r++) {
                box[k + r] = left[k + r] < right[k + r] ? left[k + r] : right[k + r];
                box[k + r + 2] = left[k + r + 2] > right[k + r + 2] ? left[k + r + 2]
                                                                    : right[k + r + 2];
            }
    }
}

/* In the leaves among nodes lo..hi-1, from points row after row to coordinate after
 * coordinate, in place; `spare` holds one leaf. */
static void kd_pack(const KDTree *tree, double *points, double *spare, ptrdiff_t lo, ptrdiff_t hi)
{
    const size_t d = (size_t)tree->d;
    for (ptrdiff_t v = lo; v < hi; v++) {
        const size_t count = tree->count[v];
        if (count == 0 || tree->right[v] != 0) continue;
        double *leaf = points + tree->start[v] * d;
        memcpy(spare, leaf, count * d * sizeof(double));
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < d; k++) leaf[k * count + j] = spare[j * d + k];
    }
}

/* Whether float32 can hold what leaf_rows.h computes of these points. */
static int kd_fits_single(const KDTree *tree)
{
    double widest = 0;
    for (ptrdiff_t k = 0; k < tree->d; k++)
        if (kd_width(tree->box, k) > widest) widest = kd_width(tree->box, k);
    return tree->d >= KD_SINGLE && tree->d < 1 << 13 && widest > 0x1p-30 && widest < 0x1p40;
}

/* Number the leaves; how many. */
static ptrdiff_t kd_number_leaves(KDTree *tree, uint32_t *leaf_number)
{
    uint32_t n_leaves = 0;
    for (ptrdiff_t v = 0; v < tree->n_nodes; v++)
        if (tree->count[v] != 0 && tree->right[v] == 0) leaf_number[v] = n_leaves++;
    tree->leaf_number = leaf_number;
    return n_leaves;
}

static void kd_keep_singles(KDTree *tree, float *singles)
{
    const size_t d = (size_t)tree->d;
    for (ptrdiff_t v = 0; v < tree->n_nodes; v++) {
        const size_t count = tree->count[v];
        if (count == 0 || tree->right[v] != 0) continue;
        const double *box = kd_box(tree, (uint32_t)v, tree->d);
        const double *x = kd_leaf(tree, (uint32_t)v, tree->d);
        float *out = singles + tree->leaf_number[v] * KD_LEAF * d;
        for (size_t k = 0; k < d; k++) {
            const double middle = kd_middle(box + 4 * (k / 2))[k % 2];
            for (size_t j = 0; j < count; j++)
                out[k * KD_LEAF + j] = (float)(x[k * count + j] - middle);
            for (size_t j = count; j < KD_LEAF; j++) out[k * KD_LEAF + j] = 0x1p60f;
        }
    }
    tree->singles = singles;
}

#endif
