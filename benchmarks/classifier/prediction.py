"""Prediction of 100,000 rows of letter: every way of SmartSVM beside one-vs-one.

    python -m benchmarks.classifier.prediction [--folder DATA] [--rows 100000]

CPU time of the best of several runs, the contestants in turn, one thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.paper import datasets
from smartsvm import SmartSVM

PAPER = {"hierarchy": "min-cut", "node_map": "linear"}
CONTESTANTS = {
    "one-vs-one": OneVsOneClassifier(LinearSVC(dual=False)),
    "SmartSVM, the paper's": SmartSVM(routing="hard", **PAPER),
    "SmartSVM, the paper's tree, soft": SmartSVM(**PAPER),
    "SmartSVM, defaults, hard": SmartSVM(routing="hard"),
    "SmartSVM, defaults (soft)": SmartSVM(),
    "SmartSVM, linear nodes, hard": SmartSVM(routing="hard", node_map="linear"),
    "SmartSVM, linear nodes, soft": SmartSVM(node_map="linear"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of data sets")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    data = datasets.load("letter", options.folder)
    X, rest, y, y_rest = train_test_split(
        data.X.astype(float), data.y, test_size=0.2, stratify=data.y, random_state=0
    )
    scaler = MinMaxScaler((-1, 1)).fit(X)
    X, rest = scaler.transform(X), scaler.transform(rest)
    many = np.ascontiguousarray(np.resize(rest, (options.rows, X.shape[1])))
    best = dict.fromkeys(CONTESTANTS, np.inf)
    with threadpool_limits(1):
        for model in CONTESTANTS.values():
            model.fit(X, y)
        for repeat in range(options.repeats):
            for name, model in CONTESTANTS.items():
                if name == "one-vs-one" and repeat > 1:
                    continue  # seconds a run
                start = time.process_time()
                model.predict(many)
                best[name] = min(best[name], time.process_time() - start)
    print(f"| {options.rows:,} rows of letter | µs a row | times one-vs-one | accuracy |")
    print("|---|---|---|---|")
    for name, seconds in best.items():
        score = CONTESTANTS[name].score(rest, y_rest)
        ratio = best["one-vs-one"] / seconds
        print(f"| {name} | {seconds / options.rows * 1e6:.2f} | {ratio:.0f} | {score:.3f} |")


if __name__ == "__main__":
    main()
