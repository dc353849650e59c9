/* Loops that wide vectors make faster, compiled for several kinds of processors.
 *
 * meson.build compiles vector_loops.c once for each kind, with its name as KIND, and
 * vector_loops.pyx takes the best that the processor at hand can run. All return the same bits:
 * wider vectors only do more of the same at once.
 */
#ifndef SMARTSVM_VECTOR_LOOPS_H
#define SMARTSVM_VECTOR_LOOPS_H

#include "common/fringe.h"
#include "kd/tree.h"
#include "small/pair_trees.h"

typedef struct {
    ptrdiff_t fringe_block;
    KDLoops kd;
    PairLoops pair;
    ptrdiff_t (*improve_fringe)(const Fringe *fringe, uint32_t entered, const double *x,
                                const uint32_t *ranks, ptrdiff_t d);
} VectorLoops;

extern const VectorLoops vector_loops_plain;
#if defined(SMARTSVM_AVX)
extern const VectorLoops vector_loops_avx2, vector_loops_avx512;
#endif

#endif
