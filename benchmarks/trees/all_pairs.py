"""Every pair and one-vs-rest with 3 trees in one call, beside the bare matrix product.

    SMARTSVM_DATA=folder python -m benchmarks.trees.all_pairs [--set mnist] [--threads 2]

The yardstick is the float32 product X Xᵀ in blocks over the upper triangle, with as
many threads: no method that looks at all distances can be faster.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import ClassForest

from ..peak_memory import peak_bytes
from .cells import Cell, load


def product_seconds(X, threads, block=2048):
    """Seconds for X Xᵀ in float32, block by block, results thrown away."""
    X = X.astype(np.float32)
    with threadpool_limits(threads):
        start = time.perf_counter()
        for i in range(0, len(X), block):
            for j in range(i, len(X), block):
                X[i : i + block] @ X[j : j + block].T
        return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="mnist")
    parser.add_argument("--n", type=int, default=0, help="rows to take; all by default")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--n-trees", type=int, default=3)
    options = parser.parse_args()
    X, y = load(Cell("", "pairs", options.set, options.n, 0, 0))
    products = [product_seconds(X, options.threads)]
    start = time.perf_counter()
    forest = ClassForest(X, y, n_trees=options.n_trees, n_jobs=options.threads)
    forest.one_vs_rest()
    forest.pairwise()
    seconds = time.perf_counter() - start
    products.append(product_seconds(X, options.threads))
    peak = peak_bytes() / 2**30
    print(
        f"{options.set} {X.shape}, {len(np.unique(y))} classes, {options.n_trees} trees, "
        f"{options.threads} threads: {seconds:.1f} s; product {min(products):.1f} s; "
        f"ratio {seconds / min(products):.2f}; peak {peak:.2f} GiB"
    )


if __name__ == "__main__":
    main()
