# See graph.h.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.kdtree.kd_index cimport KDTree


cdef extern from "kdtree/graph.h" nogil:
    const uint32_t NONE
    enum: KEEPS_DISTANCES, NODES_IN_A_CHUNK, VERTICES_IN_A_CHUNK

    ctypedef struct PointSet:
        KDTree tree
        uint32_t first_vertex
        uint32_t *vertex_of_site
        uint32_t *node_component

    ctypedef struct Graph:
        PointSet sets[2]
        int n_sets
        const uint32_t *rank, *used
        const Py_ssize_t *used_start
        uint32_t *vertex_of_point, *vertex_start, *site_of_vertex
        uint32_t *component
        double *lower
        uint32_t *to
        uint32_t *from_ "from"
        uint32_t *parent, *size, *best_vertex
        double *best_length, *least_bound
        int n_neighbors
        uint32_t *neighbors
        double *neighbor_distance
        double *list_end
        uint8_t *position
        double *core
        double *node_core
        double *distance
        Py_ssize_t k
        const uint32_t *site_start
        uint32_t *nearest
        double *nearest_length

    uint32_t component_of_point(const Graph *graph, uint32_t point)
    uint32_t from_of(const Graph *graph, uint32_t v)
    uint64_t key_of_vertex(const Graph *graph, uint32_t v)
    uint64_t edge_key(const Graph *graph, uint32_t i, uint32_t j)
    bint is_used(const Graph *graph, uint32_t i, uint32_t j)
