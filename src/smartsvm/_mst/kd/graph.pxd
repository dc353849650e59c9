# See graph.h.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.kd.tree cimport KDTree


cdef extern from "kd/graph.h" nogil:
    const uint32_t NONE

    ctypedef struct Graph:
        uint64_t seed
        const uint32_t *identity
        const Py_ssize_t *used_start
        const uint32_t *used
        uint32_t *unit_of_slot
        uint32_t *unit_start
        uint32_t *site_of_unit
        uint32_t *label
        uint32_t *component
        double *lower
        uint32_t *to
        uint32_t *from_ "from"
        const int *cancel

    ctypedef struct Side:
        KDTree tree
        uint32_t first_unit
        uint32_t *unit_of_site
        uint32_t *node_component
        uint32_t *leaf_best
        uint32_t *leaf_least
        uint8_t *leaf_stale
        int n_neighbors
        uint32_t *neighbors
        double *list_end
        uint8_t *position

    uint64_t edge_key(const Graph *graph, uint32_t i, uint32_t j)
    bint is_used(const Graph *graph, uint32_t i, uint32_t j)
    uint32_t unit_of(const Graph *graph, uint32_t slot)
    uint32_t from_of(const Graph *graph, uint32_t u)
    uint32_t component_of(const Graph *graph, uint32_t u)
    void units_of_leaf(const Side *side, uint32_t leaf, uint32_t *first, uint32_t *end)
