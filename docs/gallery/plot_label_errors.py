"""
Finding label errors
====================

Real data contain label errors. To measure how well the report finds them, this example gives
one in twenty of the handwritten digits a wrong label. How many of them does the report list,
and how many of the listed labels are really wrong?
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from smartsvm import difficulty_report, sample_difficulty

# %%
# Plant the errors.
digits = load_digits()
X, truth = digits.data / 16, digits.target
rng = np.random.default_rng(0)
planted = rng.choice(len(truth), size=len(truth) // 20, replace=False)
y = truth.copy()
y[planted] = (truth[planted] + rng.integers(1, 10, size=len(planted))) % 10

# %%
# ``report.suspects`` lists suspect labels, the most suspicious first.
report = difficulty_report(X, y)
suspects = report.suspects
wrong = np.isin(suspects, planted)
print(f"planted: {len(planted)}   listed: {len(suspects)}   of them wrong: {wrong.sum()}")
print(f"found {wrong.sum() / len(planted):.0%} of the errors, precision {wrong.mean():.0%}")

# %%
# The label of the neighbours is nearly always the true one.
right = report.labels.suggested[suspects[wrong]] == truth[suspects[wrong]]
print(f"the suggested label is right for {right.mean():.0%} of the errors found")

# %%
# Label errors show in the trees: most edges of such a sample lead to other classes.
difficulty = sample_difficulty(X, y)
right = ~np.isin(np.arange(len(y)), planted)
print(f"edges to other classes: {difficulty[planted].mean():.0%} of the edges of wrong labels,")
print(f"{difficulty[right].mean():.0%} of the edges of right labels")

# %%
# The first suspects with their given and their suggested label, and the fraction of errors found
# by checking the list from the top.
fig = plt.figure(figsize=(9, 4), layout="constrained")
left, right = fig.subfigures(1, 2)
for ax, row in zip(left.subplots(3, 4).ravel(), suspects):
    ax.imshow(digits.images[row], cmap="gray_r")
    ax.set_title(f"{y[row]} → {report.labels.suggested[row]}", fontsize=10)
    ax.set_axis_off()
ax = right.subplots()
read = np.arange(1, len(suspects) + 1)
ax.plot(read, np.cumsum(wrong) / len(planted), color="#08519c", label="found")
ax.plot(read, np.cumsum(wrong) / read, color="#a63603", linestyle="--", label="precision")
ax.set(xlabel="suspects checked, the most suspicious first", ylim=(0, 1.03))
ax.legend(frameon=False)

# %%
# :func:`~smartsvm.rank_label_errors` does the same with the held-out probabilities of any model
# (:class:`~smartsvm.LabelErrorRanking`).
# For pictures like these, whose classes hardly overlap, ``overlap="rare"`` lists more.
