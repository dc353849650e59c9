"""Which hierarchy a classifier gets: one of three searches, or the user's own."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from smartsvm._core.sampling import rows_by_class, rows_of_classes
from smartsvm._core.validation import CheckedLabels, check_choice, check_square, describe, tie_seed
from smartsvm.classifier.class_statistics import class_statistics
from smartsvm.classifier.hierarchy_search import bayes_error_hierarchy, centroid_hierarchy
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy, class_hierarchy

HIERARCHIES = ("centroids", "min-cut", "bayes-error")
ERROR_GRAPHS = ("pairs", "tree")
_TREES_OF_PAIRS = 3  # the paper's number
_LEAST_OF_A_CLASS = 30  # samples behind the errors of nodes
_MOST_WHITENED = 1000  # with more features centroids are scaled, not whitened


class HierarchyChoice:
    """The training set of a classifier, asked for a hierarchy.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
        Validated points.
    codes : ndarray of shape (n,)
        Their classes.
    classes : ndarray of shape (K,)
        The labels.
    n_trees : int or None
        Orthogonal trees; None for 3 with the errors of pairs and 1 elsewhere.
    n_jobs : int or None
        Threads.
    random_state : int, RandomState or None
        Seed of the order among equal distances.
    memory_limit : int, str or None
        Bytes for the trees.
    verbose : int
        Whether to show progress.
    """

    def __init__(self, X, codes, classes, *, n_trees, n_jobs, random_state, memory_limit, verbose):
        self._X, self._codes, self._classes = X, codes, classes
        self._labels = CheckedLabels(classes, codes)
        self._n_trees = n_trees
        self._options = {
            "n_jobs": n_jobs,
            "random_state": random_state,
            "memory_limit": memory_limit,
            "verbose": verbose,
        }
        self._forests = {}

    def choose(self, hierarchy, error_graph, error_matrix):
        """The hierarchy, and the errors it was cut from (None if it was not cut).

        Parameters
        ----------
        hierarchy : str, ClassHierarchy or nested lists
            As the parameter of `SmartSVM`.
        error_graph : {"pairs", "tree"}
            Where the errors come from.
        error_matrix : array-like of shape (K, K) or None
            Errors to use instead.

        Returns
        -------
        hierarchy : ClassHierarchy
            Over exactly the classes of the training set.
        errors : ndarray of shape (K, K) or None
            Pairwise errors.
        """
        if isinstance(hierarchy, str):
            check_choice(hierarchy, "hierarchy", HIERARCHIES)
        if error_matrix is not None and not (isinstance(hierarchy, str) and hierarchy == "min-cut"):
            raise ValueError(
                f"error_matrix is what hierarchy='min-cut' cuts; it is not used with "
                f"hierarchy={describe(hierarchy)}."
            )
        if not isinstance(hierarchy, str):
            return self._own(hierarchy), None
        if hierarchy == "centroids":
            return self._centroids(), None
        if hierarchy == "bayes-error":
            self._refuse_sparse("hierarchy='bayes-error'")
            return bayes_error_hierarchy(self._forest(self._n_trees or 1)), None
        if error_matrix is None:
            errors = self._errors(error_graph)
        else:
            errors = check_square(error_matrix, "error_matrix").copy()
            if len(errors) != len(self._classes):
                raise ValueError(
                    f"error_matrix must have one row for each of the {len(self._classes)} "
                    f"classes of y, got shape {errors.shape}."
                )
        return class_hierarchy(errors, classes=self._classes), errors

    def node_sample(self, most):
        """Samples from which the Bayes errors of nodes are estimated.

        Parameters
        ----------
        most : int or None
            Samples to draw, the same share of every class but at least 30 of it;
            None for all of them.

        Returns
        -------
        (points, labels, options) or None
            What a `ClassForest` is made of; None for sparse rows and for no samples.
        """
        if most == 0 or sparse.issparse(self._X):
            return None
        rows, n = slice(None), len(self._codes)
        if most is not None and n > most:
            counts = np.bincount(self._codes)
            wanted = np.minimum(counts, np.maximum(_LEAST_OF_A_CLASS, -(-counts * most // n)))
            seed = tie_seed(self._options["random_state"])
            rows = rows_of_classes(self._codes, wanted, seed)
        labels = self._classes[self._codes[rows]]
        return self._X[rows], labels, {"n_trees": self._n_trees or 1, **self._options}

    def _own(self, hierarchy):
        if not isinstance(hierarchy, ClassHierarchy):
            if not isinstance(hierarchy, list | tuple):
                raise TypeError(
                    f"hierarchy must be one of {list(HIERARCHIES)}, a ClassHierarchy or nested "
                    f"lists of two, got {describe(hierarchy)}."
                )
            hierarchy = ClassHierarchy.from_nested(hierarchy)
        missing = self._classes[~np.isin(self._classes, hierarchy.classes)]
        if len(missing):
            raise ValueError(
                f"hierarchy must hold all classes of y, but lacks {describe(missing.tolist())}; "
                f"it holds {describe(hierarchy.classes.tolist())}."
            )
        return hierarchy.restrict(self._classes)

    def _centroids(self):
        order = rows_by_class(self._codes)
        counts = np.bincount(self._codes)
        if not sparse.issparse(self._X) and self._X.shape[1] <= _MOST_WHITENED:
            starts = np.concatenate([[0], np.cumsum(counts)])
            statistics = class_statistics(self._X[order], starts)
            return centroid_hierarchy(statistics.means, statistics.pooled, self._classes)
        n = len(order)
        members = sparse.csr_matrix((np.ones(n), (self._codes, np.arange(n))))
        means = np.asarray(_dense(members @ self._X)) / counts[:, None]
        squares = self._X.multiply(self._X) if sparse.issparse(self._X) else self._X**2
        overall = np.asarray(squares.sum(axis=0)).ravel() / n
        within = np.maximum(overall - counts @ means**2 / n, 0)
        within += 1e-3 * (within.mean() or 1.0)
        return centroid_hierarchy(means, within, self._classes)

    def _errors(self, error_graph):
        self._refuse_sparse("hierarchy='min-cut' without error_matrix")
        if error_graph == "pairs":
            return self._forest(self._n_trees or _TREES_OF_PAIRS).pairwise().value
        return self._forest(self._n_trees or 1).pairwise_in_tree()

    def _forest(self, n_trees):
        if n_trees not in self._forests:
            self._forests[n_trees] = ClassForest(
                self._X, self._labels, n_trees=n_trees, **self._options
            )
        return self._forests[n_trees]

    def _refuse_sparse(self, wish):
        if sparse.issparse(self._X):
            raise TypeError(
                f"{wish} needs spanning trees, and those need dense points; got a sparse matrix X "
                f"of shape {self._X.shape}. Pass X.toarray(), or use hierarchy='centroids' or a "
                f"hierarchy of your own."
            )


def _dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix
