"""
Choosing a scaler or another transformation
===========================================

Scaling changes every distance, and with it nearest neighbours, kernels and clusters.
`rank_transformers` measures the held-out error of quick classifiers after each candidate, on
samples that it was not fitted on. So you can choose within seconds, and before you choose a model.
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
# The conclusion: scale the wines. A :class:`~smartsvm.TransformerRanking` holds all candidates, the
# best first. All errors here are within a standard error of each other: a tie. Quantiles and five
# components cannot be undone, and what they drop is lost. Of the others, neighbours do badly
# without scaling: the columns have very different units, and one of them dominates. So standard
# scaling wins: it is invertible, and it helps whatever uses distances.
order = np.arange(len(ranking.names))
fig, ax = plt.subplots(figsize=(6.8, 3), layout="constrained")
ax.barh(order, ranking.errors, xerr=2 * ranking.standard_errors, color="#9ecae1", capsize=3)
ax.set_yticks(order, ranking.names)
ax.set(xlabel="held-out error after the transformation", xlim=(0, None))
ax.invert_yaxis()

# %%
# A step of a pipeline can fit and apply the best one. Use
# :func:`~smartsvm.bayes_error_scorer` in scikit-learn's own searches, and
# :class:`~smartsvm.PairwiseTransformerClassifier` to choose for each pair of classes.
search = BayesErrorTransformerSearch(candidates)
model = make_pipeline(search, SmartSVM()).fit(X[::2], y[::2])
print(f"chosen: {model[0].best_name_}; accuracy on the rest: {model.score(X[1::2], y[1::2]):.1%}")
