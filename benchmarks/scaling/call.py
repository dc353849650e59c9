"""One call, to be measured by `watch.py`: python -m benchmarks.scaling.call KIND ..."""

from __future__ import annotations

import argparse
import json
import os
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed, parallel_config

from benchmarks.scaling.watch import timed
from smartsvm import euclidean_mst
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["direct", "blocks"])
    parser.add_argument("path", help=".npy file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trees", type=int, default=1)
    parser.add_argument("--blocks", type=int)
    parser.add_argument("--limit")
    parser.add_argument("--backend", choices=["threading", "loky", "dask"], default="threading")
    given = parser.parse_args()
    if given.kind == "direct":
        X = np.load(given.path)
        options = {"n_trees": given.trees, "n_jobs": given.jobs}
        result, trees = timed(lambda: euclidean_mst(X, **options))
        total = float(trees.weights.sum())
    else:
        result, (phases, report, total) = on_backend(given)
        result |= phases | report
    print(json.dumps(result | {"weight": total}))


def on_backend(given):
    if given.backend != "dask":
        with parallel_config(backend=given.backend, n_jobs=given.jobs):
            Parallel()(delayed(warm)() for _ in range(4 * given.jobs))
            return timed(lambda: in_blocks(given))
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=given.jobs,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        Parallel()(delayed(warm)() for _ in range(4 * given.jobs))
        return timed(lambda: in_blocks(given))


def warm():
    """Workers that have started and imported: what a session pays once."""
    import smartsvm

    return smartsvm.__version__


def in_blocks(given):
    """The phases of `euclidean_mst` over blocks, each with its time."""
    from smartsvm.trees.tree_plan import parse_bytes

    options = {"n_trees": given.trees, "seed": 0, "verbose": 0}
    if given.blocks:
        options["n_blocks"] = given.blocks
    else:
        options["memory_limit"] = parse_bytes(given.limit)
    X = np.load(given.path, mmap_mode="r")
    phases = {}
    phase, forest = timed(lambda: BlockForest(open_points(X), **options))
    phases["sort_s"], phases["sort_cpu"] = phase["seconds"], phase["cpu"]
    phase, _ = timed(forest.withins)
    phases["within_s"], phases["within_cpu"] = phase["seconds"], phase["cpu"]
    blocks = list(range(len(forest.parts)))
    join = forest.join("", blocks, list(combinations(blocks, 2)), [])
    phase, _ = timed(lambda: forest.run([join]))
    phases["pairs_s"], phases["pairs_cpu"] = phase["seconds"], phase["cpu"]
    phase, forests = timed(lambda: forest.peel(forest.withins() + join.forests))
    phases["merge_s"], phases["merge_cpu"] = phase["seconds"], phase["cpu"]
    forest.close()
    return phases, forest.report._asdict(), float(np.sqrt(forests.squared).sum())


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
