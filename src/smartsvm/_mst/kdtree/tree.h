/* A kd-tree over distinct points ("sites"): layout, distances, bounds, one walk.
 *
 * Sites lie in tree order; a node holds count[v] of them from start[v] on. In a leaf
 * each coordinate is contiguous, so that a leaf is one vector loop: coordinate k of
 * its site j is coords[start * d + k * count + j].
 *
 * Nodes are numbered in preorder: the left child of v is v + 1, the right one
 * right[v] (0 for a leaf). A subtree that may have up to b leaves owns 2b - 1 numbers,
 * so subtrees can be built independently; numbers not needed have count 0.
 *
 * Why the pruning needs no safety margin: distances and box bounds are sums in the same order (the
 * lanes of edge_order.h). Rounded subtraction, squaring and addition of nonnegative terms are
 * monotone, and a box is never farther from a point in any coordinate than the sites in it; so the
 * computed bound never exceeds the computed distance. Bounds equal to a distance do occur.
 *
 * Reference: J. L. Bentley (1975); J. H. Friedman, J. L. Bentley, R. A. Finkel (1977).
 */
#pragma once

#include <math.h>

#include "common/feature_loops.h"
#include "common/vector_loops.h"

/* Sites in a leaf. Below KD_EVEN_FROM nodes every split halves the leaves (kd_n_left), of which there
 * are at most 2^28; so KD_DEPTH nodes are more than any path has. */
enum { KD_LEAF = 16, KD_EVEN_FROM = 56, KD_DEPTH = KD_EVEN_FROM + 40 };

/* The loop over the sites of a leaf, for the processor at hand (leaf_loops.c): squared distances from
 * q to `count` sites, coordinate after coordinate from y on. It returns a bit for each site that is
 * not above a limit; `out` has room for KD_LEAF numbers. */
typedef struct {
    unsigned (*distances)(const double *q, const double *y, ptrdiff_t count, double limit,
                          double *out, ptrdiff_t d);
} LeafLoops;

DECLARE_KINDS(LeafLoops, leaf_loops)

/* Numbers that may be read beyond the last coordinate. */
enum { KD_BEYOND = 8 };

typedef struct {
    ptrdiff_t n_sites, n_nodes, d;
    const LeafLoops *loops;
    double *coords;
    double *box;        /* node -> for each pair of coordinates two lows, two highs */
    uint32_t *right;    /* node -> right child, 0 for a leaf */
    uint32_t *parent;
    uint32_t *start;    /* node -> its first site */
    uint32_t *count;    /* node -> number of its sites */
    uint32_t *leaf;     /* site -> leaf */
} KDTree;

static const double2 kd_zero = {0, 0};

/* Marks of those numbers that are not above a limit, pair after pair from j = 0 on, and as bits of
 * the first `count`. NEON cannot gather bits, but shifts what it has to insert both of a pair. */
#if defined(HAS_NEON)
typedef uint64x2_t kd_marks;
INLINE kd_marks kd_mark(kd_marks marks, double2 a, double limit, ptrdiff_t j)
{
    (void)j;
    return vsriq_n_u64(vcleq_f64(a, vdupq_n_f64(limit)), marks, 2);
}
INLINE unsigned kd_marked(kd_marks marks, ptrdiff_t count)
{
    const uint64x2_t own = {UINT64_MAX / 3, UINT64_MAX / 3 * 2};
    const uint64_t bits = vaddvq_u64(vandq_u64(marks, own));
    return (unsigned)(bits >> (64 - 2 * ((count + 1) / 2))) & ((1u << count) - 1);
}
#else
typedef unsigned kd_marks;
INLINE kd_marks kd_mark(kd_marks marks, double2 a, double limit, ptrdiff_t j)
{
#if defined(__SSE2__)
    return marks | (unsigned)_mm_movemask_pd(_mm_cmple_pd(a, _mm_set1_pd(limit))) << j;
#else
    return marks | (unsigned)(a[0] <= limit) << j | (unsigned)(a[1] <= limit) << (j + 1);
#endif
}
INLINE unsigned kd_marked(kd_marks marks, ptrdiff_t count)
{
    return marks & ((1u << count) - 1);
}
#endif

/* With this many coordinates or more nodes are split by mean deviations and the vertices of a leaf
 * search together; and distances justify a call. */
enum { KD_MIDDLE = 6, KD_CALLED = 4 };

INLINE const double *kd_leaf(const KDTree *tree, uint32_t leaf, ptrdiff_t d)
{
    return tree->coords + (size_t)tree->start[leaf] * (size_t)d;
}

INLINE double kd_square(double t) { return t * t; }

/* Squared distance from q to the site at y in a leaf of `count`. */
INLINE double kd_distance_in(const double *q, const double *y, ptrdiff_t count, ptrdiff_t d)
{
    double sum;
    SUM_LANES(double, d, kd_square(q[k] - y[k * count]), sum);
    return sum;
}

/* Squared distance from q to a site. */
INLINE double kd_distance(const KDTree *tree, const double *q, uint32_t site, ptrdiff_t d)
{
    const uint32_t leaf = tree->leaf[site];
    return kd_distance_in(q, kd_leaf(tree, leaf, d) + (site - tree->start[leaf]),
                          tree->count[leaf], d);
}

INLINE kd_marks kd_mark_wide(kd_marks marks, wide a, double limit, ptrdiff_t j)
{
#if defined(__AVX2__)
    const wide zero = {0};
    return marks | wide_at_most(a, zero + limit) << j;
#else
    return kd_mark(marks, a, limit, j);
#endif
}

/* What LeafLoops does, in vectors as wide as the processor has that this is compiled for. `out` is
 * apart from the coordinates: else q would be read again for every vector. */
INLINE unsigned kd_distances_with(const double *restrict q, const double *restrict y,
                                  ptrdiff_t count, double limit, double *restrict out,
                                  ptrdiff_t d)
{
    kd_marks marks = {0};
    for (ptrdiff_t j = 0; j < count; j += WIDTH) {
        wide sum;
        SUM_LANES(wide, d, wide_square(q[k] - *(const wide *)(y + k * count + j)), sum);
        *(wide *)(out + j) = sum;
        marks = kd_mark_wide(marks, sum, limit, j);
    }
    return kd_marked(marks, count);
}

INLINE unsigned kd_distances_in_leaf(const double *q, const double *y, ptrdiff_t count,
                                     double limit, double *out, ptrdiff_t d)
{
    if (count == KD_LEAF)   /* most are full: a loop the compiler can unroll */
        return kd_distances_with(q, y, KD_LEAF, limit, out, d);
    return kd_distances_with(q, y, count, limit, out, d);
}

/* Squared distances from q to the sites of a leaf, as LeafLoops has them. */
INLINE unsigned kd_distances(const KDTree *tree, const double *q, uint32_t leaf, double limit,
                             double *out, ptrdiff_t d)
{
    const double *y = kd_leaf(tree, leaf, d);
    const ptrdiff_t count = tree->count[leaf];
    if (d >= KD_CALLED) return tree->loops->distances(q, y, count, limit, out, d);
    return kd_distances_in_leaf(q, y, count, limit, out, d);
}

/* For each set bit, from the lowest on. */
#define KD_BITS(j, bits)                                                                 \
    for (unsigned bits_ = (bits), j; bits_ != 0 && (j = (unsigned)__builtin_ctz(bits_), 1); \
         bits_ &= bits_ - 1)

/* For each leaf among nodes lo..hi-1. */
#define FOR_LEAVES(tree, leaf, lo, hi)                                                   \
    for (uint32_t leaf = (uint32_t)(lo); leaf < (uint32_t)(hi); leaf++)                  \
        if ((tree)->count[leaf] > 0 && (tree)->right[leaf] == 0)

/* Queries and boxes come in pairs of coordinates; an odd last one is paired with 0. */
INLINE ptrdiff_t kd_pairs(ptrdiff_t d) { return (d + 1) / 2; }

/* Where a box begins and ends along an axis. */
INLINE double kd_low(const double *box, ptrdiff_t k) { return box[4 * (k / 2) + k % 2]; }
INLINE double kd_high(const double *box, ptrdiff_t k) { return box[4 * (k / 2) + k % 2 + 2]; }

INLINE double2 kd_gap(const double *low, const double *q)
{
    const double2 x = *(const double2 *)q;
    const double2 below = *(const double2 *)low - x, above = x - *(const double2 *)(low + 2);
    return double2_max(double2_max(below, above), kd_zero);
}

/* Sum of squares over pairs, in the lanes of edge_order.h; variables, as in SUM_LANES. */
#define KD_SUM_OF(pairs, gap, sum)                                                       \
    do {                                                                                 \
        const ptrdiff_t pairs_ = (pairs);                                                \
        ptrdiff_t k = 0;                                                                 \
        double2 s0_ = double2_square(gap), s1_ = kd_zero, s2_ = kd_zero, s3_ = kd_zero;  \
        if (pairs_ > 1) k = 1, s1_ = double2_square(gap);                                \
        if (pairs_ > 2) k = 2, s2_ = double2_square(gap);                                \
        if (pairs_ > 3) k = 3, s3_ = double2_square(gap);                                \
        for (k = 4; k + 4 <= pairs_;) {                                                  \
            s0_ += double2_square(gap), k++;                                             \
            s1_ += double2_square(gap), k++;                                             \
            s2_ += double2_square(gap), k++;                                             \
            s3_ += double2_square(gap), k++;                                             \
        }                                                                                \
        if (k < pairs_) s0_ += double2_square(gap), k++;                                 \
        if (k < pairs_) s1_ += double2_square(gap), k++;                                 \
        if (k < pairs_) s2_ += double2_square(gap), k++;                                 \
        if (pairs_ > 2) s0_ += s2_;                                                      \
        if (pairs_ > 3) s0_ += s1_ + s3_;                                                \
        else if (pairs_ > 1) s0_ += s1_;                                                 \
        sum = s0_[0] + s0_[1];                                                           \
    } while (0)

/* One jump where the number of pairs is not a constant, for the usual ones. */
#define KD_SUM_PAIRS(d, gap, sum)                                                        \
    do {                                                                                 \
        switch (kd_pairs(d)) {                                                           \
        case 3: KD_SUM_OF(3, gap, sum); break;                                           \
        case 4: KD_SUM_OF(4, gap, sum); break;                                           \
        case 5: KD_SUM_OF(5, gap, sum); break;                                           \
        case 6: KD_SUM_OF(6, gap, sum); break;                                           \
        default: KD_SUM_OF(kd_pairs(d), gap, sum);                                       \
        }                                                                                \
    } while (0)

INLINE const double *kd_box(const KDTree *tree, uint32_t node, ptrdiff_t d)
{
    return tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
}

INLINE double2 kd_box_gap(const double *a, const double *b)
{
    return double2_max(double2_max(*(const double2 *)a - *(const double2 *)(b + 2),
                         *(const double2 *)b - *(const double2 *)(a + 2)), kd_zero);
}

/* Lower bound of the squared distances between the sites of two boxes. */
INLINE double kd_box_bound(const double *a, const double *b, ptrdiff_t d)
{
    double sum;
    KD_SUM_PAIRS(d, kd_box_gap(a + 4 * k, b + 4 * k), sum);
    return sum;
}

/* How far two numbers are outside of a box along an axis. */
INLINE double2 kd_row_gap(const double *x, const double *box, ptrdiff_t k)
{
    const double2 below = kd_low(box, k) - *(const double2 *)x;
    return double2_max(double2_max(below, *(const double2 *)x - kd_high(box, k)), kd_zero);
}

/* Lower bounds of the squared distances from each site of a leaf to the sites of a box, and
 * perhaps one more: out has room for KD_LEAF. */
INLINE void kd_row_bounds(const double *x, ptrdiff_t count, const double *box, double *out,
                          ptrdiff_t d)
{
    for (ptrdiff_t i = 0; i < count; i += 2) {
        double2 sum;
        SUM_LANES(double2, d, double2_square(kd_row_gap(x + k * count + i, box, k)), sum);
        *(double2 *)(out + i) = sum;
    }
}

INLINE void kd_read_site(const KDTree *tree, uint32_t site, double *q, ptrdiff_t d)
{
    const uint32_t leaf = tree->leaf[site];
    const double *x = kd_leaf(tree, leaf, d) + (site - tree->start[leaf]);
    for (ptrdiff_t k = 0; k < d; k++) q[k] = x[k * tree->count[leaf]];
    if (d % 2) q[d] = 0;
}

/* What a walk asks of its search: how far a node is from the query, which nodes cannot
 * matter, and to look at a leaf. */
typedef double (*kd_measure)(const KDTree *tree, uint32_t node, const void *query, ptrdiff_t d);
typedef int (*kd_skip)(const void *search, uint32_t node);
typedef void (*kd_visit)(void *search, uint32_t leaf, ptrdiff_t d);

/* A lower bound of the squared distances from a point to the sites under a node. */
INLINE double kd_bound_of_point(const KDTree *tree, uint32_t node, const void *query, ptrdiff_t d)
{
    const double *box = kd_box(tree, node, d), *q = query;
    double sum;
    KD_SUM_PAIRS(d, kd_gap(box + 4 * k, q + 2 * k), sum);
    return sum;
}

static inline int kd_skip_nothing(const void *search, uint32_t node)
{
    (void)search;
    (void)node;
    return 0;
}

/* Everything under `node` whose bound is below *limit (with ties: not above it),
 * nearer children first; the visits lower *limit. */
INLINE void kd_descend(const KDTree *tree, uint32_t node, const void *query,
                       const double *limit, void *search, kd_measure measure, kd_skip skip,
                       kd_visit visit, int ties, ptrdiff_t d)
{
    uint32_t waiting[KD_DEPTH];
    double waiting_bound[KD_DEPTH];
    int n_waiting = 0;
    double bound = measure(tree, node, query, d);
    for (;;) {
        if (ties ? bound <= *limit : bound < *limit) {
            const uint32_t right = tree->right[node];
            if (right == 0)
                visit(search, node, d);
            else {
                const uint32_t left = node + 1;
                const double a = skip(search, left) ? INFINITY : measure(tree, left, query, d);
                const double b = skip(search, right) ? INFINITY : measure(tree, right, query, d);
                const double far = a <= b ? b : a;
                if (far < INFINITY && (ties ? far <= *limit : far < *limit)) {
                    waiting[n_waiting] = a <= b ? right : left;
                    waiting_bound[n_waiting++] = far;
                }
                node = a <= b ? left : right;
                bound = a <= b ? a : b;
                if (bound < INFINITY) continue;
            }
        }
        if (n_waiting == 0) return;
        node = waiting[--n_waiting];
        bound = waiting_bound[n_waiting];
    }
}

/* All of the tree, from a node on: what is under it, then the rest from near to far. From a
 * leaf on for a query in it, from the root on (0) for any other. */
INLINE void kd_walk(const KDTree *tree, uint32_t node, const void *query, const double *limit,
                    void *search, kd_measure measure, kd_skip skip, kd_visit visit, int ties,
                    ptrdiff_t d)
{
    uint32_t next = node;
    for (;;) {
        if (!skip(search, next))
            kd_descend(tree, next, query, limit, search, measure, skip, visit, ties, d);
        if (node == 0) return;
        const uint32_t parent = tree->parent[node];
        next = node == parent + 1 ? tree->right[parent] : parent + 1;
        node = parent;
    }
}
