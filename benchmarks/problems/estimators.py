"""Estimators of the Bayes error that `benchmarks.problems.evaluate` compares.

An estimator takes points and labels. It gives a number, or a tuple ``(value, low, high)`` with an
interval or bounds. One that works on many samples at once, as another package in an environment of
its own does, has a method ``many(sets)`` besides.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC

from smartsvm import SmallClassWarning, bayes_error, difficulty_report

from ..peers.environments import PEERS, make
from ..report.peers import run as run_peer

_FOLDS = 5
_PEER_SECONDS = 3600  # for all samples of one family
_INSTALL_SECONDS = 1800


def report(X, y):
    """The report of this library: estimate and 95% confidence interval."""
    return tuple(difficulty_report(X, y).bayes_error)


def tree_bounds(X, y):
    """The paper's bounds from spanning trees, and their midpoint."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)
        found = bayes_error(scale(X), y)
    return found.value, found.lower, found.upper


def nearest_neighbour(X, y):
    """The Bayes error at which Cover and Hart's bound equals the 1-NN error.

    With a = (K-1)/K and the leave-one-out error r of the nearest neighbour, the Bayes error lies
    between a(1 - √(1 - r/a)), which is the estimate, and r, if there are enough samples.
    """
    nearest = NearestNeighbors(n_neighbors=1).fit(scale(X)).kneighbors(return_distance=False)
    error = np.mean(y[nearest[:, 0]] != y)
    most = 1 - 1 / len(np.unique(y))
    low = most * (1 - np.sqrt(max(1 - error / most, 0)))
    return low, low, error


def best_model(X, y):
    """The least cross-validated error of five scikit-learn classifiers."""
    models = (
        LogisticRegression(max_iter=1000),
        KNeighborsClassifier(15),
        SVC(),
        RandomForestClassifier(random_state=0),
        # Large steps: nearly the error of 100 small ones, in two fifths of the time.
        HistGradientBoostingClassifier(max_iter=30, learning_rate=0.2, random_state=0),
    )
    folds = StratifiedKFold(min(_FOLDS, np.bincount(y).max()), shuffle=True, random_state=0)
    with warnings.catch_warnings():
        # A rare class is in some of the folds only.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        accuracies = [
            cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=folds).mean()
            for model in models
        ]
    return 1 - max(accuracies)


class Peer:
    """An estimator of another package, which runs in an environment of its own.

    Parameters
    ----------
    tool : {"dataeval", "dataeval_knn"}
        Its name in `benchmarks.report.peers`.
    python : path-like
        The interpreter of its environment.
    """

    def __init__(self, tool, python):
        self._tool, self._python = tool, str(python)

    def __call__(self, X, y):
        return self.many([(X, y)])[0]

    def many(self, sets):
        """Value and bounds of each sample, from one process; NaN where the tool fails."""
        sets = [(scale(X), y) for X, y in sets]
        name = self._tool.split("_")[0]
        found = run_peer(self._tool, sets, {name: self._python}, _PEER_SECONDS)
        if isinstance(found, str):
            raise RuntimeError(f"{self._tool} gave no estimates: {found}")
        keys = ("point", "lower", "upper")
        return [tuple(each["values"].get(key, np.nan) for key in keys) for each in found]


OURS = {
    "smartsvm: the report": report,
    "smartsvm: bounds of the paper": tree_bounds,
    "nearest neighbour, Cover–Hart": nearest_neighbour,
    "best of five cross-validated models": best_model,
}


# Names of the two estimators of dataeval, and what `benchmarks.report.peers` calls them.
DATAEVAL = {"dataeval: ber_mst": "dataeval", "dataeval: ber_knn (k=31)": "dataeval_knn"}


def dataeval(folder):
    """The two estimators of dataeval, which is installed into a folder unless it is there.

    Raises RuntimeError where it cannot be installed or fails on a small sample.
    """
    (peer,) = (each for each in PEERS if each.name == "dataeval")
    environment = make(peer, folder, _INSTALL_SECONDS)
    if environment.python is None:
        raise RuntimeError(f"dataeval was not installed into {folder}: {environment.problem}")
    found = {name: Peer(tool, environment.python) for name, tool in DATAEVAL.items()}
    X = np.random.default_rng(0).normal(size=(80, 2))
    for estimator in found.values():
        estimator(X, (X[:, 0] > 0).astype(int))
    return found
