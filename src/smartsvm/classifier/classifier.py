"""SmartSVM: a hierarchy of binary classifiers that follows the Bayes errors of the classes."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.sources import is_source, open_source, read_labels
from smartsvm._core.validation import check_training_set, repeatable_seed
from smartsvm.classifier.checked_input import (
    check_row_weights,
    check_rows,
    check_settings,
    check_size,
    rows_in_memory,
)
from smartsvm.classifier.hierarchy_choice import HierarchyChoice
from smartsvm.classifier.nodes.design import NodeDesign
from smartsvm.classifier.nodes.errors import NodeErrors
from smartsvm.classifier.nodes.estimators import calibrate, fit_estimators
from smartsvm.classifier.nodes.evidence import LIMITS
from smartsvm.classifier.nodes.training import train_nodes
from smartsvm.classifier.routing import (
    EstimatorRouter,
    EvidenceRouter,
    LinearRouter,
    smallest_margins,
)


class SmartSVM(ClassifierMixin, BaseEstimator):
    """Hierarchical multiclass classifier designed from estimated Bayes errors.

    The classes are split in two again and again, and a binary problem is solved for each of
    the K - 1 splits [1]_. The defaults go beyond the paper: a balanced hierarchy, nodes
    that add up several kinds of evidence, each weighed by what it is worth on samples that
    it has not seen, and probabilities multiplied along the paths.

    The most accurate mode is ``SmartSVM(nodes="forest")``. The paper's own method is
    ``SmartSVM(hierarchy="min-cut", nodes="linear", routing="hard", solver="liblinear")``.

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
    nodes : {"evidence", "forest", "linear", "quadratic"}, default="evidence"
        What decides at a node. "evidence": a linear machine, a quadratic one where
        that is not enough, and normal distributions of the classes, weighted. "forest":
        the same with the votes of one forest that all nodes share; more accurate, and
        slower. "linear": a linear support vector machine alone (the paper). "quadratic":
        one in products of two features alone.
    solver : {"auto", "newton", "liblinear"}, default="auto"
        What trains the machines; both reach the same optimum. "auto" takes Newton's
        method for dense points of at most 1024 features, which is faster there, and
        LibLinear for others.
    routing : {"soft", "hard"}, default="soft"
        "hard" follows the decision of each node (the paper); "soft" multiplies
        the probabilities along the path to each class and takes the largest product.
    estimator : scikit-learn classifier, default=None
        Binary classifier to clone for each node instead; `nodes` is then left at
        "evidence", or "linear", which changes nothing.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    bayes_error_samples : int or None, default=2000
        Samples, drawn from every class alike, from which the Bayes errors of nodes are
        estimated when `to_text` shows them beside the errors reached; None for all, 0
        for no such estimates. The classifier keeps the samples until then. They change
        no prediction.
    n_trees : int or None, default=None
        Orthogonal spanning trees behind each Bayes error. None means 3 for the graph of
        pairs, as in the paper, and 1 elsewhere.
    memory_limit : int, str or None, default=None
        Bytes for the trees, "4 GiB" for instance: beyond it they are made in blocks,
        with the same result. Points on disk or in a Dask array are read for the
        nodes and must fit.
    n_jobs : int or None, default=None
        Threads for the trees and for the nodes; they change no bit of the result.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among equal distances, of the forest and of the node classifiers.
        Of anything but an integer one number is drawn, so that threads change nothing.
    verbose : int, default=0
        1 shows progress of long work on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels.
    hierarchy_ : ClassHierarchy
        The binary problems.
    nodes_ : list of K - 1 TrainedNode
        Size, left-out error, weights of the evidence and machines of each node, unless
        `estimator` was given.
    bayes_errors_ : ndarray of shape (K - 1,)
        Estimated Bayes error of each node, at most its left-out error; computed when it is
        first asked for, unless `estimator` was given. NaN without `bayes_error_samples`.
    to_gain_ : ndarray of shape (K - 1,)
        What is left to gain at each node, as a share of all training samples.
    pairwise_error_ : ndarray of shape (K, K)
        The errors that were cut, with ``hierarchy="min-cut"``.
    estimators_ : list of K - 1 classifiers
        The fitted classifier of each node if `estimator` was given; class 1 is
        the right side.
    coef_ : ndarray of shape (K - 1, n_features)
        Weights of the nodes with ``nodes="linear"``. Read-only; another array
        can be assigned.
    intercept_ : ndarray of shape (K - 1,)
        Intercepts of the nodes with ``nodes="linear"``, likewise.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if X had them as strings.

    See Also
    --------
    SmartSVMCV : Choose C, and more, by cross-validation.

    Notes
    -----
    **Evidence.** The log odds of the right side of a node are a sum: a · margin of the linear
    machine + b · margin of the quadratic one + c · log odds of the class Gaussians + e · log
    odds of the votes of the forest + an intercept. Every term is known for every training
    sample as if that had been left out: margins and Gaussians in closed form, votes out of
    bag. The weights, none negative, are those of a logistic regression on these values, so
    that no cross-validation is needed and the probabilities of nodes are calibrated. The
    quadratic machine is trained where the linear one has more than .05 % of all samples
    on its wrong side when left out. The Gaussians have covariances shrunk to the pooled
    one, in at most 32 principal components.

    **The forest** has extremely randomised trees, for all classes at once, and grows from
    16 to 32 to 64 of them while the left-out errors of the nodes fall. It brings most of
    what "forest" gains over "evidence"; without the machines it would be less accurate.

    **What is left to gain** at a node is its left-out error less its Bayes error. `to_text`
    names the nodes where that is at least one sample and more than .05 % of all. The trees'
    estimate is too large for few samples, and is taken to ever more data.

    **Probabilities** of classifiers given as `estimator` are their own, or those of a
    sigmoid fitted to cross-validated margins.

    **Cost.** "centroids": O(n d² + K² d). "min-cut": the trees of all pairs and at
    worst K cuts of O(K³). Prediction: one product of the rows with the weights of all
    nodes and one with the K Gaussians; with linear nodes only the nodes on the path, about
    log2 K of them, and with soft routing a few more. Quadratic margins, where that is enough
    to decide, and Gaussians are in single precision: the seventh digit of a probability
    may depend on how many rows are predicted at once.

    **Sparse X** is accepted with "centroids" or a hierarchy of your own; there are no
    Gaussians and no products then. Spanning trees need dense points. Left-out margins of
    many sparse points come from three folds.

    **Weights of samples** count in machines, Gaussians, forest and the weights of the
    evidence. Spanning trees know no weights, and left-out errors are those of leaving out
    one sample, whatever it weighs: a weight of 2 is not the same as the sample twice.

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
    0 | 1 2   (left out 0, Bayes error 0, linear + gaussians, 150 samples)
    ├── 0
    └── 1 | 2   (left out 0.03, Bayes error 0.03, linear + quadratic + gaussians, 100 samples)
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
        nodes="evidence",
        solver="auto",
        routing="soft",
        estimator=None,
        class_weight=None,
        bayes_error_samples=2000,
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
        self.nodes = nodes
        self.solver = solver
        self.routing = routing
        self.estimator = estimator
        self.class_weight = class_weight
        self.bayes_error_samples = bayes_error_samples
        self.n_trees = n_trees
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Choose the hierarchy and train its nodes.

        Parameters
        ----------
        X : array-like, sparse matrix or source of shape (n_samples, n_features)
            Training points; a source is a memory-map, a path or a Dask array, as in
            `euclidean_mst`.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, besides those of the classes; see Notes of the class.
            A sample of weight 0 is left out.

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

    def predict(self, X):
        """Labels of the classes at the end of the path.

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
        codes = self._router.hard(X) if self.routing == "hard" else self._router.soft(X)
        return self.classes_[codes]

    @available_if(lambda self: self.routing == "soft")
    def predict_proba(self, X):
        """Products of node probabilities on the path to each class; each row sums to 1.

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
        return self._router.log_probabilities(X, exponentiate=True)

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
            the smallest signed margin on the path to each class, positive if every
            node on the path decides for it. For two classes the score of the second.
        """
        X = self._validated(X)
        if self.routing == "soft":
            scores = self._router.log_probabilities(X)
            return scores if len(self.classes_) > 2 else scores[:, 1] - scores[:, 0]
        margins = self._router.margins(X)
        return (
            smallest_margins(margins, self.hierarchy_) if len(self.classes_) > 2 else margins[:, 0]
        )

    def to_text(self):
        """The hierarchy as text, with what is known of every node.

        Returns
        -------
        str
            One line per node or class: error on left-out samples, Bayes error where it was
            asked for, what is left to gain, kinds of evidence and size of each node.
        """
        check_is_fitted(self)
        return self.hierarchy_.to_text(self.node_notes())

    def node_notes(self):
        """What `to_text` and `HierarchyDisplay` write beside each node.

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
    def bayes_errors_(self):
        check_is_fitted(self)
        return self._errors.bayes_errors()

    @property
    def to_gain_(self):
        check_is_fitted(self)
        return self._errors.to_gain()

    def _design(self, X, y, sample_weight=None):
        """Check everything, choose the hierarchy, and set out the training rows."""
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
        self.hierarchy_, errors = choice.choose(self.hierarchy, self.error_graph, self.error_matrix)
        if errors is not None:
            self.pairwise_error_ = errors
        self._class_shares = np.bincount(codes) / len(codes)
        self._sample = choice.node_sample(self.bayes_error_samples)
        if self.estimator is not None:
            self._train_estimators(X, codes, weights)
            return None
        return NodeDesign(
            X,
            codes,
            self.hierarchy_,
            weights=weights,
            draw_seed=lambda: self._seeds(1)[0],
            n_jobs=self.n_jobs,
        )

    def _train(self, design, starts=None, trained=None):
        """Train the nodes of a design, unless they are known, and build what predicts."""
        if trained is None:
            trained = train_nodes(
                design,
                self.C,
                self.nodes,
                solver=self.solver,
                calibrated=self.routing == "soft",
                n_jobs=self.n_jobs,
                starts=starts,
            )
        self.nodes_, self._evidence = trained
        self._errors = NodeErrors(self._sample, self.hierarchy_, self.nodes_)
        if self.nodes == "linear":
            machines = np.array([node.machines["linear"] for node in self.nodes_])
            self.coef_ = _read_only(machines[:, :-1])
            self.intercept_ = _read_only(machines[:, -1])
        self._router = self._build_router()
        return trained

    def _train_estimators(self, X, codes, weights):
        common = {"weights": weights, "n_jobs": self.n_jobs}
        self.estimators_ = fit_estimators(
            self.estimator,
            X,
            codes,
            self.hierarchy_,
            seeds=self._seeds(self.hierarchy_.n_nodes),
            **common,
        )
        self._calibrators = [None] * self.hierarchy_.n_nodes
        if self.routing == "soft":
            self._calibrators = calibrate(self.estimators_, X, codes, self.hierarchy_, **common)
        self._router = self._build_router()

    def _build_router(self):
        """What predicts, with copies of all it needs, checked."""
        if self.hierarchy_.n_classes != len(self.classes_):
            raise ValueError(
                f"hierarchy_ must have the {len(self.classes_)} classes of the classifier, got "
                f"{self.hierarchy_.n_classes}."
            )
        if self.estimator is not None:
            return EstimatorRouter(self.hierarchy_, self.estimators_, self._calibrators)
        if self.nodes != "linear":
            return EvidenceRouter(self.hierarchy_, self._evidence)
        if np.shape(self.coef_)[1:] != (self.n_features_in_,):
            raise ValueError(
                f"coef_ must have {self.n_features_in_} columns, got shape {np.shape(self.coef_)}."
            )
        soft = self.routing == "soft"
        links = [[n.weights["linear"], n.weights["intercept"]] for n in self.nodes_]
        return LinearRouter(
            self.hierarchy_,
            self._class_shares,
            self.coef_,
            self.intercept_,
            np.array(links),
            LIMITS["linear"] if soft else np.inf,
        )

    def __setattr__(self, name, value):
        if name not in ("hierarchy_", "coef_", "intercept_") or "_router" not in vars(self):
            super().__setattr__(name, value)
            return
        # Fitted state that a user replaces: predictions follow it, or it is refused.
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
            if name in vars(self):  # arrays come writable out of a pickle
                vars(self)[name].setflags(write=False)

    def _forget(self):
        """Drop what an earlier fit has left."""
        left = ("pairwise_error_", "nodes_", "estimators_", "coef_", "intercept_", "_router")
        for name in left:
            vars(self).pop(name, None)

    def _seeds(self, number):
        random = np.random.RandomState(self._seed)
        return random.randint(np.iinfo(np.int32).max, size=number).tolist()

    def _validated(self, X):
        check_is_fitted(self)
        return check_rows(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = (
            not isinstance(self.hierarchy, str) or self.hierarchy == "centroids"
        )
        return tags


def _read_only(values):
    """A read-only copy."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
