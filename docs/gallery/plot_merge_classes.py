"""
Which classes should be merged?
===============================

Labels are often finer than the data: two grades that two people would grade differently,
one product under two names. Pairs that no column tells apart cost accuracy and serve
nobody. The errors of all pairs show them, and what merging would bring can be read off the
same trees.
"""

import numpy as np
from sklearn.datasets import load_digits

from smartsvm import ClassForest, PairwiseErrorDisplay, difficulty_report

# %%
# Digits, but every four and every nine has been filed at random under one of two names, as
# happens when two teams name one thing.
X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
names = y.astype(str).astype(object)
for digit in (4, 9):
    rows = np.flatnonzero(y == digit)
    names[rows] = rng.choice([f"{digit}a", f"{digit}b"], size=len(rows))
names = names.astype(str)

report = difficulty_report(X, names)
print("no sign of a difference:", report.inseparable_pairs())
print("hardest pairs:", report.hardest_pairs(3))

# %%
# Merge them and compare. A :class:`~smartsvm.ClassForest` makes the trees once, and every error
# is read off it; its ``multiclass`` is :func:`~smartsvm.multiclass_bayes_error`.
merged = np.char.rstrip(names, "ab")
for what, labels in {"as filed": names, "merged": merged}.items():
    error = ClassForest(X, labels).multiclass()
    print(f"{what:<10} {len(np.unique(labels)):>2} classes, Bayes error about {error.value:.1%}")

# %%
# In the order of the class hierarchy, what belongs together stands together
# (:class:`~smartsvm.PairwiseErrorDisplay` of an :class:`~smartsvm.ErrorEstimate`).
PairwiseErrorDisplay.from_estimate(report.pairs, order="hierarchy")
