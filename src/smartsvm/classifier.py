"""SmartSVM: a hierarchy of binary classifiers that follows the Bayes errors of the classes."""

from __future__ import annotations

import threading

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from smartsvm._validation import check_square
from smartsvm.bayes_error import pairwise_bayes_error
from smartsvm.hierarchy import class_hierarchy

# LibLinear's dual solver draws from one random state a process: two fits at the same
# time disturb each other's seeds. The primal solver draws nothing.
_DUAL_SOLVER = threading.Lock()

# Classifiers whose decision is X @ coef_.T + intercept_: their nodes share one product.
_LINEAR = (LinearSVC, LogisticRegression, RidgeClassifier, SGDClassifier)

_MARGINS_AT_ONCE = 1 << 22


class SmartSVM(ClassifierMixin, BaseEstimator):
    """Hierarchical multiclass classifier designed from estimated Bayes errors.

    The Bayes error of every pair of classes is estimated from spanning trees; the
    graph of these errors is cut recursively, the easiest separations first; and a
    binary classifier, by default a linear support vector machine, is trained for
    each of the K - 1 cuts [1]_.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the regularisation of the linear SVMs; not used with
        `estimator`.
    estimator : scikit-learn classifier, default=None
        Binary classifier to clone for each node. By default LibLinear's linear SVM
        with squared hinge loss, solved in the primal if a node has at least as many
        samples as features.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, passed to the nodes as sample weights.
    n_trees : int, default=3
        Orthogonal spanning trees behind each pairwise error.
    error_matrix : array-like of shape (K, K), default=None
        Pairwise errors to use instead of estimating them; rows in the order of
        ``classes_``. It is not written to.
    n_jobs : int or None, default=None
        Threads for the trees and for the nodes.
    random_state : int, RandomState or None, default=0
        Seed of the order among equal distances and of the node classifiers.
    verbose : int, default=0
        1 shows progress of long work on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    pairwise_error_ : ndarray of shape (K, K)
        Normalised pairwise errors, estimated or given.
    hierarchy_ : ClassHierarchy
        The binary problems.
    estimators_ : list of K - 1 classifiers
        The fitted classifier of each node; class 1 is the right side.
    coef_ : ndarray of shape (K - 1, n_features)
        Weights of the nodes, if all of them are linear.
    intercept_ : ndarray of shape (K - 1,)
        Intercepts of the nodes, if all of them are linear.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them as strings.

    Notes
    -----
    `fit` takes no `sample_weight`: weighting a sample is not the same as repeating
    it for the trees. Use `class_weight`.

    References
    ----------
    .. [1] G. J. J. van den Burg and A. O. Hero (2017), Fast meta-learning for
       adaptive hierarchical classifier design.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import SmartSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SmartSVM().fit(X, y)
    >>> print(model.hierarchy_)
    0 | 1 2   (cut 0.0301)
    ├── 0
    └── 1 | 2   (cut 0.122)
        ├── 1
        └── 2
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(
        self,
        C=1.0,
        *,
        estimator=None,
        class_weight=None,
        n_trees=3,
        error_matrix=None,
        n_jobs=None,
        random_state=0,
        verbose=0,
    ):
        self.C = C
        self.estimator = estimator
        self.class_weight = class_weight
        self.n_trees = n_trees
        self.error_matrix = error_matrix
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Estimate the pairwise errors, cut the hierarchy and train its nodes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.

        Returns
        -------
        SmartSVM
            The fitted classifier itself.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(
                f"y must hold at least 2 classes, got {n_classes} class: {self.classes_.tolist()}."
            )
        self.pairwise_error_ = self._pairwise_error(X, y, n_classes)
        self.hierarchy_ = class_hierarchy(self.pairwise_error_, classes=self.classes_)
        weights = None
        if self.class_weight is not None:
            weights = compute_sample_weight(self.class_weight, y)
        n_nodes = self.hierarchy_.n_nodes
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=n_nodes)
        self.estimators_ = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_fit_node)(self._node_estimator(seed), X, codes, side, weights)
            for seed, side in zip(seeds, self.hierarchy_.sides, strict=True)
        )
        self._gather_linear_nodes()
        return self

    def predict(self, X):
        """Labels of the classes reached by going down the hierarchy.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        X = self._validated(X)
        reached = np.empty(len(X), dtype=np.intp)
        for rows in self._row_blocks(len(X)):
            margin_of_node = self._margins_by_node(X[rows])
            waiting = {0: np.arange(rows.stop - rows.start)}
            for node, (left, right) in enumerate(self.hierarchy_.children.tolist()):
                here = waiting.pop(node)
                goes_right = margin_of_node(node, here) > 0
                for child, moved in ((left, here[~goes_right]), (right, here[goes_right])):
                    if child >= 0:
                        waiting[child] = moved
                    else:
                        reached[rows][moved] = ~child
        return self.classes_[reached]

    def decision_function(self, X):
        """Smallest signed margin on the way to each class; `predict` takes the largest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K), or (n_samples,) for two classes
            A positive value means that every node on the way decides for the class.
        """
        X = self._validated(X)
        scores = np.empty((len(X), len(self.classes_)))
        for rows in self._row_blocks(len(X)):
            everyone = np.arange(rows.stop - rows.start)
            margin_of_node = self._margins_by_node(X[rows])
            weakest = {0: np.full(len(everyone), np.inf)}
            for node, pair in enumerate(self.hierarchy_.children.tolist()):
                so_far = weakest.pop(node)
                margin = margin_of_node(node, everyone)
                # A margin of 0 goes left, so it counts as the smallest positive number there.
                to_left = np.where(margin == 0, np.finfo(float).smallest_subnormal, -margin)
                for child, signed in zip(pair, (to_left, margin), strict=True):
                    if child >= 0:
                        weakest[child] = np.minimum(so_far, signed)
                    else:
                        scores[rows, ~child] = np.minimum(so_far, signed)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def _pairwise_error(self, X, y, n_classes):
        if self.error_matrix is None:
            return pairwise_bayes_error(
                X,
                y,
                n_trees=self.n_trees,
                n_jobs=self.n_jobs,
                random_state=self.random_state,
                verbose=self.verbose,
            ).value
        errors = check_square(self.error_matrix, "error_matrix")
        if len(errors) != n_classes:
            raise ValueError(
                f"error_matrix must have one row for each of the {n_classes} classes of y, "
                f"got shape {errors.shape}."
            )
        return errors.copy()

    def _node_estimator(self, seed):
        if self.estimator is None:
            return LinearSVC(C=self.C, dual="auto", random_state=int(seed))
        node = clone(self.estimator)
        if "random_state" in node.get_params() and node.get_params()["random_state"] is None:
            node.set_params(random_state=int(seed))
        if self.class_weight is not None and not has_fit_parameter(node, "sample_weight"):
            raise ValueError(
                f"class_weight={self.class_weight!r} needs an estimator whose fit takes "
                f"sample_weight, got estimator={node!r}."
            )
        return node

    def _gather_linear_nodes(self):
        """Stack the nodes' weights, so that one product gives all margins."""
        for name in ("coef_", "intercept_"):
            if hasattr(self, name):  # of an earlier fit
                delattr(self, name)
        if all(isinstance(node, _LINEAR) for node in self.estimators_):
            self.coef_ = np.vstack([node.coef_ for node in self.estimators_])
            self.intercept_ = np.concatenate(
                [np.broadcast_to(node.intercept_, 1) for node in self.estimators_]
            )

    def _margins_by_node(self, X):
        """A function (node, rows) -> margins, positive for the right side."""
        if hasattr(self, "coef_"):
            margins = X @ self.coef_.T + self.intercept_
            return lambda node, rows: margins[rows, node]
        return lambda node, rows: _margin(self.estimators_[node], X[rows])

    def _row_blocks(self, n_samples):
        step = max(1, _MARGINS_AT_ONCE // self.hierarchy_.n_nodes)
        return [slice(i, min(i + step, n_samples)) for i in range(0, n_samples, step)]

    def _validated(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)


def _fit_node(estimator, X, codes, side, weights):
    """Train one node on the samples of its classes; class 1 is the right side."""
    target = side[codes]
    rows = np.flatnonzero(target)
    fit_params = {} if weights is None else {"sample_weight": weights[rows]}
    if len(rows) < len(X):
        X, target = X[rows], target[rows]
    target = (target > 0).astype(np.intp)
    if isinstance(estimator, LinearSVC) and estimator.dual is not False:
        if estimator.dual == "auto" and len(X) >= X.shape[1]:
            return estimator.fit(X, target, **fit_params)
        with _DUAL_SOLVER:
            return estimator.fit(X, target, **fit_params)
    return estimator.fit(X, target, **fit_params)


def _margin(estimator, X):
    """Signed evidence for class 1 of a fitted binary classifier."""
    if not len(X):
        return np.empty(0)
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, 1] - 0.5
    return estimator.predict(X) - 0.5
