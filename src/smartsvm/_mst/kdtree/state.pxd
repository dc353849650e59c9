# See state.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.common.edge_sort cimport PackedEdge
from smartsvm._mst.kdtree.graph cimport Graph
from smartsvm._mst.kdtree.kd_index cimport KDIndex
from smartsvm._core.thread_pool cimport Team

# What workers do to a range of nodes or components; `room` is theirs.
ctypedef void (*Phase)(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room
) noexcept nogil


# A phase on range(size), in chunks; `next` is the first that nobody has begun.
cdef struct Work:
    Phase phase
    const Graph *graph
    Py_ssize_t size, chunk, next


cdef class State:
    cdef Graph graph                # what phases see; it points into the arrays below
    cdef Work work                  # the present phase
    cdef Team team                  # of the threads, from the first phase that is worth them
    cdef int n_threads
    cdef KDIndex first, second
    cdef bint collapsed             # equal points share a site
    cdef Py_ssize_t n_points, n_nodes, largest_site
    cdef Py_ssize_t n_vertices, n_components
    # By point: its row (those of the second set are counted on from the first), its rank in the
    # order of ties, and its partners in earlier trees.
    cdef uint32_t[::1] row, rank, used
    cdef Py_ssize_t[::1] used_start
    # By site, of both sets, one after the other; None where every site has one point.
    cdef uint32_t[::1] site_start, vertex_of_site
    cdef uint32_t[:, ::1] by_point
    cdef uint32_t *point_parent
    # By node and by vertex.
    cdef uint32_t[::1] node_component
    cdef uint32_t[:, ::1] by_vertex
    cdef double[::1] lower, list_end, neighbor_distance
    cdef uint32_t[::1] neighbors
    cdef uint8_t[::1] position
    # For mutual reachability: by site, node, vertex and point (mutual.h).
    cdef double[::1] core, node_core, distance, point_core
    # By component: what joins it, and its best edge.
    cdef uint32_t[::1] parent
    cdef uint32_t[:, ::1] bests
    cdef uint32_t *best_known
    cdef double[:, ::1] bounds
    # Edges known before any search, as packed edges, and the numbers of those that no tree has used
    # and that still join two components.
    cdef uint64_t[:, ::1] known
    cdef uint32_t[::1] unused
    cdef Py_ssize_t n_known, n_unused
    # The edges of all trees so far, as points.
    cdef uint32_t[:, ::1] edges
    cdef double[::1] lengths
    cdef Py_ssize_t n_edges

    cdef lay_out(self, uint64_t seed, Py_ssize_t n_trees)
    cdef lay_out_sites(self)
    cdef lay_out_known(self, Py_ssize_t n_known)
    cdef lay_out_bests(self)
    cdef lay_out_cores(self, Py_ssize_t k)
    cdef PackedEdge *known_edges(self) noexcept nogil
    cdef run(self, Phase phase, Py_ssize_t size, Py_ssize_t chunk)
    cdef dismiss(self)
    cdef void add_edge(self, uint32_t i, uint32_t j, double length) noexcept nogil
    cdef use_edges(self)
    cdef rows_of_edges(self)


cdef equal_edges(State state, Py_ssize_t n_trees)
cdef start_tree(State state, const uint32_t[:, ::1] equal)
cdef uint32_t largest(State state) noexcept nogil
cdef void join(State state, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil
cdef rename(State state)
