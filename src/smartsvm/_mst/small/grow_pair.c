/* Prim's algorithm on two sets whose own forests are known, in vectors of WIDTH positions. */
#include "common/feature_loops.h"
#include "common/wide_fringe.h"
#include "small/pair_trees.h"

/* `out` is apart from the points: else x would be read again for every vector. */
INLINE void pair_fill_with(const double *restrict x, ptrdiff_t n, const double *restrict blocks,
                           ptrdiff_t width, ptrdiff_t d, double *restrict out)
{
    for (ptrdiff_t i = 0; i < n; i++, x += d, out += width)
        for (ptrdiff_t j = 0; j < width; j += WIDTH) {
            const double *y = blocks + j / PAIR_BLOCK * PAIR_BLOCK * d + j % PAIR_BLOCK;
            wide sum;
            SUM_LANES(wide, d, wide_square(x[k] - *(const wide *)(y + k * PAIR_BLOCK)), sum);
            *(wide *)(out + j) = sum;
        }
}

/* Squared distances of n points to those of another set, which lies in blocks. */
static void pair_fill(const double *x, ptrdiff_t n, const double *blocks, ptrdiff_t width,
                      ptrdiff_t d, double *out)
{
    FOR_MORE_DIMENSIONS(d, pair_fill_with(x, n, blocks, width, d, out));
}

/* Write the edges of one forest, as pairs of positions, and exclude them from later ones; how
 * many they are. */
static ptrdiff_t pair_grow(PairTrees *pair, uint32_t *edges, double *out)
{
    const wide zero = {0};
    const double *outside = pair->outside;
    const Fringe *fringe = &pair->fringe;
    double *nearest = fringe->nearest;
    int64_t *sources = fringe->source;
    ptrdiff_t entered = 0, n_edges = 0;
    pair_start(pair);
    for (ptrdiff_t left = pair->side[0].n + pair->side[1].n - 1; left > 0; left--) {
        const PairSide *own = pair->side + (entered >= pair->side[1].first);
        const PairSide *other = own == pair->side ? own + 1 : own - 1;
        const double *row = own->cross + (entered - own->first) * other->width - other->first;
        wide least = zero + INFINITY;
        nearest[entered] = INFINITY;
        pair->outside[entered] = NAN;
        offer_known(pair, own, entered);
        for (ptrdiff_t j = other->first; j < other->first + other->width; j += WIDTH) {
            /* Where the vertex is in the tree this is NaN, neither smaller nor equal. */
            const wide length = *(const wide *)(row + j) + *(const wide *)(outside + j);
            least = wide_min(
                fringe_improve_some(fringe, (uint32_t)entered, j, length, nearest, sources), least);
        }
        for (ptrdiff_t j = own->first; j < own->first + own->width; j += WIDTH)
            least = wide_min(*(const wide *)(nearest + j), least);
        const double length = wide_least(least);
        if (length == INFINITY) {
            /* Nothing reaches what is left: another tree of the forest. */
            for (entered = 0; isnan(pair->outside[entered]);) entered++;
            continue;
        }
        const ptrdiff_t found = fringe_smallest(fringe, length);
        edges[2 * n_edges] = (uint32_t)sources[found];
        edges[2 * n_edges + 1] = (uint32_t)found;
        out[n_edges++] = length;
        exclude_edge(pair, sources[found], found);
        entered = found;
    }
    return n_edges;
}

const PairLoops OF_THIS_KIND(pair_loops) = {pair_fill, pair_grow};
