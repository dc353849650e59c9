/* The vector loop over one row of a tile of approximate distances.
 *
 * An entry is a lower bound of a squared distance (see tiles.pxd). Almost all entries are above
 * the thresholds of both their points. The loop rejects them sixteen at a time, and returns when
 * a group may contain one that is not.
 */
#ifndef SMARTSVM_TILE_SCAN_H
#define SMARTSVM_TILE_SCAN_H

#include "common/vectors.h"

enum { TILE_GROUP = 16 };

typedef uint32_t tile_words __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t tile_halves __attribute__((vector_size(16), aligned(8), may_alias));

/* The first group at or after `start` (a multiple of TILE_GROUP) with an entry that joins two
 * components and is within the threshold of its row or its column; n if there is none. If `apart`,
 * every node is its own component, and components are not compared (so a row's entry with itself
 * is found). `least` becomes the smallest entry so far, whatever its components. All arrays are
 * padded to a multiple of TILE_GROUP; padding entries are infinite. */
static inline ptrdiff_t tile_loop(
    const float *entry, const float *threshold, const uint32_t *component, ptrdiff_t start,
    ptrdiff_t n, float row_threshold, uint32_t row_component, float *least, const int apart)
{
    const float4 level = {row_threshold, row_threshold, row_threshold, row_threshold};
    const tile_words own = {row_component, row_component, row_component, row_component};
    /* Four independent minima, to hide latency. */
    float4 low[4];
    ptrdiff_t j = start;
    for (int r = 0; r < 4; r++)
        low[r] = (float4){*least, *least, *least, *least};
    for (; j < n; j += TILE_GROUP) {
        tile_words found = {0, 0, 0, 0};
        for (int r = 0; r < 4; r++) {
            const ptrdiff_t at = j + 4 * r;
            const float4 s = *(const float4 *)(entry + at);
            tile_words within
                = (tile_words)(s <= float4_max(level, *(const float4 *)(threshold + at)));
            if (!apart)
                within &= (tile_words)(*(const tile_words *)(component + at) != own);
            found |= within;
            low[r] = float4_min(s, low[r]);
        }
        const tile_halves any = (tile_halves)found;
        if (any[0] | any[1])
            break;
    }
    low[0] = float4_min(float4_min(low[0], low[1]), float4_min(low[2], low[3]));
    for (int r = 0; r < 4; r++)
        if (low[0][r] < *least)
            *least = low[0][r];
    return j < n ? j : n;
}

static inline ptrdiff_t next_group(
    const float *entry, const float *threshold, const uint32_t *component, ptrdiff_t start,
    ptrdiff_t n, float row_threshold, uint32_t row_component, float *least, int apart)
{
    return apart ? tile_loop(entry, threshold, component, start, n, row_threshold, row_component,
                             least, 1)
                 : tile_loop(entry, threshold, component, start, n, row_threshold, row_component,
                             least, 0);
}
#endif
