"""Compiled kernels: points in, edges out. They know no labels and no scikit-learn.

Three kernels, each with `index`, `forests` and `pair_forests`, and the same trees:

prim.pyx
    Prim's algorithm; order.h is the order of edges of all three.
boruvka.pyx
    Over a kd-tree. The tree: kdtree, kdbuild, kdsorted, kdlinks, parts, skeleton, two_means.
    What is joined: units, components, used_edges, graph. What is known without a search:
    neighbors, leaf_rows, known_edges, ties, sketch, certain_edges, kruskal, local_forests,
    near_edges. Searches: refresh, aliens.
blocked.pyx
    By matrix products. The points: blocks, cells, cuts, basis. Which tiles can be left out:
    gaps, shadows. Tiles: tiles, tile_products, eight, tile_rows, sweep. What is joined: search,
    lists, list_boruvka, within, guesses.

For more than one of them: sites (equal points), union_find, dealing, edge_sort, team (threads) and
blas_threads. On edges that are there already: canonical, peel, bottleneck, joining. Sums over
columns, for the selection of features: sums.
"""
