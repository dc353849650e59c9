"""
Can my model be improved?
=========================

A model errs 20% of the time. Is that its own fault, or can no classifier do better on these
columns? This example makes data of known Bayes error and asks the report about three models:
:func:`~smartsvm.difficulty_report` says how much of each error can be gained
(:class:`~smartsvm.Headroom`).
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from smartsvm import difficulty_report

# %%
# The probability of the second class depends on a circle in two of four columns.
rng = np.random.default_rng(0)
X = rng.normal(size=(1200, 4))


def chance_of_second(X):
    """The probability of the second class."""
    return 1 / (1 + np.exp(4 - 2.5 * (X[:, 0] ** 2 + X[:, 1] ** 2)))


y = (rng.random(len(X)) < chance_of_second(X)).astype(int)

# %%
# Estimators are cloned and cross-validated by the report; predictions that were made elsewhere
# can be passed, too, as long as they are held out.
models = {
    "logistic regression": LogisticRegression(),
    "one neighbour": KNeighborsClassifier(1),
    "random forest": RandomForestClassifier(100, random_state=0),
}
report = difficulty_report(X, y, models=models)
for name in models:
    print(report.headroom(name))

# %%
# Here the truth is known: the error of each model on many fresh rows less the Bayes error.
fresh = rng.normal(size=(50_000, 4))
chance = chance_of_second(fresh)
bayes_error = np.minimum(chance, 1 - chance).mean()
gains = [report.headroom(name).gain for name in models]
truth = []
for model in models.values():
    second = model.fit(X, y).predict(fresh) == 1
    truth.append(np.where(second, 1 - chance, chance).mean() - bayes_error)

# %%
places = np.arange(len(models))
middle = np.array([gain.value for gain in gains])
limits = [[gain.value - gain.low for gain in gains], [gain.high - gain.value for gain in gains]]
figure, ax = plt.subplots(figsize=(6, 2.5), layout="constrained")
ax.errorbar(100 * middle, places, xerr=100 * np.array(limits), fmt="o", label="report")
ax.plot(100 * np.array(truth), places, "kx", label="truth")
ax.set(yticks=places, yticklabels=list(models), xlabel="points that can be gained", xlim=(0, None))
ax.legend()

# %%
# ``to_frame`` lists where a model loses: classes, pairs of classes, and the rows that it gets wrong
# and all classifiers combined get right.
where = report.to_frame("headroom")
mine = where[(where.model == "one neighbour") & (where.part == "row")]
print(mine[["row", "label", "predicted", "posterior"]].head())
