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
    per_pair : bool, default=False
        Also find the best transformer for every pair of classes; see `transform_pair` and
        `PairwiseTransformerClassifier`.
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
    pair_index_ : ndarray of shape (K, K)
        With ``per_pair=True``, the position of the transformer of each pair.
    fitted_ : dict
        Fitted transformers by position in the ranking: the best one and, with
        ``per_pair=True``, those of the pairs.
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
        per_pair: bool = False,
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
        self.per_pair = per_pair
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
        needed = {self.best_index_}
        if self.per_pair:
            self.pair_index_ = self.ranking_.best_for_pairs()
            needed.update(self.pair_index_[self.pair_index_ >= 0].tolist())
        chosen = ((i, self.ranking_.transformers[i]) for i in sorted(needed))
        self.fitted_ = {i: t if isinstance(t, str) else clone(t).fit(X, y) for i, t in chosen}
        self.best_transformer_ = self.fitted_[self.best_index_]
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
        return apply_transformer(self.best_transformer_, self._checked(X))

    def transform_pair(self, X: ArrayLike, first: Any, second: Any) -> Any:
        """Transform points with the transformer of one pair of classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        first : label
            One class of the pair.
        second : label
            The other.

        Returns
        -------
        ndarray of shape (n_samples, n_new_features)
            The transformed points.
        """
        X = self._checked(X)
        if not self.per_pair:
            raise ValueError("Pairs have no transformers of their own: use per_pair=True.")
        labels = self.classes_.tolist()
        for name, label in (("first", first), ("second", second)):
            if label not in labels:
                raise ValueError(f"{name} must be one of {labels}, got {label!r}.")
        index = int(self.pair_index_[labels.index(first), labels.index(second)])
        if index < 0:
            raise ValueError(f"first and second must differ, got {first!r} twice.")
        return apply_transformer(self.fitted_[index], X)

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


def apply_transformer(transformer, X):
    """Points after a fitted transformer or "passthrough"."""
    return X if isinstance(transformer, str) else transformer.transform(X)
