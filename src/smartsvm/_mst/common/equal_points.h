/* Equality of points, and a hash that equal points share; -0 equals 0. */
#ifndef SMARTSVM_EQUAL_POINTS_H
#define SMARTSVM_EQUAL_POINTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/order.h"

static inline int points_are_equal(const double *x, const double *y, ptrdiff_t d)
{
    for (ptrdiff_t k = 0; k < d; k++)
        if (x[k] != y[k]) return 0;
    return 1;
}

static inline uint64_t hash_point(const double *x, ptrdiff_t d)
{
    uint64_t value = 0;
    for (ptrdiff_t k = 0; k < d; k++) {
        const double positive = x[k] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &positive, sizeof bits);
        /* A product carries upwards only, and small integers have high bits only. */
        value = (value ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        value ^= value >> 32;
    }
    return smartsvm_mix(value);
}

#endif
