"""False claims and power of `compare_representations`.

``python -m benchmarks.comparison.representations`` draws ``--draws`` problems of each of 20 sets
and ``--power-draws`` of ten pairs of unequal ones, and writes the tables of README.md; 0 leaves a
table as it is. ``--workers`` is the number of processes.
"""

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import binomtest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.page import markdown_table, provenance, update_records, write_table
from smartsvm import compare_representations

FOLDER = Path(__file__).parent
PAGE, RECORDS = FOLDER / "README.md", FOLDER / "records"
# (rows, columns, classes, distance of the centres): 20 sets
SETS = [
    (n, d, n_classes, distance)
    for n in (80, 160)
    for d, n_classes in ((3, 2), (10, 2), (5, 4), (30, 3), (3, 3))
    for distance in (1.0, 2.0)
]
# Standard deviations of the noise of a second representation whose labels are harder to read.
WEAKER = (1.3, 1.6)
PAIRS = [(noise, number) for noise in WEAKER for number in range(11, len(SETS), 2)]
SINGLE = {
    "LDA": LinearDiscriminantAnalysis(),
    "k nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
    "naive Bayes": GaussianNB(),
}


def centres_of(number, draw):
    """Centres of the classes of a set, at `distance` from the middle."""
    _, d, n_classes, distance = SETS[number]
    centres = np.random.default_rng([3, number, draw]).normal(size=(n_classes, d))
    centres -= centres.mean(axis=0)
    return distance * centres / np.linalg.norm(centres, axis=1, keepdims=True)


def labels_of(number, random):
    """Classes of equal size in random order."""
    n, _, n_classes, _ = SETS[number]
    return random.permutation(np.arange(n) % n_classes)


def equal_quality(number, draw):
    """Labels and three representations of which none is better."""
    random, centres = np.random.default_rng([2, number, draw]), centres_of(number, draw)
    y = labels_of(number, random)
    d = centres.shape[1]
    X, redrawn = (centres[y] + random.normal(size=(len(y), d)) for _ in range(2))
    changed = 10.0 ** random.uniform(-3, 3) * X[:, random.permutation(d)]
    return y, {"given": X, "permuted and rescaled": changed, "redrawn": redrawn}


def unequal_quality(number, draw, noise):
    """Labels and two representations, the second with more noise."""
    random, centres = np.random.default_rng([4, number, draw]), centres_of(number, draw)
    y = labels_of(number, random)
    X, weaker = (
        centres[y] + size * random.normal(size=(len(y), centres.shape[1])) for size in (1, noise)
    )
    return y, {"given": X, "weaker": weaker}


def mcnemar(first, second, y):
    """McNemar's exact p-value, and the sign, for the best single classifier."""
    errors = {}
    for name, model in SINGLE.items():
        wrong = [cross_val_predict(model, X, y, cv=10) != y for X in (first, second)]
        errors[name] = (sum(each.mean() for each in wrong), wrong)
    one, other = min(errors.values(), key=lambda each: each[0])[1]
    worse, better = int((~one & other).sum()), int((one & ~other).sum())
    if worse + better == 0:
        return 1.0, 0
    return binomtest(worse, worse + better).pvalue, np.sign(worse - better)


def measure_false_claims(number, draws):
    """Comparisons of one set in which representations of equal quality are called different."""
    n, d, n_classes, distance = SETS[number]
    claims = 0
    for draw in range(draws):
        y, entries = equal_quality(number, draw)
        claims += bool(compare_representations(entries, y).better.any())
    return {
        "rows": n,
        "columns": d,
        "classes": n_classes,
        "distance": distance,
        "draws": draws,
        "false claims": claims,
    }


def measure_power(pair, draws):
    """How often the weaker of two representations is found, by us and by McNemar's test."""
    noise, number = pair
    n, d, n_classes, distance = SETS[number]
    ours = theirs = 0
    for draw in range(draws):
        y, entries = unequal_quality(number, draw, noise)
        ours += bool(compare_representations(entries, y).better[0, 1])
        p, sign = mcnemar(entries["given"], entries["weaker"], y)
        theirs += p <= 0.05 and sign > 0
    return {
        "noise": noise,
        "rows": n,
        "columns": d,
        "classes": n_classes,
        "distance": distance,
        "draws": draws,
        "compare_representations": ours / draws,
        "McNemar": theirs / draws,
    }


def main():
    """Run both tables and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--power-draws", type=int, default=10)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name, measure, cells, draws, n_keys in (
        ("false claims", measure_false_claims, range(len(SETS)), options.draws, 4),
        ("power", measure_power, PAIRS, options.power_draws, 5),
    ):
        if not draws:
            continue
        begin, rows = time.perf_counter(), []
        with ProcessPoolExecutor(options.workers) as pool:
            for row in pool.map(partial(measure, draws=draws), cells):
                rows.append(row)
                print(row, f"{time.perf_counter() - begin:.0f} s", flush=True)
        option = "draws" if name == "false claims" else "power-draws"
        command = f"python -m benchmarks.comparison.representations --{option} {draws}"
        lines = [provenance(command), ""]
        if name == "false claims":
            false, total = sum(row["false claims"] for row in rows), draws * len(rows)
            lines += [f"{false} false claims in {total} comparisons ({false / total:.1%}).", ""]
        lines += markdown_table(list(rows[0]), [row.values() for row in rows])
        write_table(PAGE, f"representations {name}", lines)
        stem = f"representations_{name.replace(' ', '_')}"
        update_records(RECORDS / f"{stem}.csv", rows, n_keys)


if __name__ == "__main__":
    main()
