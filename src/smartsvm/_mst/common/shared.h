/* What threads share: chunks to take, numbers to lower. */
#pragma once

#include <stddef.h>

/* Where the chunk begins that is taken from a queue by moving on its end. */
static inline ptrdiff_t shared_take(ptrdiff_t *next, ptrdiff_t chunk)
{
    return __atomic_fetch_add(next, chunk, __ATOMIC_RELAXED);
}

static inline double shared_read(const double *x)
{
    double value;
    __atomic_load((double *)x, &value, __ATOMIC_RELAXED);
    return value;
}

/* Whether the value is new. */
static inline int shared_lower(double *x, double value)
{
    double seen = shared_read(x);
    while (value < seen)
        if (__atomic_compare_exchange(x, &seen, &value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 1;
    return 0;
}
