"""
Would more rows help?
=====================

The report extrapolates the error of the best classifier to twice and ten times the rows. Here the
prediction from half of a table is compared with what all of it gives.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits, make_blobs

from smartsvm import difficulty_report

# %%
# Two tables: points in the plane, where a few hundred rows are enough, and the digits, where
# every new row adds information.
plane = make_blobs(1797, centers=4, cluster_std=2.2, random_state=3)
tables = {"4 blobs in the plane": plane, "digits, 64 columns": load_digits(return_X_y=True)}

fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for (name, (X, y)), ax in zip(tables.items(), axes):
    half = np.random.default_rng(0).permutation(len(y))[: len(y) // 2]
    report = difficulty_report(X[half], y[half])
    report.plot("convergence", ax=ax)
    ax.set_title(name)
    _, twice, _ = report.errors.learning_curve.errors
    found = difficulty_report(X, y).errors.held_out.best.value
    ax.plot(len(y), found, "x", markersize=9)
    limits = f"{twice.low:.1%} to {twice.high:.1%}"
    print(f"{name}: expected {twice.value:.1%} ({limits}), found {found:.1%}")

# %%
# The crosses are the errors with all rows. In the plane more rows change nothing; only further
# columns would help. On the digits twice the rows lower the error: collect more of them.
