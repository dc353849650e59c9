"""What weights from Bayes errors do to accuracy, balanced accuracy and the worst recall.

    python -m benchmarks.selection.weights

Logistic regression on standardised columns; means over five stratified 70/30 splits.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

from smartsvm import bayes_error_class_weight

from ..page import write_record_table
from ..paper.datasets import load

SETS = ("pageblocks", "yeast")
WEIGHTS = {
    "none": lambda X, y: None,
    "balanced": lambda X, y: compute_sample_weight("balanced", y),
    "ours": lambda X, y: compute_sample_weight(bayes_error_class_weight(X, y), y),
}
HEAD = ("set", "weights", "accuracy", "balanced accuracy", "worst recall")


def measure(data, kind, split):
    """The three scores with one kind of weights on one split."""
    X, X_test, y, y_test = train_test_split(
        data.X, data.y, test_size=0.3, stratify=data.y, random_state=split
    )
    scaler = StandardScaler().fit(X)
    X = scaler.transform(X)
    model = LogisticRegression(max_iter=500).fit(X, y, sample_weight=WEIGHTS[kind](X, y))
    predicted = model.predict(scaler.transform(X_test))
    recall = recall_score(y_test, predicted, average=None)
    return np.mean(predicted == y_test), recall.mean(), recall.min()


def main():
    warnings.simplefilter("ignore")  # small classes
    rows = []
    for name in SETS:
        data = load(name)
        for kind in WEIGHTS:
            means = np.mean([measure(data, kind, split) for split in range(5)], axis=0)
            rows.append((name, kind, *(f"{mean:.4f}" for mean in means)))
    write_record_table(Path(__file__).parent, "weights", HEAD, rows)


if __name__ == "__main__":
    main()
