"""
Clusters of any density
=======================

HDBSCAN reads clusters off a minimum spanning tree by mutual reachability. Here
:func:`~smartsvm.euclidean_mst` computes this tree, exactly and in any number of columns; SciPy and
packages for clustering do the rest. The neighbours by themselves, as :class:`~smartsvm.Neighbors`,
come from :func:`~smartsvm.nearest_neighbors`.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.cluster.hierarchy import linkage

from smartsvm import euclidean_mst

random = np.random.default_rng(0)
X = np.concatenate(
    [
        random.normal((0, 0), 0.15, size=(200, 2)),
        random.normal((1.6, 0), 0.15, size=(200, 2)),
        random.uniform((-1, -1), (2.6, 1), size=(60, 2)),
    ]
)

# %%
# Two dense groups lie among scattered points, which chain them together: cut by single linkage,
# most points are in one part. By mutual reachability scattered points are far from everything, and
# the groups come apart.
for k in (0, 10):
    trees = euclidean_mst(X, core_neighbors=k)
    sizes = np.sort(np.bincount(trees.components(longest=0.3)))[::-1]
    print(f"core_neighbors={k}: the largest parts have {sizes[:3].tolist()} of {len(X)} points")

# %%
# Both trees have a dendrogram. The lower edges of the second one have the height of core
# distances.
plain, mutual = euclidean_mst(X), euclidean_mst(X, core_neighbors=10)
print("same heights as SciPy:", np.allclose(plain.linkage()[:, 2], linkage(X, "single")[:, 2]))

fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharex=True, sharey=True)
for ax, trees, title in zip(
    axes, (plain, mutual), ("distance", "mutual reachability"), strict=True
):
    part = trees.components(longest=0.3)
    large = np.argsort(np.bincount(part))[::-1][:2]
    ax.scatter(*X.T, s=8, color="0.7")
    for label, colour in zip(large, ("#08519c", "#a63603"), strict=True):
        if np.sum(part == label) > 10:
            ax.scatter(*X[part == label].T, s=8, color=colour)
    ax.set_title(f"parts of the tree by {title}")
    ax.set_axis_off()

# %%
# One cut has one density. HDBSCAN chooses clusters from all cuts at once; `fast_hdbscan
# <https://github.com/TutteInstitute/fast_hdbscan>`_ takes a tree that is known::
#
#     from fast_hdbscan.hdbscan import clusters_from_spanning_tree
#
#     tree = np.column_stack([mutual.edges[0], mutual.weights[0]])
#     labels = clusters_from_spanning_tree(tree, min_cluster_size=15)[0]  # -1 for noise
#
# `genieclust <https://genieclust.gagolewski.com>`_ needs the tree and the number of clusters::
#
#     from genieclust.core import genie_from_mst
#
#     labels = genie_from_mst(plain.weights[0], plain.edges[0], n_clusters=3)["labels"]
#
# `BERTopic <https://maartengr.github.io/BERTopic>`_ accepts any object with ``fit`` and
# ``labels_``. With one around the exact tree, topics can be found in the embeddings themselves,
# and no dimension has to be reduced first::
#
#     class ExactTree:
#         def fit(self, X, y=None):
#             trees = euclidean_mst(X / np.linalg.norm(X, axis=1, keepdims=True), core_neighbors=5)
#             tree = np.column_stack([trees.edges[0], trees.weights[0]])
#             self.labels_ = clusters_from_spanning_tree(tree, min_cluster_size=15)[0]
#             return self
#
#     from bertopic import BERTopic
#     from bertopic.dimensionality import BaseDimensionalityReduction
#
#     model = BERTopic(umap_model=BaseDimensionalityReduction(), hdbscan_model=ExactTree())
#
# Rows of length 1 make this the cosine distance: the squared weight of an edge is twice that.
