"""Are wrong labels found, and about as many as there are?

    python -m benchmarks.report.suspects [--sets digits pendigits letter mnist] [--seeds 3]
        [--cleanlab] [--workers 2] [--page benchmarks/report/README.md]

Labels of sets that are nearly free of errors are made wrong: 5, 10 and 20 % of them, by
any other label (uniform), or by the label of the next class, at half the rate in every
second class and one and a half times the rate in the others (by class). Of MNIST
5,000 rows are drawn. Columns:

AUC
    Chance that a wrong label ranks above a right one: by the score that suspects are ranked by,
    and by its parts, the margin of trusted votes and the posterior of the given label.
listed, precision
    Suspects of the report over wrong labels, and the share of them that is wrong.
cleanlab
    The same of `cleanlab` with the probabilities of five-fold cross-validation, by a
    logistic regression on standardised columns and by a random forest of 200 trees.

Design sets: digits and pendigits (and normal mixtures). Letter and MNIST were looked at
once, after everything had been chosen.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from smartsvm.held_out.neighbors import ladder_for, nearest_neighbors
from smartsvm.label_errors.suspect_labels import (
    count_wrong_labels,
    label_score,
    label_votes,
    rank_suspects,
)

from ..page import markdown_table, read_records, update_records, write_table
from ..paper import datasets

SETS = ("digits", "pendigits", "letter", "mnist")
RATES = (0.05, 0.1, 0.2)
KINDS = ("uniform", "by class")
MNIST_ROWS = 5000
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)),
    "forest": RandomForestClassifier(200, random_state=0),
}
HEAD = (
    "set", "flips", "share", "AUC", "AUC margin", "AUC posterior", "listed", "precision",
    *(f"{what}, cleanlab {model}" for model in MODELS for what in ("AUC", "listed", "precision")),
)  # fmt: skip
N_KEYS = 3
RECORDS = Path(__file__).parent / "records" / "suspects.csv"
ON_PAGE = {
    "set": "set", "label errors": "flips", "AUC": "AUC", "listed": "listed",
    "precision": "precision", "cleanlab AUC": "AUC, cleanlab forest",
    "cleanlab listed": "listed, cleanlab forest",
    "cleanlab precision": "precision, cleanlab forest",
}  # fmt: skip
PAGE_SHARE = "0.1"
ABSENT = "not run"


def read(name):
    """Points and class codes of a set."""
    if name == "digits":
        return load_digits(return_X_y=True)
    found = datasets.load(name)
    if name == "mnist":
        # The rows are sorted by their pixels: a random part of them.
        rows = np.random.default_rng(0).permutation(len(found.y))[:MNIST_ROWS]
        return found.X[rows], found.y[rows]
    return found.X, found.y


def flip(y, kind, rate, seed):
    """Labels of which a share is wrong, and which of them are."""
    random = np.random.default_rng([seed, KINDS.index(kind), int(100 * rate)])
    n_classes = int(y.max()) + 1
    if kind == "uniform":
        wrong = random.permutation(len(y)) < rate * len(y)
        return np.where(wrong, (y + random.integers(1, n_classes, len(y))) % n_classes, y), wrong
    wrong = random.random(len(y)) < rate * np.where(y % 2, 1.5, 0.5)
    return np.where(wrong, (y + 1) % n_classes, y), wrong


def ours(X, labels, wrong, nearest):
    """AUC by score, margin and posterior, listed over wrong, precision."""
    votes = label_votes(X, labels, int(labels.max()) + 1, nearest)
    suspects = rank_suspects(votes, labels, count_wrong_labels(votes, labels))
    return (
        roc_auc_score(wrong, -label_score(votes)),
        roc_auc_score(wrong, -votes.margin),
        roc_auc_score(wrong, -votes.posterior),
        len(suspects) / wrong.sum(),
        wrong[suspects].mean(),
    )


def theirs(X, labels, wrong):
    """The same of cleanlab, for each model."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    numbers = []
    for model in MODELS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            shares = cross_val_predict(model, X, labels, cv=5, method="predict_proba")
        issues = find_label_issues(labels, shares, n_jobs=1)
        score = get_label_quality_scores(labels, shares)
        numbers += [
            roc_auc_score(wrong, -score),
            issues.sum() / wrong.sum(),
            wrong[issues].mean(),
        ]
    return tuple(numbers)


def measure(name, kind, rate, seeds, cleanlab):
    """Numbers of ours, and of cleanlab if asked for, on one set with one kind of wrong labels."""
    X, y = read(name)
    nearest = nearest_neighbors(X, int(ladder_for(len(y))[-1]))
    samples = [flip(y, kind, rate, seed) for seed in range(seeds)]
    found = np.mean([ours(X, *sample, nearest) for sample in samples], axis=0)
    return found, theirs(X, *samples[0]) if cleanlab else None


def page_table(rows):
    """The part that the page has: a tenth of the labels wrong, cleanlab with a forest."""
    chosen = [row for row in rows if row["share"] == PAGE_SHARE]
    return markdown_table(ON_PAGE, [[row[name] for name in ON_PAGE.values()] for row in chosen])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cleanlab", action="store_true", help="beside it, with the first seed")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    if options.cleanlab and importlib.util.find_spec("cleanlab") is None:
        sys.exit("cleanlab is not installed: pip install cleanlab, or run without --cleanlab.")
    head = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    print("\n".join(head))
    keys = list(product(options.sets, KINDS, RATES))
    lines, ours_found = [], []
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = [pool.submit(measure, *key, options.seeds, options.cleanlab) for key in keys]
        for (name, kind, rate), job in zip(keys, jobs, strict=True):
            try:
                found, peer = job.result()
            except datasets.Unavailable as error:
                sys.exit(f"{name} is not here: {error}")
            ours_found.append(found)
            cells = [f"{each:.3f}" for each in found]
            missing = [ABSENT] * (len(HEAD) - N_KEYS - len(cells))
            cells += missing if peer is None else [f"{each:.3f}" for each in peer]
            lines.append(f"| {' | '.join([name, kind, f'{rate:g}', *cells])} |")
            print(lines[-1], flush=True)
    means = np.mean(ours_found, axis=0)
    print(f"mean: AUC {means[0]:.4f} (margin {means[1]:.4f}, posterior {means[2]:.4f}), "
          f"listed {means[3]:.2f}, precision {means[4]:.3f}")  # fmt: skip
    if options.page:
        rows = [dict(zip(HEAD, line.strip("| ").split(" | "), strict=True)) for line in lines]
        update_records(RECORDS, rows, N_KEYS)
        write_table(options.page, "suspects", page_table(read_records(RECORDS)))


if __name__ == "__main__":
    main()
