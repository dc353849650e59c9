/* What a vertex that enters Prim's tree does to the fringe, in vectors of WIDTH positions: where
 * distances are computed, and for two sets whose own forests are known. */
#include "common/feature_loops.h"
#include "prim/fringe.h"

/* Squared distances from x to WIDTH points of a block. */
INLINE wide lengths_to(const double *x, const double *y, ptrdiff_t block, ptrdiff_t d)
{
    wide length;
    SUM_LANES(wide, d, wide_square(x[k] - *(const wide *)(y + k * block)), length);
    return length;
}

/* Let edges of these lengths from `entered` improve the positions from j on; the lengths of their
 * smallest edges then. One that is not a number improves nothing. */
INLINE wide improve_some(const Fringe *fringe, uint32_t entered, ptrdiff_t j, wide length,
                         double *nearest, int64_t *sources)
{
    const wide old = *(const wide *)(nearest + j), now = wide_min(length, old);
    const wide_int improved = length < old;
    wide_int *source = (wide_int *)(sources + j);
    *(wide *)(nearest + j) = now;
    *source = (improved & (int64_t)entered) | (~improved & *source);
    if (wide_equal(length, old))
        for (ptrdiff_t r = 0; r < WIDTH; r++)
            if (length[r] == old[r] && length[r] < INFINITY) fringe_tie(fringe, entered, j + r);
    return now;
}

INLINE double wide_least(wide a)
{
    double least = a[0];
    for (int r = 1; r < WIDTH; r++) least = a[r] < least ? a[r] : least;
    return least;
}

/* What is written are not coordinates: else the compiler would read x again for every vector. */
INLINE double improve_with(const Fringe *fringe, uint32_t entered, const double *restrict x,
                           const double *restrict points, ptrdiff_t d)
{
    const wide zero = {0};
    const ptrdiff_t size = fringe->size;
    double *nearest = fringe->nearest;
    int64_t *sources = fringe->source;
    wide least = zero + INFINITY;
    for (ptrdiff_t j = 0; j < size; j += WIDTH) {
        const wide length = lengths_to(x, points + j * d, WIDTH, d);
        const wide old = *(const wide *)(nearest + j);
        /* Of two positions one improves too often for a branch that is guessed well. */
        if (WIDTH > 2 && !wide_at_most(length, old))
            least = wide_min(old, least);
        else
            least = wide_min(improve_some(fringe, entered, j, length, nearest, sources), least);
    }
    return wide_least(least);
}

static double improve(const Fringe *fringe, uint32_t entered, const double *x, ptrdiff_t d)
{
    double least;
    LOOP_FOR_DIMENSION(d, least = improve_with(fringe, entered, x, fringe->points, d));
    return least;
}

/* The same as improve_some by mutual reachability. */
INLINE void improve_some_mutual(const Fringe *fringe, uint32_t entered, ptrdiff_t j, wide length,
                                wide distance)
{
    wide *nearest = (wide *)(fringe->nearest + j), *old = (wide *)(fringe->distance + j);
    wide_int *kept = (wide_int *)old, *source = (wide_int *)(fringe->source + j);
    const wide_int as_long = length == *nearest;
    const wide_int improved = (length < *nearest) | (as_long & (distance < *old));
    if (wide_equal(distance, *old))
        for (ptrdiff_t r = 0; r < WIDTH; r++)
            if (as_long[r] && distance[r] == (*old)[r] && distance[r] < INFINITY)
                fringe_tie(fringe, entered, j + r);
    *nearest = wide_min(length, *nearest);
    *kept = (improved & (wide_int)distance) | (~improved & *kept);
    *source = (improved & (int64_t)entered) | (~improved & *source);
}

INLINE double improve_mutual_with(const Fringe *fringe, uint32_t entered, double core,
                                  const double *restrict x, const double *restrict points,
                                  ptrdiff_t d)
{
    const wide zero = {0};
    wide least = zero + INFINITY;
    for (ptrdiff_t j = 0; j < fringe->size; j += WIDTH) {
        const wide distance = lengths_to(x, points + j * d, WIDTH, d);
        const wide length =
            wide_max(wide_max(distance, zero + core), *(const wide *)(fringe->core + j));
        wide *nearest = (wide *)(fringe->nearest + j);
        if (wide_at_most(length, *nearest))
            improve_some_mutual(fringe, entered, j, length, distance);
        least = wide_min(*nearest, least);
    }
    return wide_least(least);
}

static double improve_mutual(const Fringe *fringe, uint32_t entered, double core, const double *x,
                             ptrdiff_t d)
{
    double least;
    LOOP_FOR_DIMENSION(d, least = improve_mutual_with(fringe, entered, core, x, fringe->points, d));
    return least;
}

static ptrdiff_t smallest(const Fringe *fringe, double length)
{
    const wide zero = {0}, wanted = zero + length;
    ptrdiff_t found = -1;
    if (length == INFINITY) return 0;
    for (ptrdiff_t j = 0; j < fringe->size; j += 4 * WIDTH) {
        const wide *nearest = (const wide *)(fringe->nearest + j);
        const int here = wide_equal(nearest[0], wanted) | wide_equal(nearest[1], wanted)
                         | wide_equal(nearest[2], wanted) | wide_equal(nearest[3], wanted);
        if (!here) continue;
        for (ptrdiff_t r = j; r < j + 4 * WIDTH; r++)
            if (fringe->nearest[r] == length
                && (found < 0 || fringe_before(fringe, r, found)))
                found = r;
    }
    return found;
}

/* `out` is apart from the points: else x would be read again for every vector. */
INLINE void fill_with(const double *restrict x, ptrdiff_t n, const double *restrict points,
                      ptrdiff_t width, double *restrict out, ptrdiff_t d)
{
    for (ptrdiff_t i = 0; i < n; i++, x += d, out += width)
        for (ptrdiff_t j = 0; j < width; j += WIDTH) {
            const double *y = points + j / PAIR_BLOCK * PAIR_BLOCK * d + j % PAIR_BLOCK;
            *(wide *)(out + j) = lengths_to(x, y, PAIR_BLOCK, d);
        }
}

static void fill(const double *x, ptrdiff_t n, const double *points, ptrdiff_t width, double *out,
                 ptrdiff_t d)
{
    LOOP_FOR_DIMENSION(d, fill_with(x, n, points, width, out, d));
}

/* Compare each of points lo..hi-1 with those before it, which lie in blocks. List r of `nearest`,
 * `width` long, has the squared distance of every point to its neighbour number r + 1. */
INLINE void list_lengths_with(const double *restrict points, const double *restrict blocks,
                              ptrdiff_t lo, ptrdiff_t hi, double *restrict nearest,
                              ptrdiff_t width, ptrdiff_t k, ptrdiff_t d)
{
    const wide zero = {0};
    double *last = nearest + (k - 1) * width;
    for (ptrdiff_t i = lo; i < hi; i++)
        for (ptrdiff_t j = 0; j < i; j += WIDTH) {
            const double *y = blocks + j / PAIR_BLOCK * PAIR_BLOCK * d + j % PAIR_BLOCK;
            wide length = lengths_to(points + i * d, y, PAIR_BLOCK, d);
            for (ptrdiff_t r = i - j; r < WIDTH; r++) length[r] = INFINITY;
            if (wide_at_most(length, *(const wide *)(last + j))) {
                wide left = length;
                for (double *list = nearest + j; list <= last + j; list += width) {
                    const wide old = *(const wide *)list;
                    *(wide *)list = wide_min(left, old);
                    left = wide_max(left, old);
                }
            }
            if (!wide_at_most(length, zero + last[i])) continue;
            for (ptrdiff_t r = 0; r < WIDTH; r++) {
                double *list = last + i;
                if (length[r] >= *list) continue;
                for (; list > nearest + i && length[r] < list[-width]; list -= width)
                    *list = list[-width];
                *list = length[r];
            }
        }
}

static void list_lengths(const double *points, const double *blocks, ptrdiff_t lo, ptrdiff_t hi,
                         double *nearest, ptrdiff_t width, ptrdiff_t k, ptrdiff_t d)
{
    LOOP_FOR_DIMENSION(d, list_lengths_with(points, blocks, lo, hi, nearest, width, k, d));
}

static ptrdiff_t grow(PairTrees *pair, uint32_t *edges, double *out)
{
    const wide zero = {0};
    const double *outside = pair->outside;
    const Fringe *fringe = &pair->fringe;
    double *nearest = fringe->nearest;
    int64_t *sources = fringe->source;
    ptrdiff_t entered = 0, n_edges = 0;
    pair_start(pair);
    for (ptrdiff_t left = pair->sets[0].n + pair->sets[1].n - 1; left > 0; left--) {
        const PairSet *own = pair->sets + (entered >= pair->sets[1].first);
        const PairSet *other = own == pair->sets ? own + 1 : own - 1;
        const double *row = own->cross + (entered - own->first) * other->width - other->first;
        wide least = zero + INFINITY;
        nearest[entered] = INFINITY;
        pair->outside[entered] = NAN;
        improve_by_known(pair, own, entered);
        for (ptrdiff_t j = other->first; j < other->first + other->width; j += WIDTH) {
            /* Where the vertex is in the tree this is NaN, neither smaller nor equal. */
            const wide length = *(const wide *)(row + j) + *(const wide *)(outside + j);
            least = wide_min(
                improve_some(fringe, (uint32_t)entered, j, length, nearest, sources), least);
        }
        for (ptrdiff_t j = own->first; j < own->first + own->width; j += WIDTH)
            least = wide_min(*(const wide *)(nearest + j), least);
        const double length = wide_least(least);
        if (length == INFINITY) {
            /* Nothing reaches what is left: another tree of the forest. */
            for (entered = 0; isnan(pair->outside[entered]);) entered++;
            continue;
        }
        const ptrdiff_t found = smallest(fringe, length);
        edges[2 * n_edges] = (uint32_t)sources[found];
        edges[2 * n_edges + 1] = (uint32_t)found;
        out[n_edges++] = length;
        exclude_edge(pair, sources[found], found);
        entered = found;
    }
    return n_edges;
}

const PrimLoops OF_THIS_KIND(prim_loops) = {
    WIDTH, improve, improve_mutual, smallest, fill, list_lengths, grow,
};
