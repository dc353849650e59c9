/* A bit for every feature with two values: bounds of distances by counting bits.
 *
 * One-hot and binary features take two values. Sites that differ in b of them are at
 * least b * step apart (squared), where step is the least squared width of these
 * features: an exclusive or and a count of bits instead of a sum over the features.
 * A node keeps the bits that all its sites have and those that any has. Up to 64
 * features have bits; the others, and unequal widths, only make the bounds weaker.
 *
 * A computed distance may round below the sum of its terms: step is taken less 2^-40.
 */
#ifndef SMARTSVM_SKETCH_H
#define SMARTSVM_SKETCH_H

#include "kd/tree.h"

enum { MOST_BITS = 64, FEWEST_BITS = 8 };

typedef struct {
    uint64_t *bits;     /* by site */
    uint64_t *all, *any;    /* by node */
    double step;        /* 0: there are too few features with two values */
    int whole;          /* nothing but the features with bits differs anywhere */
    double unit;        /* the exact squared distance that each bit adds; 0: there is none */
} Sketch;

KD_INLINE int count_bits(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_popcountll(word);
#else
    int count = 0;
    for (; word != 0; word &= word - 1) count++;
    return count;
#endif
}

/* The most bits in which sites within a squared distance can differ. */
KD_INLINE int bits_within(const Sketch *sketch, double length)
{
    const double most = length / sketch->step;
    return most < MOST_BITS ? (int)most : MOST_BITS;
}

/* Whether more than `most` bits are set. Most answers come from few bits, and clearing
 * these one by one is faster than counting. */
KD_INLINE int has_more_bits(uint64_t word, int most)
{
    if (most > 4) return count_bits(word) > most;
    for (int r = 0; r < most; r++) word &= word - 1;
    return word != 0;
}

/* The bits in which all sites of one node differ from all of another. */
KD_INLINE uint64_t bits_between(const Sketch *sketch, uint32_t a, uint32_t b)
{
    return (sketch->all[a] & ~sketch->any[b]) | (sketch->all[b] & ~sketch->any[a]);
}

/* The bits in which all sites of a node differ from one site. */
KD_INLINE uint64_t bits_to_node(const Sketch *sketch, uint64_t bits, uint32_t node)
{
    return (sketch->all[node] & ~bits) | (bits & ~sketch->any[node]);
}

KD_INLINE double root_side(const KDTree *tree, ptrdiff_t k, int high)
{
    return tree->box[4 * (k / 2) + k % 2 + 2 * high];
}

/* Whether feature k takes its smallest and largest value, and no other. */
static int has_two_values(const KDTree *tree, ptrdiff_t k)
{
    const double low = root_side(tree, k, 0), high = root_side(tree, k, 1);
    if (low == high) return 0;
    for (ptrdiff_t v = 0; v < tree->n_nodes; v++) {
        if (tree->right[v] != 0) continue;
        const double *x = kd_leaf(tree, (uint32_t)v, tree->d) + k * tree->count[v];
        int other = 0;
        for (uint32_t j = 0; j < tree->count[v]; j++) other |= (x[j] != low) & (x[j] != high);
        if (other) return 0;
    }
    return 1;
}

static void sketch_feature(const KDTree *tree, ptrdiff_t k, uint64_t bit, Sketch *sketch)
{
    const double high = root_side(tree, k, 1);
    for (ptrdiff_t v = 0; v < tree->n_nodes; v++) {
        if (tree->right[v] != 0) continue;
        const double *x = kd_leaf(tree, (uint32_t)v, tree->d) + k * tree->count[v];
        uint64_t *bits = sketch->bits + tree->start[v];
        for (uint32_t j = 0; j < tree->count[v]; j++) bits[j] |= x[j] == high ? bit : 0;
    }
}

/* Fill a sketch whose arrays are zero. */
static void make_sketch(const KDTree *tree, Sketch *sketch)
{
    uint64_t bit = 1;
    int n_bits = 0, exponent;
    double widest = 0;
    sketch->step = INFINITY;
    sketch->whole = 1;
    for (ptrdiff_t k = 0; k < tree->d; k++) {
        const double width = root_side(tree, k, 1) - root_side(tree, k, 0);
        if (n_bits == MOST_BITS || !has_two_values(tree, k)) {
            if (width > 0) sketch->whole = 0;
            continue;
        }
        sketch_feature(tree, k, bit, sketch);
        bit <<= 1;
        n_bits++;
        if (width * width < sketch->step) sketch->step = width * width;
        if (width > widest) widest = width;
    }
    /* Sums of equal powers of two are exact in any order. */
    const int equal = sketch->whole && widest * widest == sketch->step;
    sketch->unit = equal && frexp(widest, &exponent) == .5 ? sketch->step : 0;
    sketch->step = n_bits < FEWEST_BITS ? 0 : sketch->step * (1 - 0x1p-40);
    for (ptrdiff_t v = tree->n_nodes - 1; v >= 0; v--) {
        if (tree->count[v] == 0) continue;
        if (tree->right[v] != 0) {
            sketch->all[v] = sketch->all[v + 1] & sketch->all[tree->right[v]];
            sketch->any[v] = sketch->any[v + 1] | sketch->any[tree->right[v]];
            continue;
        }
        sketch->all[v] = ~UINT64_C(0);
        for (uint32_t s = tree->start[v]; s < tree->start[v] + tree->count[v]; s++) {
            sketch->all[v] &= sketch->bits[s];
            sketch->any[v] |= sketch->bits[s];
        }
    }
}

#endif
