"""Trees on a GPU: a table of fp16 minima proposes edges, float64 decides.

Needs PyTorch and Triton; nothing outside imports it before a GPU computes.

points.py       centred, scaled, ordered by locality; the proof of the slack
kernels.py      the products and sums, in Triton
rounds.py       Borůvka's rounds on the table
trees.py        orthogonal trees of all points
class_pairs.py  trees of all pairs of classes
neighbors.py    nearest neighbours of all points
joining.pyx     tie keys, equal points and components, compiled
"""
