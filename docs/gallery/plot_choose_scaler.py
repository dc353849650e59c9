"""
Choosing a scaler or another transformation
===========================================

Scaling changes every distance, and with it nearest neighbours, kernels and clusters.
`rank_transformers` estimates the Bayes error after each candidate, on rows it was not
fitted on, so that the choice is made in seconds and before a model is chosen.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, RobustScaler, StandardScaler

from smartsvm import BayesErrorTransformerSearch, SmartSVM, rank_transformers

X, y = load_wine(return_X_y=True)
candidates = {
    "none": "passthrough",
    "standard": StandardScaler(),
    "min and max": MinMaxScaler(),
    "robust": RobustScaler(),
    "quantiles": QuantileTransformer(n_quantiles=20),
    "standard, then 5 components": make_pipeline(StandardScaler(), PCA(5)),
}
ranking = rank_transformers(candidates, X, y)
print(ranking)

# %%
# A :class:`~smartsvm.TransformerRanking` holds all candidates, the best first. The wines' columns
# have very different units: without scaling one of them decides alone.
order = np.arange(len(ranking.names))
fig, ax = plt.subplots(figsize=(6.8, 3), layout="constrained")
ax.barh(order, ranking.errors, xerr=2 * ranking.standard_errors, color="#9ecae1", capsize=3)
ax.set_yticks(order, ranking.names)
ax.set(xlabel="estimated Bayes error after the transformation", xlim=(0, None))
ax.invert_yaxis()

# %%
# As a step of a pipeline, the best of them is fitted and applied. For a search of scikit-learn's
# own there is :func:`~smartsvm.bayes_error_scorer`; where pairs of classes want different
# transformations, :class:`~smartsvm.PairwiseTransformerClassifier`.
search = BayesErrorTransformerSearch(candidates)
model = make_pipeline(search, SmartSVM()).fit(X[::2], y[::2])
print(
    f"chosen: {model[0].best_name_}; right on the other half: {model.score(X[1::2], y[1::2]):.1%}"
)
