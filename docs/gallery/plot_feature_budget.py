"""
Features for a given budget
===========================

Measuring costs money: which four columns should you keep? `BayesErrorSelector` adds one
column at a time, always the one that lowers the Bayes error most. It trains no classifier, so
the choice suits any.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from smartsvm import BayesErrorSelector, bayes_error_scorer

# %%
# The wines, with as many columns of noise as real ones.
wine = load_wine()
noise = np.random.default_rng(1).normal(size=wine.data.shape)
X = StandardScaler().fit_transform(np.hstack([wine.data, noise]))
names = np.array([*wine.feature_names, *(f"noise {i}" for i in range(noise.shape[1]))])

# %%
# Set a budget, or let the search stop where classifiers do about as well as with more columns.
for budget in (2, 4, "auto"):
    selector = BayesErrorSelector(n_features_to_select=budget).fit(X, wine.target)
    score = cross_val_score(KNeighborsClassifier(), selector.transform(X), wine.target).mean()
    print(f"{budget}: {', '.join(names[selector.support_])}  (5-NN afterwards: {score:.1%})")
print(f"all {X.shape[1]}: {cross_val_score(KNeighborsClassifier(), X, wine.target).mean():.1%}")

# %%
# The path shows how the error falls with every column.
fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
ax.plot([step.score for step in selector.path_], "o-", color="#08519c")
ax.set_xticks(range(len(selector.path_)), names[[step.feature for step in selector.path_]])
ax.tick_params(axis="x", rotation=90)
ax.set(ylabel="tree edges between classes")

# %%
# If every column is measured anyway, few *combinations* may do. `~smartsvm.bayes_error_scorer`
# scores projections on held-out wines, also without a classifier.
search = GridSearchCV(
    PCA(random_state=0),
    {"n_components": [1, 2, 4, 8, 16]},
    scoring=bayes_error_scorer,
    cv=StratifiedKFold(3),
)
search.fit(X, wine.target)
for setting, score in zip(
    search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
):
    print(f"{setting['n_components']:>2} components: error {-score:.1%}")
