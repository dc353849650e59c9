"""
Single linkage from spanning trees
==================================

Single-linkage clustering needs nothing but a minimum spanning tree: sort its edges, and each
one joins two clusters. `euclidean_mst` needs no matrix of distances, so this works
for hundreds of thousands of points.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.cluster.hierarchy import dendrogram, fcluster, linkage
from sklearn.datasets import make_moons

from smartsvm import euclidean_mst

X, moon = make_moons(600, noise=0.06, random_state=0)
steps = euclidean_mst(X).linkage()

# %%
# This is SciPy's linkage matrix.
print("same as SciPy:", np.allclose(steps[:, 2], linkage(X, "single")[:, 2]))
found = fcluster(steps, 2, criterion="maxclust") - 1
agree = max(np.mean(found == moon), np.mean(found != moon))
print(f"two clusters; {agree:.1%} of the points are in the cluster of their moon")

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for label, (marker, colour) in enumerate((("o", "#08519c"), ("^", "#a63603"))):
    left.scatter(*X[found == label].T, marker=marker, s=10, color=colour)
left.set_axis_off()
dendrogram(
    steps,
    ax=right,
    no_labels=True,
    truncate_mode="lastp",
    p=40,
    color_threshold=0,
    above_threshold_color="0.3",
)
right.set_ylabel("length of the edge that joins")
