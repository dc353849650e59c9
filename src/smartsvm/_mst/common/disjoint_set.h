/* Disjoint sets as trees of parents: every algorithm here that joins things.
 *
 * A root is its own parent, and the smallest element of its set. Paths are halved whenever a
 * root is looked up, which keeps them short however sets are joined.
 *
 * Reference: R. E. Tarjan and J. van Leeuwen, Journal of the ACM 31 (1984), 245-281.
 */
#pragma once

#include <stdint.h>

static inline uint32_t union_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Join the sets of two roots, which may be the same; the root of the union. */
static inline uint32_t union_join(uint32_t *parent, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    parent[high] = low;
    return low;
}

/* A step of Kruskal's algorithm: join the sets of two elements; whether they were different. */
static inline int union_joins(uint32_t *parent, uint32_t i, uint32_t j)
{
    const uint32_t a = union_root(parent, i), b = union_root(parent, j);
    if (a != b) union_join(parent, a, b);
    return a != b;
}
