"""Clusters of digits: the exact tree and fast_hdbscan's entry for known trees, beside hdbscan.

    python -m benchmarks.trees.clustering [--rows 10000]

Both cluster the first rows of MNIST (784 columns) by mutual reachability with 5 neighbours, with
one thread each: CPU time of one call. Needs mnist.npz, fast_hdbscan and hdbscan.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from smartsvm import euclidean_mst

from . import cells

K, SMALLEST = 5, 15


def with_known_tree(X):
    from fast_hdbscan.hdbscan import clusters_from_spanning_tree

    trees = euclidean_mst(X, core_neighbors=K, n_jobs=1)
    tree = np.column_stack([trees.edges[0], trees.weights[0]])
    return clusters_from_spanning_tree(tree, min_cluster_size=SMALLEST)[0]


def by_hdbscan(X):
    import hdbscan

    model = hdbscan.HDBSCAN(
        min_samples=K, min_cluster_size=SMALLEST, approx_min_span_tree=False, core_dist_n_jobs=1
    )
    return model.fit(X).labels_


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    options = parser.parse_args()
    X, y = cells.load(cells.Cell("", "trees", "mnist", 60_000, 784, 0))
    X, y = np.ascontiguousarray(X[: options.rows]), y[: options.rows]
    with_known_tree(X[:500])  # compiles what numba has to
    labels = {}
    for name, cluster in (("smartsvm, fast_hdbscan", with_known_tree), ("hdbscan", by_hdbscan)):
        start = time.process_time()
        labels[name] = found = cluster(X)
        seconds = time.process_time() - start
        kept = found >= 0
        agreement = adjusted_rand_score(y[kept], found[kept])
        print(
            f"{name}: {seconds:.3g} s, {found.max() + 1} clusters, {kept.mean():.1%} of rows in "
            f"them, adjusted Rand index of these and the digits {agreement:.3f}",
            flush=True,
        )
    print(f"Rand index between the two: {adjusted_rand_score(*labels.values()):.4f}")


if __name__ == "__main__":
    main()
