"""Linkage heights by mutual reachability, ours and those of four peers, on 200 sets.

    python -m benchmarks.trees.mutual_heights [--sets 200] [--page]

Trees of equal weight have the same sorted weights, the heights of single linkage. A difference is
that of two heights over the largest one. Needs hdbscan, fast_hdbscan and quitefastmst.
fast_hdbscan computes in float32, so that only its rounding can be expected of it.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn import datasets

from smartsvm import euclidean_mst

from ..page import markdown_table, update_records, write_table
from .race_tables import HERE, PAGE

KS = (1, 2, 5, 10, 15)
_REAL = ("load_iris", "load_wine", "load_breast_cancer", "load_digits", "load_diabetes")


def real_set(random):
    """Rows of one of scikit-learn's built-in sets, as they are or with columns in [0, 1]."""
    X = getattr(datasets, _REAL[random.integers(len(_REAL))])().data
    X = X[random.permutation(len(X))[: random.integers(60, 600)]]
    if random.integers(2):
        X = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1)
    return X


def hostile_set(random):
    """Ties, copies, constant columns, offsets, lines and heavy tails."""
    n, d = int(random.integers(20, 500)), int(random.choice([1, 2, 3, 5, 8, 17, 40]))
    X = random.normal(size=(n, d))
    kinds = (
        lambda: X,
        lambda: random.integers(0, 4, size=(n, d)).astype(float),
        lambda: X[random.integers(0, n // 3 + 1, size=n)],
        lambda: X * (np.arange(d) % 2),
        lambda: X + 1e6 * random.integers(0, 2, size=(n, 1)),
        lambda: random.integers(-9, 9, size=(n, 1)) * random.normal(size=(1, d)),
        lambda: random.standard_cauchy((n, d)),
        lambda: X * 1e-6,
        lambda: X * 1e6,
        lambda: np.where(random.random((n, 1)) < 0.9, 0.01 * X, X),
    )
    return np.ascontiguousarray(kinds[random.integers(len(kinds))]())


def by_hdbscan(X, k):
    import hdbscan

    model = hdbscan.HDBSCAN(
        min_samples=k, min_cluster_size=2, approx_min_span_tree=False, core_dist_n_jobs=1
    )
    return model.fit(X).single_linkage_tree_.to_numpy()[:, 2]


def by_sklearn(X, k):
    from sklearn.cluster import HDBSCAN

    # It counts the point itself.
    model = HDBSCAN(min_samples=k + 1, min_cluster_size=2, algorithm="kd_tree", copy=True)
    return model.fit(X)._single_linkage_tree_["value"]


def by_quitefastmst(X, k):
    import quitefastmst

    # Its 1 asks for the plain tree, and it needs two columns.
    return None if k == 1 or X.shape[1] == 1 else quitefastmst.mst_euclid(X, k)[0]


def by_fast_hdbscan(X, k):
    from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

    # With more columns it has an approximate tree.
    if X.shape[1] > 30:
        return None
    return compute_minimum_spanning_tree(X, min_samples=k)[0][:, 2]


PEERS = {
    "hdbscan": by_hdbscan,
    "scikit-learn": by_sklearn,
    "quitefastmst": by_quitefastmst,
    "fast_hdbscan": by_fast_hdbscan,
}


def compare(number):
    """The largest difference of each peer on one set; None where it has no answer."""
    random = np.random.default_rng([49, number])
    X = real_set(random) if number % 4 == 0 else hostile_set(random)
    k = int(min(random.choice(KS), len(X) - 1))
    ours = np.sort(euclidean_mst(X, core_neighbors=k).linkage()[:, 2])
    found = {}
    for name, heights in PEERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = heights(X, k)
        largest = ours[-1] or 1.0
        found[name] = None if theirs is None else np.abs(np.sort(theirs) - ours).max() / largest
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--page", action="store_true", help="write the record and the page")
    options = parser.parse_args()
    results = [compare(number) for number in range(options.sets)]
    rows = []
    for name in PEERS:
        known = np.array([each[name] for each in results if each[name] is not None])
        rows.append(
            {
                "peer": name,
                "sets": len(known),
                "within 1e-12": int((known <= 1e-12).sum()),
                "largest difference": f"{known.max():.1e}",
            }
        )
    table = markdown_table(list(rows[0]), [list(row.values()) for row in rows])
    print("\n".join(table))
    if options.page:
        update_records(HERE / "records" / "table-heights.csv", rows, 1)
        write_table(PAGE, "heights", table)


if __name__ == "__main__":
    main()
