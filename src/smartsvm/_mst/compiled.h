/* Loops that wide vectors make faster, compiled for several kinds of processors.
 *
 * meson.build compiles tables/ once for each kind, with its name as TABLE, and compiled.pyx takes
 * the best that the processor at hand can run. All return the same bits: wider vectors only do
 * more of the same at once.
 */
#ifndef SMARTSVM_COMPILED_H
#define SMARTSVM_COMPILED_H

#include "common/fringe.h"

typedef struct {
    ptrdiff_t fringe_block;
    ptrdiff_t (*improve_fringe)(const Fringe *fringe, uint32_t entered, const double *x,
                                const uint32_t *ranks, ptrdiff_t d);
} Compiled;

extern const Compiled compiled_plain;
#if defined(SMARTSVM_AVX)
extern const Compiled compiled_avx2, compiled_avx512;
#endif

#endif
