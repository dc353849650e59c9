"""
Is 95% accuracy realistic?
==========================

Somebody has promised an accuracy. Before you spend weeks on tuning, ask the data: the report
(:class:`~smartsvm.DifficultyReport`) compares the target with the best possible error and
with the held-out errors of simple classifiers. It answers *reachable*, *likely*, *unclear*,
*unlikely* or *out of reach*, with the chance that some classifier reaches the target.
"""

import textwrap

import numpy as np
from matplotlib import pyplot as plt

from smartsvm import difficulty_report

# %%
# Three problems with the same target. Each has two Gaussian classes; only the distance between
# them differs.
rng = np.random.default_rng(0)
n, target = 1500, 0.95
answers = {}
for name, distance in {"well apart": 4.0, "at the edge": 3.2, "overlapping": 2.0}.items():
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 3))
    X[:, 0] += distance * y
    answers[name] = difficulty_report(X, y, target_accuracy=target)
    verdict = answers[name].verdict
    reason = textwrap.indent(textwrap.fill(verdict.reason), "  ")
    print(f"{name}: {verdict.answer}, {verdict.chance:.0%}\n{reason}\n")

# %%
# The dashed line is the error that the target allows. Bars are the confidence intervals
# (:class:`~smartsvm.Interval`) of the best possible error; dots are the held-out errors of the
# best of a few simple, untuned classifiers.
fig, ax = plt.subplots(figsize=(7, 2.8), layout="constrained")
for place, report in enumerate(answers.values()):
    best, held_out = report.bayes_error, report.errors.held_out.best
    ax.barh(
        place,
        best.high - best.low,
        left=best.low,
        height=0.5,
        color="#9ecae1",
        edgecolor="#08519c",
    )
    ax.plot(held_out.value, place, "o", color="black")
ax.axvline(1 - target, color="#a63603", linestyle="--")
ax.set_yticks(range(3), [f"{name}:\n{r.verdict.answer}" for name, r in answers.items()])
ax.set(xlim=(0, None), xlabel="error", title="Target accuracy: 95%")
ax.invert_yaxis()
