"""SmartSVMCV: choose C and other parameters by cross-validation, sharing the work between them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from copy import copy
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _check_sample_weight

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_training_set
from smartsvm._core.clearly import is_clear
from smartsvm._core.parallel import parallel_results
from smartsvm._core.sources import read_labels
from smartsvm._core.types import Floats, Labels, MemoryLimit, PointsLike, RandomState
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_mask,
    describe,
    repeatable_seed,
)
from smartsvm.classifier.checked_input import rows_in_memory
from smartsvm.classifier.classifier import SmartSVM
from smartsvm.classifier.nodes.evidence import NODES
from smartsvm.classifier.prediction import PredictionMixin
from smartsvm.estimation.number_of_trees import SmallClassWarning
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy
from smartsvm.presentation.documentation import DocumentationLink
from smartsvm.presentation.progress import Progress

_DEFAULT_C = 1.0  # that of SmartSVM, which `gain_` is measured against
_TUNABLE = ("hierarchy", "nodes", "routing")
_SHARED = (*_TUNABLE, "solver", "class_weight", "n_trees", "memory_limit")


class SmartSVMCV(DocumentationLink, PredictionMixin, ClassifierMixin, BaseEstimator):
    """SmartSVM with C and other parameters chosen by cross-validation.

    For each fold the hierarchy, the spanning trees, the class Gaussians and the forest are
    computed once for all values of C, and every SVM starts from the solution for the previous
    C. `GridSearchCV` over `SmartSVM` computes them anew for each value.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C to try; an integer takes that many from 2^-8 to 2^10, evenly spaced on a
        logarithmic scale.
    candidates : dict of lists, default=None
        Values of "hierarchy", "nodes" and "routing" to try in all combinations with those of C.
        The parameters below give the others.
    cv : int, cross-validation splitter or iterable, default=None
        As in `GridSearchCV`; None for 5 stratified folds.
    scoring : str or callable, default=None
        Any scorer of scikit-learn, "adjusted_rand_score" for instance; None for the accuracy.
    hierarchy, nodes, solver, routing, class_weight : object
        As in `SmartSVM`; `nodes` is one of its names.
    bayes_error_samples, n_trees, memory_limit : object
        As in `SmartSVM`; only the last fit estimates Bayes errors.
    n_jobs : int or None, default=None
        Threads over the folds, and in the last fit.
    random_state : int, RandomState, Generator or None, default=0
        As in `SmartSVM`; one seed for all fits.
    verbose : int, default=0
        1 shows progress on standard error, and at the end whether tuning helped.

    Attributes
    ----------
    C_ : float
        The best value; the smallest C among equal scores.
    best_params_ : dict
        The best values of C and of `candidates`.
    best_score_ : float
        Their mean score over the folds.
    gain_ : float
        Their mean score less that of C = 1 with the parameters of this object; NaN if
        that combination was not tried. Nodes weight their evidence themselves, so there is
        often nothing to gain.
    gain_error_ : float
        Standard error of the gain over the folds. A gain below twice this is not significant.
    best_estimator_ : SmartSVM
        Fitted to all samples.
    Cs_ : ndarray of shape (n_Cs,)
        Values of C, increasing.
    scores_ : ndarray of shape (n_Cs, n_folds)
        Scores of the best candidate.
    cv_results_ : dict
        "params", "split_test_scores" (one row for each combination), "mean_test_score"
        and "std_test_score".
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features seen in `fit`, and their names if X had them as strings.

    See Also
    --------
    SmartSVM : The classifier itself.

    Notes
    -----
    All nodes use the same C. Combinations with the same hierarchy share its computation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import SmartSVMCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SmartSVMCV(Cs=[0.01, 1.0, 100.0], candidates={"routing": ["hard", "soft"]})
    >>> model.fit(X, y).scores_.shape
    (3, 5)
    >>> model.score(X, y) > 0.95
    True
    """

    C_: float
    best_params_: dict[str, Any]
    best_estimator_: SmartSVM
    scores_: Floats
    classes_: Labels

    def __init__(
        self,
        Cs: int | ArrayLike = 10,
        *,
        candidates: dict[str, Sequence[Any]] | None = None,
        cv: Any = None,
        scoring: str | Callable[..., float] | None = None,
        hierarchy: str | ClassHierarchy | Sequence[Any] = "auto",
        nodes: str = "evidence",
        solver: str = "auto",
        routing: str = "soft",
        class_weight: dict[Any, float] | str | None = None,
        bayes_error_samples: int | None = 0,
        n_trees: int | None = None,
        memory_limit: MemoryLimit = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.candidates = candidates
        self.cv = cv
        self.scoring = scoring
        self.hierarchy = hierarchy
        self.nodes = nodes
        self.solver = solver
        self.routing = routing
        self.class_weight = class_weight
        self.bayes_error_samples = bayes_error_samples
        self.n_trees = n_trees
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @own_arithmetic()
    def fit(self, X: PointsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score all combinations by cross-validation and fit the best one to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in all fits, as in `SmartSVM`; scores do not use them.

        Returns
        -------
        SmartSVMCV
            The fitted classifier itself.
        """
        X = rows_in_memory(X, self.memory_limit)
        y = read_labels(y)
        X_given = X  # with the names of the features, for the last fit
        X, y = check_training_set(self, X, y, accept_sparse="csr")
        check_jobs(self.n_jobs)
        self._seed = repeatable_seed(self.random_state)
        self.Cs_ = self._values_of_C()
        combinations = self._combinations()
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
        scorer = check_scoring(SmartSVM(), scoring=self.scoring)
        progress = Progress("folds", len(folds), check_int(self.verbose, "verbose", least=0))
        if sample_weight is not None:
            check_mask(sample_weight, "sample_weight")
            sample_weight = _check_sample_weight(sample_weight, X)
        tables = []
        problems = ((X, y, sample_weight, *fold, combinations, scorer) for fold in folds)
        with (
            warnings.catch_warnings(),
            parallel_results(self._score_fold, problems, self.n_jobs) as results,
        ):
            # The last fit warns once; folds have the same classes with fewer samples.
            warnings.simplefilter("ignore", SmallClassWarning)
            for table in results:
                tables.append(table)
                progress.update(len(tables))
        progress.close()
        scores = np.stack(tables, axis=-1)  # (combinations, Cs, folds)
        self._choose(combinations, scores)
        if self.verbose:
            print(self._summary_of_gain(), file=sys.stderr)
        settings = {"n_jobs": self.n_jobs, "bayes_error_samples": self.bayes_error_samples}
        self.best_estimator_ = self._model({**self.best_params_, **settings})
        self.best_estimator_.fit(X_given, y, sample_weight)
        self.classes_ = self.best_estimator_.classes_
        return self

    def _score_fold(self, X, y, sample_weight, train, test, combinations, scorer):
        """Scores of all combinations and all C on one fold, shape (combinations, Cs)."""
        weights = None if sample_weight is None else sample_weight[train]
        scores = np.empty((len(combinations), len(self.Cs_)))
        designs, trained = {}, {}
        for row, settings in enumerate(combinations):
            model = self._model({**settings, "C": float(self.Cs_[0])})
            # By identity: two hierarchies of the user may be equal.
            kind = id(settings["hierarchy"])
            if kind not in designs:
                model.n_features_in_ = X.shape[1]
                designs[kind] = model._design(X[train], y[train], weights)[0], model
            design, designed = designs[kind]
            starts = {}
            for column, C in enumerate(self.Cs_.tolist()):
                model = copy(designed).set_params(**settings, C=C)
                same = kind, settings["nodes"], settings["routing"], C
                trained[same] = model._train(design, starts, trained.get(same))
                scores[row, column] = scorer(model, X[test], y[test])
        return scores

    def _choose(self, combinations, scores):
        means = scores.mean(axis=-1)
        if np.isnan(means).all():
            raise ValueError(f"scoring={self.scoring!r} gave no number in any combination.")
        best, column = np.unravel_index(np.nanargmax(means), means.shape)
        self.C_ = float(self.Cs_[column])
        self.best_params_ = {"C": self.C_}
        if self.candidates:
            self.best_params_ |= {name: combinations[best][name] for name in self.candidates}
        self.best_score_ = float(means[best, column])
        self._compare_with_defaults(combinations, scores, scores[best, column])
        self.scores_ = scores[best]
        flat = scores.reshape(-1, scores.shape[-1])
        params = [
            {"C": C, **{name: settings[name] for name in self.candidates or {}}}
            for settings, C in product(combinations, self.Cs_.tolist())
        ]
        self.cv_results_ = {
            "params": params,
            "split_test_scores": flat,
            "mean_test_score": flat.mean(axis=1),
            "std_test_score": flat.std(axis=1),
        }

    def _compare_with_defaults(self, combinations, scores, chosen):
        def is_own(name, value):  # hierarchies of the user by identity
            default = getattr(self, name)
            return value is default or (isinstance(value, str) and value == default)

        rows = [
            row
            for row, settings in enumerate(combinations)
            if all(is_own(*item) for item in settings.items())
        ]
        columns = np.flatnonzero(np.isclose(self.Cs_, _DEFAULT_C, rtol=1e-12))
        self.gain_ = self.gain_error_ = np.nan
        if len(rows) and len(columns):
            gains = chosen - scores[rows[0], columns[0]]
            self.gain_ = float(gains.mean())
            if len(gains) > 1:
                self.gain_error_ = float(gains.std(ddof=1) / np.sqrt(len(gains)))

    def _summary_of_gain(self):
        """One line that says whether tuning was worth its time."""
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.best_params_.items())
        score = f"{chosen} scores {self.best_score_:.4f}"
        if np.isnan(self.gain_):
            return f"{score}; C=1 was not among the values tried."
        gain = f"{self.gain_:+.4f} ± {self.gain_error_:.4f} over C=1"
        if is_clear(self.gain_, self.gain_error_):  # false for the NaN of a single fold
            return f"{score}, {gain}."
        return f"{score}, {gain}: no significant gain."

    def _model(self, settings):
        """A classifier with these settings and otherwise those of this object, one thread."""
        shared = {name: getattr(self, name) for name in _SHARED}
        return SmartSVM(**{"random_state": self._seed, **shared, **settings})

    def _values_of_C(self):
        if isinstance(self.Cs, int | np.integer):
            return np.geomspace(2.0**-8, 2.0**10, check_int(self.Cs, "Cs", least=1))
        try:
            values = np.asarray(self.Cs, dtype=float)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.ndim != 1 or not len(values) or not (np.isfinite(values) & (values > 0)).all():
            raise ValueError(
                "Cs must be a list of positive numbers, or an integer for how many, got "
                f"{describe(self.Cs)}."
            )
        return np.unique(values)

    def _combinations(self):
        candidates = {} if self.candidates is None else self.candidates
        if not isinstance(candidates, dict) or set(candidates) - set(_TUNABLE):
            raise ValueError(
                f"candidates must be a dict of lists for some of {list(_TUNABLE)}, got "
                f"{describe(candidates)}."
            )
        fixed = {name: [getattr(self, name)] for name in _TUNABLE if name not in candidates}
        choices = {**fixed, **candidates}
        for name, values in choices.items():
            if not isinstance(values, list | tuple | np.ndarray) or not len(values):
                raise ValueError(
                    f"candidates[{name!r}] must be a list of at least one value, "
                    f"got {describe(values)}."
                )
        for nodes in choices["nodes"]:
            check_choice(nodes, "nodes", NODES)
        return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
