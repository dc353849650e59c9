"""The paper's claim on the Chess data: PCA to 2 components leaves most classes as they were.

    python -m benchmarks.selection.chess [--orders 3] [--figure chess.png]

Section 3 of the paper says of the Chess data (kr-vs-k, 34 columns) that "applying PCA
with 2 components only slightly increases the BER estimates for two classes, while
remaining the same for the other classes". As there, 70 % of the samples are the
training part; PCA is fitted on them and each class is estimated against the rest on
them, before and after. Beside it the confusion rate C_k of 5 nearest neighbours on the
other 30 %, before and after: what a classifier makes of it. The data are one-hot and full
of ties, so estimates are means over several tie orders.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from smartsvm import ClassForest, confusion_rate

from .data import DATA_VARIABLE, load


def estimates(points, y, n_orders):
    """OvR error and bounds by class and the multiclass error, means over tie orders."""
    values, errors = [], []
    for order in range(n_orders):
        forest = ClassForest(points, y, random_state=order)
        found = forest.one_vs_rest()
        values.append([found.value, found.lower, found.upper])
        errors.append(forest.multiclass().value)
    return np.mean(values, axis=0), np.std([v[0] for v in values], axis=0), np.mean(errors)


def main():
    """Estimate, print the table, draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--figure", type=Path, default=Path(__file__).with_name("chess.png"))
    arguments = parser.parse_args()
    X, y = load("kr-vs-k")
    with np.load(Path(os.environ[DATA_VARIABLE]) / "kr-vs-k.npz") as file:
        names = file["classes"]
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    pca = PCA(2).fit(X)
    found = {}
    for label, train, test in (("34", X, X_test), ("2", pca.transform(X), pca.transform(X_test))):
        begin = time.process_time()
        bounds, spread, whole = estimates(train, y, arguments.orders)
        seconds = (time.process_time() - begin) / arguments.orders
        predicted = KNeighborsClassifier(5).fit(train, y).predict(test)
        rates = confusion_rate(y_test, predicted, labels=np.arange(len(names)))
        found[label] = bounds, spread, whole, rates, np.mean(predicted != y_test), seconds
    counts = np.bincount(y)
    print("| class | samples | prior | OvR, 34 | OvR, 2 | ratio | C_k 5-NN, 34 | C_k 5-NN, 2 |")
    print("|---|---|---|---|---|---|---|---|")
    full, reduced = found["34"], found["2"]
    for k, name in enumerate(names):
        print(
            f"| {name} | {counts[k]} | {counts[k] / len(y):.4f} | {full[0][0][k]:.4f} | "
            f"{reduced[0][0][k]:.4f} | {reduced[0][0][k] / full[0][0][k]:.2f} | "
            f"{full[3][k]:.4f} | {reduced[3][k]:.4f} |"
        )
    print(
        f"| **all** | {len(y)} | | {full[2]:.4f} | {reduced[2]:.4f} | {reduced[2] / full[2]:.2f} | "
        f"{full[4]:.4f} | {reduced[4]:.4f} |"
    )
    print(
        f"\nlargest standard deviation over tie orders: {full[1].max():.5f} (34), "
        f"{reduced[1].max():.5f} (2); CPU s an order: {full[5]:.1f} (34), {reduced[5]:.1f} (2)"
    )
    draw(names, counts / len(y), full, reduced, arguments.figure)


def draw(names, priors, full, reduced, path):
    """Bars before and after by class, with the prior as the ceiling."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
    places = np.arange(len(names))
    ax.bar(places - 0.2, full[0][0], 0.38, color="0.35", label="34 columns")
    ax.bar(places + 0.2, reduced[0][0], 0.38, color="tab:orange", label="PCA to 2 components")
    ax.hlines(
        np.minimum(priors, 1 - priors), places - 0.42, places + 0.42, color="black", linewidth=1.2,
        label="guessing (the class's prior)",
    )  # fmt: skip
    ax.set_xticks(places, names, rotation=60, ha="right")
    ax.set(ylabel="Estimated OvR Bayes error", title="Chess (kr-vs-k): does PCA to 2 keep it?")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    main()
