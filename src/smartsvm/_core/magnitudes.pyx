"""Whether all of many numbers have a legal magnitude, in one pass without a copy."""
from libc.math cimport fabs

from smartsvm._core.threads cimport check_interrupt

cdef enum:
    AT_ONCE = 1 << 20  # between two checks for Ctrl-C


def are_within(values, double smallest, double largest):
    """Whether each number of a C-contiguous float64 array is 0 or in [smallest, largest]."""
    cdef const double[::1] numbers = values.reshape(-1)
    cdef Py_ssize_t start, i, n_legal, n = numbers.shape[0]
    cdef double size
    for start in range(0, n, AT_ONCE):
        n_legal = 0
        with nogil:
            for i in range(start, min(start + AT_ONCE, n)):
                size = fabs(numbers[i])  # NaN is not legal
                n_legal += (size == 0) | ((size >= smallest) & (size <= largest))
        if n_legal < min(AT_ONCE, n - start):
            return False
        check_interrupt()
    return True
