/* Building a subtree that fits the cache from its points sorted along every axis.
 *
 * The first and the last of a node's points along each axis are its box, its median is in the
 * middle, and an empty slab is found by bisection. A split keeps all lists sorted: that of its
 * own axis is cut, the others are split in one pass without a branch. The points are moved once,
 * at the end. For a few coordinates that takes half the time of a selection at every node
 * (build.h).
 *
 * Reference: P. M. Vaidya (1989) keeps sorted lists through the splits of boxes in this way.
 */
#ifndef SMARTSVM_KD_BUILD_SORTED_H
#define SMARTSVM_KD_BUILD_SORTED_H

#include "common/edge_sort.h"
#include "kd/links.h"

/* Points of such a subtree, at most: their numbers are 16 bits. */
enum { KD_SORTED = 1 << 12 };

/* Room for one, in one piece of memory. */
typedef struct {
    union {
        PackedEdge values[2][KD_SORTED];  /* while lists are sorted */
        struct {                    /* while points are moved */
            double points[KD_SORTED * (KD_SINGLE - 1)];
            uint32_t order[KD_SORTED];
        } copy;
    } room;
    uint16_t list[KD_SINGLE - 1][KD_SORTED];    /* by axis */
    uint16_t above[KD_SORTED];
    uint8_t is_above[KD_SORTED];
} KDLists;

/* The bits of a double, in the order of the values; zeros of both signs are alike. */
INLINE uint64_t kd_ordered_bits(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* The sort of edges serves for values, too: as weights, with the number of the point as ends. */
INLINE void kd_sort_lists(KDLists *lists, const double *points, ptrdiff_t n, ptrdiff_t d)
{
    PackedEdge *values = lists->room.values[0];
    for (ptrdiff_t k = 0; k < d; k++) {
        for (ptrdiff_t i = 0; i < n; i++) {
            values[i].weight = kd_ordered_bits(points[i * d + k]);
            values[i].ends = (uint64_t)i;
        }
        edges_sort(values, lists->room.values[1], n);
        for (ptrdiff_t i = 0; i < n; i++) lists->list[k][i] = (uint16_t)values[i].ends;
    }
}

/* As kd_find_slab (build.h). */
INLINE ptrdiff_t kd_bisect_slab(const uint16_t *list, ptrdiff_t n, const double *x,
                                double low, double width, ptrdiff_t d)
{
    const double from = low + .4 * width, to = low + .6 * width;
    ptrdiff_t first = 0, left = n;
    while (left > 0) {
        const ptrdiff_t half = left / 2;
        if (x[list[first + half] * d] < from) {
            first += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return first < n && x[list[first] * d] <= to ? 0 : first;
}

/* Split the lists of a node, n points from lo on: the first n_left along `axis` go first. */
INLINE void kd_split_lists(KDLists *lists, ptrdiff_t lo, ptrdiff_t n, ptrdiff_t n_left,
                          ptrdiff_t axis, ptrdiff_t d)
{
    uint8_t *is_above = lists->is_above;
    uint16_t *above = lists->above;
    for (ptrdiff_t i = 0; i < n; i++) is_above[lists->list[axis][lo + i]] = i >= n_left;
    for (ptrdiff_t k = 0; k < d; k++) {
        if (k == axis) continue;
        uint16_t *list = lists->list[k] + lo;
        ptrdiff_t n_below = 0, n_above = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            const uint16_t point = list[i];
            const ptrdiff_t goes_above = is_above[point];
            list[n_below] = above[n_above] = point;
            n_above += goes_above;
            n_below += 1 - goes_above;
        }
        memcpy(list + n_below, above, (size_t)n_above * sizeof *above);
    }
}

/* As kd_split (build.h), in a subtree whose points begin with `first`. */
INLINE void kd_split_sorted(KDTree *tree, KDLists *lists, const double *points, ptrdiff_t first,
                            uint32_t node, ptrdiff_t d)
{
    const ptrdiff_t lo = tree->start[node] - first, n = tree->count[node];
    double *box = tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
    for (ptrdiff_t k = 0; k < d; k++) {
        box[4 * (k / 2) + k % 2] = points[lists->list[k][lo] * d + k];
        box[4 * (k / 2) + k % 2 + 2] = points[lists->list[k][lo + n - 1] * d + k];
    }
    if (d % 2) box[4 * kd_pairs(d) - 3] = box[4 * kd_pairs(d) - 1] = 0;
    if (n <= KD_LEAF) {
        tree->right[node] = 0;
        return;
    }
    const ptrdiff_t axis = kd_widest(box, d);
    const ptrdiff_t n_below =
        kd_bisect_slab(lists->list[axis] + lo, n, points + axis, kd_low(box, axis),
                       kd_width(box, axis), d);
    const ptrdiff_t n_left = kd_n_left(tree, node, n_below);
    kd_split_lists(lists, lo, n, n_left, axis, d);
    kd_link(tree, node, n_left);
}

/* All nodes of a subtree of at most KD_SORTED points, which are moved with their order. */
INLINE void kd_build_sorted(KDTree *tree, double *all_points, uint32_t *all_order,
                            KDLists *lists, uint32_t node, ptrdiff_t d)
{
    const ptrdiff_t first = tree->start[node], n = tree->count[node];
    double *points = all_points + first * d;
    uint32_t *order = all_order + first;
    kd_sort_lists(lists, points, n, d);
    for (const uint32_t end = kd_end(tree, node); node < end; node++)
        if (tree->count[node] > 0) kd_split_sorted(tree, lists, points, first, node, d);
    double *point_copy = lists->room.copy.points;
    uint32_t *order_copy = lists->room.copy.order;
    memcpy(point_copy, points, (size_t)(n * d) * sizeof *points);
    memcpy(order_copy, order, (size_t)n * sizeof *order);
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t from = lists->list[0][i];
        for (ptrdiff_t k = 0; k < d; k++) points[i * d + k] = point_copy[from * d + k];
        order[i] = order_copy[from];
    }
}

#endif
