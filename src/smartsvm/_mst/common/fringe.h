/* The vertices that Prim's tree has not reached.
 *
 * Position j holds one vertex outside the tree; a vertex that enters the tree is overwritten by
 * the last position, so a row is always one dense loop. Where a position holds nothing, and
 * where an edge is excluded, the first coordinate is infinite, and so is the distance.
 */
#ifndef SMARTSVM_FRINGE_H
#define SMARTSVM_FRINGE_H

#include <math.h>

#include "common/edge_order.h"
#include "common/vector_loops.h"

/* Points of a block, at most; positions that may be read beyond the last one. */
enum { FRINGE_BLOCK = 8 };

typedef struct {
    ptrdiff_t size;
    ptrdiff_t block;        /* points stored together, coordinate by coordinate */
    uint32_t *vertex;       /* position -> vertex */
    uint32_t *position;     /* vertex -> position, meaningful while in the fringe */
    double *nearest;        /* position -> squared distance of its smallest edge to the tree */
    int64_t *source;        /* position -> tree end of that edge */
    double *points;         /* coordinates of the positions */
} Fringe;

static inline double *fringe_point(const Fringe *fringe, ptrdiff_t j, ptrdiff_t d)
{
    return fringe->points + j / fringe->block * fringe->block * d + j % fringe->block;
}

/* For the processor at hand (improve_fringe.c): points that are stored together, and how the edges
 * from a vertex at x improve the fringe, which returns the position of the smallest edge. */
typedef struct {
    ptrdiff_t block;
    ptrdiff_t (*improve)(const Fringe *fringe, uint32_t entered, const double *x,
                         const uint32_t *ranks, ptrdiff_t d);
} FringeLoops;

DECLARE_KINDS(FringeLoops, fringe_loops)

/* The key of the smallest edge of a position. */
static inline uint64_t fringe_key(const Fringe *fringe, ptrdiff_t j, const uint32_t *ranks)
{
    return tie_key(ranks[fringe->source[j]], ranks[fringe->vertex[j]]);
}

/* An edge from `entered` as long as the smallest one of a position. */
static inline void fringe_tie(const Fringe *fringe, uint32_t entered, ptrdiff_t j,
                              const uint32_t *ranks)
{
    const uint64_t key = tie_key(ranks[entered], ranks[fringe->vertex[j]]);
    if (key < fringe_key(fringe, j, ranks)) fringe->source[j] = entered;
}

/* Offer an edge from `entered` of this length to a position; the length of its smallest edge. */
static inline double fringe_offer(const Fringe *fringe, uint32_t entered, ptrdiff_t j,
                                  double length, const uint32_t *ranks)
{
    if (length < fringe->nearest[j]) {
        fringe->nearest[j] = length;
        fringe->source[j] = entered;
    } else if (length == fringe->nearest[j] && length < INFINITY) {
        fringe_tie(fringe, entered, j, ranks);
    }
    return fringe->nearest[j];
}

/* The position of the smallest edge, which is this long; 0 if there is none. */
static inline ptrdiff_t fringe_smallest(const Fringe *fringe, double least, const uint32_t *ranks)
{
    ptrdiff_t smallest = -1;
    if (least == INFINITY) return 0;
    for (ptrdiff_t j = 0; j < fringe->size; j++) {
        if (fringe->nearest[j] != least) continue;
        if (smallest < 0
            || fringe_key(fringe, j, ranks) < fringe_key(fringe, smallest, ranks))
            smallest = j;
    }
    return smallest;
}

#endif
