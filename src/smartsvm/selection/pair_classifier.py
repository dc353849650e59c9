"""One-vs-one classification with a transformation of its own for every pair of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import LinearSVC
from sklearn.utils.multiclass import _ovr_decision_function

from smartsvm._core.parallel import parallel_results
from smartsvm._core.types import Floats, Labels, RandomState
from smartsvm._core.validation import repeatable_seed
from smartsvm.classifier.nodes.estimators import fit_binary, node_margin, seeded
from smartsvm.classifier.nodes.svm_units import units_for
from smartsvm.selection.fitted_to_labels import FittedToLabels
from smartsvm.selection.transformer_search import BayesErrorTransformerSearch, apply_transformer


class PairwiseTransformerClassifier(FittedToLabels, ClassifierMixin, BaseEstimator):
    """One-vs-one classifier that applies the best transformation to each pair of classes.

    The transformers are ranked for every pair of classes by the HP-estimate after them on
    held-out samples. A binary classifier of each pair is trained on the samples of the pair
    after the best transformer, which is fitted on all samples, and the classifiers vote [1]_.

    Parameters
    ----------
    transformers : list, dict or None, default=None
        Candidates, as in `rank_transformers`.
    estimator : scikit-learn classifier, default=None
        Binary classifier to clone for each pair, which sees the points after the transformer.
        `LinearSVC` by default, which sees features of mean 0 and variance 1 where their values
        are very small or very large, as in `SmartSVM`.
    per_pair : bool, default=True
        False uses the best transformer for all classes in every pair.
    criterion, test_size, n_trees, n_jobs, random_state, verbose : object
        As in `rank_transformers`; training uses all samples, and classifiers without a seed
        get this one.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    search_ : BayesErrorTransformerSearch
        The search, fitted, with its ``ranking_``.
    pairs_ : ndarray of shape (K (K - 1) / 2, 2)
        Positions of the classes of each pair.
    pair_index_ : ndarray of shape (K (K - 1) / 2,)
        Position of the transformer of each pair in ``search_.ranking_``.
    estimators_ : list of classifiers
        The fitted classifier of each pair; class 1 is the second of the pair.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features seen in `fit`, and their names if X had them as strings.

    References
    ----------
    .. [1] G. J. J. van den Burg and A. O. Hero (2017), Fast meta-learning for
       adaptive hierarchical classifier design, section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from smartsvm import PairwiseTransformerClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = PairwiseTransformerClassifier().fit(X, y)
    >>> [model.search_.ranking_.names[i] for i in model.pair_index_]
    ['standard', 'standard', 'standard']
    >>> model.score(X, y)
    1.0
    """

    classes_: Labels
    search_: BayesErrorTransformerSearch

    def __init__(
        self,
        transformers: Iterable[Any] | Mapping[str, Any] | None = None,
        *,
        estimator: Any = None,
        per_pair: bool = True,
        criterion: str = "mean_pair",
        test_size: float = 0.5,
        n_trees: int = 3,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.transformers = transformers
        self.estimator = estimator
        self.per_pair = per_pair
        self.criterion = criterion
        self.test_size = test_size
        self.n_trees = n_trees
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X, y):
        seed = repeatable_seed(self.random_state)
        options = self.get_params(deep=False) | {"random_state": seed}
        del options["estimator"]
        self.search_ = BayesErrorTransformerSearch(**options).fit(X, y)
        self.classes_ = self.search_.classes_
        codes = np.searchsorted(self.classes_, y)
        self.pairs_ = np.array(list(combinations(range(len(self.classes_)), 2)))
        if self.per_pair:
            self.pair_index_ = self.search_.pair_index_[self.pairs_[:, 0], self.pairs_[:, 1]]
        else:
            self.pair_index_ = np.full(len(self.pairs_), self.search_.best_index_)
        self._units = {}
        mapped = self._mapped(X)
        if self.estimator is None:
            self._units = {index: units_for(points) for index, points in mapped.items()}
            mapped = {index: self._in_units(index, points) for index, points in mapped.items()}
        binary = LinearSVC(dual=False) if self.estimator is None else self.estimator
        problems = (
            (seeded(clone(binary), seed), mapped[index], codes, *pair)
            for index, pair in zip(self.pair_index_.tolist(), self.pairs_.tolist(), strict=True)
        )
        with parallel_results(_fit_pair, problems, self.n_jobs) as results:
            self.estimators_ = list(results)

    def predict(self, X: ArrayLike) -> Labels:
        """Predict the labels with the most votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X: ArrayLike) -> Floats:
        """Votes for each class; the sum of margins decides among equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K), or (n_samples,) for two classes
            Votes plus less than half a vote from the margins.
        """
        mapped = self._mapped(self._checked(X))
        pairs = zip(self.estimators_, self.pair_index_.tolist(), strict=True)
        margins = np.column_stack([node_margin(binary, mapped[index]) for binary, index in pairs])
        if len(self.classes_) == 2:
            return margins[:, 0]
        return _ovr_decision_function(margins > 0, margins, len(self.classes_))

    def _mapped(self, X):
        """The points after each transformer that some pair uses."""
        mapped = {}
        for index in np.unique(self.pair_index_).tolist():
            points = apply_transformer(self.search_.fitted_[index], X)
            # A data frame, which scikit-learn can be set to return, has no rows by number.
            points = points if issparse(points) else np.asarray(points)
            mapped[index] = self._in_units(index, points)
        return mapped

    def _in_units(self, index, points):
        """Points after a transformer as the default classifier sees them."""
        units = self._units.get(index)
        return points if units is None else units(points)


def _fit_pair(binary, points, codes, k, m):
    rows = np.flatnonzero((codes == k) | (codes == m))
    return fit_binary(binary, points[rows], (codes[rows] == m).astype(np.intp))
