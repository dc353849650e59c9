"""SmartSVM: a hierarchy of binary classifiers that follows the Bayes errors of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_training_set
from smartsvm._core.sources import read_labels
from smartsvm._core.types import Floats, Labels, MemoryLimit, PointsLike, RandomState
from smartsvm._core.validation import repeatable_seed
from smartsvm.classifier.checked_input import (
    check_row_weights,
    check_settings,
    check_size,
    rows_in_memory,
)
from smartsvm.classifier.hierarchy_choice import HierarchyChoice
from smartsvm.classifier.nodes.design import NodeDesign
from smartsvm.classifier.nodes.errors import node_bayes_errors, possible_gains
from smartsvm.classifier.nodes.estimators import fit_estimators
from smartsvm.classifier.nodes.evidence import NODES, LinearSVMs
from smartsvm.classifier.nodes.training import TrainedNode, train_nodes
from smartsvm.classifier.prediction import PredictionMixin, is_probabilistic
from smartsvm.classifier.routing import EstimatorRouter, EvidenceRouter, LinearRouter
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy
from smartsvm.presentation.documentation import DocumentationLink

# What one fit sets and another one may not.
_FITTED = (
    "pairwise_error_",
    "nodes_",
    "bayes_errors_",
    "to_gain_",
    "estimators_",
    "coef_",
    "intercept_",
    "_router",
)


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
        Inverse strength of the regularisation of the SVMs.
    hierarchy : str, ClassHierarchy or nested lists of two, default="auto"
        "min-cut" cuts the graph of the Bayes errors of all pairs, as in the paper, and
        "min-cut-tree" that of the errors in one tree over all classes, which is cheaper for
        many classes. "centroids" halves the whitened class centroids by 2-means, without
        spanning trees.
        "auto" is "min-cut-tree" on about 2,000 samples, and "centroids" for sparse X and more
        than 200 classes. A hierarchy of your own may hold more classes than y;
        `class_hierarchy` makes one from a matrix of errors.
    nodes : str or scikit-learn classifier, default="evidence"
        What decides at a node. "evidence": the weighted sum of a linear SVM, a quadratic
        SVM where that is not enough, Gaussian classes, and LDA for 32 classes or more, unless
        samples have weights. "forest": the same with the votes of one forest that all nodes
        share; more accurate and slower. "linear": a linear SVM (the paper). "quadratic": an
        SVM in products of two features. A binary classifier of your own is cloned for each
        node; `C` and `solver` are then not used.
    solver : {"auto", "newton", "liblinear"}, default="auto"
        What trains the SVMs; both reach the same optimum. "auto" takes Newton's method
        for dense points with at most 1,024 features or rows, where it is faster, else LibLinear.
    routing : {"soft", "hard"}, default="soft"
        "hard" follows the decision of each node (the paper); "soft" multiplies the
        probabilities along the path to each class and takes the largest product.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    bayes_error_samples : int or None, default=0
        Size of the stratified subsample from which `fit` estimates ``bayes_errors_``, 2,000
        for instance; None for all samples, 0 for no estimates. No training data is kept.
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
        Size, held-out error and weights of the evidence of each node, unless `nodes` is a
        classifier.
    bayes_errors_ : ndarray of shape (K - 1,)
        Estimated Bayes error of each node, at most its held-out error, with
        `bayes_error_samples` and unless `nodes` is a classifier. NaN for sparse X.
    to_gain_ : ndarray of shape (K - 1,)
        Held-out less Bayes error of each node, as a fraction of all training samples,
        likewise.
    pairwise_error_ : ndarray of shape (K, K)
        The errors that were cut, divided by the smaller prior of each pair, unless the
        hierarchy comes from elsewhere.
    estimators_ : list of K - 1 classifiers
        The fitted classifier of each node if `nodes` is one; class 1 is the right side.
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
    >>> model = SmartSVM(bayes_error_samples=2000).fit(X, y)
    >>> print(model.to_text())
    0 | 1 2   (held-out error 0, Bayes error 0, linear + gaussians, 150 samples)
    ├── 0
    └── 1 | 2
        │   (held-out error 0.03, Bayes error 0.0265, linear + quadratic + gaussians, 100
        │   samples)
        ├── 1
        └── 2
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    classes_: Labels
    hierarchy_: ClassHierarchy
    nodes_: list[TrainedNode]
    bayes_errors_: Floats
    to_gain_: Floats
    coef_: Floats
    intercept_: Floats

    def __init__(
        self,
        C: float = 1.0,
        *,
        hierarchy: str | ClassHierarchy | Sequence[Any] = "auto",
        nodes: Any = "evidence",
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
        self.C = C
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
        X = rows_in_memory(X, self.memory_limit)
        y = read_labels(y)
        X, y = check_training_set(self, X, y, accept_sparse="csr")
        design, choice = self._design(X, y, sample_weight)
        if isinstance(self.nodes, str):
            self._train(design)
            if self.bayes_error_samples != 0:
                sample = choice.node_sample(self.bayes_error_samples)
                self.bayes_errors_ = node_bayes_errors(sample, self.hierarchy_, self.nodes_)
                self.to_gain_ = possible_gains(self.bayes_errors_, self.nodes_)
        return self

    def to_text(self) -> str:
        """The hierarchy as text, one line per node or class.

        Returns
        -------
        str
            With the held-out error, kinds of evidence and size of each node, and its Bayes error
            and possible gain if `bayes_error_samples` is set.
        """
        check_is_fitted(self)
        return self.hierarchy_.to_text(self._node_notes())

    def _node_notes(self):
        """One note for each node."""
        if "estimators_" in vars(self):
            return [type(node).__name__ for node in self.estimators_]
        if "bayes_errors_" not in vars(self):
            return [node.note() for node in self.nodes_]
        of_nodes = zip(self.nodes_, self.bayes_errors_, self.to_gain_, strict=True)
        return [node.note(*errors) for node, *errors in of_nodes]

    def _design(self, X, y, sample_weight=None):
        """Check everything, choose the hierarchy, and sort the training rows.

        The design is None if `nodes` is a classifier: its clones are then fitted here.
        """
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
            "n_jobs": self.n_jobs,
            "random_state": self._seed,
            "memory_limit": self.memory_limit,
            "verbose": self.verbose,
        }
        choice = HierarchyChoice(X, codes, self.classes_, self.n_trees, options)
        self.hierarchy_, errors = choice.choose(self.hierarchy)
        if errors is not None:
            self.pairwise_error_ = errors
        self._class_shares = np.bincount(codes) / len(codes)
        if not isinstance(self.nodes, str):
            self._fit_estimators(X, codes, weights)
            return None, choice
        design = NodeDesign(
            X,
            codes,
            self.hierarchy_,
            weights=weights,
            draw_seed=lambda: self._seeds(1)[0],
            n_jobs=self.n_jobs,
        )
        return design, choice

    def _fit_estimators(self, X, codes, weights):
        """Fit a clone of the classifier `nodes` at every node."""
        self.estimators_, self._calibrators = fit_estimators(
            self.nodes,
            X,
            codes,
            self.hierarchy_,
            weights=weights,
            seeds=self._seeds(self.hierarchy_.n_nodes),
            n_jobs=self.n_jobs,
            probabilistic=is_probabilistic(self),
        )
        self._router = self._build_router()

    def _train(self, design, starts=None, trained=None):
        """Train the nodes of a design, unless they are given, and build the router."""
        if trained is None:
            trained = train_nodes(
                design,
                self.C,
                self.nodes,
                solver=self.solver,
                calibrated=is_probabilistic(self),
                n_jobs=self.n_jobs,
                starts=starts,
            )
        self.nodes_, self._evidence = trained
        if NODES[self.nodes] == ("linear",):
            weights = np.array([node._svm_weights["linear"] for node in self.nodes_])
            if design.units is not None:
                weights = design.units.as_given(weights)
            self.coef_ = _read_only(weights[:, :-1])
            self.intercept_ = _read_only(weights[:, -1])
        self._router = self._build_router()
        return trained

    def _build_router(self):
        """The fitted parts that predict, with checked copies of all they need."""
        if self.hierarchy_.n_classes != len(self.classes_):
            raise ValueError(
                f"hierarchy_ must have the {len(self.classes_)} classes of the classifier, got "
                f"{self.hierarchy_.n_classes}."
            )
        if "estimators_" in vars(self):
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
            numbers = [*node._svm_weights.values(), list(node.weights.values())]
            if not all(np.isfinite(each).all() for each in numbers):
                raise ValueError("the pickled classifier is damaged: nodes_ must be finite.")
        if "_router" in vars(self):
            self._router = self._build_router()  # checked again

    def _forget(self):
        """Drop the results of an earlier fit."""
        for name in _FITTED:
            vars(self).pop(name, None)

    def _seeds(self, number):
        random = np.random.RandomState(self._seed)
        return random.randint(np.iinfo(np.int32).max, size=number).tolist()


def _read_only(values):
    """A read-only copy."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
