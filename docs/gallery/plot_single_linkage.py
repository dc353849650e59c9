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
tree = euclidean_mst(X)
edges, lengths = tree.edges[0], tree.weights[0]

# %%
# Union-find over the edges, sorted by length, gives SciPy's linkage matrix.
order = np.argsort(lengths, kind="stable")
cluster = np.arange(len(X))  # cluster that each point is in now
sizes = dict.fromkeys(range(len(X)), 1)
steps = np.empty((len(X) - 1, 4))
for step, (first, second) in enumerate(edges[order]):
    one, other = sorted((cluster[first], cluster[second]))
    new = len(X) + step
    sizes[new] = sizes[one] + sizes[other]
    steps[step] = one, other, lengths[order[step]], sizes[new]
    cluster[(cluster == one) | (cluster == other)] = new

print("same as SciPy:", np.allclose(steps[:, 2], linkage(X, "single")[:, 2]))
found = fcluster(steps, 2, criterion="maxclust") - 1
agree = max(np.mean(found == moon), np.mean(found != moon))
print(f"two clusters; {agree:.1%} of the points are in the cluster of their moon")

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for label, (marker, colour) in enumerate((("o", "#08519c"), ("^", "#a63603"))):
    left.scatter(*X[found == label].T, marker=marker, s=10, color=colour)
left.set_axis_off()
dendrogram(steps, ax=right, no_labels=True, truncate_mode="lastp", p=40, color_threshold=0,
           above_threshold_color="0.3")  # fmt: skip
right.set_ylabel("length of the edge that joins")
