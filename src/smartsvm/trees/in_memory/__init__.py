"""Trees of points in memory: of each class, of each pair of classes, and of all points.

points and classes → _mst.choice (kernel of each pair) → edges → trees of unions of classes

class_trees      the trees of classes, pairs and unions; forests: what they are handed on as
pair_trees       those of pairs, in batches that threads share
separated_pairs  which pairs need none, since products tell their cross edges
on_device        the same on a GPU
base             what forests of classes answer, in memory or in blocks
"""
