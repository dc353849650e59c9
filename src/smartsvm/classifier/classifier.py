"""SmartSVM: a hierarchy of binary classifiers that follows the Bayes errors of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.documentation import DocumentationLink
from smartsvm._core.sources import read_labels
from smartsvm._core.types import Floats, Labels, MemoryLimit, Points, RandomState
from smartsvm._core.validation import check_training_set, repeatable_seed
from smartsvm.classifier.checked_input import (
    check_row_weights,
    check_settings,
    check_size,
    rows_in_memory,
)
from smartsvm.classifier.hierarchy_choice import HierarchyChoice
from smartsvm.classifier.nodes.design import NodeDesign
from smartsvm.classifier.nodes.errors import NodeErrors
from smartsvm.classifier.nodes.estimators import fit_estimators
from smartsvm.classifier.nodes.evidence import NODES, LinearSVMs
from smartsvm.classifier.nodes.training import TrainedNode, train_nodes
from smartsvm.classifier.prediction import PredictionMixin, is_probabilistic
from smartsvm.classifier.routing import EstimatorRouter, EvidenceRouter, LinearRouter
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy


class SmartSVM(DocumentationLink, PredictionMixin, ClassifierMixin, BaseEstimator):
    """Hierarchical multiclass classifier designed from estimated Bayes errors.

    The classes are split in two again and again, and a binary classifier is trained for each
    of the K - 1 splits [1]_. Classes that the estimates cannot tell apart stay together until
    late. The defaults go beyond the paper: nodes add up several kinds of evidence, weighted by
    their worth on held-out samples, and probabilities are multiplied along the paths.

    The most accurate mode is ``SmartSVM(nodes="forest")``. The method of the paper is
    ``SmartSVM(hierarchy="min-cut", nodes="linear", routing="hard", solver="liblinear")``.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the regularisation of the SVMs; not used with `estimator`.
    hierarchy : str, ClassHierarchy or nested lists of two, default="auto"
        "min-cut" cuts the graph of errors, as in the paper. "bayes-error" searches for
        balanced splits of least exact Bayes error per bit. "centroids" halves the whitened
        class centroids by 2-means, without spanning trees. "auto" cuts the errors in one tree
        of about 2,000 samples, and takes "centroids" for sparse X and more than 200 classes. A
        hierarchy of your own may hold more classes than y.
    error_graph : {"pairs", "tree"}, default="pairs"
        What "min-cut" cuts: the Bayes errors of all pairs (the paper), or those in the
        one tree over all classes, which are cheaper for many classes.
    error_matrix : array-like of shape (K, K), default=None
        Errors to cut instead of estimates, with "auto" and "min-cut"; rows in the order of
        ``classes_``.
    nodes : {"evidence", "forest", "linear", "quadratic"}, default="evidence"
        What decides at a node. "evidence": the weighted sum of a linear SVM, a quadratic
        SVM where that is not enough, Gaussian classes, and LDA for 32 classes or more, unless
        samples have weights. "forest": the same with the votes of one forest that all nodes
        share; more accurate and slower. "linear": a linear SVM (the paper). "quadratic": an
        SVM in products of two features.
    solver : {"auto", "newton", "liblinear"}, default="auto"
        What trains the SVMs; both reach the same optimum. "auto" takes Newton's method
        for dense points of at most 1024 features, where it is faster, else LibLinear.
    routing : {"soft", "hard"}, default="soft"
        "hard" follows the decision of each node (the paper); "soft" multiplies the
        probabilities along the path to each class and takes the largest product.
    estimator : scikit-learn classifier, default=None
        Binary classifier to clone for each node instead.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    bayes_error_samples : int or None, default=2000
        Size of the stratified subsample behind ``bayes_errors_``; None for all samples, 0 for
        no estimates. The classifier keeps these samples until it needs them.
    n_trees : int or None, default=None
        Orthogonal spanning trees behind each Bayes error. None means 3 for the graph of
        pairs, as in the paper, and 1 elsewhere.
    memory_limit : int, str or None, default=None
        Bytes for the trees, "4 GiB" for instance: larger ones are built in blocks, with the
        same result. Points on disk or in a Dask array are read for the nodes and must fit.
    n_jobs : int or None, default=None
        Threads; they do not change the result.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances, of the forest and of the node classifiers.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    hierarchy_ : ClassHierarchy
        The binary problems.
    nodes_ : list of K - 1 TrainedNode
        Size, held-out error, weights of the evidence and SVMs of each node, unless
        `estimator` was given.
    bayes_errors_ : ndarray of shape (K - 1,)
        Estimated Bayes error of each node, at most its held-out error; computed on first
        use, unless `estimator` was given. NaN without `bayes_error_samples`.
    to_gain_ : ndarray of shape (K - 1,)
        Held-out less Bayes error of each node, as a fraction of all training samples.
    pairwise_error_ : ndarray of shape (K, K)
        The errors that were cut, with "min-cut", and with "auto" unless it is "centroids".
    estimators_ : list of K - 1 classifiers
        The fitted classifier of each node if `estimator` was given; class 1 is the right side.
    coef_ : ndarray of shape (K - 1, n_features)
        Weights of the nodes with ``nodes="linear"``. Read-only; another array can be assigned.
    intercept_ : ndarray of shape (K - 1,)
        Intercepts of the nodes with ``nodes="linear"``, likewise.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features,)
        Number of features seen in `fit`, and their names if X had them as strings.

    See Also
    --------
    SmartSVMCV : Choose C, and more, by cross-validation.

    Notes
    -----
    The user guide explains how nodes add up their evidence, and what each hierarchy costs.

    **Sparse X** works with "auto", "centroids" or a hierarchy of your own, without Gaussians and
    products. Held-out margins of many sparse rows come from three folds.

    **Units.** Linear SVMs see the features as given if one has a range of at least 0.25, and no
    value exceeds 16,384 or 16,384 times the largest range. Otherwise they see features of mean 0
    and variance 1; ``coef_`` and ``intercept_`` still belong to X as given.

    **Sample weights** count everywhere except in spanning trees. Held-out means without one
    sample, whatever its weight: a weight of 2 differs from the sample twice.

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
    >>> print(model.to_text())
    0 | 1 2   (held-out error 0, Bayes error 0, linear + gaussians, 150 samples)
    ├── 0
    └── 1 | 2
        │   (held-out error 0.03, Bayes error 0.03, linear + quadratic + gaussians, 100
        │   samples)
        ├── 1
        └── 2
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    classes_: Labels
    hierarchy_: ClassHierarchy
    nodes_: list[TrainedNode]
    coef_: Floats
    intercept_: Floats

    def __init__(
        self, C: float = 1.0, *, hierarchy: str | ClassHierarchy | Sequence[Any] = "auto",
        error_graph: str = "pairs", error_matrix: ArrayLike | None = None, nodes: str = "evidence",
        solver: str = "auto", routing: str = "soft", estimator: Any = None,
        class_weight: dict[Any, float] | str | None = None, bayes_error_samples: int | None = 2000,
        n_trees: int | None = None, memory_limit: MemoryLimit = None, n_jobs: int | None = None,
        random_state: RandomState = 0, verbose: int = 0,
    ) -> None:  # fmt: skip
        self.C, self.hierarchy, self.error_graph = C, hierarchy, error_graph
        self.error_matrix, self.nodes, self.solver = error_matrix, nodes, solver
        self.routing, self.estimator, self.class_weight = routing, estimator, class_weight
        self.bayes_error_samples, self.n_trees = bayes_error_samples, n_trees
        self.memory_limit, self.n_jobs, self.random_state = memory_limit, n_jobs, random_state
        self.verbose = verbose

    def fit(self, X: Points, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the hierarchy and train its nodes.

        Parameters
        ----------
        X : array-like, sparse matrix or source of shape (n_samples, n_features)
            Training points; a source is a memory map, a path or a Dask array.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, times those of the classes. Samples of weight 0 are dropped.

        Returns
        -------
        SmartSVM
            The fitted classifier itself.
        """
        X, y = rows_in_memory(X, self.memory_limit), read_labels(y)
        X, y = check_training_set(self, X, y, accept_sparse="csr")
        design = self._design(X, y, sample_weight)
        if self.estimator is None:
            self._train(design)
        return self

    def to_text(self) -> str:
        """The hierarchy as text, one line per node or class.

        Returns
        -------
        str
            With the held-out error, Bayes error, possible gain, kinds of evidence and size of
            each node.
        """
        check_is_fitted(self)
        return self.hierarchy_.to_text(self.node_notes())

    def node_notes(self) -> list[str]:
        """The notes of `to_text` beside each node.

        Returns
        -------
        list of K - 1 str
            One note per node.
        """
        check_is_fitted(self)
        if self.estimator is not None:
            return [type(node).__name__ for node in self.estimators_]
        known = zip(self.nodes_, self.bayes_errors_, self.to_gain_, strict=True)
        return [node.note(*errors) for node, *errors in known]

    @property
    def bayes_errors_(self) -> Floats:
        check_is_fitted(self)
        return self._errors.bayes_errors()

    @property
    def to_gain_(self) -> Floats:
        check_is_fitted(self)
        return self._errors.to_gain()

    def _design(self, X, y, sample_weight=None):
        """Check everything, choose the hierarchy, and sort the training rows."""
        check_settings(self, X, sample_weight)
        self._seed = repeatable_seed(self.random_state)
        check_size(X)
        X, y, weights = check_row_weights(X, y, sample_weight, self.class_weight)
        self._forget()
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least 2 classes, got {len(self.classes_)} class: "
                f"{self.classes_.tolist()}."
            )
        options = {
            "n_jobs": self.n_jobs, "random_state": self._seed, "memory_limit": self.memory_limit,
            "verbose": self.verbose,
        }  # fmt: skip
        choice = HierarchyChoice(X, codes, self.classes_, self.n_trees, options)
        self.hierarchy_, errors = choice.choose(self.hierarchy, self.error_graph, self.error_matrix)
        if errors is not None:
            self.pairwise_error_ = errors
        self._class_shares = np.bincount(codes) / len(codes)
        self._sample = choice.node_sample(self.bayes_error_samples)
        problem, common = (X, codes, self.hierarchy_), {"weights": weights, "n_jobs": self.n_jobs}
        if self.estimator is None:
            return NodeDesign(*problem, draw_seed=lambda: self._seeds(1)[0], **common)
        seeds = self._seeds(self.hierarchy_.n_nodes)
        self.estimators_, self._calibrators = fit_estimators(
            self.estimator, *problem, seeds=seeds, probabilistic=is_probabilistic(self), **common
        )
        self._router = self._build_router()
        return None

    def _train(self, design, starts=None, trained=None):
        """Train the nodes of a design, unless they are given, and build the router."""
        if trained is None:
            trained = train_nodes(
                design, self.C, self.nodes, solver=self.solver, calibrated=is_probabilistic(self),
                n_jobs=self.n_jobs, starts=starts,
            )  # fmt: skip
        self.nodes_, self._evidence = trained
        self._errors = NodeErrors(self._sample, self.hierarchy_, self.nodes_)
        if NODES[self.nodes] == ("linear",):
            weights = np.array([node.machines["linear"] for node in self.nodes_])
            if design.units is not None:
                weights = design.units.as_given(weights)
            self.coef_, self.intercept_ = _read_only(weights[:, :-1]), _read_only(weights[:, -1])
        self._router = self._build_router()
        return trained

    def _build_router(self):
        """What predicts, with checked copies of all it needs."""
        if self.hierarchy_.n_classes != len(self.classes_):
            raise ValueError(
                f"hierarchy_ must have the {len(self.classes_)} classes of the classifier, got "
                f"{self.hierarchy_.n_classes}."
            )
        if self.estimator is not None:
            return EstimatorRouter(self.hierarchy_, self.estimators_, self._calibrators)
        if "coef_" not in vars(self):
            return EvidenceRouter(self.hierarchy_, self._evidence)
        if np.shape(self.coef_)[1:] != (self.n_features_in_,):
            raise ValueError(
                f"coef_ must have {self.n_features_in_} columns, got shape {np.shape(self.coef_)}."
            )
        links = np.array([[n.weights["linear"], n.weights["intercept"]] for n in self.nodes_])
        limit = LinearSVMs.limit if is_probabilistic(self) else np.inf
        weights = self.coef_, self.intercept_
        return LinearRouter(self.hierarchy_, self._class_shares, *weights, links, limit)

    def __setattr__(self, name, value):
        if name not in ("hierarchy_", "coef_", "intercept_") or "_router" not in vars(self):
            super().__setattr__(name, value)
            return
        # Predictions follow the fitted state that a user replaces, or it is rejected.
        before = getattr(self, name)
        super().__setattr__(name, value if name == "hierarchy_" else _read_only(value))
        try:
            self._router = self._build_router()
        except Exception:
            super().__setattr__(name, before)
            raise

    def __setstate__(self, state):
        super().__setstate__(state)
        for name in ("coef_", "intercept_"):
            if name in vars(self):  # unpickled arrays are writable
                vars(self)[name].setflags(write=False)
        for node in vars(self).get("nodes_", ()):
            numbers = [*node.machines.values(), list(node.weights.values())]
            if not all(np.isfinite(each).all() for each in numbers):
                raise ValueError("the pickled classifier is damaged: nodes_ must be finite.")
        if "_router" in vars(self):
            self._router = self._build_router()  # checked again

    def _forget(self):
        """Drop the results of an earlier fit."""
        for name in ("pairwise_error_", "nodes_", "estimators_", "coef_", "intercept_", "_router"):
            vars(self).pop(name, None)

    def _seeds(self, number):
        random = np.random.RandomState(self._seed)
        return random.randint(np.iinfo(np.int32).max, size=number).tolist()


def _read_only(values):
    """A read-only copy."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
