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
from typing import NamedTuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from smartsvm import ClassForest, confusion_rate

from .data import DATA_VARIABLE, load


class Found(NamedTuple):
    """What one set of columns gives."""

    corrected: np.ndarray
    uncorrected: np.ndarray
    spread: float
    whole: tuple
    rates: np.ndarray
    error: float
    seconds: float


def estimate(train, y, test, y_test, n_orders):
    """OvR errors by class, with and without the paper's correction; and 5-NN."""
    begin = time.process_time()
    corrected, uncorrected, whole = [], [], []
    for order in range(n_orders):
        forest = ClassForest(train, y, random_state=order)
        corrected.append(forest.one_vs_rest().value)
        uncorrected.append(forest.one_vs_rest(bias_correction=False).value)
        whole.append([forest.multiclass(bias_correction=b).value for b in (True, False)])
    seconds = (time.process_time() - begin) / n_orders
    predicted = KNeighborsClassifier(5).fit(train, y).predict(test)
    rates = confusion_rate(y_test, predicted, labels=np.unique(y))
    return Found(
        np.mean(corrected, axis=0), np.mean(uncorrected, axis=0),
        float(np.std(uncorrected, axis=0).max()), tuple(np.mean(whole, axis=0)), rates,
        float(np.mean(predicted != y_test)), seconds,
    )  # fmt: skip


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
    pca = PCA(2, random_state=0).fit(X)
    full = estimate(X, y, X_test, y_test, arguments.orders)
    reduced = estimate(pca.transform(X), y, pca.transform(X_test), y_test, arguments.orders)
    counts = np.bincount(y)
    print(
        "| class | samples | prior | corrected, 34 | corrected, PCA 2 | uncorrected, 34 | "
        "uncorrected, PCA 2 | C_k of 5-NN, 34 | C_k of 5-NN, PCA 2 |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    for k, name in enumerate(names):
        values = (full.corrected[k], reduced.corrected[k], full.uncorrected[k],
                  reduced.uncorrected[k], full.rates[k], reduced.rates[k])  # fmt: skip
        cells = " | ".join(f"{value:.4f}" for value in values)
        print(f"| {name} | {counts[k]} | {counts[k] / len(y):.4f} | {cells} |")
    cells = (full.whole[0], reduced.whole[0], full.whole[1], reduced.whole[1], full.error,
             reduced.error)  # fmt: skip
    print(f"| **all classes** | {len(y)} | | {' | '.join(f'{value:.4f}' for value in cells)} |")
    print(
        f"\nlargest standard deviation over tie orders: {full.spread:.5f} (34), "
        f"{reduced.spread:.5f} (PCA 2); CPU s an order: {full.seconds:.1f}, {reduced.seconds:.1f}"
    )
    draw(names, counts / len(y), full, reduced, arguments.figure)


def draw(names, priors, full, reduced, path):
    """Before and after by class: with the correction, as in the paper, and without."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
    places = np.arange(len(names))
    for ax, which, title in (
        (axes[0], "corrected", "Corrected at guessing, as in the paper"),
        (axes[1], "uncorrected", "Not corrected"),
    ):
        ax.bar(
            places - 0.2,
            getattr(full, which),
            0.38,
            color="0.8",
            edgecolor="0.4",
            label="34 columns",
        )
        ax.bar(
            places + 0.2, getattr(reduced, which), 0.38, color="0.35", edgecolor="0.1",
            label="2 principal components",
        )  # fmt: skip
        ax.hlines(
            priors, places - 0.42, places + 0.42, color="black", linewidth=1.6,
            label="guessing (the prior)",
        )  # fmt: skip
        ax.set_xticks(places, names, rotation=70, ha="right", fontsize=8)
        ax.set(xlabel="Class", title=title)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("Estimated Bayes error, class against the rest")
    axes[0].legend(frameon=False)
    figure.suptitle("Chess (kr-vs-k): what PCA to 2 components costs")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
