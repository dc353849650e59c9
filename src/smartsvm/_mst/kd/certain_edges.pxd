# See certain_edges.pyx.
from smartsvm._mst.kd.state cimport State

cdef know_within(State state, within_a, within_b)
cdef join_certain(State state, Py_ssize_t n_neighbors)
