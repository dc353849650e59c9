"""Ten of the 64 pixels of scikit-learn's digits: seconds for every criterion and direction.

    python -m benchmarks.selection.digits [--rows 0 5 8] [--figure digits-path.png]

Also draws the path of the last search: of the one that finds its own end.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from smartsvm import BayesErrorSelector, SelectionPathDisplay

SETTINGS = (
    {},
    {"n_jobs": 2},
    {"n_trees": 3},
    {"criterion": "mean_pair"},
    {"criterion": "worst_pair"},
    {"criterion": "knn"},
    {"direction": "floating"},
    {"direction": "backward"},
    {"n_features_to_select": "auto"},
)


def main():
    """Print the table and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", type=Path, default=Path(__file__).with_name("digits-path.png"))
    parser.add_argument(
        "--rows", type=int, nargs="+", default=range(len(SETTINGS)), help="of the table"
    )
    arguments = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    print("| setting | features | CPU s | wall s | 5-NN, 5 folds |\n|---|---|---|---|---|")
    for options in [SETTINGS[row] for row in arguments.rows]:
        wall, cpu = time.perf_counter(), time.process_time()
        selector = BayesErrorSelector(**{"n_features_to_select": 10} | options).fit(X, y)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        accuracy = cross_val_score(KNeighborsClassifier(5), selector.transform(X), y).mean()
        text = ", ".join(f"{key}={value}" for key, value in options.items()) or "default"
        print(
            f"| {text} | {selector.n_features_} | {cpu:.1f} | {wall:.1f} | {accuracy:.4f} |",
            flush=True,
        )
    import matplotlib

    matplotlib.use("Agg")
    display = SelectionPathDisplay.from_estimator(selector)
    display.figure_.savefig(arguments.figure, dpi=75)


if __name__ == "__main__":
    main()
