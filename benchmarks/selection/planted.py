"""Does "auto" find planted features and stop there?

    python -m benchmarks.selection.planted

n = 1,000, three classes, 50 features with unit noise, five of them planted at random
places, the rest noise. Designs:

one-strong  one feature has class means -2, 0, 2; four lift one class by 2, in turn
equal       each of the five has class means -2, 0, 2, in an order of its own
graded      class means -s, 0, s with s = 2, 1.5, 1.25, 1, 0.9
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from smartsvm import BayesErrorSelector

from ..page import write_record_table

DESIGNS = ("one-strong", "equal", "graded")
STRENGTHS = (2.0, 1.5, 1.25, 1.0, 0.9)
HEAD = ("design", "planted kept (of 5)", "noise features kept", "strongest first")


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
        else:
            means[random.permutation(3), j] = np.array([-1, 0, 1]) * STRENGTHS[place]
    return random.normal(size=(n, n_features)) + means[y], y, planted


def measure(design, n_problems):
    """One row of the table: means over problems."""
    kept, noise, first = [], [], []
    for seed in range(n_problems):
        X, y, planted = problem(design, seed)
        selector = BayesErrorSelector().fit(X, y)
        is_planted = np.isin(selector.get_support(indices=True), planted)
        kept.append(is_planted.sum())
        noise.append((~is_planted).sum())
        first.append(selector.path_[0].feature == planted[0])
    strongest = "–" if design == "equal" else f"{np.mean(first):.0%}"
    return design, f"{np.mean(kept):.2f}", f"{np.mean(noise):.2f}", strongest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=10, help="of each design")
    options = parser.parse_args()
    rows = [measure(design, options.problems) for design in DESIGNS]
    write_record_table(Path(__file__).parent, "planted", HEAD, rows)


if __name__ == "__main__":
    main()
