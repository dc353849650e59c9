"""The main job on scikit-learn's built-in digits: how hard, which classes, and a classifier."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from smartsvm.bayes_error import multiclass_bayes_error, pairwise_bayes_error
from smartsvm.classifier.classifier import SmartSVM
from smartsvm.hierarchy import class_hierarchy
from smartsvm.plotting import HierarchyDisplay, PairwiseErrorDisplay

_REPEATS = 3  # the best time of several: other programs only ever add to it


def run(folder):
    """Print the report and save ``pairwise-errors.png`` and ``hierarchy.png`` in `folder`.

    Parameters
    ----------
    folder : path-like
        Where the pictures go; made if it does not exist.

    Returns
    -------
    list of Path
        The pictures.
    """
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=0
    )
    scaler = MinMaxScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    print(f"digits: {X.shape[0]} samples, {X.shape[1]} features, 10 classes; 70 % for training\n")

    whole = multiclass_bayes_error(X_train, y_train)
    print("How well can any classifier do? (estimated from the training part, nothing trained)")
    bounds = f"between {whole.lower:.2%} and {whole.upper:.2%}"
    print(f"  Bayes error about {whole.value:.2%}, {bounds}\n")

    pairs = pairwise_bayes_error(X_train, y_train)
    print("The ten hardest pairs (Bayes error as a share of guessing)")
    for k, m in hardest_pairs(pairs.value, 10):
        print(f"  {pairs.classes[k]} and {pairs.classes[m]}:  {pairs.value[k, m]:.3f}")

    hierarchy = class_hierarchy(pairs)
    print("\nThe hierarchy: each line is one binary problem, easiest cuts first")
    print("  " + hierarchy.to_text().replace("\n", "\n  ") + "\n")

    print(f"{'classifier':<15}{'accuracy':>9}{'fit':>12}{'predict':>12}   (best of {_REPEATS})")
    for name, model in {
        "SmartSVM": SmartSVM(),
        "  accurate": SmartSVM(nodes="forest"),
        "  the paper's": SmartSVM(
            hierarchy="min-cut", nodes="linear", routing="hard", solver="liblinear"
        ),
        "one-vs-one": OneVsOneClassifier(LinearSVC(dual=False)),
        "one-vs-rest": OneVsRestClassifier(LinearSVC(dual=False)),
    }.items():
        fit = min(_seconds(model.fit, X_train, y_train) for _ in range(_REPEATS))
        predict = min(_seconds(model.predict, X_test) for _ in range(_REPEATS))
        accuracy = model.score(X_test, y_test)
        print(f"{name:<15}{accuracy:>9.2%}{fit * 1e3:>9.1f} ms{predict * 1e3:>9.2f} ms")

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {
        "pairwise-errors.png": PairwiseErrorDisplay.from_estimate(pairs),
        "hierarchy.png": HierarchyDisplay(hierarchy),
    }
    for name, display in pictures.items():
        display.plot().figure_.savefig(folder / name, dpi=100)
    print(f"\nPictures: {', '.join(str(folder / name) for name in pictures)}")
    return [folder / name for name in pictures]


def hardest_pairs(errors, most):
    """Index pairs (k, l), k < l, of the largest errors, the largest first."""
    rows, columns = np.triu_indices(len(errors), 1)
    order = np.argsort(-errors[rows, columns], kind="stable")[:most]
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))


def _seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start
