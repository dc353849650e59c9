# See start.pyx.
from libc.stdint cimport uint32_t

from smartsvm._mst.kd.state cimport State

cdef equal_edges(State state, Py_ssize_t n_trees)
cdef know_within(State state, within_a, within_b)
cdef join_equal(State state, const uint32_t[:, ::1] equal)
cdef join_certain(State state, Py_ssize_t n_neighbors, bint first_tree)
