"""What dimension does to the bounds: two Gaussians 3 apart, 1,000 samples, Bayes error .0668.

python -m benchmarks.high_dimension
"""

import numpy as np
from scipy.stats import norm

from smartsvm import bayes_error

REPEATS = 20


def main():
    print(
        f"Bayes error {norm.cdf(-1.5):.4f}; mean of {REPEATS} samples, standard deviation after ±"
    )
    print("| features | lower bound | estimate | upper bound |\n|---|---|---|---|")
    for d in (2, 10, 20, 50):
        results = []
        for seed in range(REPEATS):
            random = np.random.default_rng(seed)
            X = random.normal(size=(1000, d))
            X[:500, 0] += 3
            found = bayes_error(X, np.arange(1000) < 500)
            results.append((found.lower, found.value, found.upper))
        cells = (
            f"{m:.3f} ± {s:.3f}"
            for m, s in zip(np.mean(results, axis=0), np.std(results, axis=0), strict=True)
        )
        print(f"| {d} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
