"""Which hierarchy a classifier gets: that of a search by name, or the user's own."""

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from smartsvm._core.sampling import rows_of_classes
from smartsvm._core.validation import CheckedLabels, check_choice, check_square, describe, tie_seed
from smartsvm.classifier.hierarchy_search import bayes_error_hierarchy, centroid_hierarchy
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy, class_hierarchy

_LEAST_OF_A_CLASS = 30  # samples behind the Bayes errors of nodes
# "auto" cuts errors for at most this many classes, seen in about this many samples.
_MOST_DESIGNED, _DESIGN_SAMPLES = 200, 2000
_MOST_WHITENED = 1000  # with more features centroids are scaled, not whitened
_RIDGE = 1e-3  # fraction of the mean variance that is added to every variance


class HierarchyChoice:
    """The training set that a hierarchy is chosen for; `options` are those of `ClassForest`."""

    def __init__(self, X, codes, classes, n_trees, options):
        self._X, self._codes, self._classes = X, codes, classes
        self._n_trees, self._options = n_trees, options

    def choose(self, hierarchy, error_graph, error_matrix):
        """The hierarchy over the classes of y, and the pairwise errors it was cut from or None."""
        is_name = isinstance(hierarchy, str)
        if is_name:
            check_choice(hierarchy, "hierarchy", HIERARCHIES)
        if error_matrix is not None:
            if not (is_name and hierarchy in ("auto", "min-cut")):
                raise ValueError(
                    f"error_matrix is what hierarchy='min-cut' cuts; it is not used with "
                    f"hierarchy={describe(hierarchy)}."
                )
            return self._cut(self._own_errors(error_matrix))
        if is_name:
            return HIERARCHIES[hierarchy](self, error_graph)
        return self._own(hierarchy), None

    def node_sample(self, most):
        """Points, labels and options of a `ClassForest` of about `most` samples (None: all)."""
        if most == 0 or sparse.issparse(self._X):
            return None
        rows = self._some_rows(most)
        labels = self._classes[self._codes[rows]]
        return self._X[rows], labels, {"n_trees": self._n_trees or 1, **self._options}

    def _some_rows(self, most):
        n, counts = len(self._codes), np.bincount(self._codes)
        if most is None or n <= most:
            return slice(None)
        sizes = np.minimum(counts, np.maximum(_LEAST_OF_A_CLASS, -(-counts * most // n)))
        return rows_of_classes(self._codes, sizes, tie_seed(self._options["random_state"]))

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

    def _own_errors(self, error_matrix):
        errors = check_square(error_matrix, "error_matrix").copy()
        if len(errors) != len(self._classes):
            raise ValueError(
                f"error_matrix must have one row for each of the {len(self._classes)} classes of "
                f"y, got shape {errors.shape}."
            )
        return errors

    def _cut(self, errors):
        return class_hierarchy(errors, classes=self._classes), errors

    def by_design(self, error_graph):
        """Cut the errors in one tree of a subsample; centroids for sparse rows and many classes."""
        if sparse.issparse(self._X) or not 2 < len(self._classes) <= _MOST_DESIGNED:
            return self.by_centroids(error_graph)
        forest = self._forest("hierarchy='auto'", 1, self._some_rows(_DESIGN_SAMPLES))
        return self._cut(_in_tree(forest))

    def by_centroids(self, error_graph):
        """Halve the class centroids, whitened or scaled by the within-class covariance."""
        X, codes, n = self._X, self._codes, len(self._codes)
        counts = np.bincount(codes)
        members = sparse.csr_matrix((np.ones(n), (codes, np.arange(n))))
        means = np.asarray(safe_sparse_dot(members, X, dense_output=True)) / counts[:, None]
        if not sparse.issparse(X) and X.shape[1] <= _MOST_WHITENED:
            centred = X - means[codes]
            within = centred.T @ centred / n
            ridge = _RIDGE * (np.trace(within) / len(within) or 1.0)
            within[np.diag_indices(len(within))] += ridge
        else:
            squares = X.multiply(X) if sparse.issparse(X) else X**2
            overall = np.asarray(squares.sum(axis=0)).ravel() / n
            within = np.maximum(overall - counts @ means**2 / n, 0)
            within += _RIDGE * (within.mean() or 1.0)
        return centroid_hierarchy(means, within, self._classes), None

    def by_bayes_error(self, error_graph):
        """Search for splits of least exact Bayes error."""
        return bayes_error_hierarchy(self._forest("hierarchy='bayes-error'", 1)), None

    def by_minimum_cut(self, error_graph):
        """Cut the errors of the graph."""
        n_trees, errors = ERROR_GRAPHS[error_graph]
        return self._cut(errors(self._forest("hierarchy='min-cut' without error_matrix", n_trees)))

    def _forest(self, setting, n_trees, rows=slice(None)):
        if sparse.issparse(self._X):
            raise TypeError(
                f"{setting} needs spanning trees, and those need dense points; got a sparse matrix "
                f"X of shape {self._X.shape}. Pass X.toarray(), or use hierarchy='centroids' or a "
                f"hierarchy of your own."
            )
        labels = CheckedLabels(self._classes, self._codes[rows])
        return ClassForest(self._X[rows], labels, n_trees=self._n_trees or n_trees, **self._options)


def _of_pairs(forest):
    """Errors to cut: those of all pairs, corrected and normalised as in the paper."""
    return forest.pairwise(bias_correction=True, normalize=True).value


def _in_tree(forest):
    """Errors to cut: those of all pairs in the trees over all classes, likewise."""
    return forest.pairwise_in_tree(bias_correction=True, normalize=True)


# What SmartSVM's parameter `hierarchy` names: (choice, error_graph) to hierarchy, errors or None.
HIERARCHIES = {
    "auto": HierarchyChoice.by_design,
    "centroids": HierarchyChoice.by_centroids,
    "min-cut": HierarchyChoice.by_minimum_cut,
    "bayes-error": HierarchyChoice.by_bayes_error,
}
# What `error_graph` names: the number of trees, unless the user sets it, and the errors in them.
ERROR_GRAPHS = {
    "pairs": (3, _of_pairs),  # the paper's number of trees
    "tree": (1, _in_tree),
}


def takes_sparse(hierarchy):
    """Whether a classifier with this hierarchy accepts sparse X."""
    return not isinstance(hierarchy, str) or hierarchy in ("auto", "centroids")
