"""Loops that wide vectors make faster, compiled for several kinds of processors.

A wheel is built for every processor of its architecture, so the best kind that this one can run
is chosen when the module is imported. On aarch64 all have the same vectors, and there is one.
Of a kd-tree only what is done to whole leaves is here: walks wait for memory and branches.
"""

cdef extern from * nogil:
    """
    #if defined(SMARTSVM_AVX)
    static int can_run(int kind)
    {
        __builtin_cpu_init();
        return kind == 0 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                             && (kind == 1 || __builtin_cpu_supports("avx512f")));
    }
    #else
    static int can_run(int kind) { return kind == 0; }
    #endif
    """
    bint can_run(int kind)

_KINDS = ("plain", "avx2", "avx512")

cdef int _kind = 0


cdef int vector_kind() noexcept nogil:
    return _kind


def runnable():
    """Kinds of loops that this processor can run, the best last."""
    return [name for kind, name in enumerate(_KINDS) if can_run(kind)]


def taken():
    """The kind of loops that run."""
    return _KINDS[_kind]


def take(name):
    """Run this one of `runnable` from now on, in all threads; for tests and measurements."""
    global _kind
    if name not in runnable():
        raise ValueError(f"name must be one of {runnable()}, got {name!r}.")
    _kind = _KINDS.index(name)


take(runnable().pop())
