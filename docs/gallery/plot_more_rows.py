"""
Would more rows help?
=====================

This is two questions. Would more rows change the *estimate*, because it still moves with the
sample size? And would they improve a *classifier*, because its held-out error is far from the
best possible one? The report's curve answers the first, its intervals the second.
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
reports = {name: difficulty_report(X, y) for name, (X, y) in tables.items()}

fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for (name, report), style in zip(reports.items(), ("o-", "s--")):
    sizes = report.curve.sizes
    ax.plot(sizes, report.curve.cross_shares, style, label=name)
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
ax.minorticks_off()
ax.set(xlabel="rows", ylabel="tree edges between classes,\nper row", ylim=(0, None))
ax.legend(frameon=False)

# %%
# A falling curve means that the bounds are still too high. Its slope tells how much they fall with
# every doubling of the rows.
for name, report in reports.items():
    settled = abs(report.curve.fall) < 2 * report.curve.fall_error
    print(f"{name}: {'settled' if settled else 'still falling'}")
    print(f"  {100 * report.curve.fall:.1f} points of error less with twice as many rows")

# %%
# The second question: what is the best held-out error with half of the digits, and with all of
# them?
X, y = tables["digits, 64 columns"]
half = np.random.default_rng(0).permutation(len(y))[: len(y) // 2]
parts = {"half": difficulty_report(X[half], y[half]), "all": reports["digits, 64 columns"]}
for what, report in parts.items():
    print(f"{what} of the rows: held-out error {report.held_out.best.value:.1%}")

# %%
# The conclusion: in the plane, more rows change neither answer; only further columns would help. On
# the digits the curve still falls, and twice as many rows have lowered the held-out error: collect
# more of them.
