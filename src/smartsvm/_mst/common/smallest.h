/* Insertion into a rising list of the k smallest, whose free places are infinite. */
#pragma once

#include <math.h>

#include "common/edge_order.h"

/* List a value if it is among the k smallest, after those that are as small; with an item, unless
 * `items` is NULL. */
INLINE void insert_smallest(double *values, uint32_t *items, ptrdiff_t k, double value,
                            uint32_t item)
{
    ptrdiff_t place = k - 1;
    if (!(value < values[place])) return;
    for (; place > 0 && value < values[place - 1]; place--) {
        values[place] = values[place - 1];
        if (items != NULL) items[place] = items[place - 1];
    }
    values[place] = value;
    if (items != NULL) items[place] = item;
}

/* Whether the edge from `point` to `other` precedes one to `listed`, in the order of edge_order.h. */
INLINE int is_nearer(const uint32_t *rank, uint32_t point, uint32_t other, double squared,
                     uint32_t listed, double listed_squared)
{
    if (squared != listed_squared || squared == INFINITY) return squared < listed_squared;
    return tie_key(rank[point], rank[other]) < tie_key(rank[point], rank[listed]);
}

/* The same for neighbours of a point, in the order of edges; whether one is listed. */
static inline int insert_nearest(const uint32_t *rank, uint32_t point, double *squared, uint32_t *to,
                                 ptrdiff_t k, double value, uint32_t other)
{
    ptrdiff_t place = k - 1;
    if (!is_nearer(rank, point, other, value, to[place], squared[place])) return 0;
    for (; place > 0 && is_nearer(rank, point, other, value, to[place - 1], squared[place - 1]);
         place--) {
        squared[place] = squared[place - 1];
        to[place] = to[place - 1];
    }
    squared[place] = value;
    to[place] = other;
    return 1;
}
