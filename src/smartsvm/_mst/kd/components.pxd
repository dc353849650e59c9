# See components.pyx.
from libc.stdint cimport uint32_t

from smartsvm._mst.kd.state cimport State

cdef equal_edges(State state, Py_ssize_t n_trees)
cdef start_tree(State state, const uint32_t[:, ::1] equal)
cdef uint32_t largest(State state) noexcept nogil
cdef void join(State state, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil
cdef rename(State state)
