"""`BayesErrorSelector`: features on which the classes are easiest to tell apart."""

from __future__ import annotations

import numbers
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_labels, check_training_set
from smartsvm._core.points import Points, scale_points
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.types import Bools, MemoryLimit, RandomState
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_mask,
    check_number,
    tie_seed,
)
from smartsvm.presentation.documentation import DocumentationLink
from smartsvm.presentation.wording import percent
from smartsvm.selection.feature_search import FeatureSearch, SearchStep
from smartsvm.selection.held_out_error import mistakes_by_kind
from smartsvm.selection.search_criteria import CRITERIA
from smartsvm.trees.tree_plan import parse_bytes

# Samples that a search needs: the errors of fewer are too noisy to rank features by.
_LEAST_SAMPLES = 32
# The errors that `summary_` lists, in the order of `mistakes_by_kind`.
_KINDS = ("held-out error", "LDA", "forest")


class BayesErrorSelector(DocumentationLink, SelectorMixin, BaseEstimator):
    """Select the features on which the classes are easiest to tell apart.

    A greedy search adds one feature at a time, the one that lowers the estimated error most. By
    default it keeps the fewest features with which quick classifiers together, LDA alone and a
    random forest do about as well as with more. `summary_` says what each gives up.

    Distances are Euclidean: scale the features first, as for k nearest neighbours.

    Parameters
    ----------
    n_features_to_select : "auto", int or float, default="auto"
        How many features to keep: as many as classifiers need, a number, or a fraction.
    criterion : {"tree", "neighbors"}, default="tree"
        What to minimise: the fraction R/n of edges between classes in a spanning tree, which is the
        upper bound of `bayes_error`, or the leave-one-out error of five nearest neighbours.
    memory_limit : int, str or None, default="48 MiB"
        Bytes for the matrix of distances; None for no limit. A stratified subsample replaces more
        samples than fit, 2,508 by default.
    n_jobs : int or None, default=None
        Threads over candidates.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances and of the subsample.
    verbose : int, default=0
        1 names each step on standard error.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Mask of the chosen features.
    ranking_ : ndarray of shape (n_features,)
        1 for the chosen features; then those that the search added later, in its order. Features
        that it never added share the last rank.
    path_ : list of SearchStep
        The steps: ``feature``, ``n_features``, ``score``, and with "auto" the ``held_out_error``
        where it was measured, else NaN. With "auto" it goes beyond the chosen features.
    held_out_error_ : float
        With "auto", the held-out error on the chosen features of k nearest neighbours, LDA,
        Gaussian classes and kernel ridge, combined into one posterior.
    full_error_ : float
        The same on all features: what is given up is ``held_out_error_ - full_error_``.
    summary_ : str
        How many features are kept, and with "auto" the errors with all features and with those
        kept: held-out, of LDA alone, and out-of-bag of a random forest.
    n_samples_used_ : int
        Samples that the search used.
    n_features_ : int
        Number of chosen features.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features seen in `fit`, and their names if X had them as strings.

    Notes
    -----
    **Cost.** Squared distances add over features. The search keeps their n × n sum over the
    chosen features, and a candidate costs one pass over it: m of d features take O(n² · m · d).

    **"auto"** adds features, a quarter more at a time, until four steps in a row lower the
    held-out error by no more than a standard error. It then keeps the fewest features on which that
    error exceeds the smallest one by at most a standard error, and the errors of LDA and of the
    forest exceed those on all features by at most half a standard error and one. These are standard
    errors of the difference on the same samples, at least two mistakes.

    The errors are the smallest of many, so they are optimistic. Estimate the error on other samples
    if the number itself matters. Two features that help only together, as in XOR, are found by
    chance, or because "auto" goes on until classifiers err as little as on all features.

    References
    ----------
    .. [1] V. Berisha, A. Wisler, A. O. Hero and A. Spanias (2016), Empirically
       estimable classification bounds based on a nonparametric divergence measure.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import BayesErrorSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> noise = np.random.default_rng(0).normal(size=(150, 6))
    >>> selector = BayesErrorSelector(2).fit(np.hstack([noise, X]), y)
    >>> selector.get_support(indices=True).tolist()
    [8, 9]
    """

    support_: Bools
    path_: list[SearchStep]

    def __init__(
        self,
        n_features_to_select: str | float = "auto",
        *,
        criterion: str = "tree",
        memory_limit: MemoryLimit = "48 MiB",
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @own_arithmetic()
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to points and labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.

        Returns
        -------
        BayesErrorSelector
            The fitted selector itself.
        """
        self._fit(*check_training_set(self, X, y))
        return self

    def _fit(self, X, y):
        check_choice(self.criterion, "criterion", CRITERIA)
        _, codes = check_labels(y, n_samples=len(X))
        n_to_select = self._n_to_select(X.shape[1])
        seed = tie_seed(self.random_state)
        rows = stratified_rows(codes, max(self._most_samples(len(X)), codes.max() + 1), seed)
        points, codes = scale_points(X[rows]).values, codes[rows]
        search = FeatureSearch(
            np.ascontiguousarray(points.T),
            CRITERIA[self.criterion](codes, seed),
            n_jobs=check_jobs(self.n_jobs),
            verbose=check_int(self.verbose, "verbose", least=0),
        )
        self.held_out_error_ = self.full_error_ = np.nan

        def wrong_on(features):
            columns = np.ascontiguousarray(points[:, sorted(features)])
            return mistakes_by_kind(Points(columns), codes, seed=seed, n_jobs=self.n_jobs)

        if n_to_select is None:
            chosen, errors, full_errors = search.take_enough(wrong_on)
            self.held_out_error_, self.full_error_ = float(errors[0]), float(full_errors[0])
        else:
            chosen = search.take(n_to_select)
        self.n_samples_used_ = len(rows)
        self._keep(chosen, search.path, X.shape[1])
        if n_to_select is None:
            given_up = (
                f"{name} {percent(before)} → {percent(after)}"
                for name, before, after in zip(_KINDS, full_errors, errors, strict=True)
            )
            self.summary_ += f": {', '.join(given_up)}"

    def _keep(self, chosen, path, n_features):
        self.path_ = path
        self.n_features_ = len(chosen)
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[chosen] = True
        order = [step.feature for step in path]
        rank = len(order) - len(chosen) + 2  # of the features that were never added
        self.ranking_ = np.full(n_features, rank)
        self.ranking_[order] = np.maximum(np.arange(len(order)) - len(chosen) + 2, 1)
        self.summary_ = f"{self.n_features_} of {n_features} features"

    def _n_to_select(self, n_features):
        """The number of features to select; None for "auto"."""
        value = self.n_features_to_select
        legal = f'"auto", an integer from 1 to n_features={n_features} or a fraction in (0, 1]'
        if isinstance(value, str) and value == "auto":
            return None
        whole = isinstance(value, numbers.Integral)
        most = n_features if whole else 1
        name = "n_features_to_select"
        check_number(value, name, legal, lambda number: 0 < number <= most)
        return int(value) if whole else max(1, int(n_features * value))

    def _most_samples(self, n_samples):
        """Samples whose matrix of distances fits into the memory."""
        memory = parse_bytes(self.memory_limit)
        samples = n_samples if memory is None else int(np.sqrt(memory / 8))
        if samples < _LEAST_SAMPLES and memory is not None:
            raise ValueError(
                f"memory_limit must hold distances of at least {_LEAST_SAMPLES} samples, "
                f"{8 * _LEAST_SAMPLES**2:,} bytes, got {self.memory_limit!r}."
            )
        return samples

    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples with the features of `fit`.

        Returns
        -------
        array of shape (n_samples, n_selected)
            The samples with the selected features alone.
        """
        check_mask(X, "X")
        return super().transform(X)

    def inverse_transform(self, X: ArrayLike) -> Any:
        """Put the selected features back in their places, beside zeros.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_selected)
            Samples with the selected features alone.

        Returns
        -------
        array of shape (n_samples, n_features)
            The samples with a column of zeros for every other feature.
        """
        check_mask(X, "X")
        return super().inverse_transform(X)

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        return tags
