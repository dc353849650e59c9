"""SmartSVM: a hierarchy of binary classifiers that follows the Bayes errors of the classes."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from smartsvm._validation import check_training_set, repeatable_seed
from smartsvm.classifier.checked_input import (
    check_class_weight,
    check_settings,
    check_size,
    rows_in_memory,
)
from smartsvm.classifier.estimator_nodes import calibrate, fit_estimators
from smartsvm.classifier.hierarchy_choice import HierarchyChoice
from smartsvm.classifier.node_design import NodeDesign
from smartsvm.classifier.node_training import train_nodes
from smartsvm.classifier.routing import EstimatorRouter, LinearRouter, smallest_margins
from smartsvm.sources import is_source, open_source, read_labels


class SmartSVM(ClassifierMixin, BaseEstimator):
    """Hierarchical multiclass classifier designed from estimated Bayes errors.

    The classes are split in two again and again, and a binary classifier is trained
    for each of the K - 1 splits [1]_. The defaults go beyond the paper: a balanced
    hierarchy, quadratic features at those nodes whose Bayes error says that a linear
    machine leaves accuracy on the table, and probabilities multiplied along the ways.
    The paper's own method is
    ``SmartSVM(hierarchy="min-cut", node_map="linear", routing="hard")``.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the regularisation of the support vector machines; not
        used with `estimator`.
    hierarchy : str, ClassHierarchy or nested lists of two, default="centroids"
        "centroids" halves the class centroids, whitened by the within-class
        covariance, by 2-means: no spanning tree. "min-cut" cuts the graph of
        errors, as in the paper. "bayes-error" searches for splits of least exact
        Bayes error for each bit they answer. Or a hierarchy of your own, which may
        hold more classes than y.
    error_graph : {"pairs", "tree"}, default="pairs"
        What "min-cut" cuts: the Bayes errors of all pairs (the paper), or those seen
        in the one tree over all classes, which are cheaper for many classes.
    error_matrix : array-like of shape (K, K), default=None
        Errors for "min-cut" to use instead of estimating them; rows in the order
        of ``classes_``. It is not written to.
    node_map : {"auto", "linear", "quadratic", "mahalanobis"}, default="auto"
        Features of the nodes: the given ones ("linear", the paper); with all
        products of two of them, or of 16 principal components if they are more
        ("quadratic"); with the distances to the centroid of every class in its own
        metric ("mahalanobis"); or quadratic only where it helps ("auto", see Notes).
    gate_samples : int or None, default=2000
        Samples, drawn from every class alike, from which "auto" estimates the Bayes
        errors of nodes; None for all. The gate asks whether much is left to gain,
        and a few thousand samples tell.
    routing : {"soft", "hard"}, default="soft"
        "hard" follows the decision of each node (the paper); "soft" multiplies
        the probabilities along the way to each class and takes the largest product.
    estimator : scikit-learn classifier, default=None
        Binary classifier to clone for each node instead of the support vector
        machines; `node_map` must then be "auto" or "linear", which it sees alike.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    n_trees : int or None, default=None
        Orthogonal spanning trees behind each error. None means 3 for the graph of
        pairs, as in the paper, and 1 elsewhere.
    memory_limit : int, str or None, default=None
        Bytes for the trees, "4 GiB" for instance: beyond it they are made in blocks,
        with the same result. Points on disk or in a Dask array are read for the
        nodes and must fit.
    n_jobs : int or None, default=None
        Threads for the trees and for the nodes; they change no bit of the result.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances and of the node classifiers. Of anything
        but an integer one number is drawn, so that threads change nothing.
    verbose : int, default=0
        1 shows progress of long work on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    hierarchy_ : ClassHierarchy
        The binary problems.
    nodes_ : list of K - 1 TrainedNode
        Map, size, Bayes error, training error, left-out error and weights of each
        node, unless `estimator` was given.
    pairwise_error_ : ndarray of shape (K, K)
        The errors that were cut, with ``hierarchy="min-cut"``.
    estimators_ : list of K - 1 classifiers
        The fitted classifier of each node if `estimator` was given; class 1 is
        the right side.
    coef_ : ndarray of shape (K - 1, n_features)
        Weights of the nodes, if all of them are linear.
    intercept_ : ndarray of shape (K - 1,)
        Intercepts of the nodes, if all of them are linear.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had them as strings.

    See Also
    --------
    SmartSVMCV : Choose C, and more, by cross-validation.

    Notes
    -----
    **The gate of "auto".** A node is trained in the given features first. If more
    than .05 % of all samples would be on its wrong side when left out, the exact
    HP-estimate of the node's problem is computed from `gate_samples`. The node gets the quadratic
    features if its error exceeds that estimate by more than .05 % of all samples, or
    lies below it, which refutes the estimate; and keeps them if they lower the
    left-out error. See ``nodes_`` and `to_text` for what was decided and why.

    **Probabilities** of a node follow from its margin m by the minimiser of the
    squared hinge loss, p = (1 + m) / 2, cut at the share of left-out samples that
    are wrong by more than the margin; classifiers given as `estimator` bring their
    own, or get a sigmoid fitted to cross-validated margins.

    **Cost.** "centroids": O(n d² + K² d). "min-cut": the trees of all pairs and at
    worst K cuts of O(K³). "auto" adds about one spanning tree over `gate_samples`.
    Prediction looks at the nodes on the way, about log2 K of them; soft routing at
    a few more.

    **Sparse X** is accepted with "centroids" or a hierarchy of your own; nodes are
    then linear. Spanning trees need dense points.

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
    >>> print(model.to_text())
    0 | 1 2   (training error 0, left out 0, linear, 150 samples)
    ├── 0
    └── 1 | 2   (Bayes error 0.0532, training error 0.03, left out 0.05, linear, 100 samples)
        ├── 1
        └── 2
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(
        self,
        C=1.0,
        *,
        hierarchy="centroids",
        error_graph="pairs",
        error_matrix=None,
        node_map="auto",
        gate_samples=2000,
        routing="soft",
        estimator=None,
        class_weight=None,
        n_trees=None,
        memory_limit=None,
        n_jobs=None,
        random_state=0,
        verbose=0,
    ):
        self.C = C
        self.hierarchy = hierarchy
        self.error_graph = error_graph
        self.error_matrix = error_matrix
        self.node_map = node_map
        self.gate_samples = gate_samples
        self.routing = routing
        self.estimator = estimator
        self.class_weight = class_weight
        self.n_trees = n_trees
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Choose the hierarchy and train its nodes.

        Parameters
        ----------
        X : array-like, sparse matrix or source of shape (n_samples, n_features)
            Training points; a source is a memory-map, a path or a Dask array, as in
            `euclidean_mst`.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.

        Returns
        -------
        SmartSVM
            The fitted classifier itself.
        """
        X, y = rows_in_memory(X, self.memory_limit), read_labels(y)
        X, y = check_training_set(self, X, y, accept_sparse="csr")
        design = self._design(X, y)
        if self.estimator is None:
            self._train(design)
        else:
            self._train_estimators(X, y)
        return self

    def predict(self, X):
        """Labels of the classes at the end of the way.

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
        if is_source(X):
            return np.concatenate([self.predict(rows) for _, rows in open_source(X).chunks()])
        X = self._validated(X)
        router = self._router()
        codes = router.hard(X) if self.routing == "hard" else router.soft(X)
        return self.classes_[codes]

    @available_if(lambda self: self.routing == "soft")
    def predict_proba(self, X):
        """Products of node probabilities on the way to each class; each row sums to 1.

        With soft routing only, where `predict` takes the largest: the largest product
        may be another class than the one that hard decisions lead to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K)
            Probabilities in the order of ``classes_``.
        """
        X = self._validated(X)
        return self._router().log_probabilities(X, exponentiate=True)

    def decision_function(self, X):
        """Scores whose largest is the prediction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, K), or (n_samples,) for two classes
            With soft routing the logarithms of the probabilities; with hard routing
            the smallest signed margin on the way to each class, positive if every
            node on the way decides for it. For two classes the score of the second.
        """
        X = self._validated(X)
        router = self._router()
        if self.routing == "soft" and (len(self.classes_) > 2 or self.estimator is not None):
            scores = router.log_probabilities(X)
            return scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0]
        margins = router.margins(X)
        return (
            smallest_margins(margins, self.hierarchy_) if len(self.classes_) > 2 else margins[:, 0]
        )

    def to_text(self):
        """The hierarchy as text, with what is known of every node.

        Returns
        -------
        str
            One line a node or class: Bayes error (where it was asked for), error on
            the training samples and on left-out ones, map and size of each node.
        """
        check_is_fitted(self)
        return self.hierarchy_.to_text(self.node_notes())

    def node_notes(self):
        """What `to_text` and `HierarchyDisplay` write beside each node.

        Returns
        -------
        list of K - 1 str
            One note a node.
        """
        check_is_fitted(self)
        if self.estimator is not None:
            return [type(node).__name__ for node in self.estimators_]
        return [
            ("" if np.isnan(node.bayes_error) else f"Bayes error {node.bayes_error:.3g}, ")
            + f"training error {node.training_error:.3g}, left out {node.left_out_error:.3g}, "
            + f"{node.map}, {node.n_samples} samples"
            for node in self.nodes_
        ]

    def _design(self, X, y):
        """Check everything, choose the hierarchy, and set out the training rows."""
        check_settings(self)
        self._seed = repeatable_seed(self.random_state)
        check_size(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least 2 classes, got {len(self.classes_)} class: "
                f"{self.classes_.tolist()}."
            )
        choice = HierarchyChoice(
            X,
            codes,
            self.classes_,
            n_trees=self.n_trees,
            n_jobs=self.n_jobs,
            random_state=self._seed,
            memory_limit=self.memory_limit,
            verbose=self.verbose,
        )
        weights = check_class_weight(self.class_weight, self.classes_, y)
        for name in ("pairwise_error_", "nodes_", "estimators_", "coef_", "intercept_"):
            if hasattr(self, name):  # of an earlier fit
                delattr(self, name)
        self.hierarchy_, errors = choice.choose(self.hierarchy, self.error_graph, self.error_matrix)
        if errors is not None:
            self.pairwise_error_ = errors
        self._class_shares = np.bincount(codes) / len(codes)
        if self.estimator is not None:
            return None
        return NodeDesign(
            X,
            codes,
            self.hierarchy_,
            class_weights=weights,
            make_forest=lambda: choice.node_forest(self.gate_samples),
            seed=self._seeds(1)[0],
        )

    def _train(self, design, starts=None, nodes=None):
        """Train the nodes of a design, unless they are known, and gather their weights."""
        if nodes is None:
            seed = self._seeds(1)[0]
            nodes = train_nodes(
                design, self.C, self.node_map, n_jobs=self.n_jobs, seed=seed, starts=starts
            )
        self.nodes_ = nodes
        maps = sorted({node.map for node in self.nodes_} - {"linear"})
        self._map = design.map(maps[0]) if maps else None
        self._mapped = np.array([node.map != "linear" for node in self.nodes_], dtype=np.uint8)
        self._weights = np.zeros((len(self.nodes_), max(len(n.weights) for n in self.nodes_)))
        for row, node in zip(self._weights, self.nodes_, strict=True):
            row[: len(node.weights)] = node.weights
        if not maps:
            self.coef_ = self._weights[:, :-1].copy()
            self.intercept_ = self._weights[:, -1].copy()
        return nodes

    def _train_estimators(self, X, y):
        codes = np.searchsorted(self.classes_, y)
        weights = check_class_weight(self.class_weight, self.classes_, y)
        self.estimators_ = fit_estimators(
            self.estimator,
            X,
            codes,
            self.hierarchy_,
            class_weights=weights,
            seeds=self._seeds(self.hierarchy_.n_nodes),
            n_jobs=self.n_jobs,
        )
        self._calibrators = [None] * self.hierarchy_.n_nodes
        if self.routing == "soft":
            self._calibrators = calibrate(
                self.estimators_,
                X,
                codes,
                self.hierarchy_,
                class_weights=weights,
                n_jobs=self.n_jobs,
            )

    def _router(self):
        if self.estimator is not None:
            return EstimatorRouter(self.hierarchy_, self.estimators_, self._calibrators)
        weights = self._weights
        if self._map is None:  # coef_ is what users see and may change
            weights = np.column_stack([self.coef_, self.intercept_])
        return LinearRouter(
            self.hierarchy_,
            self._class_shares,
            weights,
            self.n_features_in_,
            self._mapped,
            self._map,
            np.array([node.least_probability for node in self.nodes_]),
        )

    def _seeds(self, number):
        random = np.random.RandomState(self._seed)
        return random.randint(np.iinfo(np.int32).max, size=number).tolist()

    def _validated(self, X):
        check_is_fitted(self)
        X = rows_in_memory(X, self.memory_limit)
        X = validate_data(self, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
        check_size(X)
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = (
            not isinstance(self.hierarchy, str) or self.hierarchy == "centroids"
        )
        return tags
