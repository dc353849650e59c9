/* Two small sets and what is known of them.
 *
 * The first set takes the positions from 0, the second those from its own `first` on. A position
 * without a point is never outside of the tree.
 */
#ifndef SMARTSVM_PAIR_TREES_H
#define SMARTSVM_PAIR_TREES_H

#include <string.h>

#include "common/fringe.h"

/* Sets are rounded up to whole blocks, pairs to a FRINGE_GROUP. */
enum { PAIR_BLOCK = 8 };

typedef struct {
    ptrdiff_t n, width;             /* points, and positions for them */
    ptrdiff_t first;                /* position of the first */
    const ptrdiff_t *known_start;   /* point -> its first place in */
    const uint32_t *known_to;       /* edges of its set's forests, by the position in the set */
    double *known_length;           /* infinite when used */
    double *cross;                  /* (n, width of the other): lengths of edges to the other set */
} PairSide;

typedef struct {
    PairSide side[2];
    Fringe fringe;          /* of all positions, each its own vertex, and without coordinates */
    double *outside;        /* 0 for positions outside of the tree, NaN for others */
} PairTrees;

static inline void pair_start(const PairTrees *pair)
{
    for (ptrdiff_t j = 0; j < pair->fringe.size; j++) {
        pair->fringe.nearest[j] = INFINITY;
        pair->outside[j] = NAN;
    }
    for (const PairSide *side = pair->side; side < pair->side + 2; side++)
        memset(pair->outside + side->first, 0, (size_t)side->n * sizeof(double));
}

/* Let the edges of a vertex within its own set improve what is outside. */
static inline void offer_known(const PairTrees *pair, const PairSide *own, ptrdiff_t entered)
{
    const ptrdiff_t base = own->known_start[0], *start = own->known_start + entered - own->first;
    for (ptrdiff_t e = start[0] - base; e < start[1] - base; e++) {
        const ptrdiff_t j = own->first + own->known_to[e];
        /* NaN where the vertex is in the tree: neither less than anything nor equal to it. */
        fringe_offer(&pair->fringe, (uint32_t)entered, j, own->known_length[e] + pair->outside[j]);
    }
}

static inline void exclude_known(const PairSide *own, ptrdiff_t from, ptrdiff_t to)
{
    const ptrdiff_t base = own->known_start[0], *start = own->known_start + from;
    for (ptrdiff_t e = start[0] - base; e < start[1] - base; e++)
        if (own->known_to[e] == (uint32_t)to) own->known_length[e] = INFINITY;
}

static inline void exclude_edge(const PairTrees *pair, ptrdiff_t from, ptrdiff_t to)
{
    const PairSide *left = pair->side, *right = pair->side + 1;
    const ptrdiff_t low = from < to ? from : to, high = (from < to ? to : from);
    const PairSide *own = low >= right->first ? right : left;
    if (own == right || high < right->first) {
        exclude_known(own, low - own->first, high - own->first);
        exclude_known(own, high - own->first, low - own->first);
        return;
    }
    left->cross[low * right->width + high - right->first] = INFINITY;
    right->cross[(high - right->first) * left->width + low] = INFINITY;
}

/* The lengths from the second set to the first, once those from the first are there. */
static inline void turn_cross(const PairTrees *pair)
{
    const PairSide *left = pair->side, *right = pair->side + 1;
    for (ptrdiff_t i = 0; i < right->n; i++) {
        double *row = right->cross + i * left->width;
        for (ptrdiff_t j = 0; j < left->n; j++) row[j] = left->cross[j * right->width + i];
        for (ptrdiff_t j = left->n; j < left->width; j++) row[j] = INFINITY;
    }
}

/* For the processor at hand (grow_pair.c). */
typedef struct {
    void (*fill)(const double *x, ptrdiff_t n, const double *blocks, ptrdiff_t width, ptrdiff_t d,
                 double *out);
    ptrdiff_t (*grow)(PairTrees *pair, uint32_t *edges, double *out);
} PairLoops;

DECLARE_KINDS(PairLoops, pair_loops)

#endif
