"""Whether all of many numbers have a legal size, in one pass and without a copy."""
from smartsvm._core.threads import run_chunks

cdef extern from "smartsvm/_core/magnitudes.h" nogil:
    bint all_have_size(const double *x, Py_ssize_t n, double smallest, double largest)

cdef enum:
    VALUES_IN_A_CHUNK = 1 << 18
    WORTH_A_THREAD = 1 << 19


cdef class _Look:
    """What threads have seen; its method is what they run."""

    cdef const double[::1] values
    cdef double smallest, largest
    cdef bint legal

    def look(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef bint legal
        with nogil:
            legal = all_have_size(&self.values[lo], hi - lo, self.smallest, self.largest)
        if not legal:
            self.legal = False


def are_within(values, double smallest, double largest, Py_ssize_t n_threads=1):
    """Whether every number is 0 or has a size within these limits; NaN does not.

    Parameters
    ----------
    values : C-contiguous float64 array
        The numbers.
    smallest, largest : float
        The limits, which are legal themselves.
    n_threads : int, default=1
        Threads, at most.
    """
    cdef _Look seen = _Look()
    seen.values = values.reshape(-1)
    seen.smallest, seen.largest, seen.legal = smallest, largest, True
    if seen.values.shape[0] <= VALUES_IN_A_CHUNK:
        seen.look(0, seen.values.shape[0])
        return seen.legal
    n_threads = min(n_threads, 1 + seen.values.shape[0] // WORTH_A_THREAD)
    run_chunks(seen.look, seen.values.shape[0], VALUES_IN_A_CHUNK, n_threads)
    return seen.legal
