"""Compiled kernels: points in, edges out. They know no labels and no scikit-learn.

::

    forest.py, spanning_trees.py, neighbors.py
         |
      choice.py      estimated work, never a clock
         |
         +-- prim.pyx      few points, or a given matrix; the tests' oracle
         +-- boruvka.pyx   low dimension, many ties       -> kd/
         +-- blocked.pyx   high dimension, clusters       -> products/
         +-- cube.pyx      features of two values, where neighbours are looked up
         |
      edges/         what is done with edges that exist: sorting, peeling, longest edges on paths
      common/        the order of edges, disjoint sets, used edges, equal points, loops for each
                     kind of processor

Each kernel for all points has `index`, `forests` and `pair_forests`; all of them return the same
trees, ties included, for any number of threads.

point      a row given by the caller; its identity is its number in the whole data set
site       points that are equal, taken as one; a point without equals is a site, too
order      of edges: by squared distance, then by the distance of two ranks (order.h)
rank       of a point: a seeded random number made of its identity, no other point's
component  what has been joined so far by edges of the tree that is growing
certain    an edge that no unknown edge of its component can be smaller than: it is taken
used edge  one that an earlier tree has taken: no later tree may have it
bound      what all edges exceed that are not known; limit: up to where edges are asked for
block      near points that are multiplied at once; a tile is the product of two blocks
panel      eight points of a block, kept feature by feature for vector registers
leaf       points of a kd-tree that are compared at once; a node of it has a box around them
"""
