"""Work on edges that are already known.

canonical   their order; dendrogram: the clusters that they join
peel        orthogonal forests of a list of edges; class_peel: those of two classes
bottleneck  the longest edge on a path
"""
