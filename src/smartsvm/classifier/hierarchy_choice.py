"""Which hierarchy a classifier gets: that of a search by name, or the user's own."""

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from smartsvm._core.checked_labels import CheckedLabels
from smartsvm._core.sampling import rows_of_classes
from smartsvm._core.validation import check_choice, describe, tie_seed
from smartsvm.classifier.hierarchy_search import centroid_hierarchy
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy, class_hierarchy

# Samples of each class in a subsample, if it has as many: small classes need some edges, too.
_LEAST_OF_A_CLASS = 30
# Classes up to which "auto" cuts the errors in a tree: the minimum cuts take O(K⁴) at worst.
_MOST_DESIGNED = 200
# Samples in that tree: it only ranks the pairs, and its cost grows with n².
_DESIGN_SAMPLES = 2000
# Features up to which centroids are whitened, which takes O(d³); with more they are scaled.
_MOST_WHITENED = 1000
# Ridge / mean variance: added to every variance, so that constant features can be inverted.
_RIDGE = 1e-3
# How the paper cuts errors: with its correction, relative to the smaller prior of each pair.
_AS_IN_THE_PAPER = {"bias_correction": True, "normalize": True}


class HierarchyChoice:
    """The training set that a hierarchy is chosen for; `options` are those of `ClassForest`."""

    def __init__(self, X, codes, classes, n_trees, options):
        self._X = X
        self._codes = codes
        self._classes = classes
        self._n_trees = n_trees
        self._options = options

    def choose(self, hierarchy):
        """The hierarchy over the classes of y, and the pairwise errors it was cut from or None."""
        if not isinstance(hierarchy, str):
            return self._own(hierarchy), None
        check_choice(hierarchy, "hierarchy", HIERARCHIES)
        return HIERARCHIES[hierarchy](self)

    def node_sample(self, most):
        """Points, labels and options of a `ClassForest` of about `most` samples (None: all)."""
        if most == 0 or sparse.issparse(self._X):
            return None
        rows = self._some_rows(most)
        labels = self._classes[self._codes[rows]]
        return self._X[rows], labels, {"n_trees": self._n_trees or 1, **self._options}

    def _some_rows(self, most):
        n = len(self._codes)
        counts = np.bincount(self._codes)
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

    def _cut(self, errors):
        return class_hierarchy(errors, classes=self._classes), errors

    def by_design(self):
        """Cut the errors in one tree of a subsample; centroids for sparse rows and many classes."""
        if sparse.issparse(self._X) or not 2 < len(self._classes) <= _MOST_DESIGNED:
            return self.by_centroids()
        forest = self._forest("hierarchy='auto'", 1, self._some_rows(_DESIGN_SAMPLES))
        return self._cut(forest.pairwise_in_tree(**_AS_IN_THE_PAPER))

    def by_centroids(self):
        """Halve the class centroids, whitened or scaled by the within-class covariance."""
        X = self._X
        codes = self._codes
        n = len(self._codes)
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

    def by_minimum_cut(self):
        """Cut the errors of all pairs, in the paper's number of trees."""
        forest = self._forest("hierarchy='min-cut'", 3)
        return self._cut(forest.pairwise(**_AS_IN_THE_PAPER).value)

    def by_minimum_cut_in_tree(self):
        """Cut the errors of all pairs in one tree over all classes."""
        forest = self._forest("hierarchy='min-cut-tree'", 1)
        return self._cut(forest.pairwise_in_tree(**_AS_IN_THE_PAPER))

    def _forest(self, setting, n_trees, rows=slice(None)):
        if sparse.issparse(self._X):
            raise TypeError(
                f"{setting} needs spanning trees, and those need dense points; got a sparse matrix "
                f"X of shape {self._X.shape}. Pass X.toarray(), or use hierarchy='centroids' or a "
                f"hierarchy of your own."
            )
        labels = CheckedLabels(self._classes, self._codes[rows])
        return ClassForest(self._X[rows], labels, n_trees=self._n_trees or n_trees, **self._options)


# What SmartSVM's parameter `hierarchy` names: a choice to its hierarchy, and errors or None.
HIERARCHIES = {
    "auto": HierarchyChoice.by_design,
    "centroids": HierarchyChoice.by_centroids,
    "min-cut": HierarchyChoice.by_minimum_cut,
    "min-cut-tree": HierarchyChoice.by_minimum_cut_in_tree,
}


def takes_sparse(hierarchy):
    """Whether a classifier with this hierarchy accepts sparse X."""
    return not isinstance(hierarchy, str) or hierarchy in ("auto", "centroids")
