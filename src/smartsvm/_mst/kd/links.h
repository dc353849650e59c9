/* Nodes of the kd-tree of tree.h while it is built: how they are numbered and linked.
 *
 * Splits may be uneven; a budget of leaves, more than are needed, bounds how many can be, and below a
 * certain depth none is.
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

/* A subtree still to be built: its root, and how many leaves and levels it may have. */
typedef struct {
    uint32_t node, budget, depth;
} KDSubtree;

/* How many of n points go to the left: as many as come before a cut that was found, or for full
 * leaves next to the median if there is none (0), or it is too uneven. */
INLINE ptrdiff_t kd_n_left(ptrdiff_t cut, ptrdiff_t n, KDSubtree subtree)
{
    enum { EVEN_FROM_DEPTH = 56 };
    if (cut > 0 && cut < n && subtree.depth < EVEN_FROM_DEPTH &&
        kd_leaves(cut) + kd_leaves(n - cut) <= (ptrdiff_t)subtree.budget)
        return cut;
    return (kd_leaves(n) + 1) / 2 * KD_LEAF;
}

/* The children of a node whose first n_left sites go to the left; they share what its budget
 * has beyond need. */
INLINE void kd_link(KDTree *tree, KDSubtree subtree, ptrdiff_t n_left, KDSubtree *left,
                    KDSubtree *right)
{
    const uint32_t node = subtree.node, lo = tree->start[node];
    const ptrdiff_t n = tree->count[node];
    const ptrdiff_t need_left = kd_leaves(n_left), need_right = kd_leaves(n - n_left);
    const ptrdiff_t spare = (ptrdiff_t)subtree.budget - need_left - need_right;
    const ptrdiff_t spare_left = (ptrdiff_t)((double)spare * (double)n_left / (double)n);
    left->budget = (uint32_t)(need_left + spare_left);
    right->budget = (uint32_t)(need_right + spare - spare_left);
    left->depth = right->depth = subtree.depth + 1;
    left->node = node + 1;
    right->node = tree->right[node] = node + 2 * left->budget;
    tree->parent[left->node] = tree->parent[right->node] = node;
    tree->start[left->node] = lo;
    tree->count[left->node] = (uint32_t)n_left;
    tree->start[right->node] = lo + (uint32_t)n_left;
    tree->count[right->node] = (uint32_t)(n - n_left);
}

/* The top of a tree: its nodes, and what is to be built below them. */
typedef struct {
    uint32_t *above;
    KDSubtree *below;
    ptrdiff_t n_above, n_below;
} KDTop;

/* The top of a subtree whose sites lie by regions of space already (top.h), each from start[]
 * on. */
static void kd_lay_out(KDTree *tree, KDSubtree subtree, const ptrdiff_t *start, ptrdiff_t n_regions,
                       KDTop *top)
{
    const ptrdiff_t half = n_regions / 2, n_left = start[half] - start[0];
    const ptrdiff_t n_right = start[n_regions] - start[half];
    if (n_regions == 1 || n_left + n_right <= KD_LEAF) {
        top->below[top->n_below++] = subtree;
    } else if (n_left == 0 || n_right == 0) {
        kd_lay_out(tree, subtree, n_left == 0 ? start + half : start, half, top);
    } else if (kd_leaves(n_left) + kd_leaves(n_right) > (ptrdiff_t)subtree.budget) {
        top->below[top->n_below++] = subtree;
    } else {
        KDSubtree left, right;
        top->above[top->n_above++] = subtree.node;
        kd_link(tree, subtree, n_left, &left, &right);
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

#endif
