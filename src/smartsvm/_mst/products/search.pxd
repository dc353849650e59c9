# A search among the points of one set, or between two; see search.pyx.
from cpython.pycapsule cimport PyCapsule_Destructor
from libc.stdint cimport uint32_t

from smartsvm._mst.common.edge_sort cimport PackedEdge
from smartsvm._mst.products.edge_lists cimport Lists, Nodes
from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.list_kruskal cimport Forest
from smartsvm._mst.products.sweep cimport Sweep
from smartsvm._mst.products.tiles cimport Grid


cdef class Search:
    # What the phases work on. All of it points to memory that this object keeps.
    cdef Nodes nodes
    cdef Lists base, fresh
    cdef Grid grid
    cdef Forest forest
    cdef Sweep sweep
    # Of each set, if there are two: node -> squared distance beyond which it needs no edge.
    cdef const double *limit[2]
    cdef Py_ssize_t *tiles      # all of them, near blocks first
    cdef Py_ssize_t *wanted     # those that may change a list
    cdef Py_ssize_t n_tiles
    cdef PackedEdge *sorting    # room to sort tiles
    cdef readonly Py_ssize_t n, n_trees
    # For mutual reachability: the neighbour whose distance is a node's core, 0 for plain distances,
    # and the cores once they are known.
    cdef Py_ssize_t n_core
    cdef double *core
    cdef Py_ssize_t n_threads
    cdef Index left, right
    cdef list kept

    cdef void *_own(self, void *made, PyCapsule_Destructor end) except NULL
    cdef void *_zeros(self, Py_ssize_t size, size_t item) except NULL
    cdef size_t _keep(self, array) except 0
    cdef void _near_first(
        self, Py_ssize_t *tiles, Py_ssize_t n, const float *numbers
    ) noexcept nogil
    cdef int _visit_tiles(self) except -1 nogil
    cpdef run_thread(self, Py_ssize_t lo, Py_ssize_t hi)
    cdef fill_lists(self)
    cdef bint find_cores(self) noexcept
    cdef void _weigh_lists(self) noexcept nogil
    cdef cores(self)
    cdef rank_edges(self)
    cdef refresh_lists(self)
    cdef exclude(self, const uint32_t[:, ::1] edges)
    cdef neighbor_rows(self)
    cdef neighbor_distances(self)
