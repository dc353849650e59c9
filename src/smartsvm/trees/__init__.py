"""Euclidean minimum spanning trees and nearest neighbours of any points, behind two functions.

    euclidean_mst, nearest_neighbors → in_memory/ or out_of_core/ → _mst/

`open_points.py` opens X and decides between the two: `in_memory/` has the trees of classes, pairs
and unions of classes; `out_of_core/` computes the same trees for points on disk or on a cluster.
"""
