"""Does "auto" find planted features and stop there?

    python -m benchmarks.selection.planted [--problems 50] [--designs one-strong equal graded none]

n = 1,000, three classes, 50 features with unit noise, five of them planted at random
places, the rest noise. Designs:

one-strong  one feature has class means -2, 0, 2; four lift one class by 2, in turn
equal       each of the five has class means -2, 0, 2, in an order of its own
graded      class means -s, 0, s with s = 2, 1.5, 1.25, 1, 0.9
none        nothing is planted: how often is more than the one feature kept that must be
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from smartsvm import BayesErrorSelector

DESIGNS = ("one-strong", "equal", "graded", "none")
SETTINGS = {
    "multiclass": {},
    "multiclass, 1 tree": {"n_trees": 1},
    "mean_pair": {"criterion": "mean_pair"},
    "worst_pair": {"criterion": "worst_pair"},
    "knn": {"criterion": "knn"},
    "multiclass, floating, 1 tree": {"direction": "floating", "n_trees": 1},
    "multiclass, backward, 1 tree": {"direction": "backward", "n_trees": 1},
}
STRENGTHS = (2.0, 1.5, 1.25, 1.0, 0.9)
HEAD = (
    "| design | setting | problems | planted kept (of 5), mean | problems with at least 4 | "
    "noise features kept, mean | strongest first | CPU s a problem |\n"
    "|---|---|---|---|---|---|---|---|"
)


def problem(design, seed, n=1000, n_features=50):
    """Points, labels, and the planted features, the strongest first."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    means = np.zeros((3, n_features))
    planted = random.permutation(n_features)[:5]
    for place, j in enumerate(planted):
        if design == "equal" or (design == "one-strong" and place == 0):
            means[random.permutation(3), j] = [-2, 0, 2]
        elif design == "one-strong":
            means[(place - 1) % 3, j] = 2
        elif design == "graded":
            means[random.permutation(3), j] = np.array([-1, 0, 1]) * STRENGTHS[place]
    return random.normal(size=(n, n_features)) + means[y], y, planted


def measure(design, setting, n_problems):
    """One row of the table."""
    kept, noise, first, seconds = [], [], [], []
    for seed in range(n_problems):
        X, y, planted = problem(design, seed)
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "none": no feature helps on its own
            selector = BayesErrorSelector(**SETTINGS[setting]).fit(X, y)
        seconds.append(time.process_time() - begin)
        chosen = set(selector.get_support(indices=True).tolist())
        found = chosen & set(planted.tolist()) if design != "none" else set()
        kept.append(len(found))
        noise.append(len(chosen) - len(found))
        first.append(selector.path_[0].feature == planted[0])
    named = design in ("one-strong", "graded") and SETTINGS[setting].get("direction") != "backward"
    planted_kept = f"{np.mean(kept):.2f}" if design != "none" else "–"
    enough = f"{sum(k >= 4 for k in kept)}" if design != "none" else "–"
    strongest = f"{np.mean(first):.0%}" if named else "–"
    return (
        f"| {design} | {setting} | {n_problems} | {planted_kept} | {enough} | {np.mean(noise):.2f} "
        f"| {strongest} | {np.mean(seconds):.2f} |"
    )


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=50)
    parser.add_argument("--designs", nargs="+", default=DESIGNS, choices=DESIGNS)
    parser.add_argument("--settings", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--json", type=Path, help="file for the rows")
    arguments = parser.parse_args()
    print(HEAD)
    rows = []
    for setting in arguments.settings:
        for design in arguments.designs:
            rows.append(measure(design, setting, arguments.problems))
            print(rows[-1], flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
