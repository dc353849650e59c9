"""Loops that wide vectors make faster, compiled for several kinds of processors.

A wheel is built for every processor of its architecture, so the best kind that this one can run
is chosen when the module is imported. On aarch64 all have the same vectors, and there is one.
The blocked kernel chooses likewise (simd.h). Of a kd-tree only what is done to whole leaves is
here: walks wait for memory and branches.
"""

cdef extern from "common/vector_loops.h" nogil:
    """
    #if defined(SMARTSVM_AVX)
    static int count_kinds(void) { return 3; }
    static const VectorLoops *loops_of(int i)
    {
        static const VectorLoops *const all[] = {
            &vector_loops_plain, &vector_loops_avx2, &vector_loops_avx512,
        };
        return all[i];
    }
    static int can_run(int i)
    {
        __builtin_cpu_init();
        return i == 0 || (i == 1 && __builtin_cpu_supports("avx2"))
               || (i == 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx512f"));
    }
    #else
    static int count_kinds(void) { return 1; }
    static const VectorLoops *loops_of(int i) { (void)i; return &vector_loops_plain; }
    static int can_run(int i) { (void)i; return 1; }
    #endif
    """
    int count_kinds()
    const VectorLoops *loops_of(int i)
    bint can_run(int i)

_NAMES = ("plain", "avx2", "avx512")

cdef const VectorLoops *_taken = loops_of(0)


cdef const VectorLoops *vector_loops() noexcept nogil:
    return _taken


def runnable():
    """Kinds of loops that this processor can run, the best last."""
    return [_NAMES[i] for i in range(count_kinds()) if can_run(i)]


def take(name):
    """Run this one of `runnable` from now on, in all threads; for tests and measurements."""
    global _taken
    if name not in runnable():
        raise ValueError(f"name must be one of {runnable()}, got {name!r}.")
    _taken = loops_of(_NAMES.index(name))


take(runnable().pop())
