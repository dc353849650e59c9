/* Tiles in the order of numbers they have, as far as sixteen bits of each tell: sign, exponent and
 * seven bits of a float. Two rounds of counting, by eight bits each. */
#ifndef SMARTSVM_NEAR_FIRST_H
#define SMARTSVM_NEAR_FIRST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Negative numbers count as 0. */
static inline unsigned near_digits(float number)
{
    uint32_t bits;
    if (!(number > 0)) return 0;
    memcpy(&bits, &number, sizeof bits);
    return bits >> 16;
}

/* `tiles` are places in `numbers`; `spare` has room for as many. */
static void near_first(ptrdiff_t *tiles, ptrdiff_t *spare, ptrdiff_t n, const float *numbers)
{
    for (int shift = 0; shift < 16; shift += 8) {
        ptrdiff_t start[257] = {0};
        for (ptrdiff_t t = 0; t < n; t++)
            start[(near_digits(numbers[tiles[t]]) >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++) start[digit + 1] += start[digit];
        for (ptrdiff_t t = 0; t < n; t++)
            spare[start[near_digits(numbers[tiles[t]]) >> shift & 255]++] = tiles[t];
        memcpy(tiles, spare, (size_t)n * sizeof *tiles);
    }
}

/* An inner product of float32 coordinates, summed in four parts. */
static inline double product(const float *x, const double *y, ptrdiff_t d)
{
    double sum[4] = {0, 0, 0, 0};
    ptrdiff_t k = 0;
    for (; k + 4 <= d; k += 4)
        for (int lane = 0; lane < 4; lane++) sum[lane] += (double)x[k + lane] * y[k + lane];
    for (; k < d; k++) sum[0] += (double)x[k] * y[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

#endif
