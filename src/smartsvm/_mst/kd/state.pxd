# See graph.h and state.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.common.edge_sort cimport PackedEdge
from smartsvm._mst.kd.kd_index cimport KDTree
from smartsvm._team cimport Team

cdef extern from "kd/graph.h" nogil:
    const uint32_t NONE
    enum: NODES_IN_A_CHUNK, VERTICES_IN_A_CHUNK

    ctypedef struct PointSet:
        KDTree tree
        uint32_t first_vertex
        uint32_t *vertex_of_site
        uint32_t *node_component

    ctypedef struct Chunk:
        uint32_t first
        PackedEdge *edges
        Py_ssize_t n_taken

    ctypedef struct Graph:
        PointSet sets[2]
        int n_sets
        const uint32_t *rank, *identity, *used, *row
        uint64_t seed
        const Py_ssize_t *used_start
        uint32_t *vertex_of_point, *vertex_start, *site_of_vertex
        uint32_t *component
        double *lower
        uint32_t *to
        uint32_t *from_ "from"
        uint32_t *parent, *best_vertex
        double *best_length, *least_bound
        int n_neighbors
        uint32_t *neighbors
        double *list_end
        uint8_t *position
        Chunk *chunks
        const double *bound
        double *reach, *radius
        bint listing
        uint32_t *edges
        double *lengths
        Py_ssize_t n_edges

    uint32_t component_of(const Graph *graph, uint32_t v)
    uint32_t component_of_point(const Graph *graph, uint32_t point)
    uint32_t from_of(const Graph *graph, uint32_t v)
    uint64_t key_of_vertex(const Graph *graph, uint32_t v)
    uint64_t edge_key(const Graph *graph, uint32_t i, uint32_t j)
    bint is_used(const Graph *graph, uint32_t i, uint32_t j)

# What workers do to a range of nodes or components: false if there is no memory. `room` is theirs.
ctypedef bint (*Phase)(
    const Graph *graph, Py_ssize_t lo, Py_ssize_t hi, double *room
) noexcept nogil


# A phase on range(size), in chunks; `next` is the first that nobody has begun.
cdef struct Work:
    Phase phase
    const Graph *graph
    Py_ssize_t size, chunk, next


cdef class State:
    cdef Graph graph                # what phases see
    cdef dict memory                # that pointers lead to, by name
    cdef Work work                  # the present phase
    cdef Team team                  # of the threads, from the first phase that is worth them
    cdef int n_threads
    cdef list indices               # of the one or two sets
    cdef bint collapsed             # equal points share a site
    cdef Py_ssize_t n_points, n_sites, n_nodes, largest_site
    cdef Py_ssize_t n_vertices, n_components, n_chunks
    cdef uint32_t[::1] row
    # Site -> its first point, the sites of both sets one after the other; None where every site has
    # one point.
    cdef uint32_t[::1] site_start
    cdef uint32_t *point_parent
    # By component: its vertices in a sample, and the smallest of the edges that are left.
    cdef uint32_t *size
    cdef uint32_t *best_left
    # Edges known before any search, and those of them that no tree has used and that still join two
    # components.
    cdef PackedEdge *known
    cdef PackedEdge *left
    cdef Py_ssize_t n_known, n_left

    cdef uint32_t *words(self, name, Py_ssize_t n) except NULL
    cdef double *doubles(self, name, Py_ssize_t n) except NULL
    cdef lay_out_sets(self, uint64_t seed)
    cdef lay_out_sites(self)
    cdef lay_out_chunks(self, Py_ssize_t n_chunks)
    cdef free_chunks(self)
    cdef run(self, Phase phase, Py_ssize_t size, Py_ssize_t chunk)
    cdef dismiss(self)
    cdef void add_edge(self, uint32_t i, uint32_t j, double length) noexcept nogil
    cdef rename_components(self)
    cdef use_edges(self)
    cdef rows_of_edges(self)
