"""One cell, in a process of its own: the contestants take turns, the best time of each counts.

Called by race.py; prints one JSON object. A fresh process for every cell, because
what an earlier cell allocated changes the time of a later one by up to a third.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time

import numpy as np

from smartsvm import euclidean_mst
from smartsvm._core.points import Points
from smartsvm.trees.in_memory.class_trees import SpanningForest

from . import cells


def our_run(X, y, cell, algorithm, n_jobs):
    if cell.task == "trees":
        return lambda: euclidean_mst(
            X, n_trees=cell.n_trees, algorithm=algorithm, n_jobs=n_jobs
        ).weights[0]

    codes = np.unique(y, return_inverse=True)[1]
    n_classes = codes.max() + 1

    def pairs():
        """Cross edges of every pair; with them the length of its tree, to compare."""
        counts, lengths = np.zeros((2, n_classes, n_classes))
        forest = SpanningForest(
            Points(X), codes, n_trees=cell.n_trees, seed=1, algorithm=algorithm, n_jobs=n_jobs
        )
        for k, m, (edges, squared, _) in forest.pairs():
            ends = codes[edges]
            counts[k, m] = np.count_nonzero(ends[:, 0] != ends[:, 1])
            lengths[k, m] = np.sqrt(squared).sum()
        return lengths

    return pairs


def peer_run(X, y, cell, algorithm):
    import quitefastmst

    def tree(points):
        return quitefastmst.mst_euclid(points, algorithm=algorithm)

    if cell.task == "trees":

        def trees():
            for _ in range(cell.n_trees):
                weights, _ = tree(X)
            return weights

        return trees

    groups = [X[y == k] for k in np.unique(y)]

    def pairs():
        counts, lengths = np.zeros((2, len(groups), len(groups)))
        for k, m in itertools.combinations(range(len(groups)), 2):
            weights, edges = tree(np.concatenate([groups[k], groups[m]]))
            first = edges < len(groups[k])
            counts[k, m] = np.count_nonzero(first[:, 0] != first[:, 1])
            lengths[k, m] = weights.sum()
        return lengths

    return pairs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cell", choices=cells.CELLS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120, help="no further turn after these")
    parser.add_argument("--algorithms", nargs="+", default=["auto"])
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    cell = cells.CELLS[options.cell]
    try:
        X, y = cells.load(cell)
    except cells.MissingData as error:
        print(json.dumps({"cell": cell.name, "missing": str(error)}))
        return
    runs = {
        f"smartsvm {name}": our_run(X, y, cell, name, options.threads)
        for name in options.algorithms
    }
    if not options.no_peer:
        runs["quitefastmst auto"] = peer_run(X, y, cell, "auto")
        if X.shape[1] >= 8 and len(X) <= 20_000 and cell.task == "trees":
            runs["quitefastmst brute"] = peer_run(X, y, cell, "brute")
    clock = time.process_time if options.threads == 1 else time.perf_counter
    seconds = {name: [] for name in runs}
    results = {}
    for _ in range(options.repeats):
        for name, run in runs.items():
            start = clock()
            results[name] = run()
            seconds[name].append(clock() - start)
        if sum(map(sum, seconds.values())) > options.seconds:
            break
    reference, *others = results.values()
    agree = all(
        np.allclose(np.sort(np.ravel(reference)), np.sort(np.ravel(other)), rtol=1e-9)
        for other in others
    )
    json.dump(
        {"cell": cell.name, "n": len(X), "d": X.shape[1], "seconds": seconds, "agree": agree},
        sys.stdout,
    )


if __name__ == "__main__":
    main()
