"""Equal rows: processor time as their number doubles, and how counts vary over orders of ties.

python -m benchmarks.trees.equal_points [--seeds 1000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from smartsvm import euclidean_mst

SIZES = (10_000, 20_000, 40_000, 80_000)
REPEATS = 3


def _groups(n_groups):
    def make(n, d, random):
        return random.normal(size=(n_groups(n), d))[random.integers(0, n_groups(n), n)]

    return make


def _half(n, d, random):
    return np.concatenate([np.full((n // 2, d), 0.1), random.normal(size=(n - n // 2, d))])


KINDS = {
    "all equal": _groups(lambda n: 1),
    "20 groups": _groups(lambda n: 20),
    "groups of 100": _groups(lambda n: n // 100),
    "half of them equal": _half,
}
# Labels of one group of equal rows, by the sizes of the classes.
LABELS = {"30 : 30": (30, 30), "55 : 5": (55, 5), "180 : 20": (180, 20), "six of 10": (10,) * 6}


def cpu_seconds(X, n_trees):
    """The best of a few runs, on one thread."""
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        euclidean_mst(X, n_trees=n_trees, n_jobs=1)
        best = min(best, time.process_time() - start)
    return best


def cross_counts(sizes, n_seeds):
    """Edges between classes in the first tree of equal rows, one count for each order of ties."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.zeros((len(y), 2))
    trees = (euclidean_mst(X, random_state=seed).edges[0] for seed in range(n_seeds))
    return np.array([np.count_nonzero(y[edges[:, 0]] != y[edges[:, 1]]) for edges in trees])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1000)
    options = parser.parse_args()
    print("| rows | d | trees |", *(f"{n:,} |" for n in SIZES))
    print("|---|---|---|" + "---|" * len(SIZES))
    for name, make in KINDS.items():
        for d, n_trees in ((3, 1), (3, 3), (16, 1), (16, 3)):
            random = np.random.default_rng(0)
            times = [1e3 * cpu_seconds(make(n, d, random), n_trees) for n in SIZES]
            print(f"| {name} | {d} | {n_trees} |", *(f"{t:.0f} |" for t in times), flush=True)
    print("\n| classes | expected | mean | standard error | spread |\n|---|---|---|---|---|")
    for name, sizes in LABELS.items():
        counts, m = cross_counts(sizes, options.seeds), sum(sizes)
        expected, spread = (m**2 - np.square(sizes).sum()) / m, counts.std(ddof=1)
        error = spread / np.sqrt(options.seeds)
        print(f"| {name} | {expected:.2f} | {counts.mean():.2f} | {error:.2f} | {spread:.2f} |")


if __name__ == "__main__":
    main()
