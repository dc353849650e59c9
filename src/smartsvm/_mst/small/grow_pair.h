/* Prim's algorithm on two sets whose own forests are known, in vectors of WIDTH positions.
 *
 * A template, included by pair_loops.h once for each kind of processor, with OF_KIND(name) for
 * names of its own, TARGET for what functions are compiled for, WIDTH, and two operations on
 * vectors: WIDE_MIN, which is the second number where the first is none, and WIDE_EQUAL, whether
 * any two numbers are equal. All kinds return the same bits.
 */
typedef double OF_KIND(lengths) __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t OF_KIND(numbers) __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));

TARGET KD_INLINE OF_KIND(lengths) OF_KIND(squared)(OF_KIND(lengths) t) { return t * t; }

TARGET KD_INLINE void OF_KIND(fill_with)(const double *x, ptrdiff_t n, const double *blocks,
                                         ptrdiff_t width, ptrdiff_t d, double *out)
{
    typedef OF_KIND(lengths) lengths;
    for (ptrdiff_t i = 0; i < n; i++, x += d, out += width)
        for (ptrdiff_t j = 0; j < width; j += WIDTH) {
            const double *y = blocks + j / PAIR_BLOCK * PAIR_BLOCK * d + j % PAIR_BLOCK;
            lengths sum;
            KD_SUM(lengths, d, OF_KIND(squared)(x[k] - *(const lengths *)(y + k * PAIR_BLOCK)),
                   sum);
            *(lengths *)(out + j) = sum;
        }
}

/* Squared distances of n points to those of another set, which lies in blocks. */
TARGET static void OF_KIND(fill)(const double *x, ptrdiff_t n, const double *blocks,
                                 ptrdiff_t width, ptrdiff_t d, double *out)
{
#define CALL(d) OF_KIND(fill_with)(x, n, blocks, width, d, out)
    KD_DISPATCH(d, CALL)
#undef CALL
}

/* The position with the smallest edge, which is this long. */
TARGET KD_INLINE ptrdiff_t OF_KIND(smallest)(const PairTrees *pair, double length)
{
    typedef OF_KIND(lengths) lengths;
    const lengths zero = {0}, wanted = zero + length;
    ptrdiff_t best = -1;
    for (ptrdiff_t j = 0; j < pair->size; j += 4 * WIDTH) {
        const lengths *nearest = (const lengths *)(pair->nearest + j);
        const int here = WIDE_EQUAL(nearest[0], wanted) | WIDE_EQUAL(nearest[1], wanted)
                         | WIDE_EQUAL(nearest[2], wanted) | WIDE_EQUAL(nearest[3], wanted);
        if (!here) continue;
        for (ptrdiff_t r = j; r < j + 4 * WIDTH; r++)
            if (pair->nearest[r] == length
                && (best < 0 || nearest_key(pair, r) < nearest_key(pair, best)))
                best = r;
    }
    return best;
}

/* Write the edges of one forest, as pairs of positions, and exclude them from later ones; how
 * many they are. */
TARGET static ptrdiff_t OF_KIND(grow)(PairTrees *pair, uint32_t *edges, double *out)
{
    typedef OF_KIND(lengths) lengths;
    typedef OF_KIND(numbers) numbers;
    const lengths zero = {0};
    ptrdiff_t entered = 0, n_edges = 0;
    pair_start(pair);
    for (ptrdiff_t left = pair->side[0].n + pair->side[1].n - 1; left > 0; left--) {
        const PairSide *own = pair->side + (entered >= pair->side[1].first);
        const PairSide *other = own == pair->side ? own + 1 : own - 1;
        const double *row = own->cross + (entered - own->first) * other->width - other->first;
        lengths least = zero + INFINITY;
        pair->nearest[entered] = INFINITY;
        pair->outside[entered] = NAN;
        offer_known(pair, own, entered);
        for (ptrdiff_t j = other->first; j < other->first + other->width; j += WIDTH) {
            /* Where the vertex is in the tree this is no number, and neither smaller nor equal. */
            const lengths length = *(const lengths *)(row + j)
                                   + *(const lengths *)(pair->outside + j);
            const lengths old = *(const lengths *)(pair->nearest + j);
            const lengths now = WIDE_MIN(length, old);
            least = WIDE_MIN(now, least);
            const numbers improved = length < old;
            numbers *source = (numbers *)(pair->source + j);
            *(lengths *)(pair->nearest + j) = now;
            *source = (improved & (int64_t)entered) | (~improved & *source);
            if (!WIDE_EQUAL(length, old)) continue;
            for (ptrdiff_t r = 0; r < WIDTH; r++)
                if (length[r] == old[r] && length[r] < INFINITY)
                    break_tie(pair, entered, j + r);
        }
        for (ptrdiff_t j = own->first; j < own->first + own->width; j += WIDTH)
            least = WIDE_MIN(*(const lengths *)(pair->nearest + j), least);
        double length = INFINITY;
        for (int r = 0; r < WIDTH; r++) length = least[r] < length ? least[r] : length;
        if (length == INFINITY) {
            /* Nothing reaches what is left: another tree of the forest. */
            for (entered = 0; isnan(pair->outside[entered]);) entered++;
            continue;
        }
        const ptrdiff_t found = OF_KIND(smallest)(pair, length);
        edges[2 * n_edges] = (uint32_t)pair->source[found];
        edges[2 * n_edges + 1] = (uint32_t)found;
        out[n_edges++] = length;
        exclude_edge(pair, pair->source[found], found);
        entered = found;
    }
    return n_edges;
}
#undef OF_KIND
#undef TARGET
#undef WIDTH
#undef WIDE_MIN
#undef WIDE_EQUAL
