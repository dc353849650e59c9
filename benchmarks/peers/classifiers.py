"""SmartSVM beside other multiclass classifiers, each in its own environment, in turns.

    python -m benchmarks.peers.classifiers [--python hiclass=ENV/bin/python ...] [--turns 3]

CPU seconds with one thread, the best of the turns.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from smartsvm import class_hierarchy, pairwise_bayes_error

from ..page import markdown_table
from ..paper import datasets
from ..suites.data import classes
from .worker_process import answer_of

OURS = ("smartsvm-faithful", "smartsvm-best")
FROM_SKLEARN = ("one-vs-one", "one-vs-rest", "crammer-singer", "output-codes")
ELSEWHERE = ("hiclass", "gensvm", "smartsvm-2019")
WORKER = Path(__file__).with_name("classifier_worker.py")
REAL = ("segment", "pendigits", "letter")


def problems():
    """Name to points and labels: two that everybody has, three of the paper if they are there."""
    X, y = load_digits(return_X_y=True)
    found = {"digits": (X, y), "20 Gaussians": classes(8000, 16, 20)}
    missing = []
    for name in REAL:
        try:
            data = datasets.load(name, fetch=False)
        except datasets.Unavailable:
            missing.append(name)
        else:
            found[name] = (data.X, data.y)
    return found, missing


def paths(tree, y):
    """The way of each sample down a hierarchy, padded with "": what hiclass calls labels."""
    ways = {}
    for k in range(tree.n_classes):
        nodes = np.flatnonzero(tree.sides[:, k])
        sides = np.where(tree.sides[nodes, k] > 0, "r", "l")
        steps = [f"{node}{side}" for node, side in zip(nodes, sides, strict=True)][:-1]
        ways[int(tree.classes[k])] = [*steps, str(tree.classes[k])]
    longest = max(map(len, ways.values()))
    padded = {label: way + [""] * (longest - len(way)) for label, way in ways.items()}
    return np.array([padded[int(label)] for label in y])


def save(X, y, path):
    """Split, scale and store a problem for the workers."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=0
    )
    scaler = MinMaxScaler((-1, 1)).fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    errors = pairwise_bayes_error(X_train, y_train, n_trees=3, bias_correction=True, normalize=True)
    tree = class_hierarchy(errors)
    np.savez(
        path,
        X_train=X_train,
        y_train=y_train,
        X_test=X_test,
        y_test=y_test,
        paths=paths(tree, y_train),
    )


def race(problem, contestants, turns, limit, folder):
    """What each contestant does on one problem, as text."""
    path = Path(folder) / "data.npz"
    save(*problem, path)
    found = {contestant: [] for contestant in contestants}
    for _ in range(turns):
        for contestant, python in contestants.items():
            if not any(isinstance(each, str) for each in found[contestant]):
                found[contestant].append(answer_of(python, WORKER, contestant, path, limit))
    return {contestant: cells(results) for contestant, results in found.items()}


def cells(results):
    """Accuracy with the seconds of fit and prediction as text, or why there is none."""
    failures = [each for each in results if isinstance(each, str)]
    if failures:
        return failures[0]
    fit, predict = (min(each[part] for each in results) for part in ("fit", "predict"))
    return f"{results[0]['accuracy']:.3f} ({fit:.3g}, {predict:.3g})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], metavar="PEER=INTERPRETER")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="seconds of one turn")
    options = parser.parse_args()
    elsewhere = dict(each.split("=", 1) for each in options.python)
    contestants = dict.fromkeys((*OURS, *FROM_SKLEARN), sys.executable) | elsewhere
    for name in ELSEWHERE:
        if name not in elsewhere:
            print(f"{name}: missing, no interpreter given")
    found, missing = problems()
    for name in missing:
        print(f"{name}: not in the folder that {datasets.FOLDER_VARIABLE} names, left out")
    with tempfile.TemporaryDirectory() as folder:
        races = {
            name: race(problem, contestants, options.turns, options.limit, folder)
            for name, problem in found.items()
        }
    rows = [[each, *(races[name][each] for name in races)] for each in contestants]
    print(f"\nAccuracy (CPU seconds of fit, of prediction), best of {options.turns}:\n")
    print("\n".join(markdown_table(["classifier", *races], rows)))


if __name__ == "__main__":
    main()
