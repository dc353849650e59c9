/* Nodes of the kd-tree of tree.h while it is built: how they are numbered and linked.
 *
 * Splits may be uneven; a budget of leaves, more than are needed, bounds how many can be, and below a
 * certain depth none is. Until a node is split, its `right` is the budget of its subtree: that owns
 * the numbers up to kd_end.
 */
#ifndef SMARTSVM_KD_LINKS_H
#define SMARTSVM_KD_LINKS_H

#include "kd/tree.h"

#include <string.h>

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

INLINE ptrdiff_t kd_leaves(ptrdiff_t n_sites) { return (n_sites + KD_LEAF - 1) / KD_LEAF; }

INLINE uint32_t kd_end(const KDTree *tree, uint32_t node)
{
    return node + 2 * tree->right[node] - 1;
}

INLINE int kd_depth(const KDTree *tree, uint32_t node)
{
    int depth = 0;
    for (; node != 0; node = tree->parent[node]) depth++;
    return depth;
}

/* How many sites of a node go to the left: as many as come before a cut that was found, or for full
 * leaves next to the median if there is none (0), or it is too uneven. */
INLINE ptrdiff_t kd_n_left(const KDTree *tree, uint32_t node, ptrdiff_t cut)
{
    enum { EVEN_FROM_DEPTH = 56 };
    const ptrdiff_t n = tree->count[node];
    if (cut > 0 && cut < n && kd_leaves(cut) + kd_leaves(n - cut) <= (ptrdiff_t)tree->right[node]
        && kd_depth(tree, node) < EVEN_FROM_DEPTH)
        return cut;
    return (kd_leaves(n) + 1) / 2 * KD_LEAF;
}

/* The children of a node whose first n_left sites go to the left; they share what its budget
 * has beyond need. */
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

/* Link the top of a tree whose sites lie by regions of space already (top.h), each from start[] on:
 * the nodes from `node` on. Those that are to be built are noted in `below`; how many. */
static ptrdiff_t kd_link_top(KDTree *tree, uint32_t node, const ptrdiff_t *start,
                             ptrdiff_t n_regions, uint32_t *below)
{
    const ptrdiff_t half = n_regions / 2, n_left = start[half] - start[0];
    const ptrdiff_t n_right = start[n_regions] - start[half];
    if (n_regions == 1 || n_left + n_right <= KD_LEAF
        || kd_leaves(n_left) + kd_leaves(n_right) > (ptrdiff_t)tree->right[node]) {
        *below = node;
        return 1;
    }
    if (n_left == 0 || n_right == 0)
        return kd_link_top(tree, node, n_left == 0 ? start + half : start, half, below);
    kd_link(tree, node, n_left);
    const ptrdiff_t n = kd_link_top(tree, node + 1, start, half, below);
    return n + kd_link_top(tree, tree->right[node], start + half, half, below + n);
}

/* The boxes of the top, once those of the nodes `below` are known. */
static void kd_enclose_top(KDTree *tree, const uint32_t *below, ptrdiff_t n_below)
{
    const size_t size = 4 * (size_t)kd_pairs(tree->d);
    for (ptrdiff_t i = n_below - 1; i >= 0; i--)
        /* The right child of a node comes before its left one, which completes it. */
        for (uint32_t v = below[i], up; up = tree->parent[v], v == up + 1; v = up)
            for (size_t k = 0; k < size; k += 4) {
                const double *a = tree->box + v * size + k;
                const double *b = tree->box + tree->right[up] * size + k;
                double *box = tree->box + up * size + k;
                *(double2 *)box = double2_min(*(const double2 *)a, *(const double2 *)b);
                *(double2 *)(box + 2) =
                    double2_max(*(const double2 *)(a + 2), *(const double2 *)(b + 2));
            }
}

#endif
