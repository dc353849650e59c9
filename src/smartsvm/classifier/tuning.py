"""SmartSVMCV: choose C, and more if asked, without doing the same work twice."""

from __future__ import annotations

import sys
import warnings
from copy import copy
from itertools import product

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from smartsvm._core.parallel import parallel_results
from smartsvm._core.progress import Progress
from smartsvm._core.sources import read_labels
from smartsvm._core.validation import (
    check_int,
    check_jobs,
    check_training_set,
    describe,
    repeatable_seed,
)
from smartsvm.classifier.checked_input import rows_in_memory
from smartsvm.classifier.classifier import SmartSVM
from smartsvm.estimation.forest_counts import SmallClassWarning

_DEFAULT_C = 1.0
_TUNABLE = ("hierarchy", "error_graph", "nodes", "routing")


def _is_soft(model):
    chosen = getattr(model, "best_estimator_", model)
    return chosen.routing == "soft"


class SmartSVMCV(ClassifierMixin, BaseEstimator):
    """SmartSVM with C, and more if asked, chosen by cross-validation.

    For each fold the hierarchy, the spanning trees, the class Gaussians and the forest
    are computed once for all values of C, and every machine starts where that of the C
    before ended. `GridSearchCV` over `SmartSVM` finds the same, only more slowly.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C to try; an integer takes that many from 2^-8 to 2^10, evenly on a
        logarithmic scale.
    candidates : dict of lists, default=None
        Values of "hierarchy", "error_graph", "nodes" and "routing" to try in all
        combinations, besides those of C. What is not named is as below.
    cv : int, cross-validation splitter or iterable, default=None
        As in `GridSearchCV`; None for 5 stratified folds.
    scoring : str or callable, default=None
        Any scorer of scikit-learn, "adjusted_rand_score" for instance; None for
        the accuracy.
    hierarchy : str, ClassHierarchy or nested lists of two, default="centroids"
        As in `SmartSVM`.
    error_graph : {"pairs", "tree"}, default="pairs"
        As in `SmartSVM`.
    nodes : {"evidence", "forest", "linear", "quadratic"}, default="evidence"
        As in `SmartSVM`.
    solver : {"auto", "newton", "liblinear"}, default="auto"
        As in `SmartSVM`.
    routing : {"soft", "hard"}, default="soft"
        As in `SmartSVM`.
    class_weight : dict, "balanced" or None, default=None
        As in `SmartSVM`.
    bayes_error_samples : int or None, default=2000
        As in `SmartSVM`; only the last fit estimates these errors.
    n_trees : int or None, default=None
        As in `SmartSVM`.
    memory_limit : int, str or None, default=None
        As in `SmartSVM`.
    n_jobs : int or None, default=None
        Threads over the folds, and inside the last fit.
    random_state : int, RandomState, Generator or None, default=0
        As in `SmartSVM`; one seed for all fits.
    verbose : int, default=0
        1 shows progress of long work on standard error, and at its end whether tuning gained
        anything.

    Attributes
    ----------
    C_ : float
        The value chosen: of equal scores the smallest C; NaN is never the
        best.
    best_params_ : dict
        C and the values of `candidates` chosen.
    best_score_ : float
        Their mean score over the folds.
    gain_ : float
        How much better their mean score is than that of C = 1 with the other parameters
        as given to this object; NaN if that combination was not tried. Nodes weigh
        their evidence themselves, so that there is often nothing to gain.
    gain_error_ : float
        Standard error of the gain, from its differences over the folds. A gain of less
        than twice that is none.
    best_estimator_ : SmartSVM
        Fitted to all samples.
    Cs_ : ndarray of shape (n_Cs,)
        Values of C, increasing.
    scores_ : ndarray of shape (n_Cs, n_folds)
        Scores of the chosen candidate.
    cv_results_ : dict
        "params", "split_test_scores" (one row for each combination), "mean_test_score"
        and "std_test_score".
    classes_ : ndarray of shape (K,)
        The labels.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if X had them as strings.

    See Also
    --------
    SmartSVM : The classifier itself.

    Notes
    -----
    The same C is used at all nodes. Combinations that share hierarchy and trees share
    their computation; those that differ in the routing alone share the machines too.

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

    def __init__(
        self,
        Cs=10,
        *,
        candidates=None,
        cv=None,
        scoring=None,
        hierarchy="centroids",
        error_graph="pairs",
        nodes="evidence",
        solver="auto",
        routing="soft",
        class_weight=None,
        bayes_error_samples=2000,
        n_trees=None,
        memory_limit=None,
        n_jobs=None,
        random_state=0,
        verbose=0,
    ):
        self.Cs = Cs
        self.candidates = candidates
        self.cv = cv
        self.scoring = scoring
        self.hierarchy = hierarchy
        self.error_graph = error_graph
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

    def fit(self, X, y, sample_weight=None):
        """Score all combinations by cross-validation, and train the best on all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples in all fits, as in `SmartSVM`; scores know no weights.

        Returns
        -------
        SmartSVMCV
            The fitted classifier itself.
        """
        X, y = rows_in_memory(X, self.memory_limit), read_labels(y)
        given = X  # the splitter and the scorers see validated rows, the last fit the names
        X, y = check_training_set(self, X, y, accept_sparse="csr")
        check_jobs(self.n_jobs)
        self._seed = repeatable_seed(self.random_state)
        self.Cs_ = self._values_of_C()
        combinations = self._combinations()
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
        scorer = check_scoring(SmartSVM(), scoring=self.scoring)
        progress = Progress("folds", len(folds), check_int(self.verbose, "verbose", least=0))
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        tables = []
        problems = ((X, y, sample_weight, *fold, combinations, scorer) for fold in folds)
        with (
            warnings.catch_warnings(),
            parallel_results(self._score_fold, problems, self.n_jobs) as results,
        ):
            # The last fit says it once; folds only have fewer samples of the same classes.
            warnings.simplefilter("ignore", SmallClassWarning)
            for table in results:
                tables.append(table)
                progress.update(len(tables))
        progress.close()
        scores = np.stack(tables, axis=-1)  # (combinations, Cs, folds)
        self._choose(combinations, scores)
        if self.verbose:
            print(self._what_tuning_brings(), file=sys.stderr)
        self.best_estimator_ = self._model(self.best_params_).set_params(n_jobs=self.n_jobs)
        self.best_estimator_.set_params(bayes_error_samples=self.bayes_error_samples)
        self.best_estimator_.fit(given, y, sample_weight)
        self.classes_ = self.best_estimator_.classes_
        return self

    def predict(self, X):
        """Labels by the best classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    @available_if(_is_soft)
    def predict_proba(self, X):
        """Class probabilities by the best classifier; see `SmartSVM.predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K)
            Probabilities in the order of ``classes_``.
        """
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def decision_function(self, X):
        """Scores by the best classifier; see `SmartSVM.decision_function`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K), or (n_samples,) for two classes
            Scores whose largest is the prediction.
        """
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def _score_fold(self, X, y, sample_weight, train, test, combinations, scorer):
        """Scores of all combinations and all C on one fold, shape (combinations, Cs)."""
        weights = None if sample_weight is None else sample_weight[train]
        scores = np.empty((len(combinations), len(self.Cs_)))
        designs, known = {}, {}
        for row, settings in enumerate(combinations):
            model = self._model({**settings, "C": float(self.Cs_[0])})
            # By identity: two hierarchies of one's own may look alike.
            kind = id(settings["hierarchy"]), settings["error_graph"]
            if kind not in designs:
                model.n_features_in_ = X.shape[1]
                designs[kind] = model._design(X[train], y[train], weights), model
            design, designed = designs[kind]
            starts = {}
            for column, C in enumerate(self.Cs_.tolist()):
                model = copy(designed).set_params(**settings, C=C)
                same = kind, settings["nodes"], settings["routing"], C
                known[same] = model._train(design, starts, known.get(same))
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
        named = self.candidates or {}
        self.cv_results_ = {
            "params": [
                {"C": C, **{name: settings[name] for name in named}}
                for settings, C in product(combinations, self.Cs_.tolist())
            ],
            "split_test_scores": flat,
            "mean_test_score": flat.mean(axis=1),
            "std_test_score": flat.std(axis=1),
        }

    def _compare_with_defaults(self, combinations, scores, chosen):
        own = {name: getattr(self, name) for name in _TUNABLE}
        rows = [i for i, each in enumerate(combinations) if _same(each, own)]
        columns = np.flatnonzero(np.isclose(self.Cs_, _DEFAULT_C, rtol=1e-12))
        self.gain_ = self.gain_error_ = np.nan
        if rows and len(columns):
            gains = chosen - scores[rows[0], columns[0]]
            self.gain_ = float(gains.mean())
            if len(gains) > 1:
                self.gain_error_ = float(gains.std(ddof=1) / np.sqrt(len(gains)))

    def _what_tuning_brings(self):
        """One line for a user who is watching: was it worth the time?"""
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.best_params_.items())
        found = f"{chosen} scores {self.best_score_:.4f}"
        if np.isnan(self.gain_):
            return f"{found}; C=1 was not among the values tried."
        gain = f"{self.gain_:+.4f} ± {self.gain_error_:.4f} over C=1"
        # The standard error of one fold is NaN, and then nothing is sure.
        if self.gain_ > 2 * self.gain_error_:
            return f"{found}, {gain}."
        return f"{found}, {gain}: tuning gained nothing that is sure."

    def _model(self, settings):
        """A classifier with these settings and otherwise the ones of this object, one thread."""
        shared = (
            *_TUNABLE,
            "solver",
            "class_weight",
            "n_trees",
            "memory_limit",
        )
        own = {name: getattr(self, name) for name in shared}
        return SmartSVM(random_state=self._seed, bayes_error_samples=0, **{**own, **settings})

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
        return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = (
            not isinstance(self.hierarchy, str) or self.hierarchy == "centroids"
        )
        return tags


def _same(settings, others):
    """Whether two settings name the same values; hierarchies of one's own by identity."""
    return all(
        value is others[name] or (isinstance(value, str) and value == others[name])
        for name, value in settings.items()
    )
