"""BayesErrorTransformerSearch: rank transformers, fit the best on all samples, apply it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from smartsvm._core.types import Labels, RandomState
from smartsvm.selection.fitted_to_labels import FittedToLabels
from smartsvm.selection.transformations import rank_transformers
from smartsvm.selection.transformer_ranking import TransformerRanking


class BayesErrorTransformerSearch(FittedToLabels, TransformerMixin, BaseEstimator):
    """The best of several transformers by the held-out error after them.

    `fit` ranks the candidates as `rank_transformers` does, and fits the best one that can
    transform new points on all samples. Ctrl-C ends the ranking: `fit` fits the best
    transformer so far and then raises KeyboardInterrupt.

    Parameters
    ----------
    transformers : list, dict or None, default=None
        Candidates, as in `rank_transformers`.
    criterion : str, default="held_out"
        As in `rank_transformers`.
    test_size, halving, n_trees, n_neighbors, n_jobs, random_state, verbose : object
        As in `rank_transformers`.

    Attributes
    ----------
    ranking_ : TransformerRanking
        The whole table.
    best_index_ : int
        Position of the best transformer in it; above 0 if a transductive one is better.
    best_name_ : str
        Its name.
    best_error_ : float
        Its error on held-out samples.
    best_transformer_ : transformer or "passthrough"
        The best transformer, fitted on all samples.
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features seen in `fit`, and their names if X had them as strings.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from smartsvm import BayesErrorTransformerSearch
    >>> X, y = load_wine(return_X_y=True)
    >>> search = BayesErrorTransformerSearch().fit(X, y)
    >>> search.best_name_
    'standard'
    >>> search.transform(X).shape
    (178, 13)
    """

    ranking_: TransformerRanking
    best_name_: str
    best_error_: float
    classes_: Labels

    def __init__(
        self,
        transformers: Iterable[Any] | Mapping[str, Any] | None = None,
        *,
        criterion: str = "held_out",
        test_size: float = 0.5,
        halving: bool = True,
        n_trees: int = 3,
        n_neighbors: int = 5,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.transformers = transformers
        self.criterion = criterion
        self.test_size = test_size
        self.halving = halving
        self.n_trees = n_trees
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X, y):
        options = self.get_params(deep=False)
        try:
            self.ranking_ = rank_transformers(options.pop("transformers"), X, y, **options)
        except KeyboardInterrupt as stop:
            if not hasattr(stop, "ranking") or not stop.ranking.usable().any():
                raise
            self.ranking_ = stop.ranking
        usable = np.flatnonzero(self.ranking_.usable())
        if not len(usable):
            raise ValueError(
                "None of the transformers can transform new points; those that worked are "
                "transductive. Use rank_transformers to compare them."
            )
        self.classes_ = self.ranking_.classes
        self.best_index_ = int(usable[0])
        self.best_name_ = self.ranking_.names[self.best_index_]
        self.best_error_ = float(self.ranking_.errors[self.best_index_])
        best = self.ranking_.transformers[self.best_index_]
        self.best_transformer_ = best if isinstance(best, str) else clone(best).fit(X, y)
        if self.ranking_.interrupted:
            # The search is fitted, but a loop around this call has to end too.
            raise KeyboardInterrupt(
                "the search was interrupted; the best transformer so far is kept and fitted"
            )

    def transform(self, X: ArrayLike) -> Any:
        """Transform points with the best transformer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_new_features)
            The transformed points.
        """
        X = self._checked(X)
        best = self.best_transformer_
        return X if isinstance(best, str) else best.transform(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Labels:
        """Names of the features that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input features; those seen in `fit` by default.

        Returns
        -------
        ndarray of str
            As the best transformer names them.
        """
        check_is_fitted(self)
        given = _check_feature_names_in(self, input_features)
        if isinstance(self.best_transformer_, str):
            return given
        return self.best_transformer_.get_feature_names_out(given)
