/* Loops that wide vectors make faster, compiled for several kinds of processors.
 *
 * meson.build compiles the files of such loops once for each kind, with its name as KIND, and
 * vector_loops.pyx takes the best kind that the processor at hand can run. All return the same
 * bits, since wider vectors only do more of the same at once; but for bounds that merely propose
 * (tile_loops.h). The trees are the same in any case.
 */
#pragma once

/* Declare tables of loops, one of each kind, and a function that returns that of a kind. */
#if defined(SMARTSVM_AVX)
#define DECLARE_KINDS(Type, name)                                                        \
    extern const Type name##_plain, name##_avx2, name##_avx512;                          \
    static inline const Type *name(int kind)                                             \
    {                                                                                    \
        return kind == 2 ? &name##_avx512 : kind == 1 ? &name##_avx2 : &name##_plain;    \
    }
#else
#define DECLARE_KINDS(Type, name)                                                        \
    extern const Type name##_plain;                                                      \
    static inline const Type *name(int kind) { return (void)kind, &name##_plain; }
#endif

/* The name of the table that a file of loops defines. */
#define PASTE(a, b) a##_##b
#define NAME_OF_KIND(a, b) PASTE(a, b)
#define OF_THIS_KIND(name) NAME_OF_KIND(name, KIND)
