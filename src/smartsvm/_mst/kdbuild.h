/* Building the kd-tree of kdtree.h, points moved in place with their order.
 *
 * A node is split along the widest side of its tight box: in the middle if there is
 * an empty slab (so clusters do not share leaves, whose boxes would span the space
 * between them), else at a multiple of KD_LEAF next to the median (so leaves are
 * full). Splits in the middle may be uneven; a budget of leaves, twice what is
 * needed, bounds how many can be, and a depth from which on none is.
 *
 * Cost: O(n d) a level in expectation, O(log n) levels. Pivots are drawn by a small
 * generator, so that no common pattern of the input is quadratic; Hoare's partition
 * stops at equal values, so ties split evenly.
 */
#ifndef SMARTSVM_KDBUILD_H
#define SMARTSVM_KDBUILD_H

#include "kdtree.h"

#include <string.h>

KD_INLINE void kd_swap(double *points, uint32_t *order, ptrdiff_t i, ptrdiff_t j, ptrdiff_t d)
{
    for (ptrdiff_t k = 0; k < d; k++) {
        const double t = points[i * d + k];
        points[i * d + k] = points[j * d + k];
        points[j * d + k] = t;
    }
    const uint32_t t = order[i];
    order[i] = order[j];
    order[j] = t;
}

/* Move the points so that those before `middle` are not above it along `axis`,
 * those after it not below. */
KD_INLINE void kd_select(double *points, uint32_t *order, ptrdiff_t lo, ptrdiff_t hi,
                         ptrdiff_t middle, ptrdiff_t axis, ptrdiff_t d)
{
    uint64_t state = (uint64_t)(hi - lo);
    while (hi - lo > 1) {
        double sample[3];
        for (int r = 0; r < 3; r++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sample[r] = points[(lo + (ptrdiff_t)((state >> 33) % (uint64_t)(hi - lo))) * d + axis];
        }
        const double low = sample[0] < sample[1] ? sample[0] : sample[1];
        const double high = sample[0] < sample[1] ? sample[1] : sample[0];
        const double pivot = sample[2] < low ? low : (sample[2] > high ? high : sample[2]);
        ptrdiff_t i = lo, j = hi - 1;
        while (i <= j) {
            while (points[i * d + axis] < pivot) i++;
            while (points[j * d + axis] > pivot) j--;
            if (i <= j) kd_swap(points, order, i++, j--, d);
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

/* How many points lie below the middle of an axis if the slab around it is empty, else 0. */
KD_INLINE ptrdiff_t kd_find_slab(const double *points, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t axis,
                                 double low, double width, ptrdiff_t d)
{
    const double from = low + .4 * width, to = low + .6 * width;
    ptrdiff_t n_below = 0;
    for (ptrdiff_t i = lo; i < hi; i++) {
        const double x = points[i * d + axis];
        if (x >= from && x <= to) return 0;
        n_below += x < from;
    }
    return n_below;
}

/* Move the points below a value that none of them has before the others. */
KD_INLINE void kd_part(double *points, uint32_t *order, ptrdiff_t lo, ptrdiff_t hi, double value,
                       ptrdiff_t axis, ptrdiff_t d)
{
    ptrdiff_t i = lo, j = hi - 1;
    for (;;) {
        while (i <= j && points[i * d + axis] < value) i++;
        while (i <= j && points[j * d + axis] >= value) j--;
        if (i >= j) return;
        kd_swap(points, order, i++, j--, d);
    }
}

KD_INLINE ptrdiff_t kd_leaves(ptrdiff_t n_sites) { return (n_sites + KD_LEAF - 1) / KD_LEAF; }

/* A subtree still to be built: its root, and how many leaves and levels it may have. */
typedef struct {
    uint32_t node, budget, depth;
} KDPart;

/* Box and links of one node, its sites split in two; 0 for a leaf. */
KD_INLINE int kd_split_with(KDTree *tree, double *points, uint32_t *order, KDPart part,
                            KDPart *left, KDPart *right, ptrdiff_t d)
{
    enum { EVEN_FROM_DEPTH = 56 };
    const uint32_t node = part.node;
    const ptrdiff_t lo = tree->start[node], n = tree->count[node];
    double *box = tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
    kd_tight_box(points, lo, lo + n, box, d);
    if (n <= KD_LEAF) {
        tree->right[node] = 0;
        for (ptrdiff_t i = lo; i < lo + n; i++) tree->leaf[i] = node;
        return 0;
    }
    ptrdiff_t axis = 0;
    for (ptrdiff_t k = 1; k < d; k++)
        if (kd_width(box, k) > kd_width(box, axis)) axis = k;
    const double low = box[4 * (axis / 2) + axis % 2];
    ptrdiff_t n_left = 0;
    if (part.depth < EVEN_FROM_DEPTH)
        n_left = kd_find_slab(points, lo, lo + n, axis, low, kd_width(box, axis), d);
    if (n_left > 0 && n_left < n && kd_leaves(n_left) + kd_leaves(n - n_left) <= part.budget)
        kd_part(points, order, lo, lo + n, low + .5 * kd_width(box, axis), axis, d);
    else {
        n_left = (kd_leaves(n) + 1) / 2 * KD_LEAF;
        kd_select(points, order, lo, lo + n, lo + n_left, axis, d);
    }
    /* Share what the budget has beyond need. */
    const ptrdiff_t need_left = kd_leaves(n_left), need_right = kd_leaves(n - n_left);
    const ptrdiff_t spare = (ptrdiff_t)part.budget - need_left - need_right;
    const ptrdiff_t spare_left = (ptrdiff_t)((double)spare * (double)n_left / (double)n);
    left->budget = (uint32_t)(need_left + spare_left);
    right->budget = (uint32_t)(need_right + spare - spare_left);
    left->depth = right->depth = part.depth + 1;
    left->node = node + 1;
    right->node = tree->right[node] = node + 2 * left->budget;
    tree->parent[left->node] = tree->parent[right->node] = node;
    tree->start[left->node] = (uint32_t)lo;
    tree->count[left->node] = (uint32_t)n_left;
    tree->start[right->node] = (uint32_t)(lo + n_left);
    tree->count[right->node] = (uint32_t)(n - n_left);
    return 1;
}

/* All nodes of a part. */
KD_INLINE void kd_build_with(KDTree *tree, double *points, uint32_t *order, KDPart part, ptrdiff_t d)
{
    KDPart waiting[KD_DEPTH];
    int n_waiting = 0;
    for (;;) {
        KDPart left, right;
        if (kd_split_with(tree, points, order, part, &left, &right, d)) {
            waiting[n_waiting++] = right;
            part = left;
        } else {
            if (n_waiting == 0) return;
            part = waiting[--n_waiting];
        }
    }
}

static int kd_split(KDTree *tree, double *points, uint32_t *order, KDPart part, KDPart *left,
                    KDPart *right)
{
    int split = 0;
#define CALL(d) split = kd_split_with(tree, points, order, part, left, right, d)
    KD_DISPATCH(tree->d, CALL)
#undef CALL
    return split;
}

static void kd_build(KDTree *tree, double *points, uint32_t *order, KDPart part)
{
#define CALL(d) kd_build_with(tree, points, order, part, d)
    KD_DISPATCH(tree->d, CALL)
#undef CALL
}

/* In every leaf, from points row after row to coordinate after coordinate, in place;
 * `spare` holds one leaf. */
static void kd_pack(KDTree *tree, double *points, double *spare)
{
    const size_t d = (size_t)tree->d;
    for (ptrdiff_t v = 0; v < tree->n_nodes; v++) {
        const size_t count = tree->count[v];
        if (count == 0 || tree->right[v] != 0) continue;
        double *leaf = points + tree->start[v] * d;
        memcpy(spare, leaf, count * d * sizeof(double));
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < d; k++) leaf[k * count + j] = spare[j * d + k];
    }
    tree->coords = points;
}

#endif
