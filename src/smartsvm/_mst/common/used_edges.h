/* The edges that earlier trees have used, as adjacency lists.
 *
 * Partners of vertex v are used[start[v]] to used[start[v + 1] - 1].
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `start` has room for n + 1 numbers, `used` for two of each edge. */
static inline void index_used(const uint32_t *edges, ptrdiff_t n_edges, ptrdiff_t n,
                              ptrdiff_t *start, uint32_t *used)
{
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (ptrdiff_t e = 0; e < 2 * n_edges; e++) start[edges[e]]++;
    for (ptrdiff_t v = 0; v < n; v++) start[v + 1] += start[v];
    /* Filled from the back, so that each start ends where it belongs. */
    for (ptrdiff_t e = 0; e < 2 * n_edges; e++) used[--start[edges[e]]] = edges[e ^ 1];
}

/* How many used edges join i and j: between sites of several points there may be more than one.
 * The shorter of the two lists is read, since that of a hub is long. */
static inline ptrdiff_t count_used(const ptrdiff_t *start, const uint32_t *used, uint32_t i,
                                   uint32_t j)
{
    ptrdiff_t count = 0;
    if (start[j + 1] - start[j] < start[i + 1] - start[i]) {
        const uint32_t swapped = i;
        i = j;
        j = swapped;
    }
    for (ptrdiff_t e = start[i]; e < start[i + 1]; e++) count += used[e] == j;
    return count;
}
