# A search among the points of one set, or between two; see search.pyx.
from libc.stdint cimport uint32_t, uint64_t

from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.list_boruvka cimport Boruvka, Known
from smartsvm._mst.products.edge_lists cimport Lists, Nodes
from smartsvm._mst.common.equal_points cimport Sites
from smartsvm._mst.products.tiles cimport Grid
from smartsvm._mst.products.set_edges cimport Within

cdef enum:
    # Pieces of memory that a search has at most.
    MOST_MEMORY = 40


cdef class Search:
    cdef Index left, right
    cdef Nodes nodes
    cdef Lists base, fresh
    cdef Grid grid
    cdef Boruvka state
    cdef void *memory[MOST_MEMORY]
    cdef Py_ssize_t n_memory
    cdef list kept
    cdef object least, tasks
    cdef object limit           # node -> squared distance up to which its list is wanted
    cdef Py_ssize_t n_threads, n_trees, n_blocks

    cdef void *_zeros(self, Py_ssize_t size, size_t item) except NULL
    cdef size_t _keep(self, array) except 0
    cdef _set_nodes(self, Py_ssize_t n, uint64_t seed, Sites sites)
    cdef _set_lists(self, Lists *lists, Py_ssize_t k, bint with_keys)
    cdef _set_grid(self, bint symmetric)
    cdef _set_constants(self, bint symmetric, apart, int exponent)
    cdef _set_tiles(self, apart, int exponent)
    cdef bint _has_panels(self)
    cdef _set_state(self)
    cdef know(self, Within left, Within right)
    cdef _know(self, Known *known, Within within, Py_ssize_t first)
    cdef first_sweep(self)
    cdef void _release(self, void *memory) noexcept
    cdef neighbor_rows(self)
    cdef const Py_ssize_t *_block(self, Py_ssize_t b) noexcept nogil
    cdef Py_ssize_t _right_block(self, Py_ssize_t task) noexcept nogil
    cdef _wanted(self, const Lists *lists, const Py_ssize_t[::1] tasks)
    cdef _guess_limits(self, const Py_ssize_t[::1] tasks, uint32_t *of_block, double *limit)
    cdef _refresh(self, double *limit)
    cdef _renew(self, const uint32_t[:, ::1] edges)
    cdef grow(self, Py_ssize_t n_trees)
