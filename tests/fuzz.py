"""Spanning trees of random problems against brute force, for as long as you like.

    python tests/fuzz.py --seconds 600 --seed 1

Every case draws a shape of the data, a kernel, a number of trees and of threads, a layout in
memory and a type of numbers, and compares every edge and the bits of every length with those
of `Reference`: all distances, exact keys, the trees of their order. A wrong one is printed with
the number that repeats it (``--case``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter

import numpy as np
from oracle import tie_rank
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from smartsvm import ClassForest, euclidean_mst
from smartsvm.trees.out_of_core.memory_plan import BlockMemory

KERNELS = ("auto", "prim", "kdtree", "products", "blocks", "classes")
# Most are small, and met at their edges; some of the kernels' paths begin at a few hundred points.
# Those above MOST_FOR_REFERENCE are compared with Prim's algorithm, which the others check.
SIZES = 4 * (2, 5, 9, 20, 40, 70, 110) + 3 * (300, 300, 700) + (3000, 8000)
MOST_FOR_REFERENCE = 700
CORES = (0, 0, 0, 1, 2, 5, 10, 40)
DTYPES = (np.float64, np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, bool)


def _normal(random, n, d):
    return random.normal(size=(n, d))


def _times_power(low, high):
    def make(random, n, d):
        return np.ldexp(random.normal(size=(n, d)), int(random.integers(low, high)))

    return make


def _clusters(random, n, d):
    return random.normal(size=(n, d)) + 50 * random.integers(0, 4, size=(n, 1))


def _constant_beside(power, constant):
    def make(random, n, d):
        X = np.ldexp(random.normal(size=(n, d)), power)
        X[:, random.integers(0, d, size=(d + 1) // 2)] = constant
        return X

    return make


def _categories(random, n, d):
    """Combinations of a few categories, one column for each of them; many come more than once."""
    levels = random.integers(2, 6, size=12)
    levels = levels[: max(1, np.searchsorted(np.cumprod(levels), n))]
    return np.hstack([np.eye(m)[random.integers(0, m, size=n)] for m in levels])


def _spiral(random, n, d):
    turn = np.sort(random.random(n)) * 12
    return np.column_stack([turn * np.cos(turn), turn * np.sin(turn), np.zeros((n, d))])[:, :d]


SHAPES = {
    "normal": _normal,
    "uniform": lambda random, n, d: random.random((n, d)),
    "heavy tails": lambda random, n, d: random.standard_cauchy((n, d)),
    "lattice": lambda random, n, d: random.integers(0, 3, size=(n, d)).astype(float),
    "wide lattice": lambda random, n, d: random.integers(-40, 40, size=(n, d)).astype(float),
    "binary": lambda random, n, d: (random.random((n, d)) < 0.3).astype(float),
    "one-hot": lambda random, n, d: np.eye(d)[random.integers(0, d, size=n)],
    "categories": _categories,
    "copies": lambda random, n, d: random.normal(size=(n, d))[random.integers(0, n // 3 + 1, n)],
    "one point": lambda random, n, d: np.ones((n, d)),
    "two points": lambda random, n, d: np.ones((n, d)) * random.integers(0, 2, size=(n, 1)),
    "line": lambda random, n, d: random.integers(-9, 9, (n, 1)) * random.normal(size=(1, d)),
    "sorted line": lambda random, n, d: np.sort(random.random(n))[:, None] * np.ones((1, d)),
    "star": lambda random, n, d: np.r_[np.zeros((1, d)), np.eye(d)[np.arange(n - 1) % d]],
    "sphere": lambda random, n, d: _unit(random.normal(size=(n, d))),
    "spiral": _spiral,
    "clusters": _clusters,
    "far apart": lambda random, n, d: _normal(random, n, d) + 1e8 * random.integers(0, 2, (n, 1)),
    "offset": lambda random, n, d: random.normal(size=(n, d)) + 1e8,
    "sparse": lambda random, n, d: random.normal(size=(n, d)) * (random.random((n, d)) < 0.1),
    "low rank": lambda random, n, d: random.normal(size=(n, 2)) @ random.normal(size=(2, d)),
    "unlike columns": lambda random, n, d: _normal(random, n, d) * 10.0 ** -np.arange(d),
    "huge": _times_power(600, 1000),
    "tiny": _times_power(-1000, -600),
    "large constant": _constant_beside(-400, 1e200),
    "small numbers": _constant_beside(-1000, 1.0),
    "constant": _constant_beside(0, 1e15),
}


def _unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


class Reference:
    """All edges in the total order, and the trees that SciPy peels off them one by one."""

    def __init__(self, X, seed, core_neighbors=0):
        X = np.asarray(X, dtype=np.float64)
        X = np.where(X.min(axis=0) == X.max(axis=0), 0, X)
        largest = np.frexp(np.abs(X).max())[1]
        self.exponent = int(largest) if abs(largest) > 400 else 0
        X = np.ldexp(X, -self.exponent)
        self.n = n = len(X)
        i, j = np.triu_indices(n, 1)
        lanes = np.zeros((8, len(i)))
        for k, column in enumerate(X.T):
            lanes[k % 8] += (column[i] - column[j]) ** 2
        s = lanes
        squared = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
        lengths = squared if core_neighbors == 0 else _mutual(squared, n, core_neighbors)
        order = np.lexsort((_tie_keys(i, j, seed), squared, lengths))
        # Older scipy finds trees of graphs with 32-bit indices only.
        self.i, self.j = (ends[order].astype(np.int32) for ends in (i, j))
        self.lengths = np.ldexp(np.sqrt(lengths[order]), self.exponent)

    def trees(self, n_trees):
        """Dictionaries of edges to lengths, as many as span all points, at most this many."""
        # Places in the total order as weights: all differ, and 0 would be no edge.
        place = np.arange(1.0, len(self.i) + 1)
        graph = csr_array((place, (self.i, self.j)), shape=(self.n, self.n))
        found = []
        while len(found) < n_trees:
            taken = minimum_spanning_tree(graph).data.astype(int) - 1
            if len(taken) < self.n - 1:
                break
            edges = zip(self.i[taken].tolist(), self.j[taken].tolist(), strict=True)
            found.append(dict(zip(edges, self.lengths[taken].tolist(), strict=True)))
            gone = np.zeros(len(place) + 1, dtype=bool)
            gone[taken + 1] = True
            graph.data[gone[graph.data.astype(int)]] = 0
            graph.eliminate_zeros()
        return found


def _mutual(squared, n, k):
    """Squared mutual reachability of all pairs, from their squared distances."""
    i, j = np.triu_indices(n, 1)
    matrix = np.full((n, n), np.inf)
    matrix[i, j] = matrix[j, i] = squared
    core = np.sort(matrix, axis=1)[:, k - 1]
    return np.maximum(squared, np.maximum(core[i], core[j]))


def _tie_keys(i, j, seed):
    ranks = np.array([tie_rank(point, seed) for point in range(j.max() + 1)], dtype=np.uint64)
    low, high = np.minimum(ranks[i], ranks[j]), np.maximum(ranks[i], ranks[j])
    return (high - low) << np.uint64(32) | low


class Case:
    """One random problem, made from its number alone."""

    def __init__(self, seed, number):
        random = np.random.default_rng([seed, number])
        self.number = number
        self.shape = list(SHAPES)[random.integers(len(SHAPES))]
        self.n = int(random.choice(SIZES))
        self.d = int(random.choice([1, 2, 3, 5, 8, 9, 17, 40, 120]))
        self.kernel = KERNELS[random.integers(len(KERNELS))]
        self.n_trees = int(random.integers(1, 7))
        self.n_jobs = int(random.integers(1, 5))
        self.random_state = int(random.integers(2**31))
        self.core_neighbors = 0
        if self.kernel not in ("blocks", "classes"):  # which have plain distances only
            self.core_neighbors = min(int(random.choice(CORES)), self.n - 1)
        X = SHAPES[self.shape](random, self.n, self.d)
        self.d = X.shape[1]
        self.dtype = DTYPES[random.integers(len(DTYPES))]
        with np.errstate(all="ignore"):
            small = np.abs(X).max() < (200 if np.dtype(self.dtype).kind in "iu" else 6e4)
        if np.dtype(self.dtype).kind != "f" and small:
            X = np.abs(np.round(X))
        self.X = X.astype(self.dtype) if small else X
        self.layout = str(random.choice(["plain", "fortran", "every other", "backwards", "list"]))
        self.codes = random.integers(0, min(4, self.n), size=self.n)
        self.codes[: min(4, self.n)] = np.arange(min(4, self.n))

    def given(self):
        """The points as a caller may pass them."""
        if self.layout == "fortran":
            return np.asfortranarray(self.X)
        if self.layout == "every other":
            return np.repeat(np.repeat(self.X, 2, axis=0), 2, axis=1)[::2, ::2]
        if self.layout == "backwards":
            return np.ascontiguousarray(self.X[::-1, ::-1])[::-1, ::-1]
        return self.X.tolist() if self.layout == "list" else self.X

    def run(self):
        """What is wrong, or None."""
        options = {
            "n_trees": self.n_trees,
            "n_jobs": self.n_jobs,
            "random_state": self.random_state,
        }
        if self.core_neighbors > 0:
            options["core_neighbors"] = self.core_neighbors
        if self.n > MOST_FOR_REFERENCE:
            expected = edges_to_lengths(euclidean_mst(self.X, **options, algorithm="prim"))
        else:
            seed = seed_of_ties(self.random_state)
            expected = Reference(self.X, seed, self.core_neighbors).trees(self.n_trees)
        if self.kernel == "classes":
            return self._wrong_union(expected, options)
        if self.kernel != "blocks":
            return self._wrong_trees(expected, options | {"algorithm": self.kernel})
        with tempfile.TemporaryDirectory() as folder:  # a checkpoint is always made in blocks
            return self._wrong_trees(
                expected, options | {"memory_limit": self._limit(), "checkpoint": folder}
            )

    def _wrong_trees(self, expected, options):
        try:
            found = euclidean_mst(self.given(), **options)
        except ValueError as error:
            if len(expected) < self.n_trees and f"at most {len(expected)} " in str(error):
                return None
            return f"raised {error}"
        if len(expected) < self.n_trees:
            return f"{self.n_trees} trees where there are {len(expected)}"
        return None if edges_to_lengths(found) == expected else "other edges or lengths"

    def _limit(self):
        """Bytes for blocks of about a quarter of the points."""
        n_trees = min(self.n_trees, max(1, self.n // 2))
        memory = BlockMemory(self.n, self.d, n_trees, by_class=True)
        return memory.needed(max(2, self.n // 4), self.n_jobs, 0)

    def _wrong_union(self, expected, options):
        """The trees of all classes must be found among those of the pairs."""
        forest = ClassForest(self.given(), self.codes, **options)
        _ = forest._counts.of_pairs
        trees = forest.tree_edges()[: self.n_trees]
        found = [set(map(tuple, np.sort(edges, axis=1).tolist())) for edges in trees]
        wanted = [set(tree) for tree in expected]
        return None if found[: len(wanted)] == wanted else "other edges of a union"

    def __str__(self):
        return (
            f"case {self.number}: {self.shape}, {self.n} x {self.d} {np.dtype(self.dtype).name}, "
            f"{self.layout}, {self.kernel}, {self.n_trees} trees, {self.n_jobs} threads, "
            f"core of {self.core_neighbors} neighbours"
        )


def edges_to_lengths(trees):
    """One dictionary a tree."""
    return [
        dict(zip(map(tuple, np.sort(edges, axis=1).tolist()), weights.tolist(), strict=True))
        for edges, weights in zip(trees.edges, trees.weights, strict=True)
    ]


def seed_of_ties(random_state):
    return int(np.random.SeedSequence(random_state).generate_state(1, np.uint64)[0])


def fuzz(seed, *, seconds=None, cases=None, first=0):
    """Run cases until the time is up or this many are done; the wrong ones and counts by shape."""
    wrong, done, start = [], Counter(), time.monotonic()
    number = first
    while (cases is None or number < first + cases) and (
        seconds is None or time.monotonic() - start < seconds
    ):
        case = Case(seed, number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # small classes, lost differences
            fault = case.run()
        if fault is not None:
            wrong.append(f"{case}: {fault}")
        done[case.shape, case.kernel] += 1
        number += 1
    return wrong, done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--case", type=int, help="repeat one case")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.seconds:.0f} s", flush=True)
    start = time.monotonic()
    if options.case is not None:
        wrong, done = fuzz(options.seed, cases=1, first=options.case)
    else:
        wrong, done = fuzz(options.seed, seconds=options.seconds)
    shapes = {shape for shape, _ in done}
    by_kernel = Counter()
    for (_, kernel), count in done.items():
        by_kernel[kernel] += count
    counts = ", ".join(f"{kernel} {by_kernel[kernel]}" for kernel in KERNELS)
    print(
        f"{sum(done.values())} cases of {len(shapes)} shapes in "
        f"{time.monotonic() - start:.0f} s ({counts}): {len(wrong)} wrong"
    )
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
