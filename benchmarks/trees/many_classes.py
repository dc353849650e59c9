"""All pairs and one-vs-rest of very many small classes: CPU time and memory.

python -m benchmarks.trees.many_classes [--classes 1000] [--points 20] [--features 16]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

from smartsvm import ClassForest

from ..peak_memory import peak_bytes
from .measure import resident_bytes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--features", type=int, default=16)
    parser.add_argument("--n-trees", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    n = options.classes * options.points
    X = np.random.default_rng(0).normal(size=(n, options.features))
    y = np.arange(n) % options.classes
    warnings.simplefilter("ignore")  # that classes are small is the point
    before = resident_bytes()
    start, wall = time.process_time(), time.perf_counter()
    forest = ClassForest(X, y, n_trees=options.n_trees, n_jobs=options.threads)
    forest.pairwise()
    forest.one_vs_rest()
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    pairs = options.classes * (options.classes - 1) // 2
    peak = peak_bytes()
    print(
        f"{options.classes} classes of {options.points} points, d = {options.features}, "
        f"{options.n_trees} trees, {options.threads} thread(s): {seconds:.1f} s CPU, {wall:.1f} s "
        f"wall, {1e3 * seconds / pairs:.3f} ms a pair, {(peak - before) / 1e6:.0f} MB"
    )


if __name__ == "__main__":
    main()
