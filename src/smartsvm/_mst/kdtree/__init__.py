"""The kd-tree, and the searches of Borůvka's algorithm over it.

kdtree                     the rounds of Borůvka's algorithm; state: all memory of one run
kd_index, build, tree      the tree over distinct points; split_axis says where a node is cut
graph, neighbor_lists      what is known of the edges of each vertex
other_component, mutual    searches for the smallest edge to another component
leaf_pairs, leaf_loops     distances between the points of leaves
"""
