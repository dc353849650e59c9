from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.products.edge_lists cimport Lists, Nodes


cdef struct Known:
    # Edges of one set that are known without a search.
    Py_ssize_t first            # node that the set begins with
    const uint32_t *start       # node of the set -> its first place in
    const uint32_t *number      # edges, ascending for each node
    const uint32_t *ends        # edge -> two nodes of the set
    const double *distance      # edge -> squared distance


cdef struct Boruvka:
    Nodes *nodes
    Lists *base                 # the smallest edges of all kinds, for every tree
    Lists *fresh                # edges to other components, asked for within this tree
    uint8_t *refreshed          # node -> it has a fresh list
    uint32_t *cursor            # node -> entries of its list that are behind it
    Known known[2]              # of each set, if there are two
    uint32_t *known_cursor      # node -> known edges that are behind it; NULL without any
    uint32_t *parent            # union-find
    double *best                # component -> its smallest edge, as far as known
    uint64_t *best_key
    uint32_t *best_from
    uint32_t *best_to
    double *bound               # component -> what all unknown edges of it exceed
    uint64_t *bound_key
    Py_ssize_t *asking          # component -> nodes whose unknown edges may be below best


cdef void start_tree(Boruvka *state) noexcept nogil
cdef Py_ssize_t merge_round(
    Boruvka *state, uint32_t *edges, double *distances, uint64_t *keys,
    Py_ssize_t *open_components,
) noexcept nogil
cdef Py_ssize_t ask(Boruvka *state, double *limit) noexcept nogil
