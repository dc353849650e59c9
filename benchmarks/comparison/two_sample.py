"""Size and power of `two_sample_test` beside the tests that people use.

``python -m benchmarks.comparison.two_sample`` runs all cells and writes the tables of README.md;
``--size-draws`` and ``--power-draws`` set the number of draws of each cell, and 0 leaves a table as
it is; ``--workers`` is the number of processes.
"""

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import chdtrc

from benchmarks.page import markdown_table, provenance, update_records, write_table
from smartsvm import euclidean_mst, two_sample_test
from smartsvm.estimation.friedman_rafsky import signal_on_trees

FOLDER = Path(__file__).parent
PAGE, RECORDS = FOLDER / "README.md", FOLDER / "records" / "two_sample.csv"
LEVEL = 0.05
NULLS = ("Gaussian", "heavy tails", "ties")
COLUMNS, SIZES, COPIES = (2, 20, 768), ((40, 40), (20, 60)), (False, True)
# Effects that the best of the tests finds in most draws, not in all.
EFFECTS = {
    "shift, all columns": {2: 0.35, 10: 0.17, 100: 0.09},
    "shift, one column": {2: 0.5, 10: 0.6, 100: 0.9},
    "scale, all columns": {2: 1.3, 10: 1.12, 100: 1.04},
    "scale, one column": {2: 1.6, 10: 1.9, 100: 3.0},
    "mixture": {2: 0.75, 10: 0.45, 100: 0.2},
    "correlation": {2: 0.5, 10: 0.25, 100: 0.07},
    "local": {2: 0.8, 10: 0.5, 100: 0.1},
    "heavy tails": {2: 3, 10: 4, 100: 8},
}
SIZE_CELLS = list(product(NULLS, COLUMNS, SIZES, COPIES))
POWER_CELLS = list(product(EFFECTS, (2, 10, 100)))


def null_samples(kind, d, sizes, copies, random):
    """Samples of one distribution."""
    n = sum(sizes)
    size = n, d
    X = random.standard_t(2, size=size) if kind == "heavy tails" else random.normal(size=size)
    if kind == "ties":
        X = np.round(X)
    if copies:  # half as many different rows, each drawn about twice
        X = X[random.integers(n // 2, size=n)]
    return X[: sizes[0]], X[sizes[0] :]


def different_samples(kind, d, random, n=100):
    """Two samples of n rows that differ in one way."""
    X, Y = random.normal(size=(2, n, d))
    effect = EFFECTS[kind][d]
    if kind == "shift, all columns":
        Y += effect
    elif kind == "shift, one column":
        Y[:, 0] += effect
    elif kind == "scale, all columns":
        Y *= effect
    elif kind == "scale, one column":
        Y[:, 0] *= effect
    elif kind == "mixture":  # two centres, in the middle of which the first sample lies
        Y += effect * random.choice([-1, 1], size=(n, 1))
    elif kind == "correlation":
        Y = np.sqrt(1 - effect) * Y + np.sqrt(effect) * random.normal(size=(n, 1))
    elif kind == "local":  # a fifth of the rows in a small region
        Y[: n // 5] = Y[: n // 5] * 0.25 + effect
    else:
        Y = random.standard_t(effect, size=(n, d)) * np.sqrt((effect - 2) / effect)
    return X, Y


def kernel_p_values(X, Y, random, n_permutations):
    """Permutation p-values of the energy distance and of MMD with the median heuristic."""
    Z, n, m = np.vstack([X, Y]), len(X), len(Y)
    distances = cdist(Z, Z)
    width = np.median(distances[np.triu_indices(n + m, 1)])
    given = np.repeat([1 / n, -1 / m], [n, m])
    orders = np.array([given, *(random.permutation(given) for _ in range(n_permutations))]).T
    found = {}
    for name, kernel in (
        ("energy", -distances),
        ("MMD", np.exp(-(distances**2) / max(width, 1e-12) ** 2)),
    ):
        values = np.einsum("ib,ib->b", orders, kernel @ orders)
        found[name] = (values >= values[0] - 1e-12).mean()
    return found


def p_values(X, Y, seed, n_permutations, *, all_tests=True):
    """p-values of all tests on two samples."""
    options = {"n_permutations": n_permutations, "random_state": seed}
    found = {"two_sample_test": two_sample_test(X, Y, scale="none", **options).p_value}
    if all_tests:
        labels = np.repeat([0, 1], [len(X), len(Y)])
        trees = list(euclidean_mst(np.vstack([X, Y]), n_trees=10, random_state=seed).edges)
        fr = signal_on_trees(trees, labels, n_permutations, seed=seed)
        found["Friedman–Rafsky"] = fr.p_permutation
        found |= kernel_p_values(X, Y, np.random.default_rng(seed), n_permutations)
    return found


def measure_size(cell, draws):
    """Rejections under the null hypothesis, in one cell."""
    kind, d, sizes, copies = SIZE_CELLS[cell]
    rejected = 0
    for draw in range(draws):
        random = np.random.default_rng([4, cell, draw])
        X, Y = null_samples(kind, d, sizes, copies, random)
        p = p_values(X, Y, draw, 99, all_tests=False)["two_sample_test"]
        rejected += p <= LEVEL
    return {
        "table": "size",
        "cell": f"{kind}, {sizes[0]} + {sizes[1]} rows",
        "columns": d,
        "copies": copies,
        "draws": draws,
        "two_sample_test": rejected / draws,
    }


def measure_power(cell, draws):
    """Rejections of all tests where samples differ, in one cell."""
    kind, d = POWER_CELLS[cell]
    found = []
    for draw in range(draws):
        random = np.random.default_rng([5, cell, draw])
        found.append(p_values(*different_samples(kind, d, random), draw, 199))
    shares = {name: np.mean([p[name] <= LEVEL for p in found]) for name in found[0]}
    return {
        "table": "power",
        "cell": kind,
        "columns": d,
        "copies": False,
        "draws": draws,
        **shares,
    }


def _size_table(rows):
    lines = {}
    for row in rows:
        key = (row["cell"], row["columns"], row["copies"])
        lines[key] = row["two_sample_test"]
    cells = dict.fromkeys(key[0] for key in lines)
    head = [
        "null distribution",
        *(f"{d} columns{', copies' * copies}" for d, copies in product(COLUMNS, COPIES)),
    ]
    body = [
        [cell, *(f"{lines[cell, d, copies]:.3f}" for d, copies in product(COLUMNS, COPIES))]
        for cell in cells
    ]
    return markdown_table(head, body)


def _power_table(rows):
    tests = ("two_sample_test", "Friedman–Rafsky", "energy", "MMD")
    body = [[row["cell"], row["columns"], *(f"{row[test]:.2f}" for test in tests)] for row in rows]
    return markdown_table(["difference", "columns", *tests], body)


def _summary(name, rows, draws):
    """A sentence on all cells."""
    if name == "power":
        error = 0.5 / np.sqrt(draws)
        yield f"{draws} draws a cell: the standard error of a fraction is at most {error:.3f}."
        return
    shares = np.array([float(row["two_sample_test"]) for row in rows])
    error = np.sqrt(LEVEL * (1 - LEVEL) / draws)
    outside = np.count_nonzero((shares < 0.03) | (shares > 0.07))
    p = chdtrc(len(shares), (((shares - LEVEL) / error) ** 2).sum())
    yield (
        f"{draws} draws a cell, with a standard error of {error:.3f}. The mean of all "
        f"{len(shares)} cells is {shares.mean():.4f}; {outside} of them lie outside of 0.03 to "
        f"0.07. A chi-squared test of whether all are 0.05 has p = {p:.2f}."
    )


def main():
    """Run both tables and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size-draws", type=int, default=200)
    parser.add_argument("--power-draws", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name, measure, cells, draws, table in (
        ("size", measure_size, SIZE_CELLS, options.size_draws, _size_table),
        ("power", measure_power, POWER_CELLS, options.power_draws, _power_table),
    ):
        if not draws:
            continue
        begin, rows = time.perf_counter(), []
        with ProcessPoolExecutor(options.workers) as pool:
            for row in pool.map(partial(measure, draws=draws), range(len(cells))):
                rows.append(row)
                print(row, f"{time.perf_counter() - begin:.0f} s", flush=True)
        command = f"python -m benchmarks.comparison.two_sample --{name}-draws {draws}"
        lines = [provenance(command), "", *_summary(name, rows, draws), "", *table(rows)]
        write_table(PAGE, f"two samples {name}", lines)
        update_records(RECORDS.with_stem(f"two_sample_{name}"), rows, 4)


if __name__ == "__main__":
    main()
