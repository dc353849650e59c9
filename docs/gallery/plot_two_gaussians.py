"""
Two Gaussians against theory
============================

For two Gaussian classes with equal covariance at a distance δ the Bayes error is Φ(−δ/2). This
example compares it with the bounds of the trees and with the report's estimate, over a range of
distances.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import norm

from smartsvm import bayes_error, difficulty_report

rng = np.random.default_rng(0)
distances = np.linspace(0.5, 4, 5)
y = np.repeat([0, 1], 500)
truth = norm.cdf(-distances / 2)

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for ax, n_features in zip(axes, (2, 20)):
    trees, reports = [], []
    for distance in distances:
        X = rng.normal(size=(1000, n_features))
        X[:, 0] += distance * y
        trees.append(bayes_error(X, y))
        reports.append(difficulty_report(X, y).bayes_error)
    lower, upper = [t.lower for t in trees], [t.upper for t in trees]
    estimate = np.array([r.value for r in reports])
    ax.fill_between(distances, lower, upper, color="#c6dbef", label="bounds from the trees")
    reach = np.abs(np.array([[r.low, r.high] for r in reports]).T - estimate)
    ax.errorbar(distances, estimate, reach, fmt="o", color="#08519c", label="the report's estimate")
    ax.plot(distances, truth, color="#a63603", label="truth")
    ax.set(xlabel="distance of the means", title=f"{n_features} columns, 1,000 samples")
    off = np.sqrt(np.mean((estimate - truth) ** 2))
    middle = np.sqrt(np.mean(([t.value for t in trees] - truth) ** 2))
    print(f"{n_features:>2} columns: report off by {off:.3f}, middle of the bounds by {middle:.3f}")
axes[0].set_ylabel("Bayes error")
axes[0].legend(frameon=False)

# %%
# With twenty columns a thousand samples are few: the trees cross between the classes too
# often, and *both* bounds are too high. The report also measures held-out errors, which are not
# biased in this way, and says so when they contradict the bounds.
