"""
Orthogonal trees in the plane
=============================

All estimates count edges of minimum spanning trees. The first tree joins all points with
the least total length. The second does so without an edge of the first, the third
without an edge of either: they are orthogonal (:class:`~smartsvm.SpanningTrees`). The Bayes error
follows from the edges between classes (red): few if the classes are separate, many if they
overlap.
"""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from smartsvm import euclidean_mst

rng = np.random.default_rng(1)
y = np.repeat([0, 1], 60)
X = rng.normal(size=(120, 2)) + np.outer(y, [2.4, 0])
trees = euclidean_mst(X, n_trees=3)

fig, axes = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
for number, (ax, edges) in enumerate(zip(axes, trees.edges), start=1):
    crossing = y[edges[:, 0]] != y[edges[:, 1]]
    for chosen, colour, width in ((~crossing, "0.75", 1), (crossing, "#a63603", 2)):
        ax.add_collection(LineCollection(X[edges[chosen]], colors=colour, linewidths=width))
    for label, marker in ((0, "o"), (1, "^")):
        ax.scatter(*X[y == label].T, marker=marker, s=16, color="#08519c" if label else "black")
    ax.set_title(f"tree {number}: {crossing.sum()} of {len(edges)} are cross edges")
    ax.set_axis_off()
