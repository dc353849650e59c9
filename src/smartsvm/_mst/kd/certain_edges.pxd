# See certain_edges.pyx.
from smartsvm._mst.kd.state cimport State

cdef know_own_forests(State state, forests_a, forests_b)
cdef join_certain(State state, Py_ssize_t n_neighbors)
