"""Selection of features by Bayes error, before any classifier is trained."""

from __future__ import annotations

import numbers
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_labels, check_training_set
from smartsvm._core.points import Points, scale_points
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.types import Bools, Floats, MemoryLimit, RandomState
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_number,
    check_share,
    tie_seed,
    warn,
)
from smartsvm.estimation.number_of_trees import check_n_trees
from smartsvm.held_out.extra_trees import extra_trees_out_of_bag
from smartsvm.held_out.registry import NEIGHBORS
from smartsvm.presentation.documentation import DocumentationLink
from smartsvm.presentation.wording import percent
from smartsvm.selection._distance_sums import add_squared_differences
from smartsvm.selection.feature_search import DIRECTIONS, FeatureSearch, SearchStep
from smartsvm.selection.judgement import JUDGES, held_out_judgement
from smartsvm.selection.search_criteria import CRITERIA, make_criterion
from smartsvm.trees.tree_plan import parse_bytes

# Samples that a search needs: the trees of fewer have too few edges to rank features by.
_LEAST_SAMPLES = 32
# Trees behind the decision to stop: averages of three are about half as noisy as one.
_TREES_TO_STOP = 3
# Samples behind the scores of pairs of features, of which there are d(d - 1)/2.
_SCREENED = 500
# The errors that `summary_` lists, in this order.
_IN_SUMMARY = "held-out error", "LDA", "forest"
# A classifier counts as better than the baseline if its error is 3 standard errors below it.
_BEYOND_CHANCE = 3


class BayesErrorSelector(DocumentationLink, SelectorMixin, BaseEstimator):
    """Select the features on which the classes are easiest to tell apart.

    A greedy search adds or removes one feature at a time by the estimated Bayes error on the
    chosen features. By default it keeps the fewest features with which quick classifiers together,
    LDA alone and a random forest do about as well as with more. `summary_` says what each gives up.

    Distances are Euclidean: scale the features first, as for k nearest neighbours.

    Parameters
    ----------
    n_features_to_select : "auto", int or float, default="auto"
        How many features to keep: as many as classifiers need, a number, or a fraction.
    direction : {"forward", "backward", "floating"}, default="forward"
        Add features to none, remove them from all, or add them and, after each
        addition, remove those without which the score is better than any with so few.
    criterion : {"multiclass", "mean_pair", "worst_pair", "knn"}, default="multiclass"
        What to minimise: the upper bound R/n of the multiclass error; the mean or
        the largest normalised HP-estimate of the pairs of classes; or the leave-one-out
        error of k nearest neighbours.
    n_trees : int or "auto", default="auto"
        Orthogonal trees of the first three criteria. "auto" takes three if
        `n_features_to_select` is "auto", because they are about half as noisy, and one
        otherwise, which is two to three times as fast.
    n_neighbors : int, default=5
        Neighbours of "knn".
    alpha : float, default=0.05
        Chance that a step of "auto" takes a feature without information, whatever the number of
        candidates. Features that lower held-out errors only together are not tested.
    memory_limit : int, str or None, default="48 MiB"
        Bytes for matrices of distances; None for no limit. A stratified subsample replaces more
        samples than fit.
    n_jobs : int or None, default=None
        Threads over candidates.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances, of permutations and of the subsample.
    verbose : int, default=0
        1 names each step on standard error.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Mask of the chosen features.
    ranking_ : ndarray of shape (n_features,)
        1 for the chosen features; the others by the end of the search, the last one removed or
        rejected first. Features that a forward search never chose share the last rank.
    path_ : list of SearchStep
        The steps: ``feature``, ``added``, ``n_features``, ``score``, ``standard_error``,
        and with "auto" the ``held_out_error``, ``linear_error`` and ``forest_error``, the ``noise``
        of the score for permuted values of the feature and the ``bar`` that it had to be below.
    scores_ : ndarray of shape (n_steps,)
        Scores along the path.
    standard_errors_ : ndarray of shape (n_steps,)
        Their standard errors, over new samples.
    held_out_error_ : float
        With "auto", the leave-one-out error on the chosen features of k nearest neighbours, LDA,
        Gaussian classes and kernel ridge, combined into one posterior.
    full_error_ : float
        The same on all features: what is given up is ``held_out_error_ - full_error_``.
    linear_error_, full_linear_error_, forest_error_, full_forest_error_ : float
        The same of LDA alone, and the out-of-bag errors of randomised trees.
    loss_limit_ : float
        Accuracy that any other classifier loses at most, in about 95% of cases: the most that one
        of those above gives up, alone or combined, at least 0, plus two standard errors.
    summary_ : str
        How many features are kept, and with "auto" these errors, from all features to those kept.
    refused_ : SearchStep or None
        The next step, which "auto" did not take, if there is one.
    interrupted_ : bool
        Whether Ctrl-C ended the search. `fit` keeps the best features so far, then raises
        KeyboardInterrupt.
    n_samples_used_ : int
        Samples that the search used.
    n_features_ : int
        Number of chosen features.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features seen in `fit`, and their names if X had them as strings.

    Notes
    -----
    **Cost.** Squared distances add over features. The search keeps their n × n sum over the
    chosen features, and a candidate costs one pass over it for each tree. Forward selection of m of
    d features takes at most O(n_trees · n² · m · d) time and one matrix of 8n² bytes, two with
    "auto": 48 MiB hold 2,508 or 1,773 samples. The other directions need log2 d + 2 matrices.

    **When "auto" stops.** A feature must help beyond the noise of permuted values, two at once
    where none does alone (XOR, up to 64 features), or lower the held-out errors together with
    others; the user guide has the rules.

    The scores and errors are the smallest of many, so they are optimistic. Estimate the error on
    other samples if the number itself matters.

    References
    ----------
    .. [1] V. Berisha, A. Wisler, A. O. Hero and A. Spanias (2016), Empirically
       estimable classification bounds based on a nonparametric divergence measure.
    .. [2] P. Pudil, J. Novovičová and J. Kittler (1994), Floating search methods in
       feature selection.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import BayesErrorSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> noise = np.random.default_rng(0).normal(size=(150, 6))
    >>> selector = BayesErrorSelector().fit(np.hstack([noise, X]), y)
    >>> selector.get_support(indices=True).tolist()
    [7, 8, 9]
    >>> selector.summary_.split(", ")[0]
    '3 of 10 features: held-out error 2% → 2.7%'
    """

    support_: Bools
    path_: list[SearchStep]
    scores_: Floats

    def __init__(
        self,
        n_features_to_select: str | float = "auto",
        *,
        direction: str = "forward",
        criterion: str = "multiclass",
        n_trees: int | str = "auto",
        n_neighbors: int = 5,
        alpha: float = 0.05,
        memory_limit: MemoryLimit = "48 MiB",
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.direction = direction
        self.criterion = criterion
        self.n_trees = n_trees
        self.n_neighbors = n_neighbors
        self.alpha = alpha
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
        check_choice(self.direction, "direction", DIRECTIONS)
        check_choice(self.criterion, "criterion", CRITERIA)
        _, codes = check_labels(y, n_samples=len(X))
        n_to_select = self._n_to_select(X.shape[1])
        seed = tie_seed(self.random_state)
        most = max(self._most_samples(X, n_to_select), codes.max() + 1)
        rows = stratified_rows(codes, most, seed)
        points = scale_points(X[rows]).values
        codes = codes[rows]
        criterion = make_criterion(
            self.criterion,
            codes,
            n_trees=self._trees(n_to_select),
            n_neighbors=check_int(self.n_neighbors, "n_neighbors", least=1),
            seed=seed,
        )
        baseline = 1 - np.bincount(codes).max() / len(codes)
        search = FeatureSearch(
            np.ascontiguousarray(points.T),
            criterion,
            alpha=check_share(self.alpha, "alpha"),
            random=np.random.default_rng(seed),
            judge=self._judge(points, codes, seed),
            poor_error=baseline - _BEYOND_CHANCE * np.sqrt(baseline * (1 - baseline) / len(codes)),
            screen=self._screen(points, codes, seed),
            n_jobs=check_jobs(self.n_jobs),
            verbose=check_int(self.verbose, "verbose", least=0),
        )
        search.run(self.direction, n_to_select)
        self._keep(search, X.shape[1])
        self.n_samples_used_ = len(rows)
        if search.interrupted:
            # The selector is fitted, but a loop around this call has to end too.
            raise KeyboardInterrupt(
                f"the search was interrupted; the selector keeps the {self.n_features_} features "
                "of the last step"
            )

    def _keep(self, search, n_features):
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[search.chosen] = True
        self.n_features_ = len(search.chosen)
        self.path_ = search.path
        self.refused_ = search.refused
        self.scores_ = np.array([step.score for step in search.path])
        self.standard_errors_ = np.array([step.standard_error for step in search.path])
        self.interrupted_ = search.interrupted
        errors = search.path[-1][-3:]
        self.held_out_error_, self.linear_error_, self.forest_error_ = errors
        full, self.loss_limit_ = search.full_errors, search.loss_limit
        self.full_error_, self.full_linear_error_, self.full_forest_error_ = full
        self.summary_ = f"{self.n_features_} of {n_features} features"
        if not np.isnan(self.full_error_):
            given_up = ", ".join(
                f"{name} {percent(before)} → {percent(after)}"
                for name, before, after in zip(_IN_SUMMARY, full, errors, strict=True)
            )
            limit = f"others may lose {100 * self.loss_limit_:.2g} points"
            self.summary_ += f": {given_up}; {limit}"
        last = {step.feature: place for place, step in enumerate(search.path)}
        if search.refused is not None:
            last[search.refused.feature] = len(search.path)
        place = np.array([last.get(j, -1) for j in range(n_features)])
        place[self.support_] = len(search.path) + 1
        self.ranking_ = np.unique(-place, return_inverse=True)[1].ravel() + 1
        first = search.path[0]
        if first.added and first.feature >= 0 and first.score >= first.bar:
            warn(
                "No feature or pair helps beyond noise; the search went on from the best feature, "
                f"number {first.feature}.",
                UserWarning,
            )

    def _judge(self, points, codes, seed):
        """A function that gives the held-out mistakes of quick classifiers on some features."""

        missing = np.ones(len(codes))
        work = {"seed": seed, "n_jobs": self.n_jobs}

        def judge(features):
            inside = np.ascontiguousarray(points[:, sorted(features)])
            wrong, of_each = held_out_judgement(Points(inside), codes, **work)
            linear, *others = (of_each.get(name, missing) for name in (*JUDGES, NEIGHBORS))
            trees = extra_trees_out_of_bag(inside, codes, int(codes.max()) + 1, **work)
            return wrong, linear, trees.wrong[0], *others

        return judge

    def _screen(self, points, codes, seed):
        """The score of one tree over a pair of features, on a part of the samples."""
        rows = stratified_rows(codes, max(_SCREENED, codes.max() + 1), seed)
        columns = np.ascontiguousarray(points[rows].T)
        criterion = make_criterion(
            self.criterion, codes[rows], n_trees=1, n_neighbors=self.n_neighbors, seed=seed
        )

        def screen(pair):
            first, second = columns[list(pair)]
            matrix = np.zeros((len(rows), len(rows)))
            add_squared_differences(matrix, first, matrix)
            return criterion.score(matrix, second, first[:, None])

        return screen

    def _trees(self, n_to_select):
        n_trees = check_n_trees(self.n_trees)
        if n_trees != "auto":
            return n_trees
        return _TREES_TO_STOP if n_to_select is None else 1

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

    def _most_samples(self, X, n_to_select):
        """Samples whose matrices fit into the memory."""
        memory = parse_bytes(self.memory_limit)
        if memory is None:
            return len(X)
        matrices = 1 + (n_to_select is None)
        if self.direction != "forward":
            matrices = 2 + int(np.ceil(np.log2(X.shape[1])))
        samples = int(np.sqrt(memory / 8 / matrices))
        if samples < _LEAST_SAMPLES:
            raise ValueError(
                f"memory_limit must hold distances of at least {_LEAST_SAMPLES} samples, "
                f"{8 * matrices * _LEAST_SAMPLES**2:,} bytes, got {self.memory_limit!r}."
            )
        return samples

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        return tags
