"""Is the interval right on real data, whose Bayes error nobody knows? FeeBee's protocol.

    python -m benchmarks.report.feebee [--sets mnist letter ...] [--rows 10000] [--workers 2]
        [--json benchmarks/report/records/feebee.jsonl] [--page benchmarks/report/README.md]

Labels are replaced by uniformly random ones with probability ρ. If R is the Bayes error of a set
of K classes, it then is (1-ρ) R + ρ (1 - 1/K), and R lies between 0 and the error s that some
classifier is known to reach (`known_errors.json`, with sources). So for each ρ the truth lies
between l(ρ) = ρ (1 - 1/K) and u(ρ) = (1-ρ) s + ρ (1 - 1/K). An estimator that says [low, high] is
charged its width and 40 times (2/α, α = .05) the amounts by which low exceeds u and high
falls below l, in the mean over ρ from 0 to .8 (trapezoids). [1]_

Estimators, all on the same rows:

smartsvm
    ``difficulty_report(...).bayes_error``.
1-NN
    Leave-one-out error r of the nearest neighbour, and Cover and Hart's lower bound of it.
k-NN
    The smallest leave-one-out error of 1 to 31 neighbours, a point.
paper's bounds
    ``bayes_error`` with its own settings.
kernel density
    Error of the classes with the largest density, Gaussian kernels, each sample left out, the
    bandwidth with the largest likelihood; at most 3,000 rows; a point.
extrapolated 1-NN
    The 1-NN error of an eighth, a quarter, half and all of the rows, fitted by a + b n^-c;
    a and Cover and Hart's lower bound of it.

.. [1] C. Renggli, L. Rimanic, N. Hollenstein, C. Zhang (2021), Evaluating Bayes error estimators
   on real-world datasets with FeeBee, NeurIPS Datasets and Benchmarks.
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from smartsvm import bayes_error, difficulty_report
from smartsvm._core.points import Points
from smartsvm._core.sampling import stratified_rows
from smartsvm.estimation.henze_penrose import lower_bound
from smartsvm.held_out.neighbors import ladder_for, leave_one_out, neighbor_labels

from ..page import markdown_table, write_table
from ..paper.datasets import NAMES, Unavailable, load
from .truth import run, write_records

NOISE = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8)
CHARGE = 40.0
SETS = (*NAMES, "mnist")
KNOWN = json.loads(Path(__file__).with_name("known_errors.json").read_text())
# Columns in one unit, or indicators: left as they are. All others get variance 1.
AS_THEY_ARE = {
    "fars", "flare", "kr-vs-k", "letter", "mnist", "nursery", "optdigits", "pendigits", "satimage",
    "texture",
}  # fmt: skip
_DENSITY_ROWS = 3000
_EXPONENTS = np.linspace(0.05, 1.0, 20)


def sample(name, n_rows):
    """Rows of a set, at most this many, classes in proportion, scaled."""
    data = load(name, fetch=False)
    rows = stratified_rows(data.y, max(n_rows, int(data.y.max()) + 1), 0)
    X, y = data.X[rows], data.y[rows]
    if name not in AS_THEY_ARE:
        X = X / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    return X, y


def with_noise(name, y, share):
    """Labels of which a share is drawn anew, uniformly."""
    random = np.random.default_rng([zlib.crc32(name.encode()), round(100 * share)])
    n_classes = int(y.max()) + 1
    noisy = np.where(random.random(len(y)) < share, random.integers(0, n_classes, len(y)), y)
    return np.unique(noisy, return_inverse=True)[1]


def estimates(X, y):
    """(low, high) by estimator."""
    n_classes, n = int(y.max()) + 1, len(y)
    a = (n_classes - 1) / n_classes
    ladder = ladder_for(n)
    labels = neighbor_labels(Points(X), y, int(ladder[-1]))
    votes = leave_one_out(labels, y, n_classes, ladder)
    first = float(votes.errors[0])
    smallest = float(votes.errors.min())
    paper = bayes_error(X, y)
    limit = extrapolated(X, y, first)
    density = density_error(X, y)
    report = difficulty_report(X, y)
    return {
        "smartsvm": report.bayes_error[1:],
        "1-NN": (float(lower_bound(first, a)), first),
        "k-NN": (smallest, smallest),
        "paper's bounds": (paper.lower, paper.upper),
        "kernel density": (density, density),
        "extrapolated 1-NN": (float(lower_bound(limit, a)), limit),
    }


def extrapolated(X, y, whole):
    """Limit of the 1-NN error: least squares over n/8 ... n, non-negative, the best exponent."""
    n, n_classes = len(y), int(y.max()) + 1
    order = np.random.default_rng(0).permutation(n)
    sizes, errors = [], []
    for divisor in (8, 4, 2):
        found = []
        for part in range(divisor):
            rows = order[part::divisor]
            votes = leave_one_out(
                neighbor_labels(Points(X[rows]), y[rows], 1), y[rows], n_classes, np.array([1])
            )
            found.append(votes.errors[0])
        sizes.append(n / divisor)
        errors.append(np.mean(found))
    sizes, errors = np.array([*sizes, n]), np.array([*errors, whole])
    fits = []
    for exponent in _EXPONENTS:
        design = np.stack([np.ones(4), (sizes / n) ** -exponent], axis=1)
        solution, rest = nnls(design, errors)
        fits.append((rest, solution[0]))
    return float(min(fits)[1])


def density_error(X, y):
    """Leave-one-out error of kernel densities of the classes."""
    rows = np.random.default_rng(0).permutation(len(y))[:_DENSITY_ROWS]
    _, y = np.unique(y[rows], return_inverse=True)
    X = X[rows] - X[rows].mean(axis=0)
    squares = (X**2).sum(axis=1)
    squared = np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0)
    np.fill_diagonal(squared, np.inf)
    nearest = np.median(squared.min(axis=1)) or np.median(squared[np.isfinite(squared)])
    counts = np.bincount(y)
    best = (-np.inf, 1.0)
    for factor in (0.25, 0.5, 1.0, 2.0, 4.0):
        kernels = -squared / (2 * factor * nearest)
        logs = np.stack([logsumexp(kernels[:, y == k], axis=1) for k in range(len(counts))], axis=1)
        dimension = X.shape[1] / 2 * np.log(factor * nearest)
        likelihood = np.mean(logsumexp(logs, axis=1)) - dimension
        best = max(best, (likelihood, float(np.mean(logs.argmax(axis=1) != y))))
    return best[1]


def look(task):
    """The record of one set with one share of noise."""
    name, share, n_rows = task
    with threadpool_limits(1):
        X, y = sample(name, n_rows)
        n_classes = int(y.max()) + 1
        found = estimates(X, with_noise(name, y, share))
    least = share * (1 - 1 / n_classes)
    most = (1 - share) * KNOWN[name]["error"] + least
    slack = (1 - share) * KNOWN[name]["standard_error"]
    return {
        "set": name,
        "noise": share,
        "rows": len(y),
        "least": least,
        "most": most,
        "slack": slack,
        "found": {key: list(map(float, ends)) for key, ends in found.items()},
    }


def charge(record, estimator):
    """What an estimator is charged for one set and one share of noise."""
    low, high = record["found"][estimator]
    outside = max(low - record["most"], 0.0) + max(record["least"] - high, 0.0)
    return high - low + CHARGE * outside


def scores(records, estimator):
    """Mean charge of each set over the noise."""
    result = {}
    for name in dict.fromkeys(each["set"] for each in records):
        chosen = sorted((e for e in records if e["set"] == name), key=lambda e: e["noise"])
        noise = np.array([each["noise"] for each in chosen])
        charges = np.array([charge(each, estimator) for each in chosen])
        area = np.sum(np.diff(noise) * (charges[1:] + charges[:-1]) / 2)
        result[name] = float(area / (noise[-1] - noise[0]))
    return result


def table(records):
    """Markdown: a row per set."""
    names = list(records[0]["found"])
    by_estimator = {name: scores(records, name) for name in names}
    lines = [f"| set | rows | {' | '.join(names)} | low end at no noise | reached |"]
    lines.append("|---" * (len(names) + 4) + "|")
    clean = {each["set"]: each for each in records if each["noise"] == 0}
    for name in by_estimator[names[0]]:
        cells = [f"{by_estimator[each][name]:.3f}" for each in names]
        low = clean[name]["found"]["smartsvm"][0]
        lines.append(
            f"| {name} | {clean[name]['rows']} | {' | '.join(cells)} | {low:.4f} "
            f"| {clean[name]['most']:.4f} |"
        )
    return lines


def totals(records):
    """The part that the page has: sums over all sets, and how often a low end is too high."""
    names = list(records[0]["found"])
    sums = [sum(scores(records, name).values()) for name in names]
    rows = [["total charge", *(f"{each:.3g}" for each in sums)]]
    for title, chosen in (
        ("sets with a low end that is too high", [e for e in records if e["noise"] == 0]),
        ("the same, at any noise", records),
    ):
        above = [
            len({e["set"] for e in chosen if e["found"][name][0] > e["most"] + e["slack"]})
            for name in names
        ]
        rows.append([title, *above])
    return markdown_table(["", *names], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--rows", type=int, default=10_000, help="of a set, at most")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="file for the records")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    try:
        for name in options.sets:
            load(name, fetch=False)
    except Unavailable as error:
        parser.error(str(error))
    tasks = [(name, share, options.rows) for name in options.sets for share in NOISE]
    # The long ones first.
    tasks.sort(key=lambda task: task[0] not in ("mnist", "fars"))
    records = run(look, tasks, options.workers)
    print("\n".join([*table(records), "", *totals(records)]))
    if options.json:
        write_records(options.json, records)
    if options.page:
        write_table(options.page, "feebee", totals(records))


if __name__ == "__main__":
    main()
