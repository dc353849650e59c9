"""
Which embedding keeps the classes apart?
========================================

Images and texts become vectors before anything else happens. To find the embedding that suits
*your* classes, estimate the Bayes error in each, before you train a head. This example uses
the hidden layer of a small network; your embedding may come from any model, as an array of vectors.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neural_network import MLPClassifier
from sklearn.random_projection import GaussianRandomProjection

from smartsvm import difficulty_report

# %%
# One half of the digits trains the embeddings, the other half evaluates them.
X, y = load_digits(return_X_y=True)
X = X / 16 + np.random.default_rng(0).normal(scale=0.3, size=X.shape)  # a little harder
train, judge = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
network = MLPClassifier((24,), tol=1e-3, max_iter=1000, random_state=0).fit(X[train], y[train])
embeddings = {
    "pixels": X,
    "random, 16 numbers": GaussianRandomProjection(16, random_state=0).fit(X).transform(X),
    "PCA, 16 numbers": PCA(16).fit(X[train]).transform(X),
    "hidden layer, 24 numbers": np.maximum(X @ network.coefs_[0] + network.intercepts_[0], 0),
}
reports = {name: difficulty_report(Z[judge], y[judge]) for name, Z in embeddings.items()}
for name, report in reports.items():
    print(f"{name:<26} {report.bayes_error.value:.1%}")

# %%
fig, ax = plt.subplots(figsize=(6.6, 2.8), layout="constrained")
places = np.arange(len(reports))
errors = [report.bayes_error for report in reports.values()]
values = np.array([error.value for error in errors])
reach = np.abs(np.array([[error.low, error.high] for error in errors]).T - values)
ax.errorbar(values, places, xerr=reach, fmt="o", color="#08519c", capsize=4)
ax.set_yticks(places, reports)
ax.set(xlabel="estimated Bayes error with its confidence interval", xlim=(0, None))
ax.invert_yaxis()

# %%
# The conclusion: nothing computed from the pixels can have a lower Bayes error than the pixels, and
# none of the three does. If the vectors must be short, principal components keep the classes apart
# best; random projections lose most. A hidden layer trained on 900 noisy images is no better than
# principal components. An embedding trained on *other* data brings information of its own and
# may well beat the pixels: compare it in the same way.
