/* The root of a tree of parents, found with path halving: every kernel that joins things. */
#ifndef SMARTSVM_UNION_FIND_H
#define SMARTSVM_UNION_FIND_H

#include <stdint.h>

static inline uint32_t union_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

#endif
