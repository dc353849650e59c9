from libc.stdint cimport uint32_t

from smartsvm._mst.products.edge_lists cimport Lists
from smartsvm._mst.products.tiles cimport Grid


cdef run_sweep(
    Grid *grid, Lists *lists, const Py_ssize_t[::1] tasks, double *limit,
    uint32_t *block_component, Py_ssize_t n_threads,
)
