"""What weights from Bayes errors do: balanced accuracy, worst recall, hard pairs.

    python -m benchmarks.selection.weights [--splits 5] [--sets pageblocks ... mnist]

First table: means over stratified 70/30 splits, columns standardised, a linear SVM and
logistic regression with each kind of weights. Second table: MNIST, 6,000 digits for
training and 10,000 for testing: what weighing the samples of hard pairs does to the
mistakes between 4 and 9 and between 3 and 5.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.class_weight import compute_sample_weight

from smartsvm import bayes_error_class_weight, bayes_error_sample_weight

from .data import load

SETS = ("pageblocks", "shuttle", "yeast", "abalone")
LEARNERS = {"linear SVM": LinearSVC(dual=False), "logistic": LogisticRegression(max_iter=500)}


def all_weights(X, y, strength):
    """Sample weights of every kind."""
    by_class = {
        "ours, OvR": {},
        "ours, pairwise": {"method": "pairwise"},
        "ours, OvR, balanced": {"base": "balanced"},
    }
    found = {"none": None, "balanced": compute_sample_weight("balanced", y)}
    for name, options in by_class.items():
        weights = bayes_error_class_weight(X, y, strength=strength, **options)
        found[name] = compute_sample_weight(weights, y)
    found["ours, samples"] = bayes_error_sample_weight(X, y, strength=strength)
    found["ours, samples, balanced"] = bayes_error_sample_weight(
        X, y, strength=strength, base="balanced"
    )
    return found


def scores(y, predicted, n_classes):
    """Accuracy, balanced accuracy and the recall of the worst class."""
    matrix = confusion_matrix(y, predicted, labels=np.arange(n_classes))
    recall = np.diagonal(matrix) / matrix.sum(axis=1)
    return np.trace(matrix) / matrix.sum(), recall.mean(), recall.min()


def main():
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--strength", type=float, default=4.0)
    parser.add_argument("--sets", nargs="+", default=[*SETS, "mnist"], choices=[*SETS, "mnist"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # small classes
    print("| set | learner | weights | accuracy | balanced accuracy | worst recall |")
    print("|---|---|---|---|---|---|")
    for name in [each for each in arguments.sets if each != "mnist"]:
        X, y = load(name)
        found = {}
        for split in range(arguments.splits):
            train, test, y_train, y_test = train_test_split(
                X, y, test_size=0.3, stratify=y, random_state=split
            )
            scaler = StandardScaler().fit(train)
            train, test = scaler.transform(train), scaler.transform(test)
            for kind, weights in all_weights(train, y_train, arguments.strength).items():
                for learner, model in LEARNERS.items():
                    predicted = model.fit(train, y_train, sample_weight=weights).predict(test)
                    found.setdefault((learner, kind), []).append(
                        scores(y_test, predicted, int(y.max()) + 1)
                    )
        for learner in LEARNERS:
            for (which, kind), values in found.items():
                if which == learner:
                    accuracy, balanced, worst = np.mean(values, axis=0)
                    print(
                        f"| {name} | {learner} | {kind} | {accuracy:.4f} | {balanced:.4f} | "
                        f"{worst:.4f} |",
                        flush=True,
                    )
    if "mnist" in arguments.sets:
        hard_pairs(arguments.strength)


def hard_pairs(strength):
    """MNIST: mistakes of the hard pairs with and without weights on their samples."""
    X, y = load("mnist")
    X_test, y_test = load("mnist_test")
    rows = np.random.default_rng(0).permutation(len(X))[:6000]
    pca = PCA(50, random_state=0).fit(X[rows])
    X, y, X_test = pca.transform(X[rows]) / 1000, y[rows], pca.transform(X_test) / 1000
    print("\n| weights | accuracy | mistakes 4–9 | mistakes 3–5 | all other mistakes |")
    print("|---|---|---|---|---|")
    for kind, weights in (
        ("none", None),
        (
            f"ours, samples, strength {strength:g}",
            bayes_error_sample_weight(X, y, strength=strength),
        ),
        ("ours, samples, strength 20", bayes_error_sample_weight(X, y, strength=20)),
    ):
        predicted = (
            LogisticRegression(max_iter=500).fit(X, y, sample_weight=weights).predict(X_test)
        )
        matrix = confusion_matrix(y_test, predicted)
        pairs = [int(matrix[a, b] + matrix[b, a]) for a, b in ((4, 9), (3, 5))]
        wrong = int(matrix.sum() - np.trace(matrix))
        print(
            f"| {kind} | {np.mean(predicted == y_test):.4f} | {pairs[0]} | {pairs[1]} | "
            f"{wrong - sum(pairs)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
