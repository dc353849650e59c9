"""
Which classes should be merged?
===============================

Labels are often finer than the data: two grades that no two people would assign alike, or
one product under two names. Classes that no column separates cost accuracy and help nobody. The
report groups them, and says what merging would bring.
"""

import numpy as np
from sklearn.datasets import load_digits

from smartsvm import ClassForest, PairwiseErrorDisplay, difficulty_report

# %%
# Every four and every nine of the digits gets one of two names at random, as if two teams had
# named the same thing.
X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(1)
names = y.astype(str).astype(object)
for digit in (4, 9):
    rows = np.flatnonzero(y == digit)
    names[rows] = rng.choice([f"{digit}a", f"{digit}b"], size=len(rows))
names = names.astype(str)

report = difficulty_report(X, names)
advice = report.merge_advice()
print("merge:", advice.groups)
print(f"held-out accuracy: {advice.accuracy:.1%} now, {advice.merged_accuracy:.1%} after the merge")
print("hardest pairs:", report.hardest_pairs(3))

# %%
# Merge them and compare. A :class:`~smartsvm.ClassForest` computes the trees once and gives every
# error; its ``multiclass`` is :func:`~smartsvm.bayes_error`.
merged = np.char.rstrip(names, "ab")
for what, labels in {"as named": names, "merged": merged}.items():
    error = ClassForest(X, labels).multiclass()
    print(f"{what:<10} {len(np.unique(labels)):>2} classes, Bayes error about {error.value:.1%}")

# %%
# The order of the class hierarchy puts similar classes side by side
# (:class:`~smartsvm.PairwiseErrorDisplay` of an :class:`~smartsvm.ErrorEstimate`).
PairwiseErrorDisplay.from_estimate(report.pairs.bounds, order="hierarchy")
