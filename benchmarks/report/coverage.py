"""Do 95 % intervals cover, and does the test keep its size?

    python -m benchmarks.report.coverage [--replications 500] [--sizes 1000 2000]
        [--page benchmarks/report/README.md]

For each kind of data: how often the interval covers the mean share of cross edges
over all replications, its standard error over the true one, the same for the
leave-one-out error of nearest neighbours, and how often labels without any signal
are rejected at 5 %. The labels without signal are drawn onto the same points, whose
trees know nothing of labels.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from smartsvm._core.points import scale_points
from smartsvm._core.validation import tie_seed
from smartsvm.estimation.friedman_rafsky import (
    LOCAL_NEIGHBORS,
    count_variance,
    local_shares,
    signal_on_trees,
)
from smartsvm.estimation.number_of_trees import AVERAGED_TREES, ReportTrees, trees_for_bounds
from smartsvm.held_out.neighbors import ladder_for, leave_one_out, neighbor_labels
from smartsvm.report.intervals import error_interval
from smartsvm.report.tree_stage import count_edges

from ..page import read_records, update_records, write_table
from .problems import KINDS, class_means, draw

SEPARATION = 2.5
Z = float(ndtri(0.975))
RECORDS = Path(__file__).parent / "records" / "coverage.csv"
SHOWN = {
    "coverage": "coverage",
    "coverage of k-NN": "knn_coverage",
    "size by the normal approximation": "size_normal",
    "size by permutations": "size_permuted",
}
HEAD = (
    "| data | K | d | n | replications | R/n | se / true sd | coverage | k-NN se / true sd "
    "| k-NN coverage | size, normal | size, permuted |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def replicate(kind, means, n, seed, n_permutations, n_neighbors):
    """One sample: counts and their standard errors, and both p-values without signal."""
    random = np.random.default_rng([seed, *means.shape, n, KINDS.index(kind)])
    X, y = draw(kind, means, n, random)
    n_classes, n_features = means.shape
    counted = trees_for_bounds(n_features)
    points, codes = scale_points(X), np.unique(y, return_inverse=True)[1]
    n_trees = ReportTrees(AVERAGED_TREES, counted, AVERAGED_TREES, averages_ties=True)
    counts = count_edges(points, codes, n_trees, seed=tie_seed(seed))
    labels = neighbor_labels(points, codes, 31, seed=seed)
    variance = count_variance(
        counts.graph(),
        local_shares(labels, codes, n_neighbors),
        counts.order_variance(),
    )
    cross = np.triu(counts.by_class[: counts.n_counted].mean(axis=0), 1).sum()
    votes = leave_one_out(labels, codes, n_classes, ladder_for(n))
    error = votes.errors.min()
    limits = error_interval(error, n / 1.5, Z)
    nothing = signal_on_trees(
        counts.forest.tree_edges(), random.integers(0, n_classes, n), n_permutations, seed=seed
    )
    return (
        cross,
        np.sqrt(variance.total),
        error,
        limits.low,
        limits.high,
        nothing.p_value,
        nothing.p_permutation,
    )


def cell(kind, n_classes, n_features, n, options):
    """All replications of one setting, summed up."""
    means = class_means(n_classes, n_features, SEPARATION)
    seeds = range(options.first, options.first + options.replications)
    results = np.array(
        [replicate(kind, means, n, seed, options.permutations, options.neighbors) for seed in seeds]
    )
    cross, deviation, error, low, high, p_normal, p_permuted = results.T
    target, true_error = cross.mean(), error.mean()
    return {
        "kind": kind,
        "K": n_classes,
        "d": n_features,
        "n": n,
        "replications": len(results),
        "ratio": float(target / n),
        "se_ratio": float(deviation.mean() / cross.std(ddof=1)),
        "coverage": float((np.abs(cross - target) <= Z * deviation).mean()),
        "knn_se_ratio": float((high - low).mean() / (2 * Z) / error.std(ddof=1)),
        "knn_coverage": float(((low <= true_error) & (true_error <= high)).mean()),
        "size_normal": float((p_normal <= 0.05).mean()),
        "size_permuted": float((p_permuted <= 0.05).mean()),
    }


def row(found):
    """One line of the table."""
    numbers = (
        "ratio",
        "se_ratio",
        "coverage",
        "knn_se_ratio",
        "knn_coverage",
        "size_normal",
        "size_permuted",
    )
    names = (found[key] for key in ("kind", "K", "d", "n", "replications"))
    return "| " + " | ".join([*map(str, names), *(f"{found[key]:.3f}" for key in numbers)]) + " |"


def ranges(found):
    """The sentence of the page: the range of each measure over all cells."""
    shown = []
    for title, name in SHOWN.items():
        values = [float(each[name]) for each in found]
        shown.append(f"{title} {min(values):.3f} to {max(values):.3f}")
    return [f"Over {len(found)} cells: {', '.join(shown)}."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 2000])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--permutations", type=int, default=99)
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 3, 10])
    parser.add_argument("--features", type=int, nargs="+", default=[2, 10])
    parser.add_argument("--first", type=int, default=0, help="seed of the first replication")
    parser.add_argument(
        "--neighbors", type=int, default=LOCAL_NEIGHBORS, help="whose labels give the variance"
    )
    parser.add_argument("--json", type=Path, help="file for the numbers")
    parser.add_argument("--page", help="results page whose table is made again")
    options = parser.parse_args()
    print(HEAD, flush=True)
    start, results = time.perf_counter(), []
    for n, kind, n_classes, n_features in product(
        options.sizes, options.kinds, options.classes, options.features
    ):
        results.append(cell(kind, n_classes, n_features, n, options))
        print(row(results[-1]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    print(f"\n{time.perf_counter() - start:.0f} s")
    if options.page:
        rounded = [
            {key: f"{v:.3f}" if isinstance(v, float) else v for key, v in each.items()}
            for each in results
        ]
        update_records(RECORDS, rounded, n_keys=4)
        write_table(options.page, "coverage", ranges(read_records(RECORDS)))


if __name__ == "__main__":
    main()
