"""
Weights for hard classes
========================

``class_weight="balanced"`` helps small classes. But the class with the lowest recall need not be
small: it may lie among the others. `bayes_error_class_weight` weights classes by
their difficulty.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score

from smartsvm import (
    bayes_error_class_weight,
    confusion_rate,
    ovr_bayes_error,
)

# %%
# Three classes in a row: the middle one is confused with two neighbours.
rng = np.random.default_rng(0)


def draw(n):
    """Points and labels."""
    y = np.repeat([0, 1, 2], n)
    return rng.normal(size=(3 * n, 2)) + np.outer(1.7 * y, [1, 0]), y


(X, y), (X_test, y_test) = draw(300), draw(3000)
print("error of each class against the rest:", ovr_bayes_error(X, y).value.round(3))

# %%
# The weights follow the errors of :func:`~smartsvm.ovr_bayes_error`. A class with only a handful of
# samples raises a :class:`~smartsvm.SmallClassWarning`.
weights = bayes_error_class_weight(X, y)
print({label: round(weight, 2) for label, weight in weights.items()})

# %%
# Recall of each class, without and with the weights. The hard class gains at the expense of its
# neighbours: weights express which errors matter.
models = {
    "no weights": LogisticRegression().fit(X, y),
    "weights of classes": LogisticRegression(class_weight=weights).fit(X, y),
}
fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for place, ((name, model), colour) in enumerate(zip(models.items(), ("#bdbdbd", "#08519c"))):
    recall = recall_score(y_test, model.predict(X_test), average=None)
    print(f"{name:<20}", "  ".join(f"{value:.1%}" for value in recall))
    ax.bar(np.arange(3) + 0.27 * (place - 0.5), recall, width=0.25, label=name, color=colour)
ax.set_xticks(range(3), ["left", "middle", "right"])
ax.set(ylabel="recall", ylim=(0.5, 1.0))
ax.legend(frameon=False, ncols=3, loc="upper center")

# %%
# Recall says nothing about what is taken for the class by mistake. :func:`~smartsvm.confusion_rate`
# counts mistakes in both directions, as the errors above do.
for name, model in models.items():
    rate = confusion_rate(y_test, model.predict(X_test))
    print(f"{name:<20}", "  ".join(f"{value:.1%}" for value in rate))
