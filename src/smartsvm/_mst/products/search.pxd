# A search among the points of one set, or between two; see search.pyx.
from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.common.edge_sort cimport PackedEdge
from smartsvm._mst.common.equal_points cimport Sites
from smartsvm._mst.products.edge_lists cimport Lists, Nodes
from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.list_kruskal cimport Forest
from smartsvm._mst.products.sweep cimport Sweep
from smartsvm._mst.products.tiles cimport Grid

cdef enum:
    # Pieces of memory that a search has at most.
    MOST_MEMORY = 40


cdef class Search:
    # What the phases work on. All of it points to memory that this object owns: `memory`, or
    # arrays that it keeps.
    cdef Nodes nodes
    cdef Lists base, fresh
    cdef Grid grid
    cdef Forest forest
    cdef Sweep sweep
    cdef double *limit              # component -> the best edge it knows
    cdef uint32_t *block_component  # block -> the component of all its nodes, or UINT32_MAX
    cdef float *highest             # block -> the highest threshold of its nodes
    cdef uint8_t *has_edge          # component -> whether a short edge was looked for
    cdef Py_ssize_t *tiles          # all of them, near blocks first
    cdef Py_ssize_t *wanted         # those that may have something for a list
    cdef Py_ssize_t n_tiles
    cdef PackedEdge *sorting        # room to sort tiles,
    cdef uint32_t *room             # and more, also for edges
    cdef readonly Py_ssize_t n, n_trees
    cdef Py_ssize_t n_threads
    cdef bint of_sites
    cdef Index left, right
    # The `Index.own_edges` of the two sets, if there are two: they need no search.
    cdef tuple known
    cdef list kept
    cdef void *memory[MOST_MEMORY]
    cdef Py_ssize_t n_memory
    cdef PyThread_type_lock *locks
    cdef Py_ssize_t n_locks
    # Nodes whose lists a thread copies at once, and where it puts their edges.
    cdef Py_ssize_t chunk
    cdef Py_ssize_t[::1] copied

    cdef void *_zeros(self, Py_ssize_t size, size_t item) except NULL
    cdef size_t _keep(self, array) except 0
    cdef void _near_first(
        self, Py_ssize_t *tiles, Py_ssize_t n, const float *numbers
    ) noexcept nogil
    cdef int _visit_tiles(self) except -1 nogil
    cdef fill_lists(self)
    cdef rank_edges(self)
    cdef _copy_lists(self)
    cdef refresh_lists(self)
    cdef exclude(self, const uint32_t[:, ::1] edges)
    cdef neighbor_rows(self)
