/* Are all numbers of a legal size? One pass, in vectors that every processor has. */
#ifndef SMARTSVM_SIZES_H
#define SMARTSVM_SIZES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef double TwoNumbers __attribute__((vector_size(16)));
typedef int64_t TwoMasks __attribute__((vector_size(16)));

static inline int has_size(double x, double smallest, double largest)
{
    const double size = fabs(x);
    return size == 0 || (size >= smallest && size <= largest);
}

/* Whether each of n numbers is 0 or of a size within the limits; NaN is not. */
static int all_have_size(const double *x, ptrdiff_t n, double smallest, double largest)
{
    const TwoMasks no_sign = {INT64_MAX, INT64_MAX};
    const TwoNumbers zero = {0, 0}, low = {smallest, smallest}, high = {largest, largest};
    TwoMasks legal = {-1, -1};
    ptrdiff_t i = 0;
    for (; i + 2 <= n; i += 2) {
        TwoMasks bits;
        memcpy(&bits, x + i, sizeof bits);
        const TwoNumbers size = (TwoNumbers)(bits & no_sign);
        legal &= (size <= high) & ((size >= low) | (size == zero));
    }
    return legal[0] && legal[1] && (i == n || has_size(x[i], smallest, largest));
}

#endif
