"""What every kernel needs.

edge_order, edge_sort, used_edges    the one order of edges, their sort, those of earlier trees
disjoint_set, equal_points           what is joined, and what is the same
feature_loops, vectors, vector_loops sums over features, for each kind of processor
pruning_probe                        how well boxes prune, for the choice of a kernel
select, smallest, shared             the k smallest, at once or one by one; what threads share
"""
