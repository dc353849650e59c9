"""What classifiers lose on the columns that "auto" keeps.

    python -m benchmarks.selection.kept [--sets wine segment ...] [--splits 4] [--noise 0]

Half of at most 1,500 rows, standardised, select the columns and train; the other half tests. Sets
that scikit-learn has are loaded from there. Noise columns are normal and say nothing. A row for
each set goes to standard output, the table of the page to its records.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from smartsvm import BayesErrorSelector

from ..page import write_record_table
from ..paper.datasets import load

SETS = (
    "wine", "breast_cancer", "digits", "segment", "satimage", "letter", "yeast", "abalone",
    "wine_red", "pageblocks", "pendigits", "texture",
    "iris", "flare", "kr-vs-k", "nursery", "wine_white", "shuttle", "optdigits", "fars",
)  # fmt: skip
MODELS = {
    "logistic regression": LogisticRegression(max_iter=500),
    "random forest": RandomForestClassifier(200, random_state=0),
    "RBF SVM": SVC(C=10),
    "5-NN": KNeighborsClassifier(5),
}
HEAD = ("classifier", "mean loss", "largest")
_MOST_ROWS = 1500


@cache
def data(name):
    """Points and labels, from scikit-learn where it has the set."""
    own = getattr(datasets, f"load_{name}", None)
    if own is not None:
        return own(return_X_y=True)
    found = load(name)
    return found.X, found.y


def halves(name, split, n_noise):
    """Standardised points and labels to train and to test, the noise columns last."""
    X, y = data(name)
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
    """Share and noise columns kept, seconds, and the loss of each model in points."""
    X, y, X_test, y_test = halves(name, split, n_noise)
    begin = time.process_time()
    selector = BayesErrorSelector().fit(X, y)
    seconds = time.process_time() - begin
    support = selector.support_
    losses = [
        model.fit(X, y).score(X_test, y_test)
        - model.fit(X[:, support], y).score(X_test[:, support], y_test)
        for model in MODELS.values()
    ]
    noise = support[len(support) - n_noise :].sum()
    return support.mean(), noise, seconds, *(100 * np.array(losses))


def page_rows(names, runs):
    """A row for each model: mean loss, the set with the largest one."""
    losses = runs[:, :, 3:]
    of_sets = losses.mean(axis=1)
    for place, model in enumerate(MODELS):
        worst = int(of_sets[:, place].argmax())
        yield (
            model,
            f"{of_sets[:, place].mean():.2f}",
            f"{of_sets[worst, place]:.1f} ({names[worst].replace('_', ' ')})",
        )


def main():
    """Print a row for each set, means over the splits, and write the page's records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--noise", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = []
    print("set, kept, noise columns kept, CPU s, loss of", *MODELS, sep=", ")
    for name in arguments.sets:
        splits = range(arguments.splits)
        runs.append([measure(name, split, arguments.noise) for split in splits])
        kept, *others = np.mean(runs[-1], axis=0)
        print(name, f"{kept:.0%}", *(f"{each:.1f}" for each in others), sep=", ", flush=True)
    rows = list(page_rows(arguments.sets, np.array(runs)))
    write_record_table(Path(__file__).parent, "kept", HEAD, rows)


if __name__ == "__main__":
    main()
