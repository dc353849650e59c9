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

/* Positions are rounded up to a multiple: what none is at may be read, and is never the nearest. */
enum { FRINGE_GROUP = 32 };

typedef struct {
    ptrdiff_t size;
    ptrdiff_t block;        /* points stored together, coordinate by coordinate */
    uint32_t *vertex;       /* position -> vertex */
    uint32_t *position;     /* vertex -> position, meaningful while in the fringe */
    uint32_t *rank;         /* vertex -> its rank in the order of ties */
    double *nearest;        /* position -> squared distance of its smallest edge to the tree */
    int64_t *source;        /* position -> tree end of that edge */
    double *points;         /* coordinates of the positions */
} Fringe;

static inline double *fringe_point(const Fringe *fringe, ptrdiff_t j, ptrdiff_t d)
{
    return fringe->points + j / fringe->block * fringe->block * d + j % fringe->block;
}

/* For the processor at hand (improve_fringe.c): points that are stored together, how the edges
 * from a vertex at x improve the fringe, which returns the length of the smallest edge, and the
 * position of an edge that is this long and the smallest; 0 if there is none. */
typedef struct {
    ptrdiff_t block;
    double (*improve)(const Fringe *fringe, uint32_t entered, const double *x, ptrdiff_t d);
    ptrdiff_t (*smallest)(const Fringe *fringe, double length);
} FringeLoops;

DECLARE_KINDS(FringeLoops, fringe_loops)

/* The key of the smallest edge of a position. */
static inline uint64_t fringe_key(const Fringe *fringe, ptrdiff_t j)
{
    return tie_key(fringe->rank[fringe->source[j]], fringe->rank[fringe->vertex[j]]);
}

/* An edge from `entered` as long as the smallest one of a position. */
static inline void fringe_tie(const Fringe *fringe, uint32_t entered, ptrdiff_t j)
{
    const uint64_t key = tie_key(fringe->rank[entered], fringe->rank[fringe->vertex[j]]);
    if (key < fringe_key(fringe, j)) fringe->source[j] = entered;
}

/* Offer an edge from `entered` of this length to a position; the length of its smallest edge. */
static inline double fringe_offer(const Fringe *fringe, uint32_t entered, ptrdiff_t j,
                                  double length)
{
    if (length < fringe->nearest[j]) {
        fringe->nearest[j] = length;
        fringe->source[j] = entered;
    } else if (length == fringe->nearest[j] && length < INFINITY) {
        fringe_tie(fringe, entered, j);
    }
    return fringe->nearest[j];
}

#endif
