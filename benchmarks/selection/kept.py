"""What a logistic regression loses on the columns that "auto" keeps.

    python -m benchmarks.selection.kept [--sets wine segment ...] [--splits 4] [--noise 0 10]

Half of at most 1,500 rows, standardised, select the columns and train; the other half tests. Sets
that scikit-learn has are loaded from there. Noise columns are normal and say nothing.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from smartsvm import BayesErrorSelector

from .data import load

HEAD = (
    "| set | noise columns | kept | noise kept | accuracy, all | accuracy, kept | loss stated | "
    "CPU s |\n|---|---|---|---|---|---|---|---|"
)
SETS = ("wine", "breast_cancer", "digits", "segment", "satimage", "yeast", "wine_red", "pageblocks")
_MOST_ROWS = 1500


def halves(name, split, n_noise):
    """Standardised points and labels to train and to test, the noise columns last."""
    own = getattr(datasets, f"load_{name}", None)
    X, y = own(return_X_y=True) if own else load(name)
    random = np.random.default_rng(split)
    rows = random.permutation(len(X))[:_MOST_ROWS]
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    common = np.bincount(y)[y] >= 4
    X, y = np.hstack([X, random.normal(size=(len(X), n_noise))])[common], y[common]
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=split)
    X, X_test = X[:, X.std(axis=0) > 0], X_test[:, X.std(axis=0) > 0]
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(X_test), y_test


def measure(name, split, n_noise):
    """Columns kept, noise columns kept, accuracies on all and on these, stated loss, seconds."""
    X, y, X_test, y_test = halves(name, split, n_noise)
    begin = time.process_time()
    selector = BayesErrorSelector().fit(X, y)
    seconds = time.process_time() - begin
    accuracies = [
        LogisticRegression(max_iter=500).fit(X[:, kept], y).score(X_test[:, kept], y_test)
        for kept in (slice(None), selector.support_)
    ]
    support = selector.support_
    stated = selector.linear_error_ - selector.full_linear_error_
    n_kept, noise = support.sum(), support[len(support) - n_noise :].sum()
    return n_kept / len(support), noise, *accuracies, stated, seconds


def main():
    """Print a row for each set and number of noise columns, means over the splits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--noise", type=int, nargs="+", default=(0, 10))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(HEAD)
    for name in arguments.sets:
        for n_noise in arguments.noise:
            runs = [measure(name, split, n_noise) for split in range(arguments.splits)]
            kept, noise, every, some, stated, seconds = np.mean(runs, axis=0)
            print(
                f"| {name} | {n_noise} | {kept:.0%} | {noise:.1f} | {every:.1%} | {some:.1%} | "
                f"{stated:+.1%} | {seconds:.1f} |", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
