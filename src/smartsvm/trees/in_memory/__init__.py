"""Trees of points in memory: of each class, of each pair of classes, and of all points.

points and classes → _mst.choice (kernel of each pair) → edges → trees of unions of classes

class_trees   the trees of classes, pairs and unions; forests: what they are handed on as
on_device     the same on a GPU
"""
