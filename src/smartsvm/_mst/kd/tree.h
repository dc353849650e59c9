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
 * Why the pruning needs no safety margin: distances and box bounds are sums in
 * the same order (the lanes of order.h). Rounded subtraction, squaring and
 * addition of nonnegative terms are monotone, and a box is never farther from a
 * point in any coordinate than the sites in it; so the computed bound never
 * exceeds the computed distance. Bounds equal to a distance do occur.
 *
 * Functions whose last argument is `d` are inlined into callers that pass a
 * constant (KD_DISPATCH): the loops over coordinates unroll.
 *
 * Reference: J. L. Bentley (1975); J. H. Friedman, J. L. Bentley, R. A. Finkel (1977).
 */
#ifndef SMARTSVM_KD_TREE_H
#define SMARTSVM_KD_TREE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__GNUC__) && !defined(__clang__)
#error "the kernels use vector types of gcc and clang; on Windows build with clang-cl or MinGW"
#endif

/* Sites in a leaf; nodes on the longest path, see kd_split_with. */
enum { KD_LEAF = 16, KD_DEPTH = 96 };

/* Loops over the sites of a leaf, for the processor at hand (leaf_loops.h). They return a bit for
 * each site that is not above a limit; `out` has room for KD_LEAF numbers.
 *
 * distances   squared, from q to `count` sites, coordinate after coordinate from y on.
 * near_rows   of sites at u, in float32, bounds to a box of half the width `half` at -shift.
 * screen      squared, in float32, from one site at u + shift to KD_LEAF sites at y. */
typedef struct {
    unsigned (*distances)(const double *q, const double *y, ptrdiff_t count, double limit,
                          double *out, ptrdiff_t d);
    unsigned (*near_rows)(const float *u, const float *shift, const float *half,
                          const float *most, float slack, ptrdiff_t d);
    unsigned (*screen)(const float *u, const float *shift, const float *y, float limit,
                       ptrdiff_t d);
} KDLoops;

/* What is read beyond the last coordinate, at most. */
enum { KD_BEYOND = 8 };

typedef struct {
    ptrdiff_t n_sites, n_nodes, d;
    const KDLoops *loops;
    double *coords;
    float *singles;     /* see kd_singles; NULL: not kept */
    uint32_t *leaf_number;
    double *box;        /* node -> for each pair of coordinates two lows, two highs */
    uint32_t *right;    /* node -> right child, 0 for a leaf */
    uint32_t *parent;
    uint32_t *start;    /* node -> its first site */
    uint32_t *count;    /* node -> number of its sites */
    uint32_t *leaf;     /* site -> leaf */
} KDTree;

#define KD_INLINE static inline __attribute__((always_inline))
typedef double kd_pair __attribute__((vector_size(16), aligned(8), may_alias));
static const kd_pair kd_zero = {0, 0};

#if defined(__aarch64__) && !defined(__AARCH64EB__)
#define KD_NEON
#include <arm_neon.h>
KD_INLINE kd_pair kd_max(kd_pair a, kd_pair b) { return vmaxnmq_f64(a, b); }
KD_INLINE kd_pair kd_min(kd_pair a, kd_pair b) { return vminnmq_f64(a, b); }
#elif defined(__SSE2__)
#include <emmintrin.h>
KD_INLINE kd_pair kd_max(kd_pair a, kd_pair b) { return _mm_max_pd(a, b); }
KD_INLINE kd_pair kd_min(kd_pair a, kd_pair b) { return _mm_min_pd(a, b); }
#else
KD_INLINE kd_pair kd_max(kd_pair a, kd_pair b)
{
    return (kd_pair){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}
KD_INLINE kd_pair kd_min(kd_pair a, kd_pair b) { return -kd_max(-a, -b); }
#endif

/* Marks of those numbers that are not above a limit, pair after pair from j = 0 on, and as bits of
 * the first `count`. NEON cannot gather bits, but shifts what it has to insert both of a pair. */
#if defined(KD_NEON)
typedef uint64x2_t kd_marks;
KD_INLINE kd_marks kd_mark(kd_marks marks, kd_pair a, double limit, ptrdiff_t j)
{
    (void)j;
    return vsriq_n_u64(vcleq_f64(a, vdupq_n_f64(limit)), marks, 2);
}
KD_INLINE unsigned kd_marked(kd_marks marks, ptrdiff_t count)
{
    const uint64x2_t own = {UINT64_MAX / 3, UINT64_MAX / 3 * 2};
    const uint64_t bits = vaddvq_u64(vandq_u64(marks, own));
    return (unsigned)(bits >> (64 - 2 * ((count + 1) / 2))) & ((1u << count) - 1);
}
#else
typedef unsigned kd_marks;
KD_INLINE kd_marks kd_mark(kd_marks marks, kd_pair a, double limit, ptrdiff_t j)
{
#if defined(__SSE2__)
    return marks | (unsigned)_mm_movemask_pd(_mm_cmple_pd(a, _mm_set1_pd(limit))) << j;
#else
    return marks | (unsigned)(a[0] <= limit) << j | (unsigned)(a[1] <= limit) << (j + 1);
#endif
}
KD_INLINE unsigned kd_marked(kd_marks marks, ptrdiff_t count)
{
    return marks & ((1u << count) - 1);
}
#endif

/* Call a macro with a dimension: a constant up to 10. Debug and sanitizer builds, which would take
 * too long to compile all cases, have one. */
#define KD_CASE(d, call) case d: call(d); break;
#if defined(KD_FEW_DIMENSIONS)
#define KD_CASES(call) KD_CASE(2, call)
#else
#define KD_CASES(call)                                                                   \
    KD_CASE(1, call) KD_CASE(2, call) KD_CASE(3, call) KD_CASE(4, call) KD_CASE(5, call) \
    KD_CASE(6, call) KD_CASE(7, call) KD_CASE(8, call) KD_CASE(9, call) KD_CASE(10, call)
#endif
#define KD_DISPATCH(d, call)                                                             \
    switch (d) {                                                                         \
        KD_CASES(call)                                                                   \
    default: call(d);                                                                    \
    }

/* sum = the lanes of `term` over k < d, folded as order.h does. A lane without a term is left
 * out: adding 0 to a square changes no bit. Lanes are variables, not an array, which compilers
 * would leave in memory where d is not a constant. */
#define KD_SUM(T, d, term, sum)                                                          \
    do {                                                                                 \
        ptrdiff_t k = 0;                                                                 \
        T s0_ = (term), s1_ = {0}, s2_ = {0}, s3_ = {0};                                 \
        T s4_ = {0}, s5_ = {0}, s6_ = {0}, s7_ = {0};                                    \
        if ((d) > 1) k = 1, s1_ = (term);                                                \
        if ((d) > 2) k = 2, s2_ = (term);                                                \
        if ((d) > 3) k = 3, s3_ = (term);                                                \
        if ((d) > 4) k = 4, s4_ = (term);                                                \
        if ((d) > 5) k = 5, s5_ = (term);                                                \
        if ((d) > 6) k = 6, s6_ = (term);                                                \
        if ((d) > 7) k = 7, s7_ = (term);                                                \
        for (k = 8; k + 8 <= (d);) {                                                     \
            s0_ += (term), k++;                                                          \
            s1_ += (term), k++;                                                          \
            s2_ += (term), k++;                                                          \
            s3_ += (term), k++;                                                          \
            s4_ += (term), k++;                                                          \
            s5_ += (term), k++;                                                          \
            s6_ += (term), k++;                                                          \
            s7_ += (term), k++;                                                          \
        }                                                                                \
        if (k < (d)) s0_ += (term), k++;                                                 \
        if (k < (d)) s1_ += (term), k++;                                                 \
        if (k < (d)) s2_ += (term), k++;                                                 \
        if (k < (d)) s3_ += (term), k++;                                                 \
        if (k < (d)) s4_ += (term), k++;                                                 \
        if (k < (d)) s5_ += (term), k++;                                                 \
        if (k < (d)) s6_ += (term), k++;                                                 \
        if ((d) > 4) s0_ += s4_;                                                         \
        if ((d) > 5) s1_ += s5_;                                                         \
        if ((d) > 6) s2_ += s6_;                                                         \
        if ((d) > 7) s3_ += s7_;                                                         \
        if ((d) > 2) s0_ += s2_;                                                         \
        if ((d) > 3) s1_ += s3_;                                                         \
        if ((d) > 1) s0_ += s1_;                                                         \
        sum = s0_;                                                                       \
    } while (0)

/* From so many coordinates on float32 chooses pairs, and distances are worth a call: never where
 * all processors have the same vectors. */
#if defined(KD_NEON)
enum { KD_SINGLE = 6, KD_CALLED = INT32_MAX };
#else
enum { KD_SINGLE = 6, KD_CALLED = 4 };
#endif

KD_INLINE const double *kd_leaf(const KDTree *tree, uint32_t leaf, ptrdiff_t d)
{
    return tree->coords + (size_t)tree->start[leaf] * (size_t)d;
}

KD_INLINE double kd_square(double t) { return t * t; }
KD_INLINE kd_pair kd_square_pair(kd_pair t) { return t * t; }

/* The sites of a leaf relative to the middle of its box, in float32, KD_LEAF for each
 * coordinate; those beyond the last one are far away. */
KD_INLINE const float *kd_singles(const KDTree *tree, uint32_t leaf, ptrdiff_t d)
{
    return tree->singles + (size_t)tree->leaf_number[leaf] * (size_t)(KD_LEAF * d);
}

/* Squared distance from q to the site at y in a leaf of `count`. */
KD_INLINE double kd_distance_in(const double *q, const double *y, ptrdiff_t count, ptrdiff_t d)
{
    double sum;
    KD_SUM(double, d, kd_square(q[k] - y[k * count]), sum);
    return sum;
}

/* Squared distance from q to a site. */
KD_INLINE double kd_distance(const KDTree *tree, const double *q, uint32_t site, ptrdiff_t d)
{
    const uint32_t leaf = tree->leaf[site];
    return kd_distance_in(q, kd_leaf(tree, leaf, d) + (site - tree->start[leaf]),
                          tree->count[leaf], d);
}

KD_INLINE unsigned kd_distances_with(const double *q, const double *y, ptrdiff_t count,
                                     double limit, double *out, ptrdiff_t d)
{
    kd_marks marks = {0};
    for (ptrdiff_t j = 0; j < count; j += 2) {
        kd_pair sum;
        KD_SUM(kd_pair, d, kd_square_pair(q[k] - *(const kd_pair *)(y + k * count + j)), sum);
        *(kd_pair *)(out + j) = sum;
        marks = kd_mark(marks, sum, limit, j);
    }
    return kd_marked(marks, count);
}

/* Squared distances from q to the sites of a leaf, as KDLoops has them. */
KD_INLINE unsigned kd_distances(const KDTree *tree, const double *q, uint32_t leaf, double limit,
                                double *out, ptrdiff_t d)
{
    const double *y = kd_leaf(tree, leaf, d);
    const ptrdiff_t count = tree->count[leaf];
    if (d >= KD_CALLED) return tree->loops->distances(q, y, count, limit, out, d);
    if (count == KD_LEAF)   /* most are full: a loop the compiler can unroll */
        return kd_distances_with(q, y, KD_LEAF, limit, out, d);
    return kd_distances_with(q, y, count, limit, out, d);
}

/* For each set bit, from the lowest on. */
#define KD_BITS(j, bits)                                                                 \
    for (unsigned bits_ = (bits), j; bits_ != 0 && (j = (unsigned)__builtin_ctz(bits_), 1); \
         bits_ &= bits_ - 1)

/* Queries and boxes come in pairs of coordinates; an odd last one is paired with 0. */
KD_INLINE ptrdiff_t kd_pairs(ptrdiff_t d) { return (d + 1) / 2; }

KD_INLINE kd_pair kd_gap(const double *low, const double *q)
{
    const kd_pair x = *(const kd_pair *)q;
    return kd_max(kd_max(*(const kd_pair *)low - x, x - *(const kd_pair *)(low + 2)), kd_zero);
}

/* Sum of squares over pairs, in the lanes of order.h. */
#define KD_SUM_PAIRS(d, gap, sum)                                                        \
    do {                                                                                 \
        const ptrdiff_t pairs_ = kd_pairs(d);                                            \
        kd_pair s_[4];                                                                   \
        for (ptrdiff_t k = 0; k < 4 && k < pairs_; k++) s_[k] = kd_square_pair(gap);     \
        ptrdiff_t k = 4;                                                                 \
        for (; k + 4 <= pairs_;) {                                                       \
            s_[0] += kd_square_pair(gap), k++;                                           \
            s_[1] += kd_square_pair(gap), k++;                                           \
            s_[2] += kd_square_pair(gap), k++;                                           \
            s_[3] += kd_square_pair(gap), k++;                                           \
        }                                                                                \
        if (k < pairs_) s_[0] += kd_square_pair(gap), k++;                               \
        if (k < pairs_) s_[1] += kd_square_pair(gap), k++;                               \
        if (k < pairs_) s_[2] += kd_square_pair(gap), k++;                               \
        if (pairs_ > 2) s_[0] += s_[2];                                                  \
        if (pairs_ > 3) s_[0] += s_[1] + s_[3];                                          \
        else if (pairs_ > 1) s_[0] += s_[1];                                             \
        sum = s_[0][0] + s_[0][1];                                                       \
    } while (0)

KD_INLINE const double *kd_box(const KDTree *tree, uint32_t node, ptrdiff_t d)
{
    return tree->box + (size_t)node * 4 * (size_t)kd_pairs(d);
}

/* Lower bound of the squared distances from q to the sites under a node. */
KD_INLINE double kd_bound(const KDTree *tree, uint32_t node, const double *q, ptrdiff_t d)
{
    const double *box = kd_box(tree, node, d);
    double sum;
    KD_SUM_PAIRS(d, kd_gap(box + 4 * k, q + 2 * k), sum);
    return sum;
}

KD_INLINE kd_pair kd_box_gap(const double *a, const double *b)
{
    return kd_max(kd_max(*(const kd_pair *)a - *(const kd_pair *)(b + 2),
                         *(const kd_pair *)b - *(const kd_pair *)(a + 2)), kd_zero);
}

/* Lower bound of the squared distances between the sites of two boxes. */
KD_INLINE double kd_box_bound(const double *a, const double *b, ptrdiff_t d)
{
    double sum;
    KD_SUM_PAIRS(d, kd_box_gap(a + 4 * k, b + 4 * k), sum);
    return sum;
}

KD_INLINE kd_pair kd_middle(const double *box)
{
    return .5 * (*(const kd_pair *)box + *(const kd_pair *)(box + 2));
}

/* Half the width of a box. */
KD_INLINE kd_pair kd_half(const double *box, kd_pair middle)
{
    return kd_max(middle - *(const kd_pair *)box, *(const kd_pair *)(box + 2) - middle);
}

/* Lower bounds of the squared distances from each site of a leaf to the sites of a box, and
 * perhaps one more: out has room for KD_LEAF. */
KD_INLINE void kd_row_bounds(const double *x, ptrdiff_t count, const double *box, double *out,
                             ptrdiff_t d)
{
#define GAP(k)                                                                            \
    kd_max(kd_max(box[4 * ((k) / 2) + (k) % 2] - *(const kd_pair *)(x + (k) * count + i),    \
                  *(const kd_pair *)(x + (k) * count + i) - box[4 * ((k) / 2) + (k) % 2 + 2]), \
           kd_zero)
    for (ptrdiff_t i = 0; i < count; i += 2) {
        kd_pair sum;
        KD_SUM(kd_pair, d, kd_square_pair(GAP(k)), sum);
        *(kd_pair *)(out + i) = sum;
    }
#undef GAP
}

KD_INLINE void kd_read_site(const KDTree *tree, uint32_t site, double *q, ptrdiff_t d)
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

KD_INLINE double kd_bound_of_point(const KDTree *tree, uint32_t node, const void *q, ptrdiff_t d)
{
    return kd_bound(tree, node, q, d);
}

static inline int kd_skip_nothing(const void *search, uint32_t node)
{
    (void)search;
    (void)node;
    return 0;
}

/* Everything under `node` whose bound is below *limit (with ties: not above it),
 * nearer children first; the visits lower *limit. */
KD_INLINE void kd_descend(const KDTree *tree, uint32_t node, const void *query,
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
KD_INLINE void kd_walk(const KDTree *tree, uint32_t node, const void *query, const double *limit,
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

/* The site of a tree at distance zero from q. */
typedef struct {
    const KDTree *tree;
    const double *q;
    ptrdiff_t found;
} KDEqual;

static inline void kd_look_for_equal(void *search, uint32_t leaf, ptrdiff_t d)
{
    KDEqual *equal = search;
    double length[KD_LEAF];
    KD_BITS(j, kd_distances(equal->tree, equal->q, leaf, 0, length, d))
        equal->found = (ptrdiff_t)equal->tree->start[leaf] + j;
}

/* The site of tree `other` with the coordinates of a site of `own`, or -1. */
static ptrdiff_t kd_find(const KDTree *own, ptrdiff_t site, const KDTree *other, double *q)
{
    const double limit = 0;
    KDEqual equal = {other, q, -1};
    kd_read_site(own, (uint32_t)site, q, own->d);
    kd_descend(other, 0, q, &limit, &equal, kd_bound_of_point, kd_skip_nothing, kd_look_for_equal,
               1, own->d);
    return equal.found;
}

#endif
