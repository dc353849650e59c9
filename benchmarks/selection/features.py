"""Accuracy on selected features, at equal counts, and the time to select them.

    python -m benchmarks.selection.features

Each set is split once (stratified, 70% for training, columns scaled to [-1, 1] by the training
part). Features are selected on the training part, and a linear SVM and 5 nearest neighbours are
trained on them. Means over all sets.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from sklearn.feature_selection import SelectKBest, SequentialFeatureSelector, mutual_info_classif
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from smartsvm import BayesErrorSelector

from ..page import write_record_table
from ..paper.datasets import load

SETS = {"letter": 8, "optdigits": 10, "satimage": 8, "segment": 6, "texture": 8, "yeast": 4}
HEAD = ("method", "linear SVM", "5-NN", "CPU s in all")


def _mutual_information(X, y):
    return mutual_info_classif(X, y, random_state=0)


# From the number of features to a selector.
METHODS = {
    "BayesErrorSelector": BayesErrorSelector,
    "BayesErrorSelector, neighbors": lambda k: BayesErrorSelector(k, criterion="neighbors"),
    "mutual information": lambda k: SelectKBest(_mutual_information, k=k),
    "wrapper": lambda k: SequentialFeatureSelector(LinearSVC(dual=False), n_features_to_select=k),
    "all features": None,
}


def measure(name, method):
    """Accuracy of the linear SVM and of the neighbours, and CPU seconds, on one set."""
    data = load(name)
    X, X_test, y, y_test = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=0
    )
    scaler = MinMaxScaler((-1, 1)).fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    seconds = 0.0
    if METHODS[method] is not None:
        begin = time.process_time()
        chosen = METHODS[method](SETS[name]).fit(X, y)
        seconds = time.process_time() - begin
        X, X_test = chosen.transform(X), chosen.transform(X_test)
    models = LinearSVC(dual=False), KNeighborsClassifier(5)
    return *(model.fit(X, y).score(X_test, y_test) for model in models), seconds


def main():
    rows = []
    for method in METHODS:
        linear, neighbors, seconds = np.transpose([measure(name, method) for name in SETS])
        time_taken = f"{seconds.sum():.2f}" if seconds.any() else ""
        rows.append((method, f"{linear.mean():.4f}", f"{neighbors.mean():.4f}", time_taken))
        print(*rows[-1], sep=", ", flush=True)
    write_record_table(Path(__file__).parent, "features", HEAD, rows)


if __name__ == "__main__":
    main()
