# How a search is laid out in memory; see search.pyx.

cdef _lay_out_nodes(Search search, uint64_t seed, Sites sites):
    cdef Nodes *nodes = &search.nodes
    cdef Py_ssize_t n = search.n, most_used = 2 * (n - 1) * max(0, search.n_trees - 1)
    nodes.n, nodes.n_left, nodes.d = n, search.left.n, search.left.d
    nodes.left = <const double *> search._keep(search.left.points)
    nodes.right = <const double *> search._keep(search.right.points)
    if sites is not None:
        nodes.members = <const Py_ssize_t *> search._keep(sites.start)
        nodes.rank = <const uint32_t *> search._keep(sites.ranks)
    else:
        nodes.rank = _ranks(search, seed)
    nodes.component = <uint32_t *> search._zeros(n + PADDING, sizeof(uint32_t))
    nodes.used_start = <Py_ssize_t *> search._zeros(n + 1, sizeof(Py_ssize_t))
    nodes.used = <uint32_t *> search._zeros(most_used, sizeof(uint32_t))


cdef const uint32_t *_ranks(Search search, uint64_t seed) except NULL:
    cdef uint32_t *rank = <uint32_t *> search._zeros(search.n, sizeof(uint32_t))
    cdef const uint32_t[::1] ids = search.left.ids
    tie_ranks(&ids[0], search.left.n, seed, rank)
    if search.n > search.left.n:
        ids = search.right.ids
        tie_ranks(&ids[0], search.right.n, seed, rank + search.left.n)
    return rank


cdef _lay_out_lists(Search search, Lists *lists, Py_ssize_t k):
    cdef Py_ssize_t n = search.n
    lists.k = k
    lists.distance = <double *> search._zeros(n * k, sizeof(double))
    if search.nodes.members != NULL:
        lists.key = <uint64_t *> search._zeros(n * k, sizeof(uint64_t))
    lists.partner = <uint32_t *> search._zeros(n * k, sizeof(uint32_t))
    lists.length = <uint32_t *> search._zeros(n, sizeof(uint32_t))
    lists.limit = <double *> search._zeros(n, sizeof(double))
    lists.threshold = <float *> search._zeros(n + PADDING, sizeof(float))


cdef _lay_out_cores(Search search):
    cdef Py_ssize_t n = search.n
    search.core = <double *> search._zeros(n, sizeof(double))
    search.base.ends = <double *> search._zeros(n, sizeof(double))
    search.fresh.direct = <double *> search._zeros(n * search.fresh.k, sizeof(double))


cdef _lay_out_forest(Search search, tuple known):
    """`known` has the `Index.own_edges` of both sets, if there are two: they need no search."""
    cdef Forest *forest = &search.forest
    cdef Py_ssize_t n = search.n, most, s
    for s, (edges, limits) in enumerate(known):
        forest.known[s] = <const PackedEdge *> search._keep(edges)
        forest.n_known[s] = len(edges)
        search.limit[s] = <const double *> search._keep(limits)
    most = forest.n_known[0] + forest.n_known[1] + 2 * n * min(search.base.k, MOST_ENTRIES)
    forest.nodes, forest.base, forest.fresh = &search.nodes, &search.base, &search.fresh
    forest.refreshed = <uint8_t *> search._zeros(n, sizeof(uint8_t))
    forest.open = forest.ranked = <PackedEdge *> search._zeros(most, sizeof(PackedEdge))
    if search.n_trees > 1:
        forest.ranked = <PackedEdge *> search._zeros(most, sizeof(PackedEdge))
    forest.spare = <PackedEdge *> search._zeros(most, sizeof(PackedEdge))
    forest.parent = <uint32_t *> search._zeros(n, sizeof(uint32_t))
    forest.components = <Component *> search._zeros(n, sizeof(Component))


cdef _lay_out_set(
    Search search, Index index, Py_ssize_t number, Py_ssize_t first, const double[::1] towards,
    double own, int exponent,
):
    """Blocks of a set, and each node's part of a lower bound on squared distances (tiles.pxi).

    Its first block is `number`, its first node `first`. `towards` is the vector to its centre from
    that of the other set, or 0; the node has `own` of its squared length.
    """
    cdef const Py_ssize_t[::1] start = index.start
    cdef double slack = rounding_slack(search.grid.d, search.grid.symmetric)
    cdef double scale = ldexp(1.0, index.exponent - exponent), along = 0
    cdef Py_ssize_t b, i
    cdef Block *block
    for b in range(start.shape[0] - 1):
        block = search.grid.blocks + number + b
        block.number, block.first, block.size = (
            number + b, first + start[b], start[b + 1] - start[b]
        )
        block.single = &index.single[start[b], 0]
        if index.packed is not None:
            block.packed = &index.packed[index.panel_start[b], 0, 0]
        if search.n_threads > 1:
            block.lock = search._own(PyThread_allocate_lock(), _free_lock)
        search.grid.largest = max(search.grid.largest, block.size)
    with nogil:
        for i in range(index.n):
            if not search.grid.symmetric:
                along = product(&index.single[i, 0], &towards[0], index.width)
            search.grid.constant[first + i] = <float> (
                (index.norms[i] * scale * scale + own) * (1 - slack) + 2 * scale * along
            )


cdef _bound_tiles(Search search, apart, int exponent):
    """Lower bounds of tiles from the distances of their blocks, and the order of tiles."""
    cdef Grid *grid = &search.grid
    cdef Index left = search.left, right = search.right
    bounds, between, *centres = ball_distances(left, right, apart, exponent)
    projected = bounds
    if grid.d < MOST_FEATURES and (left.lies_together or left.clustered or not grid.symmetric):
        projected = projected_distances(
            left, right, apart, exponent, between, *centres, search.n_threads
        )
    _order_tiles(search, bounds, projected, between)


cdef _order_tiles(
    Search search, const double[:, ::1] bounds, const double[:, ::1] projected,
    const double[:, ::1] between,
):
    """List the tiles: each block with itself, then near blocks first; two blocks meet once."""
    cdef Grid *grid = &search.grid
    cdef Py_ssize_t a, b, tile = 0, n_tiles = 0, size = grid.n_left * grid.n_right
    cdef float *apart = <float *> search._zeros(size, sizeof(float))
    cdef double bound
    search.sorting = <PackedEdge *> search._zeros(2 * size, sizeof(PackedEdge))
    grid.least = <float *> search._zeros(size, sizeof(float))
    search.tiles = <Py_ssize_t *> search._zeros(size, sizeof(Py_ssize_t))
    search.wanted = <Py_ssize_t *> search._zeros(size, sizeof(Py_ssize_t))
    with nogil:
        for a in range(grid.n_left):
            for b in range(grid.n_right):
                bound = max(bounds[a, b], projected[a, b])
                # Of blocks that may meet, entries that rounding made negative count too.
                grid.least[tile] = <float> (
                    bound * bound * (1 - 1e-6) if bound > 0 else -INFINITY
                )
                apart[tile] = -1 if grid.symmetric and a == b else <float> between[a, b]
                if a <= b or not grid.symmetric:
                    search.tiles[n_tiles] = tile
                    n_tiles += 1
                tile += 1
        search._near_first(search.tiles, n_tiles, apart)
    search.n_tiles = n_tiles


cdef _lay_out_grid(Search search, bint symmetric):
    cdef Index left = search.left, right = search.right
    cdef Grid *grid = &search.grid
    cdef int exponent = left.exponent, of_apart
    apart = left.centre - right.centre
    if left.basis is not None:
        apart = apart @ left.basis
    if not symmetric:
        # Everything within about a unit: both sets and the vector between their centres.
        frexp(np.linalg.norm(apart), &of_apart)
        exponent = 1 + max(left.exponent, right.exponent, of_apart)
    search.nodes.unit = ldexp(1.0, -2 * exponent)
    grid.nodes, grid.d, grid.symmetric = &search.nodes, left.width, symmetric
    grid.loops = left.loops
    grid.n_left, grid.n_right = len(left.start) - 1, len(right.start) - 1
    grid.n_blocks = grid.n_left if symmetric else grid.n_left + grid.n_right
    grid.product = <float> ldexp(-2.0, left.exponent + right.exponent - 2 * exponent)
    grid.multiplies_packed = left.packed is not None and grid.product <= -LEAST_FACTOR
    grid.blocks = <Block *> search._zeros(grid.n_blocks, sizeof(Block))
    grid.constant = <float *> search._zeros(search.n + PADDING, sizeof(float))
    apart = np.ldexp(apart, -exponent)
    _lay_out_set(search, left, 0, 0, apart, apart @ apart, exponent)
    if not symmetric:
        _lay_out_set(search, right, grid.n_left, left.n, -apart, 0, exponent)
    _bound_tiles(search, apart, exponent)
