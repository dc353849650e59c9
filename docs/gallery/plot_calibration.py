"""
Are the probabilities calibrated?
=================================

Probabilities are calibrated if, of all predictions made with 80%, four in five are right.
`SmartSVM` multiplies the probabilities of its nodes along the path to a class. This example
compares their calibration on noisy digits with that of logistic regression.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from smartsvm import SmartSVM

X, y = load_digits(return_X_y=True)
noisy = X / 16 + np.random.default_rng(0).normal(scale=0.35, size=X.shape)  # harder
X_train, X_test, y_train, y_test = train_test_split(noisy, y, stratify=y, random_state=0)

fig, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="perfect")
models = {
    "SmartSVM": (SmartSVM(routing="soft"), "o-"),
    "logistic regression": (LogisticRegression(max_iter=1000), "s--"),
}
for name, (model, style) in models.items():
    probability = model.fit(X_train, y_train).predict_proba(X_test)
    surest = probability.max(axis=1)
    right = model.classes_[probability.argmax(axis=1)] == y_test
    groups = np.array_split(np.argsort(surest), 6)  # equal sizes
    ax.plot(
        [surest[g].mean() for g in groups], [right[g].mean() for g in groups], style, label=name
    )
    print(f"{name:<20} {right.mean():.1%} correct, log loss {log_loss(y_test, probability):.3f}")
ax.set(xlabel="predicted probability", ylabel="fraction of correct predictions")
ax.legend(frameon=False)
