# Logarithms of sums of exponentials, where one of two is far larger more often than not.
from libc.math cimport exp, log1p


cdef inline double log_one_and(double gap) noexcept nogil:
    """log(1 + exp(-gap)) for a gap of at least 0."""
    cdef double small
    if gap > 37.5:  # less than half a bit of 1
        return 0
    small = exp(-gap)
    if small < 1e-3:  # the next term of the series is less than a bit
        return small * (1 - small * (1.0 / 2 - small * (1.0 / 3 - small * (1.0 / 4 - small / 5))))
    return log1p(small)
