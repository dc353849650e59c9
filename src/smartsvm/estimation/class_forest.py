"""`ClassForest`: the trees of one labelled data set, and every Bayes error computed from them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.checked_labels import check_labels
from smartsvm._core.checksums import checksum_of
from smartsvm._core.column_scales import SCALES
from smartsvm._core.devices import device_name
from smartsvm._core.points import scale_points
from smartsvm._core.sources import read_labels
from smartsvm._core.types import (
    Algorithm,
    BiasCorrection,
    Floats,
    Integers,
    LabelsLike,
    MemoryLimit,
    Path,
    PointsLike,
    RandomState,
    Scale,
)
from smartsvm._core.validation import check_choice, check_flag, describe, tie_seed
from smartsvm.estimation.cross_edges import count_by_class, mean_over_trees
from smartsvm.estimation.forest_counts import ForestCounts
from smartsvm.estimation.henze_penrose import BIAS_CORRECTIONS, bayes_error_bounds, divergence
from smartsvm.estimation.number_of_trees import (
    AVERAGED_TREES,
    check_n_trees,
    trees_for_bounds,
    trees_to_count,
    warn_of_small_classes,
)
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.held_out.scale_choice import choose_scale
from smartsvm.trees.in_memory.class_trees import SpanningForest
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.classes import BlockSpanningForest
from smartsvm.trees.out_of_core.forest import BlockForest, BlockReport
from smartsvm.trees.spanning_trees import count_spanning
from smartsvm.trees.tree_plan import TreePlan

MULTICLASS_METHODS = ("tree", "pairwise", "tightest")


class ClassForest:
    """The spanning trees of a labelled data set, for several estimates from the same trees.

    Columns keep their units unless `scale` says otherwise. `bayes_error`, `pairwise_bayes_error`
    and `ovr_bayes_error` each build such a forest and call one of its methods. Keep a forest to
    call several: it reuses its trees.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or as in `euclidean_mst`
        The points: in memory, on disk or a Dask array. Of arrays a copy is kept, in the
        type that they have; a memory-map is read where it is.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more; also a Dask array, or the path of a
        ``.npy`` or Parquet file or of a folder of such files. They are read into memory.
    n_trees : int or "auto", default="auto"
        Orthogonal trees to average. "auto" takes three for up to 3 features and one beyond,
        where later trees raise the bounds. Where many distances are equal, it also averages the
        counts in the trees over all samples over three orders among them.
    scale : str, default="none"
        How to scale the columns, in the words of `difficulty_report`: "none", "standard", "robust",
        "ranks", "minmax", or "auto" for the scale that a report would choose. Another than "none"
        needs all points in memory.
    algorithm, n_jobs, random_state, verbose, memory_limit, checkpoint, device : object
        As in `euclidean_mst`.

    Attributes
    ----------
    scale : str
        Scale of the columns, also where "auto" chose it.
    classes : ndarray of shape (K,)
        The labels.
    class_counts : ndarray of shape (K,)
        Samples of each class.
    n_trees : int
        Number of trees; fewer are averaged where a class is too small for as many.

    Notes
    -----
    All trees follow one order of edges, so the edges of the trees of a union of classes are
    among those of its pairs, for any number of orthogonal trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import ClassForest
    >>> forest = ClassForest(*load_iris(return_X_y=True))
    >>> round(forest.multiclass().value, 3)
    0.04
    >>> round(forest.split([0, 1], [2]).value, 3)  # the first two against the third
    0.035
    """

    _warns = True  # of small classes

    def __init__(
        self,
        X: PointsLike,
        y: LabelsLike,
        *,
        n_trees: int | Literal["auto"] = "auto",
        scale: Scale = "none",
        algorithm: Algorithm = "auto",
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
        memory_limit: MemoryLimit = None,
        checkpoint: Path | None = None,
        device: str | None = None,
    ) -> None:
        check_choice(scale, "scale", ("auto", *SCALES))
        automatic = check_n_trees(n_trees) == "auto"
        # The most trees that "auto" may take; how many it takes depends on the number of features.
        most = AVERAGED_TREES if automatic else n_trees
        trees = TreePlan.checked(
            most, algorithm, n_jobs, memory_limit, checkpoint, verbose, by_class=True
        )
        classes, codes, seed = None, None, tie_seed(random_state)
        if scale != "none":
            X, classes, codes, scale = _on_scale(X, y, scale, trees, device, seed)
        points = open_points(X, trees=trees, device=device)
        if points.device is None:
            trees = trees._replace(algorithm=trees.kernel(*points.shape))
        if automatic:
            trees = trees._replace(n_trees=trees_for_bounds(points.n_features))
        if codes is None:
            classes, codes = check_labels(read_labels(y), n_samples=points.n_rows)
        options = trees.options(seed, points.n_rows)
        if points.source is None:
            forest = SpanningForest(points, codes, **options)
        else:
            blocks = BlockForest(points, codes=codes, **options, **trees.limits())
            forest = BlockSpanningForest(blocks, codes)
        counts = ForestCounts(forest, trees.n_trees, averages_ties=automatic)
        self._set(counts, classes, trees.n_trees)
        self.scale = scale

    @classmethod
    def _of_counts(cls, counts, classes, n_trees):
        """The errors that follow from some `ForestCounts`, without warnings of small classes."""
        forest = object.__new__(cls)
        forest._set(counts, classes, n_trees)
        forest._warns = False
        return forest

    def _set(self, counts, classes, n_trees):
        self._counts = counts
        self.n_trees = n_trees
        self.classes = classes
        self.class_counts = counts.forest.class_counts
        self._n_samples = len(counts.forest.codes)
        self._priors = self.class_counts / self._n_samples

    def __getstate__(self):
        return vars(self) | {"_checksum": self._checksum_of_answers()}

    def __setstate__(self, state):
        vars(self).update(state)
        if vars(self).pop("_checksum") != self._checksum_of_answers():
            raise ValueError("the pickled ClassForest is damaged: its checksum is another.")

    def _checksum_of_answers(self):
        answers = {name: value for name, value in vars(self).items() if name != "_counts"}
        return checksum_of([answers, self._counts.answers()])

    def pairwise(
        self,
        *,
        bias_correction: BiasCorrection = "prior",
        normalize: bool = False,
    ) -> ErrorEstimate:
        """Estimate the Bayes error of every pair of classes; see `pairwise_bayes_error`.

        Parameters
        ----------
        bias_correction, normalize : object
            As in `pairwise_bayes_error`.

        Returns
        -------
        ErrorEstimate
            Errors of shape (K, K).
        """
        _check_options(bias_correction, normalize)
        cross, n_counted = self._pair_counts()
        bounds = self._pair_bounds(cross, bias_correction)
        smaller, sizes = self._pair_priors(), np.add.outer(self.class_counts, self.class_counts)
        raw_divergence = divergence(cross, sizes, 2 * smaller * (1 - smaller))
        np.fill_diagonal(raw_divergence, 0)
        return self._estimate(bounds, cross, n_counted, normalize, smaller, raw_divergence)

    def pairwise_in_tree(
        self, *, bias_correction: BiasCorrection = "prior", normalize: bool = False
    ) -> Floats:
        """Estimate the error of every pair from the trees over all classes.

        For many classes this is cheaper than `pairwise`. The errors are smaller: if a third class
        lies between two others, no edge joins them. `class_hierarchy` can cut this graph.

        Parameters
        ----------
        bias_correction, normalize : object
            As in `pairwise_bayes_error`.

        Returns
        -------
        ndarray of shape (K, K)
            Symmetric, zero on the diagonal.
        """
        _check_options(bias_correction, normalize)
        n_counted = int(trees_to_count(self._n_samples, self._counts.spanning))
        cross = self._counts.by_class[:n_counted].mean(axis=0)
        value, _, _ = self._pair_bounds(cross, bias_correction)
        return value / self._pair_priors() if normalize else value

    def one_vs_rest(
        self,
        *,
        bias_correction: BiasCorrection = "prior",
        normalize: bool = False,
    ) -> ErrorEstimate:
        """Estimate the Bayes error of each class against all others; see `ovr_bayes_error`.

        Parameters
        ----------
        bias_correction, normalize : object
            As in `ovr_bayes_error`.

        Returns
        -------
        ErrorEstimate
            Errors of shape (K,).
        """
        _check_options(bias_correction, normalize)
        pair_cross, _ = self._pair_counts()
        by_class = self._counts.by_class
        inside = np.diagonal(by_class, axis1=1, axis2=2)
        smaller_side = np.minimum(self.class_counts, self._n_samples - self.class_counts)
        n_counted = trees_to_count(smaller_side, self._counts.spanning)
        cross = mean_over_trees(by_class.sum(axis=2) - inside, n_counted)
        smaller = np.minimum(self._priors, 1 - self._priors)
        value, lower, _ = bayes_error_bounds(
            cross, self._n_samples, smaller, bias_correction=bias_correction
        )
        pair_upper = self._pair_bounds(pair_cross, bias_correction)[2]
        # The sum comes from other trees and may fall below the estimate.
        upper = np.maximum((self._pair_weights() * pair_upper).sum(axis=1), value)
        raw_divergence = divergence(cross, self._n_samples, 2 * smaller * (1 - smaller))
        return self._estimate(
            [value, lower, upper], cross, n_counted, normalize, smaller, raw_divergence
        )

    def multiclass(
        self,
        *,
        method: Literal["tree", "pairwise", "tightest"] = "tree",
        bias_correction: BiasCorrection = "prior",
        normalize: bool = False,
    ) -> ErrorEstimate:
        """Estimate the Bayes error of the whole problem; see `bayes_error`.

        Parameters
        ----------
        method : {"tree", "pairwise", "tightest"}, default="tree"
            "tree" counts the cross edges of the trees over all classes, as `bayes_error` does.
            "pairwise" sums the bounds of all pairs: (2/K) Σ (p_i + p_j) L_ij and
            Σ (p_i + p_j) U_ij. "tightest" takes the larger of the two lower bounds and the
            smallest of the two upper bounds and the baseline error.
        bias_correction, normalize : object
            As in `bayes_error`.

        Returns
        -------
        ErrorEstimate
            One error.
        """
        check_choice(method, "method", MULTICLASS_METHODS)
        _check_options(bias_correction, normalize)
        n_classes = len(self.classes)
        largest_class_error = 1 - self._priors.max()
        if method != "tree":
            pair_cross, _ = self._pair_counts()
            _, low, high = self._pair_bounds(pair_cross, bias_correction)
            pair_lower = (self._pair_weights() * low).sum() / n_classes
            pair_upper = (self._pair_weights() * high).sum() / 2
        n_counted = self._counts.n_counted
        cross = np.triu(self._counts.by_class, 1).sum(axis=(1, 2))[:n_counted].mean()
        value, lower, upper = bayes_error_bounds(
            cross,
            self._n_samples,
            largest_class_error,
            n_classes=n_classes,
            bias_correction=bias_correction,
        )
        if method == "pairwise":
            lower, upper = pair_lower, pair_upper
            value = (lower + upper) / 2
        elif method == "tightest":
            # With few samples the lower bound of the pairs may exceed the tree's upper bound.
            lower = max(lower, min(pair_lower, upper))
            upper = max(lower, min(upper, pair_upper, largest_class_error))
            value = np.clip(value, lower, upper)
        bounds = map(float, (value, lower, upper))
        raw_divergence = float(divergence(cross, self._n_samples, 1 - self._priors @ self._priors))
        baseline = float(largest_class_error)
        return self._estimate(bounds, float(cross), n_counted, normalize, baseline, raw_divergence)

    def split(
        self,
        left: ArrayLike,
        right: ArrayLike,
        *,
        bias_correction: BiasCorrection = "prior",
        normalize: bool = False,
    ) -> ErrorEstimate:
        """Estimate the Bayes error between two groups of classes.

        This is the binary problem of a node of a hierarchy, estimated from the trees over all
        samples of both groups.

        Parameters
        ----------
        left, right : array-like
            Labels of each group; the groups are disjoint.
        bias_correction, normalize : object
            As in `bayes_error`.

        Returns
        -------
        ErrorEstimate
            One error; ``classes`` and ``class_counts`` are those of both groups.
        """
        _check_options(bias_correction, normalize)
        sides = [self._codes_of(left, "left"), self._codes_of(right, "right")]
        shared = np.intersect1d(*sides)
        if shared.size:
            raise ValueError(
                f"left and right must be disjoint, got {self.classes[shared].tolist()} in both."
            )
        inside = np.sort(np.concatenate(sides))
        counts = [int(self.class_counts[side].sum()) for side in sides]
        by_side, spanning = self._counts_between(*sides)
        n_counted = int(trees_to_count(min(counts), spanning))
        cross = by_side[:n_counted].mean()
        smaller = min(counts) / sum(counts)
        bounds = bayes_error_bounds(cross, sum(counts), smaller, bias_correction=bias_correction)
        bounds = map(float, bounds)
        raw_divergence = float(divergence(cross, sum(counts), 2 * smaller * (1 - smaller)))
        return self._estimate(
            bounds, float(cross), n_counted, normalize, smaller, raw_divergence, inside
        )

    def _pair_counts(self):
        """Mean cross edges of the pairs and the numbers of trees averaged, both (K, K)."""
        n_counted = self._counts.pair_trees
        cross = self._counts.pair_means * 1.0
        np.fill_diagonal(cross, 0)
        np.fill_diagonal(n_counted, 0)
        return cross, n_counted

    def _pair_bounds(self, cross, bias_correction):
        """Estimate and bounds (K, K) of the pairs, not normalised, zero on the diagonal."""
        pair_sizes = np.add.outer(self.class_counts, self.class_counts)
        bounds = bayes_error_bounds(
            cross, pair_sizes, self._pair_priors(), bias_correction=bias_correction
        )
        for matrix in bounds:
            np.fill_diagonal(matrix, 0)
        return bounds

    def _pair_priors(self):
        """The smaller prior within each pair."""
        pair_sizes = np.add.outer(self.class_counts, self.class_counts)
        return np.minimum.outer(self.class_counts, self.class_counts) / pair_sizes

    def _pair_weights(self):
        """p_k + p_l: the prior of each pair."""
        return np.add.outer(self._priors, self._priors)

    def _counts_between(self, left, right):
        """Edges between two groups of classes in each tree of both; how many trees span."""
        if len(left) + len(right) == len(self.classes):
            by_side = self._counts.by_class[:, left][:, :, right].sum(axis=(1, 2))
            return by_side, self._counts.spanning
        edges, _, sizes = self._counts.forest.union(np.sort(np.concatenate([left, right])))
        side = np.zeros(len(self.classes), dtype=np.intp)
        side[right] = 1
        n_samples = int(self.class_counts[left].sum() + self.class_counts[right].sum())
        by_side = count_by_class(edges, sizes, side[self._counts.forest.codes], 2)[:, 0, 1]
        return by_side, count_spanning(sizes, n_samples)

    @property
    def block_report(self) -> BlockReport | None:
        """The work on blocks so far: pairs, tasks and time; None if there are no blocks."""
        blocks = getattr(self._counts.forest, "blocks", None)
        return None if blocks is None else blocks.report

    @property
    def codes(self) -> Integers:
        """Class of every sample as a position in `classes`."""
        return self._counts.forest.codes

    def tree_edges(self) -> list[Integers]:
        """Edges of the trees over all samples, one array of shape (n - 1, 2) for each."""
        return self._counts.forest.tree_edges()

    def _codes_of(self, labels, name):
        code = {label: k for k, label in enumerate(self.classes.tolist())}
        as_list = np.atleast_1d(labels).ravel().tolist()
        unknown = [label for label in as_list if label not in code]
        if unknown or not as_list:
            raise ValueError(
                f"{name} must hold labels of y, at least one, got {describe(unknown or labels)}."
            )
        return np.unique([code[label] for label in as_list])

    def _estimate(
        self, bounds, cross, n_counted, normalize, baseline, raw_divergence, codes=slice(None)
    ):
        """The result for some classes, divided by the baseline error on request; warn once."""
        if self._warns:
            warn_of_small_classes(self.classes, self.class_counts, self.n_trees, n_counted)
        bounds = [bound / baseline for bound in bounds] if normalize else bounds
        counts, classes = self.class_counts[codes], self.classes[codes]
        return ErrorEstimate(
            *bounds,
            cross,
            counts,
            classes,
            n_counted,
            bool(normalize),
            np.maximum(raw_divergence, 0)[()],
        )


def _check_options(bias_correction, normalize):
    check_choice(bias_correction, "bias_correction", BIAS_CORRECTIONS)
    check_flag(normalize, "normalize")


def _on_scale(X, y, scale, trees, device, seed):
    """Scaled `Points` in memory, the classes, their codes, and the scale that "auto" chose."""
    if trees.has_limit:
        raise ValueError(
            f'scale must be "none" with memory_limit or checkpoint, got {scale!r}: scale the '
            "columns first, or pass an array that fits in memory."
        )
    points = open_points(X)
    values = points.read() if points.source is not None else points.matrix()
    classes, codes = check_labels(read_labels(y), n_samples=len(values))
    if scale == "auto":
        scale = choose_scale(values, codes, seed=seed, n_jobs=trees.n_jobs)
    place = device_name(device, X)
    return scale_points(values, scale, device=place, n_jobs=trees.n_jobs), classes, codes, scale
