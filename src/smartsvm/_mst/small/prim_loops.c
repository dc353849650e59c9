/* What a vertex that enters Prim's tree does to the fringe, in vectors of WIDTH positions: where
 * distances are computed, and for two sets whose own forests are known. */
#include "common/feature_loops.h"
#include "small/fringe.h"

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

/* The smallest edge of the group that position j is in. */
INLINE void renew_group(const Fringe *fringe, ptrdiff_t j)
{
    const double *nearest = fringe->nearest + j / FRINGE_GROUP * FRINGE_GROUP;
    wide least = *(const wide *)nearest;
    for (ptrdiff_t r = WIDTH; r < FRINGE_GROUP; r += WIDTH)
        least = wide_min(*(const wide *)(nearest + r), least);
    fringe->least[j / FRINGE_GROUP] = wide_least(least);
}

/* Squared distance from x to one point of a block. */
INLINE double length_to(const double *x, const double *y, ptrdiff_t block, ptrdiff_t d)
{
    double length;
    SUM_LANES(double, d, (x[k] - y[k * block]) * (x[k] - y[k * block]), length);
    return length;
}

/* Let the edge from a vertex at x improve a position. By mutual reachability no edge is shorter
 * than the core, and of those as long as it only nearer ones are smaller. */
INLINE void improve_one(const Fringe *fringe, uint32_t entered, double core, const double *x,
                        ptrdiff_t j, int mutual, ptrdiff_t d)
{
    const double distance = length_to(x, fringe_point(fringe, j, d), WIDTH, d);
    double *least = fringe->least + j / FRINGE_GROUP, beyond;
    if (mutual) {
        const double length = fringe_improve_mutual(fringe, entered, core, j, distance);
        beyond = length == fringe->core[j] ? fringe->distance[j] : length;
        *least = length < *least ? length : *least;
    } else {
        beyond = fringe_improve(fringe, entered, j, distance);
        *least = beyond < *least ? beyond : *least;
    }
    fringe->limit[j] = screen_limit(&fringe->screen, beyond);
}

INLINE void improve_with(const Fringe *fringe, uint32_t entered, double core, const double *x,
                         int mutual, ptrdiff_t d)
{
    float *query = fringe->query;
    for (ptrdiff_t k = 0; k < d; k++) query[k] = screen_value(&fringe->screen, x[k], k);
    for (ptrdiff_t j = 0; j < fringe->size; j += FLOATS) {
        unsigned near = wide_float_at_most(screen_lengths(query, fringe->singles + j * d, d),
                                           *(const wide_float *)(fringe->limit + j));
        for (; near != 0; near &= near - 1)
            improve_one(fringe, entered, core, x, j + __builtin_ctz(near), mutual, d);
    }
}

static void improve(const Fringe *fringe, uint32_t entered, double core, const double *x,
                    ptrdiff_t d)
{
    if (fringe->core == NULL)
        LOOP_FOR_DIMENSION(d, improve_with(fringe, entered, 0, x, 0, d));
    else
        LOOP_FOR_DIMENSION(d, improve_with(fringe, entered, core, x, 1, d));
}

static void start(Fringe *fringe, const double *points, const uint32_t *rows, const double *core,
                  ptrdiff_t n, ptrdiff_t d)
{
    const ptrdiff_t room = (n + FRINGE_GROUP - 1) / FRINGE_GROUP * FRINGE_GROUP;
    fringe->size = n;
    screen_start(&fringe->screen, points, rows, n, d);
    for (ptrdiff_t j = 0; j < room; j++) {
        fringe->nearest[j] = INFINITY;
        fringe->limit[j] = j < n ? INFINITY : -1;
        fringe->least[j / FRINGE_GROUP] = INFINITY;
        if (fringe->core != NULL) {
            fringe->core[j] = j < n ? core[rows[j]] : INFINITY;
            fringe->distance[j] = INFINITY;
        }
        for (ptrdiff_t k = 0; k < d; k++) {
            const double x = j < n ? points[rows[j] * (size_t)d + (size_t)k] : INFINITY;
            fringe_point(fringe, j, d)[k * WIDTH] = x;
            fringe_single(fringe, j, d)[k * FLOATS] =
                j < n ? screen_value(&fringe->screen, x, k) : 0;
        }
        if (j >= n) continue;
        fringe->vertex[j] = rows[j];
        fringe->position[rows[j]] = (uint32_t)j;
        fringe->source[j] = rows[0];
    }
}

/* The last position takes the place of one that is removed. */
static void remove_position(Fringe *fringe, ptrdiff_t j, ptrdiff_t d)
{
    const ptrdiff_t last = --fringe->size;
    double *to = fringe_point(fringe, j, d), *point = fringe_point(fringe, last, d);
    float *single_to = fringe_single(fringe, j, d), *single = fringe_single(fringe, last, d);
    fringe->position[fringe->vertex[j]] = (uint32_t)last;
    if (j != last) {
        fringe->vertex[j] = fringe->vertex[last];
        fringe->position[fringe->vertex[j]] = (uint32_t)j;
        fringe->nearest[j] = fringe->nearest[last];
        fringe->source[j] = fringe->source[last];
        fringe->limit[j] = fringe->limit[last];
        if (fringe->core != NULL) {
            fringe->core[j] = fringe->core[last];
            fringe->distance[j] = fringe->distance[last];
        }
        for (ptrdiff_t k = 0; k < d; k++) {
            to[k * WIDTH] = point[k * WIDTH];
            single_to[k * FLOATS] = single[k * FLOATS];
        }
    }
    fringe->nearest[last] = INFINITY;
    fringe->limit[last] = -1;
    point[0] = INFINITY;
    renew_group(fringe, j);
    renew_group(fringe, last);
}

static void renew(const Fringe *fringe)
{
    for (ptrdiff_t j = 0; j < fringe->size; j += FRINGE_GROUP) renew_group(fringe, j);
}

/* The position of an edge that is this long and the smallest, among positions lo..hi-1; or -1. */
INLINE ptrdiff_t smallest_of(const Fringe *fringe, double length, ptrdiff_t lo, ptrdiff_t hi)
{
    const wide zero = {0}, wanted = zero + length;
    ptrdiff_t found = -1;
    for (ptrdiff_t j = lo; j < hi; j += 4 * WIDTH) {
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

static ptrdiff_t smallest(const Fringe *fringe)
{
    const ptrdiff_t n_groups = (fringe->size + FRINGE_GROUP - 1) / FRINGE_GROUP;
    double length = INFINITY;
    ptrdiff_t found = -1;
    for (ptrdiff_t g = 0; g < n_groups; g++)
        length = fringe->least[g] < length ? fringe->least[g] : length;
    if (length == INFINITY) return 0;
    for (ptrdiff_t g = 0; g < n_groups; g++) {
        if (fringe->least[g] != length) continue;
        const ptrdiff_t here =
            smallest_of(fringe, length, g * FRINGE_GROUP, (g + 1) * FRINGE_GROUP);
        if (found < 0 || fringe_before(fringe, here, found)) found = here;
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

/* Let a squared distance enter the list of a point if it is among the smallest. */
INLINE void list_length(const CoreLists *lists, ptrdiff_t i, double length)
{
    double *nearest = lists->nearest + i * lists->k;
    ptrdiff_t r = lists->k - 1;
    if (length >= nearest[r]) return;
    for (; r > 0 && length < nearest[r - 1]; r--) nearest[r] = nearest[r - 1];
    nearest[r] = length;
    lists->limit[i] = screen_limit(&lists->screen, nearest[lists->k - 1]);
}

/* Compare each of points lo..hi-1 with those before it, the last ones first. */
INLINE void list_lengths_with(const CoreLists *lists, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t d)
{
    const wide_float zero = {0};
    for (ptrdiff_t i = lo; i < hi; i++) {
        const double *x = lists->points + i * d;
        for (ptrdiff_t k = 0; k < d; k++) lists->query[k] = screen_value(&lists->screen, x[k], k);
        for (ptrdiff_t j = i / FLOATS * FLOATS; j >= 0; j -= FLOATS) {
            const wide_float most =
                wide_float_max(*(const wide_float *)(lists->limit + j), zero + lists->limit[i]);
            unsigned near =
                wide_float_at_most(screen_lengths(lists->query, lists->singles + j * d, d), most);
            if (j + FLOATS > i) near &= (1u << (i - j)) - 1;
            for (; near != 0; near &= near - 1) {
                const ptrdiff_t other = j + __builtin_ctz(near);
                const double length = length_to(x, lists->points + other * d, 1, d);
                list_length(lists, other, length);
                list_length(lists, i, length);
            }
        }
    }
}

static void list_lengths(const CoreLists *lists, ptrdiff_t lo, ptrdiff_t hi, ptrdiff_t d)
{
    LOOP_FOR_DIMENSION(d, list_lengths_with(lists, lo, hi, d));
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
        const ptrdiff_t found = smallest_of(fringe, length, 0, fringe->size);
        edges[2 * n_edges] = (uint32_t)sources[found];
        edges[2 * n_edges + 1] = (uint32_t)found;
        out[n_edges++] = length;
        exclude_edge(pair, sources[found], found);
        entered = found;
    }
    return n_edges;
}

const PrimLoops OF_THIS_KIND(prim_loops) = {
    WIDTH, start, improve, renew, smallest, remove_position, fill, list_lengths, grow,
};
