"""Compiled kernels: points in, edges out. They know no labels and no scikit-learn.

::

    trees/, estimation/
         |
      choice.py      by estimated work, never by a clock; common/pruning_probe.pyx helps
         |
         +-- prim.pyx      few points, or a given matrix         -> small/
         +-- boruvka.pyx   low dimension, many ties              -> kd/
         +-- blocked.pyx   high dimension, clusters              -> products/
         +-- kd/cube.pyx   features of two values
         +-- small/pairs.pyx  all pairs of small classes in one call
         +-- gpu/trees.py, gpu/class_pairs.py  on a GPU, where a call says so
         |
      edges/         known edges: canonical order, peeling, the longest edge on a path
      common/        the order of edges and their sort, disjoint sets, used edges, equal points

The three kernels have `index`, `forests`, `pair_forests`, `mutual_forests` and `neighbors`. Forests
are edges (pairs of rows, tree after tree, rows of a second set counted on from the first), their
squared distances, and the number of edges of each tree: n - 1 where it spans. A pair is given the
edges and squared distances of the forests of each set; the union has no other edge within a set.
All return the same trees, ties included, for any number of threads.

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
"""
