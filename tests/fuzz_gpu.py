"""Spanning trees on a GPU against those of the processor, on hostile problems.

    python tests/fuzz_gpu.py --problems 2000 --seed 1
    python tests/fuzz_gpu.py --problems 2000 --most-rows 110

Compares every edge and the bits of every length and core distance; of small problems also with
trees from the full matrix. A wrong problem is printed with the number that repeats it (``--case``).
Without a GPU the same kernels run in Triton's interpreter (``TRITON_INTERPRET=1``), with small
problems and tiles.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections import Counter

import numpy as np
from fuzz import SHAPES, Reference, edges_to_lengths, seed_of_ties

from smartsvm import euclidean_mst
from smartsvm._core import devices
from smartsvm._mst.gpu import rounds, trees
from smartsvm.trees.in_memory import on_device

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cpu" if INTERPRETED else "cuda"  # of the tensors that kernels read


def _twins(random, n, d):
    """Clusters 1e-12 apart, far from the origin."""
    return 1e6 + random.integers(0, 5, size=(n, 1)) + 1e-12 * random.normal(size=(n, d))


def _embeddings(random, n, d):
    centres = random.normal(size=(max(1, n // 20), d))
    X = np.tanh(centres[random.integers(0, len(centres), n)] + 0.3 * random.normal(size=(n, d)))
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)


def _outlier(random, n, d):
    X = random.normal(size=(n, d))
    X[random.integers(0, n)] *= 10.0 ** random.integers(2, 12)
    return X


PROBLEMS = SHAPES | {
    "twins": _twins,
    "embeddings": _embeddings,
    "outlier": _outlier,
    "scale 1e150": lambda random, n, d: 1e150 * random.normal(size=(n, d)),
    "scale 1e-150": lambda random, n, d: 1e-150 * random.normal(size=(n, d)),
    "subnormal": lambda random, n, d: 1e-310 * random.integers(0, 9, size=(n, d)),
}
SMALL = (2, 3, 5, 9, 20, 40, 70, 110)
SIZES = SMALL if INTERPRETED else 4 * SMALL + 3 * (300, 700, 1500) + (3000, 5000)
WIDTHS = (
    (1, 2, 3, 7, 8, 9, 17, 33) if INTERPRETED else (1, 2, 3, 5, 8, 9, 16, 33, 64, 100, 784, 3000)
)
DTYPES = (np.float64, np.float64, np.float32, np.float16)
CORES = (0, 0, 1, 2, 5, 15, 60)  # neighbours for mutual reachability; 0 for plain distances
MOST_FOR_REFERENCE = 150  # rows of problems that are compared with the full matrix


def problem(case, most_rows=None):
    """Points, options, chunk and a description of problem number `case`."""
    random = np.random.default_rng(case)
    kind = list(PROBLEMS)[random.integers(len(PROBLEMS))]
    n, d = int(random.choice(SIZES)), int(random.choice(WIDTHS))
    n = n if most_rows is None else min(n, most_rows)
    if n * d > 5e6:
        n = int(5e6 // d)
    with np.errstate(over="ignore", under="ignore"):
        X = np.asarray(PROBLEMS[kind](random, n, d), dtype=np.float64)
        cast = X.astype(random.choice(DTYPES))
    X = cast if np.isfinite(cast).all() else X
    chunk = int(random.choice((64, 128) if INTERPRETED else (256, 512, 4096)))
    options = {"n_trees": int(random.choice((1, 1, 2, 3))), "random_state": int(case)}
    options["core_neighbors"] = min(int(random.choice(CORES)), n - 1)
    return X, options, chunk, f"{kind} {X.shape} {X.dtype.name} chunk {chunk} {options}"


def result(X, options, **device):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return euclidean_mst(X, **options, **device)
    except ValueError as error:
        return str(error)


def is_wrong(case, most_rows=None):
    """What problem number `case` is if its trees differ; None if they agree."""
    X, options, trees.CHUNK, text = problem(case, most_rows)
    want, got = result(X, options), result(X, options, device="cuda")
    if isinstance(want, str) or isinstance(got, str):
        return None if want == got else text
    same = all(map(np.array_equal, want, got))
    same = same and np.array_equal(want.core_distances, got.core_distances)
    if same and len(X) <= MOST_FOR_REFERENCE:
        reference = Reference(X, seed_of_ties(case), options["core_neighbors"])
        same = edges_to_lengths(got) == reference.trees(options["n_trees"])
    return None if same else text


def use_interpreter():
    """Let "cuda" stand for tensors of the processor, and tiles be small."""
    import torch

    devices._open = lambda *_: torch.device("cpu")
    rounds.Tiles.__new__.__defaults__ = (64, 64, 4, 1, 64, 64)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most-rows", type=int)
    parser.add_argument("--case", type=int)
    options = parser.parse_args()
    if INTERPRETED:
        use_interpreter()
    on_device.LEAST_ON_DEVICE = 2  # small problems, too
    cases = range(options.seed * 10**6, options.seed * 10**6 + options.problems)
    start, kinds, n_wrong = time.monotonic(), Counter(), 0
    for case in cases if options.case is None else [options.case]:
        if time.monotonic() - start > options.seconds:
            break
        wrong = is_wrong(case, options.most_rows)
        kinds[problem(case, options.most_rows)[3].split(" (")[0]] += 1
        if wrong:
            n_wrong += 1
            print(f"wrong: --case {case}: {wrong}", flush=True)
    print(f"{sum(kinds.values())} problems of {len(kinds)} kinds, {n_wrong} wrong", flush=True)
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
