"""Compiled kernels: points in, edges out. They know no labels and no scikit-learn.

::

    trees/, estimation/
         |
      choice.py      by rules and a probe, never by a clock; common/pruning_probe.pyx helps
         |
         +-- prim/        few points, or a given matrix; all pairs of small classes in one call
         +-- kdtree/      few columns, or many near few directions; many ties
         +-- products/    many columns, clusters
         +-- cube.pyx     columns of two values
         +-- gpu/         on a GPU, where a call says so
         |
      edges/         known edges: canonical order, peeling, the longest edge on a path
      common/        the order of edges and their sort, disjoint sets, used edges, equal points

Each kernel is a folder and a module of its name, as users write it in `algorithm=`. The three
have `index`, `forests`, `pair_forests`, `mutual_forests` and `neighbors`. Forests are edges (pairs
of rows, tree after tree, rows of a second set counted on from the first), their squared distances,
and the number of edges of each tree: n - 1 where it spans. A pair is given the edges and squared
distances of the forests of each set; the union has no other edge within a set. All return the same
trees, ties included, for any number of threads.

point      a row given by the caller; its identity is its row number in the whole data set
site       a distinct point: equal points are one site
order      of edges: by squared distance, ties by the difference of two ranks (edge_order.h)
rank       of a point: a seeded random number that depends on its identity alone
component  points joined so far by edges of the tree that is growing
certain    said of an edge if no unknown edge of its component can be smaller: it is in the tree
used edge  an edge of an earlier tree, which later trees must not contain
core       of a point: its squared distance to the k-th nearest other point, for mutual reachability
bound      a length that all unknown edges exceed; limit: the length up to which they are wanted
block      nearby points that are multiplied at once; a tile is the product of two blocks
panel      eight points of a block, stored feature by feature for vector registers
leaf       points of a kd-tree that are compared at once; every node has a box around its points

An example: two orthogonal trees of five points, two of which are equal. Ranks are fractions of 2^32
for seed 0; the tie key of an edge is the difference of its two ranks.

::

    2 --- 3,4      row    0     1     2     3     4
    |      |       point  0,0   1,0   0,1   1,1   1,1
    0 ---- 1       rank   .35   .47   .17   .43   .06

    squared   edges in their order, with tie keys
    0         3-4 .37
    1         1-3 .04   2-4 .11   0-1 .12   0-2 .18   2-3 .26   1-4 .41
    2         0-3 .08   0-4 .29   1-2 .30

    tree 1    3-4  1-3  2-4  0-1      2 --- 4=3      0-2 would close the cycle 0-1-3-4-2
                                             |
                                      0 ---- 1

    tree 2    0-2  2-3  1-4  0-4      2 --- 3  4     tree 1 has used its edges;
                                      |      / |     0-3 would close the cycle 0-2-3
                                      0 ----/  1

Rows 3 and 4 are one site. Six edges have length 1, so ranks decide: 1-3 and 1-4 join the same two
sites, and tree 1 takes 1-3 because its ranks are closer. A used edge is a pair of points, not of
sites: tree 2 takes 1-4. Ranks depend on row numbers alone, so a subset of these rows has its edges
in the same order.
"""
