"""How many trees should the bounds be read off?

    python -m benchmarks.report.trees [--repeats 40]

Two Gaussians, n = 1000: root mean square distance of R/n from its limit for 1, 3 and
10 orthogonal trees. More trees vary less, and reach further: the best number falls
with the dimension.
"""

from __future__ import annotations

import argparse

import numpy as np

from smartsvm import ClassForest

from .problems import class_means, draw

TREES = (1, 3, 10)


def limit(separation, n_draws=400_000):
    """E 2η(1-η): what R/n tends to, for equal priors."""
    random = np.random.default_rng(0)
    x = random.normal(size=n_draws) + separation * random.integers(0, 2, n_draws)
    eta = 1 / (1 + np.exp(-separation * (x - separation / 2)))
    return float((2 * eta * (1 - eta)).mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    options = parser.parse_args()
    print("| d | separation | limit | " + " | ".join(f"{t} trees" for t in TREES) + " |")
    print("|---|---|---|" + "---|" * len(TREES))
    for d in (2, 3, 4, 5, 10, 20):
        for separation in (1.0, 2.0, 3.0):
            means, target = class_means(2, d, separation), limit(separation)
            ratios = []
            for seed in range(options.repeats):
                X, y = draw("gauss", means, 1000, np.random.default_rng([seed, d]))
                per_tree = ClassForest(X, y, n_trees=max(TREES))._whole_counts()[0][:, 0, 1] / 1000
                ratios.append([per_tree[:t].mean() for t in TREES])
            errors = np.array(ratios) - target
            cells = (f"{np.sqrt((e**2).mean()):.4f} (bias {e.mean():+.4f})" for e in errors.T)
            print(f"| {d} | {separation:g} | {target:.4f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
