"""Trees on a GPU: a table of fp16 minima proposes edges, float64 decides.

Needs PyTorch and Triton; nothing outside imports it before a GPU computes.

rounded_points.py   centred, scaled, ordered by locality; the proof of the slack
keys.py             what a key says about a distance; the groups of tensors that kernels take
product_kernels.py  the table of keys by products of fp16 points, in Triton
entry_kernels.py    which entries of the table may hold a shortest edge, in Triton
class_kernels.py    which rows of two classes may be near, by that table, in Triton
edge_kernels.py     float64 distances of candidates, and joining, in Triton
rounds.py           Borůvka's rounds on the table
trees.py            orthogonal trees of all points, by distance or mutual reachability
class_pairs.py      trees of all pairs of classes
neighbors.py        nearest neighbours and core distances of all points
joining.pyx         tie keys, equal points and components, compiled
compiling.py        a line on standard error while Triton compiles
"""
