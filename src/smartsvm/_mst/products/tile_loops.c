/* The loops of TileLoops (tile_loops.h), in vectors as wide as the processor has.
 *
 * `find_hits` does what tiles.pxi does with a matrix product and a scan of it, without the tile in
 * memory: eight rows by eight or sixteen columns stay in registers from the first term to the
 * comparison. Worth it where the inner dimension is small, so that moving entries costs as much
 * as computing them.
 */
#include <math.h>

#include "products/tile_loops.h"
#include "products/tile_vectors.h"

/* Eight sums by name: compilers leave an array of them in memory. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define CLEAR(r) Entries sum##r = entries_of(0);
#define BEGIN(r) Entries sum##r = entries_add(add, entries_of(of_rows->constant[row + r]));
#define ADD_PRODUCTS(r) ENTRIES_ADD_PRODUCT(sum##r, y_k, x, r);
#define KEEP(r) entry[r] = sum##r;

/* Add the products of eight points at x with the columns at y, and at `next` if LANES are two
 * panels. */
#define ADD_FEATURES                                                                              \
    for (ptrdiff_t k = 0; k < d; k++, x += PANEL, y += PANEL, next += PANEL) {                    \
        LOAD_PANEL(x)                                                                             \
        const Entries y_k = columns_load(y, next);                                                \
        EACH_ROW(ADD_PRODUCTS)                                                                    \
    }

/* The second panel of LANES columns, if they are two panels; the first one again after the last. */
INLINE const float *next_panel(const float *y, ptrdiff_t column, ptrdiff_t n_columns, ptrdiff_t d)
{
    return column + PANEL < n_columns ? y + PANEL * d : y;
}

static ptrdiff_t panel_hits(
    const Entries *entry, const float *row_level, const float *column_level, ptrdiff_t row,
    ptrdiff_t column, float factor, Hit *hits)
{
    const Entries level = entries_load(column_level);
    ptrdiff_t n = 0;
    for (int r = 0; r < PANEL; r++) {
        uint64_t found
            = entry_mask(entries_at_least(entry[r], entries_min(level, entries_of(row_level[r]))));
        if (found == 0) continue;
        float value[LANES];
        entries_store(value, entry[r]);
        while (found != 0) {
            const int c = __builtin_ctzll(found) / MASK_BITS;
            hits[n].row = (uint16_t)(row + r);
            hits[n].column = (uint16_t)(column + c);
            hits[n].entry = value[c] * factor;
            n++;
            found &= ~(((UINT64_C(1) << MASK_BITS) - 1) << MASK_BITS * c);
        }
    }
    return n;
}

static ptrdiff_t find_hits(
    const float *rows, ptrdiff_t n_rows, const float *columns, ptrdiff_t n_columns, ptrdiff_t d,
    const TileEdge *of_rows, const TileEdge *of_columns, float factor, Hit *hits, float *least)
{
    float value[LANES];
    Entries top = entries_of(-INFINITY);
    ptrdiff_t n = 0;
    for (ptrdiff_t row = 0; row < n_rows; row += PANEL) {
        float lowest = INFINITY;
        for (int r = 0; r < PANEL; r++)
            lowest = of_rows->level[row + r] < lowest ? of_rows->level[row + r] : lowest;
        const Entries row_level = entries_of(lowest);
        for (ptrdiff_t column = 0; column < n_columns; column += LANES) {
            const float *x = rows + row * d, *y = columns + column * d;
            const float *next = next_panel(y, column, n_columns, d);
            const Entries add = entries_load(of_columns->constant + column);
            EACH_ROW(BEGIN)
            ADD_FEATURES
            const Entries highest = entries_max(
                entries_max(entries_max(sum0, sum1), entries_max(sum2, sum3)),
                entries_max(entries_max(sum4, sum5), entries_max(sum6, sum7)));
            const Entries level = entries_load(of_columns->level + column);
            top = entries_max(highest, top);
            /* Entries are rarely within the level of any row; then each row is compared. */
            if (entry_mask(entries_at_least(highest, entries_min(level, row_level))) != 0) {
                Entries entry[PANEL];
                EACH_ROW(KEEP)
                n += panel_hits(entry, of_rows->level + row, of_columns->level + column, row,
                                column, factor, hits + n);
            }
        }
    }
    entries_store(value, top);
    for (int c = 1; c < LANES; c++) value[0] = value[c] > value[0] ? value[c] : value[0];
    *least = value[0] * factor;
    return n;
}

static void raise_reach(
    const float *panel, ptrdiff_t n_points, const float *own, const float *centres,
    ptrdiff_t n_centres, ptrdiff_t d, float *reach)
{
    for (ptrdiff_t first = 0; first < n_centres; first += LANES) {
        const float *x = panel, *y = centres + first * d;
        const float *next = next_panel(y, first, n_centres, d);
        Entries entry[PANEL], most = entries_of(-INFINITY);
        float value[LANES];
        EACH_ROW(CLEAR)
        ADD_FEATURES
        EACH_ROW(KEEP)
        for (int r = 0; r < n_points; r++)
            most = entries_max(most, entries_subtract(entry[r], entries_of(own[r])));
        entries_store(value, most);
        for (ptrdiff_t c = first; c < n_centres && c < first + LANES; c++)
            reach[c] = value[c - first] > reach[c] ? value[c - first] : reach[c];
    }
}

/* Almost all entries are above the thresholds of both their points: a group is rejected at once. */
INLINE ptrdiff_t next_group_with(
    const float *entry, const float *threshold, const uint32_t *component, ptrdiff_t start,
    ptrdiff_t n, float row_threshold, uint32_t row_component, float *least, const int apart)
{
    enum { VECTORS = TILE_GROUP / LANES };
    const Entries level = entries_of(row_threshold);
    /* Independent minima, to hide latency. */
    Entries low[VECTORS];
    float value[LANES];
    ptrdiff_t j = start;
    for (int r = 0; r < VECTORS; r++) low[r] = entries_of(*least);
    for (; j < n; j += TILE_GROUP) {
        EntryFlags found = no_entries();
        for (int r = 0; r < VECTORS; r++) {
            const ptrdiff_t at = j + LANES * r;
            const Entries s = entries_load(entry + at);
            EntryFlags hits = entries_at_least(entries_max(level, entries_load(threshold + at)), s);
            if (!apart)
                hits = entry_flags_and(hits, entries_other(component + at, row_component));
            found = entry_flags_or(found, hits);
            low[r] = entries_min(s, low[r]);
        }
        if (entry_mask(found) != 0) break;
    }
    for (int r = 1; r < VECTORS; r++) low[0] = entries_min(low[r], low[0]);
    entries_store(value, low[0]);
    for (int c = 0; c < LANES; c++) *least = value[c] < *least ? value[c] : *least;
    return j < n ? j : n;
}

static ptrdiff_t next_group(
    const float *entry, const float *threshold, const uint32_t *component, ptrdiff_t start,
    ptrdiff_t n, float row_threshold, uint32_t row_component, float *least, int apart)
{
    if (apart)
        return next_group_with(entry, threshold, component, start, n, row_threshold, row_component,
                               least, 1);
    return next_group_with(entry, threshold, component, start, n, row_threshold, row_component,
                           least, 0);
}

/* All but the last are measured. BLAS has wide vectors too, and splits long sums so that panels stay
 * in the cache. */
#if defined(__AVX512F__)
enum { MOST_FEATURES = 512 };
#elif defined(__AVX2__)
enum { MOST_FEATURES = 128 };
#elif defined(HAS_NEON)
enum { MOST_FEATURES = 4096 };
#else
enum { MOST_FEATURES = 8 };
#endif

const TileLoops OF_THIS_KIND(tile_loops) = {MOST_FEATURES, find_hits, raise_reach, next_group};
