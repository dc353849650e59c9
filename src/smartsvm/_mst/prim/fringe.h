/* The fringe: the vertices that Prim's tree has not reached; and two small sets with what is known
 * of them, whose fringe is that of their pair.
 *
 * Position j holds one vertex outside the tree; a vertex that enters the tree is overwritten by
 * the last position, so a row is always one dense loop. Where a position holds nothing, and
 * where an edge is excluded, the first coordinate is infinite, and so is the distance.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "common/edge_order.h"
#include "common/vector_loops.h"

/* Positions are rounded up to a multiple: what none is at may be read, and is never the nearest.
 * Points of a set of a pair are stored in blocks, coordinate by coordinate. */
enum { FRINGE_GROUP = 32, PAIR_BLOCK = 8 };

typedef struct {
    ptrdiff_t size;
    ptrdiff_t block;        /* points stored together, coordinate by coordinate */
    uint32_t *vertex;       /* position -> vertex */
    uint32_t *position;     /* vertex -> position, meaningful while in the fringe */
    uint32_t *rank;         /* vertex -> its rank in the order of ties */
    double *nearest;        /* position -> squared distance of its smallest edge to the tree */
    int64_t *source;        /* position -> tree end of that edge */
    double *points;         /* coordinates of the positions */
    /* For mutual reachability (edge_order.h), else NULL: the core of a position, and the distance
     * of its smallest edge. */
    double *core, *distance;
} Fringe;

static inline double *fringe_point(const Fringe *fringe, ptrdiff_t j, ptrdiff_t d)
{
    return fringe->points + j / fringe->block * fringe->block * d + j % fringe->block;
}

/* The key of the smallest edge of a position. */
static inline uint64_t fringe_key(const Fringe *fringe, ptrdiff_t j)
{
    return tie_key(fringe->rank[fringe->source[j]], fringe->rank[fringe->vertex[j]]);
}

/* Whether the smallest edge of one position is smaller than that of another, which is as long. */
static inline int fringe_before(const Fringe *fringe, ptrdiff_t i, ptrdiff_t j)
{
    if (fringe->distance != NULL && fringe->distance[i] != fringe->distance[j])
        return fringe->distance[i] < fringe->distance[j];
    return fringe_key(fringe, i) < fringe_key(fringe, j);
}

/* An edge from `entered` as long as the smallest one of a position. */
static inline void fringe_tie(const Fringe *fringe, uint32_t entered, ptrdiff_t j)
{
    const uint64_t key = tie_key(fringe->rank[entered], fringe->rank[fringe->vertex[j]]);
    if (key < fringe_key(fringe, j)) fringe->source[j] = entered;
}

/* Offer an edge from `entered` of this length to a position; the length of its smallest edge. */
static inline double fringe_improve(const Fringe *fringe, uint32_t entered, ptrdiff_t j,
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

/* The same for mutual reachability: `core` is that of `entered`. */
static inline double fringe_improve_mutual(const Fringe *fringe, uint32_t entered, double core,
                                           ptrdiff_t j, double distance)
{
    double length = distance > core ? distance : core;
    length = length > fringe->core[j] ? length : fringe->core[j];
    if (length < fringe->nearest[j]
        || (length == fringe->nearest[j] && distance < fringe->distance[j])) {
        fringe->nearest[j] = length;
        fringe->distance[j] = distance;
        fringe->source[j] = entered;
    } else if (length == fringe->nearest[j] && distance == fringe->distance[j]
               && length < INFINITY) {
        fringe_tie(fringe, entered, j);
    }
    return fringe->nearest[j];
}

/* One of two sets. The first takes the positions from 0, the second those from its own `first` on,
 * both in whole blocks. A position without a point is never outside of the tree. */
typedef struct {
    ptrdiff_t n, width;             /* points, and positions for them */
    ptrdiff_t first;                /* position of the first */
    const ptrdiff_t *known_start;   /* point -> its first place in */
    const uint32_t *known_to;       /* edges of its set's forests, by the position in the set */
    double *known_length;           /* infinite when used */
    double *cross;                  /* (n, width of the other): lengths of edges to the other set */
} PairSet;

typedef struct {
    PairSet sets[2];
    Fringe fringe;          /* of all positions, each its own vertex, and without coordinates */
    double *outside;        /* 0 for positions outside of the tree, NaN for others */
} PairTrees;

static inline void pair_start(const PairTrees *pair)
{
    for (ptrdiff_t j = 0; j < pair->fringe.size; j++) {
        pair->fringe.nearest[j] = INFINITY;
        pair->outside[j] = NAN;
    }
    for (const PairSet *set = pair->sets; set < pair->sets + 2; set++)
        memset(pair->outside + set->first, 0, (size_t)set->n * sizeof(double));
}

/* Let the edges of a vertex within its own set improve what is outside. */
static inline void improve_by_known(const PairTrees *pair, const PairSet *own, ptrdiff_t entered)
{
    const ptrdiff_t base = own->known_start[0], *start = own->known_start + entered - own->first;
    for (ptrdiff_t e = start[0] - base; e < start[1] - base; e++) {
        const ptrdiff_t j = own->first + own->known_to[e];
        /* NaN where the vertex is in the tree: neither less than anything nor equal to it. */
        fringe_improve(&pair->fringe, (uint32_t)entered, j, own->known_length[e] + pair->outside[j]);
    }
}

static inline void exclude_known(const PairSet *own, ptrdiff_t from, ptrdiff_t to)
{
    const ptrdiff_t base = own->known_start[0], *start = own->known_start + from;
    for (ptrdiff_t e = start[0] - base; e < start[1] - base; e++)
        if (own->known_to[e] == (uint32_t)to) own->known_length[e] = INFINITY;
}

static inline void exclude_edge(const PairTrees *pair, ptrdiff_t from, ptrdiff_t to)
{
    const PairSet *left = pair->sets, *right = pair->sets + 1;
    const ptrdiff_t low = from < to ? from : to, high = (from < to ? to : from);
    const PairSet *own = low >= right->first ? right : left;
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
    const PairSet *left = pair->sets, *right = pair->sets + 1;
    for (ptrdiff_t i = 0; i < right->n; i++) {
        double *row = right->cross + i * left->width;
        for (ptrdiff_t j = 0; j < left->n; j++) row[j] = left->cross[j * right->width + i];
        for (ptrdiff_t j = left->n; j < left->width; j++) row[j] = INFINITY;
    }
}

/* For the processor at hand (prim_loops.c). */
typedef struct {
    ptrdiff_t block;    /* of a fringe */
    /* Let the edges from a vertex at x improve the fringe; the length of the smallest edge. */
    double (*improve)(const Fringe *fringe, uint32_t entered, const double *x, ptrdiff_t d);
    /* The same for mutual reachability. */
    double (*improve_mutual)(const Fringe *fringe, uint32_t entered, double core, const double *x,
                             ptrdiff_t d);
    /* The position of an edge that is this long and the smallest; 0 if there is none. */
    ptrdiff_t (*smallest)(const Fringe *fringe, double length);
    /* Squared distances of n points to those of another set, which lies in blocks. */
    void (*fill)(const double *x, ptrdiff_t n, const double *points, ptrdiff_t width, double *out,
                 ptrdiff_t d);
    /* Let points lo..hi-1 and those before them enter each other's lists of the k smallest squared
     * distances. */
    void (*list_lengths)(const double *points, const double *blocks, ptrdiff_t lo, ptrdiff_t hi,
                         double *nearest, ptrdiff_t width, ptrdiff_t k, ptrdiff_t d);
    /* Write the edges of one forest, as pairs of positions, and exclude them from later ones; how
     * many they are. */
    ptrdiff_t (*grow)(PairTrees *pair, uint32_t *edges, double *out);
} PrimLoops;

DECLARE_KINDS(PrimLoops, prim_loops)
