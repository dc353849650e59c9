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
#ifndef SMARTSVM_KD_BINARY_FEATURES_H
#define SMARTSVM_KD_BINARY_FEATURES_H

#include "kd/tree.h"

enum { MOST_BITS = 64, FEWEST_BITS = 8 };

typedef struct {
    uint64_t *bits;     /* by site */
    uint64_t *all, *any;    /* by node */
    double step;        /* 0: there are too few features with two values */
    int whole;          /* nothing but the features with bits differs anywhere */
    double unit;        /* the exact squared distance that each bit adds; 0: there is none */
} BinaryFeatures;

INLINE int count_bits(uint64_t word)
{
    return __builtin_popcountll(word);
}

/* The most bits in which sites within a squared distance can differ. */
INLINE int bits_within(const BinaryFeatures *features, double length)
{
    const double most = length / features->step;
    return most < MOST_BITS ? (int)most : MOST_BITS;
}

/* Whether more than `most` bits are set. Most answers come from few bits, and clearing
 * these one by one is faster than counting. */
INLINE int has_more_bits(uint64_t word, int most)
{
    if (most > 4) return count_bits(word) > most;
    for (int r = 0; r < most; r++) word &= word - 1;
    return word != 0;
}

/* The bits in which all sites of one node differ from all of another. */
INLINE uint64_t bits_between(const BinaryFeatures *features, uint32_t a, uint32_t b)
{
    return (features->all[a] & ~features->any[b]) | (features->all[b] & ~features->any[a]);
}

/* The bits in which all sites of a node differ from one site. */
INLINE uint64_t bits_to_node(const BinaryFeatures *features, uint64_t bits, uint32_t node)
{
    return (features->all[node] & ~bits) | (bits & ~features->any[node]);
}

/* Whether feature k takes its smallest and largest value, and no other. */
static int has_two_values(const KDTree *tree, ptrdiff_t k)
{
    const double low = kd_low(tree->box, k), high = kd_high(tree->box, k);
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

static void mark_feature(const KDTree *tree, ptrdiff_t k, uint64_t bit, BinaryFeatures *features)
{
    const double high = kd_high(tree->box, k);
    for (ptrdiff_t v = 0; v < tree->n_nodes; v++) {
        if (tree->right[v] != 0) continue;
        const double *x = kd_leaf(tree, (uint32_t)v, tree->d) + k * tree->count[v];
        uint64_t *bits = features->bits + tree->start[v];
        for (uint32_t j = 0; j < tree->count[v]; j++) bits[j] |= x[j] == high ? bit : 0;
    }
}

/* Fill what has zeros in its arrays. */
static void find_binary_features(const KDTree *tree, BinaryFeatures *features)
{
    uint64_t bit = 1;
    int n_bits = 0, exponent;
    double widest = 0;
    features->step = INFINITY;
    features->whole = 1;
    for (ptrdiff_t k = 0; k < tree->d; k++) {
        const double width = kd_high(tree->box, k) - kd_low(tree->box, k);
        if (n_bits == MOST_BITS || !has_two_values(tree, k)) {
            if (width > 0) features->whole = 0;
            continue;
        }
        mark_feature(tree, k, bit, features);
        bit <<= 1;
        n_bits++;
        if (width * width < features->step) features->step = width * width;
        if (width > widest) widest = width;
    }
    /* Sums of equal powers of two are exact in any order. */
    const int equal = features->whole && widest * widest == features->step;
    features->unit = equal && frexp(widest, &exponent) == .5 ? features->step : 0;
    features->step = n_bits < FEWEST_BITS ? 0 : features->step * (1 - 0x1p-40);
    for (ptrdiff_t v = tree->n_nodes - 1; v >= 0; v--) {
        if (tree->count[v] == 0) continue;
        if (tree->right[v] != 0) {
            features->all[v] = features->all[v + 1] & features->all[tree->right[v]];
            features->any[v] = features->any[v + 1] | features->any[tree->right[v]];
            continue;
        }
        features->all[v] = ~UINT64_C(0);
        for (uint32_t s = tree->start[v]; s < tree->start[v] + tree->count[v]; s++) {
            features->all[v] &= features->bits[s];
            features->any[v] |= features->bits[s];
        }
    }
}

#endif
