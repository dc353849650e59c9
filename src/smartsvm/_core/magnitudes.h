/* Check the magnitudes of many numbers, with vectors that every processor has. */
#ifndef SMARTSVM_MAGNITUDES_H
#define SMARTSVM_MAGNITUDES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef double TwoNumbers __attribute__((vector_size(16)));
typedef int64_t TwoMasks __attribute__((vector_size(16)));

static inline int is_within(double x, double smallest, double largest)
{
    const double magnitude = fabs(x);
    return magnitude == 0 || (magnitude >= smallest && magnitude <= largest);
}

/* Whether the magnitude of each number is 0 or in [smallest, largest]; NaN is not. */
static int all_within(const double *x, ptrdiff_t n, double smallest, double largest)
{
    const TwoMasks no_sign = {INT64_MAX, INT64_MAX};
    const TwoNumbers zero = {0, 0}, low = {smallest, smallest}, high = {largest, largest};
    TwoMasks legal = {-1, -1};
    ptrdiff_t i = 0;
    for (; i + 2 <= n; i += 2) {
        TwoMasks bits;
        memcpy(&bits, x + i, sizeof bits);
        const TwoNumbers magnitude = (TwoNumbers)(bits & no_sign);
        legal &= (magnitude <= high) & ((magnitude >= low) | (magnitude == zero));
    }
    return legal[0] && legal[1] && (i == n || is_within(x[i], smallest, largest));
}

#endif
