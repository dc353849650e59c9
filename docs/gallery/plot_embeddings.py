"""
Which embedding is best?
========================

Images and texts become vectors before anything else happens. To find the embedding that suits
*your* classes, compare the held-out errors on the same rows, before you train a head:
:func:`~smartsvm.compare_representations` says which is best and which cannot be told from it
(:class:`~smartsvm.RepresentationComparison`). This example uses the hidden layer of a small
network; your embedding may come from any model, as an array of vectors.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neural_network import MLPClassifier
from sklearn.random_projection import GaussianRandomProjection

from smartsvm import compare_representations

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
found = compare_representations({name: Z[judge] for name, Z in embeddings.items()}, y[judge])
print(found)

# %%
found.plot()

# %%
# All intervals hold together: of six separate ones, one misses more often than in 5% of cases. An
# embedding trained on *other* data brings information of its own and may well beat the pixels:
# compare it in the same way.
