/* What the searches of a leaf's sites have left of a kd-tree, so that the next ones go on there.
 *
 * A search measures many boxes and compares many leaves to learn that nothing is near enough. Its
 * frontier keeps the nodes that it passed over, and the leaves that it compared, each with a lower
 * bound of the distances from all sites of its own leaf to what they may want there. Together
 * they hold everything that may still be wanted: a later search with a longer reach begins with
 * those whose bound is within it.
 */
#ifndef SMARTSVM_KD_FRONTIER_H
#define SMARTSVM_KD_FRONTIER_H

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kd/leaf_pairs.h"

/* A frontier that comes to hold more nodes is not kept: the next search begins anew. */
enum { MOST_IN_A_FRONTIER = 1 << 10 };

typedef struct {
    float bound;
    uint32_t node;
} FrontierNode;

typedef struct {
    FrontierNode *nodes;            /* none: nothing has been searched yet */
    uint32_t n, room;
} Frontier;

/* A bound as a float that is not larger. */
INLINE float frontier_bound(double bound)
{
    return bound < FLT_MAX ? (float)(bound * (1 - 0x1p-22) - KD_UNDERFLOW) : FLT_MAX;
}

/* More than the most are not written, but show in `n`. 0: no memory. */
INLINE int frontier_add(Frontier *frontier, uint32_t node, float bound)
{
    if (frontier->n > MOST_IN_A_FRONTIER) return 1;
    if (frontier->n == frontier->room) {
        const uint32_t room = frontier->room < 64 ? 64 : frontier->room + frontier->room / 2;
        FrontierNode *nodes = realloc(frontier->nodes, room * sizeof *nodes);
        if (nodes == NULL) return 0;
        frontier->nodes = nodes;
        frontier->room = room;
    }
    frontier->nodes[frontier->n++] = (FrontierNode){bound, node};
    return 1;
}

/* All of a tree: from a leaf of it on, near to far, or from the root, if the query is elsewhere. */
INLINE int frontier_begin(Frontier *frontier, const KDTree *tree, const KDRows *rows, ptrdiff_t d)
{
    uint32_t node = rows->tree == tree ? rows->leaf : 0;
    int done = frontier_add(frontier, node, 0);
    while (done && node != 0) {
        const uint32_t parent = tree->parent[node];
        const uint32_t beside = node == parent + 1 ? tree->right[parent] : parent + 1;
        done = frontier_add(frontier, beside,
                            frontier_bound(kd_bound_of_rows(tree, beside, rows, d)));
        node = parent;
    }
    return done;
}

/* What a search that keeps a frontier does in a leaf: a lower bound of what is left to find. */
typedef float (*kd_look)(void *search, uint32_t leaf, ptrdiff_t d);

/* Everything under a node that is not beyond the reach of the rows, nearer children first; what
 * is beyond joins the frontier. 0: no memory. */
INLINE int frontier_descend(Frontier *frontier, const KDTree *tree, FrontierNode from,
                            const KDRows *rows, void *search, kd_skip skip, kd_look look,
                            ptrdiff_t d)
{
    FrontierNode waiting[KD_DEPTH];
    int n_waiting = 0;
    for (;;) {
        const uint32_t right = tree->right[from.node], left = from.node + 1;
        if ((double)from.bound > rows->reach || right == 0) {
            if ((double)from.bound <= rows->reach) {
                const float next = look(search, from.node, d);
                if (next > from.bound) from.bound = next;
            }
            if (!frontier_add(frontier, from.node, from.bound)) return 0;
        } else {
            const int has_left = !skip(search, left), has_right = !skip(search, right);
            const double a = has_left ? kd_bound_of_rows(tree, left, rows, d) : INFINITY;
            const double b = has_right ? kd_bound_of_rows(tree, right, rows, d) : INFINITY;
            const FrontierNode first = {frontier_bound(a), left};
            const FrontierNode second = {frontier_bound(b), right};
            if (has_left && has_right) waiting[n_waiting++] = a <= b ? second : first;
            from = a <= b ? first : second;
            if (has_left || has_right) continue;
        }
        if (n_waiting == 0) return 1;
        from = waiting[--n_waiting];
    }
}

/* Search on where the frontier is within reach. 0: no memory. */
INLINE int frontier_search(Frontier *frontier, const KDTree *tree, const KDRows *rows,
                           void *search, kd_skip skip, kd_look look, ptrdiff_t d)
{
    if (frontier->n == 0 && !frontier_begin(frontier, tree, rows, d)) return 0;
    const uint32_t before = frontier->n;
    uint32_t kept = 0;
    for (uint32_t e = 0; e < before; e++) {
        const FrontierNode node = frontier->nodes[e];
        if ((double)node.bound > rows->reach)
            frontier->nodes[kept++] = node;
        else if (!skip(search, node.node)
                 && !frontier_descend(frontier, tree, node, rows, search, skip, look, d))
            return 0;
    }
    if (frontier->n > MOST_IN_A_FRONTIER) {
        free(frontier->nodes);
        *frontier = (Frontier){NULL, 0, 0};
        return 1;
    }
    memmove(frontier->nodes + kept, frontier->nodes + before,
            (frontier->n - before) * sizeof *frontier->nodes);
    frontier->n -= before - kept;
    return 1;
}

#endif
