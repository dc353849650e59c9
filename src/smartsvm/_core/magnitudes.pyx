"""Check the magnitudes of many numbers in one pass, without a copy."""
from smartsvm._core.threads import run_chunks

cdef extern from "smartsvm/_core/magnitudes.h" nogil:
    bint all_within(const double *x, Py_ssize_t n, double smallest, double largest)

cdef enum:
    VALUES_IN_A_CHUNK = 1 << 18
    WORTH_A_THREAD = 1 << 19


cdef class _Check:
    """The state that the threads share."""

    cdef const double[::1] values
    cdef double smallest, largest
    cdef bint legal

    def check(self, Py_ssize_t lo, Py_ssize_t hi):
        cdef bint legal
        with nogil:
            legal = all_within(&self.values[lo], hi - lo, self.smallest, self.largest)
        if not legal:
            self.legal = False


def are_within(values, double smallest, double largest, Py_ssize_t n_threads=1):
    """Whether each number of a C-contiguous float64 array is 0 or in [smallest, largest]."""
    cdef _Check state = _Check()
    state.values = values.reshape(-1)
    state.smallest, state.largest, state.legal = smallest, largest, True
    if state.values.shape[0] <= VALUES_IN_A_CHUNK:
        state.check(0, state.values.shape[0])
        return state.legal
    n_threads = min(n_threads, 1 + state.values.shape[0] // WORTH_A_THREAD)
    run_chunks(state.check, state.values.shape[0], VALUES_IN_A_CHUNK, n_threads)
    return state.legal
