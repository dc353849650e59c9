"""Accuracy on selected features, at equal counts, and the time to select them.

    python -m benchmarks.selection.features [--sets letter ...] [--methods ours ...]

Each set is split once (stratified, 70 % for training, columns scaled to [-1, 1] by
the training part), features are selected on the training part, and a linear SVM and
5 nearest neighbours are trained on them. Results are kept in a file, one entry for
each set and method, so that a method can be run again alone; the table is made from
the whole file.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.feature_selection import (
    SelectKBest,
    SequentialFeatureSelector,
    mutual_info_classif,
)
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from smartsvm import BayesErrorSelector

from .data import load

SETS = {"letter": 8, "optdigits": 10, "satimage": 8, "segment": 6, "texture": 8, "yeast": 4}
METHODS = ("ours", "ours, 3 trees", "ours, knn", "mutual information", "wrapper", "all features")


def selector(method, n_features):
    """The selector of a method; None takes all features."""
    if method == "mutual information":
        return SelectKBest(_mutual_information, k=n_features)
    if method == "wrapper":
        return SequentialFeatureSelector(LinearSVC(dual=False), n_features_to_select=n_features)
    if method == "all features":
        return None
    options = {"ours": {}, "ours, 3 trees": {"n_trees": 3}, "ours, knn": {"criterion": "knn"}}
    return BayesErrorSelector(n_features, **options[method])


def _mutual_information(X, y):
    return mutual_info_classif(X, y, random_state=0)


def measure(name, method, repeats):
    """Accuracies and CPU seconds of one method on one set."""
    X, y = load(name)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    scaler = MinMaxScaler((-1, 1)).fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    columns, seconds = np.arange(X.shape[1]), 0.0
    chooser = selector(method, SETS[name])
    if chooser is not None:
        seconds = np.inf
        for _ in range(1 if method == "wrapper" else repeats):
            begin = time.process_time()
            chooser.fit(X, y)
            seconds = min(seconds, time.process_time() - begin)
        columns = chooser.get_support(indices=True)
    scores = [
        model.fit(X[:, columns], y).score(X_test[:, columns], y_test)
        for model in (LinearSVC(dual=False), KNeighborsClassifier(5))
    ]
    return {
        "linear": scores[0],
        "neighbors": scores[1],
        "seconds": seconds,
        "features": columns.tolist(),
        "n": len(X),
    }


def table(results):
    """Markdown: a line for each set and method, and means over sets that have all methods."""
    lines = [
        "| set | features | method | linear SVM | 5-NN | CPU s | wrapper's time / this |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, wanted in SETS.items():
        for method in METHODS:
            found = results.get(f"{name}/{method}")
            if found is None:
                continue
            wrapper = results.get(f"{name}/wrapper", {}).get("seconds")
            ratio = f"{wrapper / found['seconds']:.0f}" if wrapper and found["seconds"] else "–"
            count = len(found["features"]) if method == "all features" else wanted
            lines.append(
                f"| {name} | {count} | {method} | {found['linear']:.4f} | "
                f"{found['neighbors']:.4f} | {found['seconds']:.2f} | {ratio} |"
            )
    complete = [name for name in SETS if all(f"{name}/{method}" in results for method in METHODS)]
    for method in METHODS if complete else ():
        found = [results[f"{name}/{method}"] for name in complete]
        linear, neighbors = (np.mean([f[key] for f in found]) for key in ("linear", "neighbors"))
        total = sum(each["seconds"] for each in found)
        lines.append(
            f"| mean of {len(complete)} sets | | {method} | {linear:.4f} | {neighbors:.4f} | "
            f"{total:.2f} in all | |"
        )
    return "\n".join(lines)


def main():
    """Measure what is asked for, keep it, and print the table of everything kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--repeats", type=int, default=3, help="best of; the wrapper runs once")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("features.json"))
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}
    for method in arguments.methods:
        for name in arguments.sets:
            results[f"{name}/{method}"] = measure(name, method, arguments.repeats)
            arguments.results.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
