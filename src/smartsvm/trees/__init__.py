"""Euclidean minimum spanning trees and nearest neighbours of any points, behind two functions.

    X → open_points → Points → in_memory/ or out_of_core/ → _mst/

The functions are in spanning_trees and nearest_neighbors, what they return in results, what they
are given in tree_plan.
`open_points.py` is the door of X for the whole library. It reads X if its trees fit into memory:
`in_memory/` has those of classes, pairs and unions of classes. Otherwise X stays where it is, and
`out_of_core/` computes the same trees for points on disk or on a cluster.
"""
