"""Displays of errors and hierarchies; matplotlib is imported only when something is drawn."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from smartsvm._display_names import figure_text
from smartsvm._validation import check_square, describe
from smartsvm.bayes_error import ovr_bayes_error, pairwise_bayes_error
from smartsvm.estimates import ErrorEstimate
from smartsvm.hierarchy import ClassHierarchy, class_hierarchy

_MOST_WRITTEN_CLASSES = 16  # cells of larger heat maps are too small for numbers


def _axes(ax, figsize):
    """The given axes, or new ones."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Displays need matplotlib: install smartsvm with its extra 'plot'."
        ) from error
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax


class PairwiseErrorDisplay:
    """Heat map of pairwise errors: which classes are hard to tell apart.

    Parameters
    ----------
    error_matrix : array-like of shape (K, K)
        Errors of the pairs.
    classes : array-like of shape (K,), default=None
        Labels; 0 to K - 1 by default.
    normalized : bool, default=True
        Whether the errors are relative to the smaller prior, so that 1 is guessing;
        said beside the scale.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    im_ : matplotlib AxesImage
        The heat map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import PairwiseErrorDisplay
    >>> display = PairwiseErrorDisplay.from_data(*load_iris(return_X_y=True))
    >>> display.error_matrix.shape
    (3, 3)
    """

    def __init__(self, error_matrix, *, classes=None, normalized=True):
        self.error_matrix = check_square(error_matrix, "error_matrix")
        self.normalized = normalized
        self.classes = _labels(classes, len(self.error_matrix))

    @classmethod
    def from_data(cls, X, y, **options):
        """Estimate the errors of (X, y) by `pairwise_bayes_error`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Labels.
        **options : dict
            Passed to `pairwise_bayes_error`.

        Returns
        -------
        PairwiseErrorDisplay
            Not drawn yet.
        """
        return cls.from_estimate(pairwise_bayes_error(X, y, **options))

    @classmethod
    def from_estimate(cls, estimate):
        """Show the result of `pairwise_bayes_error`.

        Parameters
        ----------
        estimate : ErrorEstimate
            Errors of all pairs.

        Returns
        -------
        PairwiseErrorDisplay
            Not drawn yet.
        """
        if not isinstance(estimate, ErrorEstimate) or np.ndim(estimate.value) != 2:
            raise TypeError(
                f"estimate must be a result of pairwise_bayes_error, got {describe(estimate)}."
            )
        return cls(estimate.value, classes=estimate.classes, normalized=estimate.normalized)

    @classmethod
    def from_estimator(cls, estimator):
        """Show the errors behind a fitted `SmartSVM`.

        Parameters
        ----------
        estimator : SmartSVM, or a search over it such as SmartSVMCV
            Fitted classifier.

        Returns
        -------
        PairwiseErrorDisplay
            Not drawn yet.
        """
        estimator = _fitted_classifier(estimator)
        if not hasattr(estimator, "pairwise_error_"):
            raise ValueError(
                "estimator must have pairwise_error_, which SmartSVM has with "
                "hierarchy='min-cut'; or pass pairwise_bayes_error(X, y) to the display."
            )
        return cls(estimator.pairwise_error_, classes=estimator.classes_)

    def plot(self, ax=None, *, order=None, cmap="viridis", colorbar=True):
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        order : {"hierarchy"} or array-like of shape (K,), default=None
            Order of the classes: as given, by the cuts of `class_hierarchy` (similar
            classes side by side), or class indices.
        cmap : str, default="viridis"
            Colour map; the default reads well in grey.
        colorbar : bool, default=True
            Whether to draw the scale beside the map.

        Returns
        -------
        PairwiseErrorDisplay
            Itself.
        """
        n_classes = len(self.classes)
        if isinstance(order, str):
            if order != "hierarchy":
                raise ValueError(f'order must be "hierarchy", None or indices, got {order!r}.')
            order = class_hierarchy(self.error_matrix).leaf_order()
        order = np.arange(n_classes) if order is None else np.asarray(order)
        is_index = order.dtype.kind in "iu" and order.ndim == 1
        if not is_index or sorted(order.tolist()) != list(range(n_classes)):
            raise ValueError(
                f'order must be "hierarchy", None or each of the class indices 0 to '
                f"{n_classes - 1} once, got {describe(order.tolist())}."
            )
        size = float(np.clip(2.5 + 0.42 * n_classes, 4.2, 14))
        ax = _axes(ax, (size + 0.8, size))
        shown = self.error_matrix[np.ix_(order, order)].copy()
        np.fill_diagonal(shown, np.nan)
        top = np.nanmax(shown)
        self.im_ = ax.imshow(shown, cmap=cmap, vmin=0, vmax=top if top > 0 else 1)
        names = [figure_text(label) for label in self.classes[order]]
        rotation = 90 if max(map(len, names)) > 3 else 0
        ax.set_xticks(np.arange(n_classes), names, rotation=rotation)
        ax.set_yticks(np.arange(n_classes), names)
        ax.set(xlabel="Class", ylabel="Class", title="How hard is each pair to tell apart?")
        if n_classes <= _MOST_WRITTEN_CLASSES:
            self._write_values(ax, shown)
        if colorbar:
            label = "Estimated Bayes error" + (", 1 = guessing" if self.normalized else "")
            ax.figure.colorbar(self.im_, ax=ax, shrink=0.85, label=label)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _write_values(self, ax, shown):
        digits = 3 if np.nanmax(shown) < 0.1 else 2
        size = float(np.clip(90 / len(shown), 5.5, 9))
        for i, j in zip(*np.nonzero(~np.isnan(shown)), strict=True):
            red, green, blue, _ = self.im_.cmap(self.im_.norm(shown[i, j]))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            text = f"{shown[i, j]:.{digits}f}".removeprefix("0")
            ax.text(
                j, i, text, ha="center", va="center", fontsize=size,
                color="white" if dark else "black",
            )  # fmt: skip


class ClassErrorDisplay:
    """Bars of the one-against-the-rest error of each class, with bounds.

    Parameters
    ----------
    estimate : ErrorEstimate
        Result of `ovr_bayes_error`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import ClassErrorDisplay
    >>> display = ClassErrorDisplay.from_data(*load_iris(return_X_y=True))
    >>> display.estimate.value.shape
    (3,)
    """

    def __init__(self, estimate):
        if not isinstance(estimate, ErrorEstimate) or np.ndim(estimate.value) != 1:
            raise TypeError(
                f"estimate must be a result of ovr_bayes_error, got {type(estimate).__name__}."
            )
        self.estimate = estimate

    @classmethod
    def from_data(cls, X, y, **options):
        """Estimate the errors of (X, y) by `ovr_bayes_error`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Labels.
        **options : dict
            Passed to `ovr_bayes_error`.

        Returns
        -------
        ClassErrorDisplay
            Not drawn yet.
        """
        return cls(ovr_bayes_error(X, y, **options))

    def plot(self, ax=None, *, sort=True):
        """Draw a bar for each class.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        sort : bool, default=True
            Hardest class on top, instead of the order of the labels.

        Returns
        -------
        ClassErrorDisplay
            Itself.
        """
        estimate = self.estimate
        n_classes = len(estimate.classes)
        order = np.argsort(-estimate.value, kind="stable") if sort else np.arange(n_classes)
        ax = _axes(ax, (6.4, float(np.clip(1.4 + 0.28 * n_classes, 2.4, 14))))
        value = estimate.value[order]
        reach = [value - estimate.lower[order], estimate.upper[order] - value]
        ax.barh(np.arange(n_classes), value, color="0.75", edgecolor="0.35")
        ax.errorbar(value, np.arange(n_classes), xerr=reach, fmt="none", ecolor="black", capsize=3)
        names = [figure_text(label) for label in estimate.classes[order]]
        ax.set_yticks(np.arange(n_classes), names)
        ax.invert_yaxis()
        ax.set_xlim(left=0)
        ax.set(
            xlabel="Bayes error, class against the rest (bar: estimate, line: bounds)",
            ylabel="Class",
            title="Which classes are hard?",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self


class HierarchyDisplay:
    """Drawing of a class hierarchy.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The tree to draw.
    notes : sequence of K - 1 str, default=None
        What to write beside each node; the weights of the cuts by default.
    to_gain : sequence of K - 1 bool, default=None
        Nodes to draw as squares: those where accuracy is left to gain.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.

    Examples
    --------
    >>> from smartsvm import HierarchyDisplay, class_hierarchy
    >>> display = HierarchyDisplay(class_hierarchy([[0, 0.2], [0.2, 0]]))
    >>> display.hierarchy.n_nodes
    1
    """

    def __init__(self, hierarchy, *, notes=None, to_gain=None):
        if not isinstance(hierarchy, ClassHierarchy):
            raise TypeError(f"hierarchy must be a ClassHierarchy, got {type(hierarchy).__name__}.")
        for name, values in (("notes", notes), ("to_gain", to_gain)):
            if values is not None and len(values) != hierarchy.n_nodes:
                raise ValueError(
                    f"{name} must have one entry for each of the {hierarchy.n_nodes} nodes, "
                    f"got {len(values)}."
                )
        self.hierarchy = hierarchy
        self.notes = notes
        self.to_gain = to_gain
        self._meaning = "number: error across the cut" if notes is None else "beside: notes"

    @classmethod
    def from_estimator(cls, estimator):
        """Show the hierarchy of a fitted `SmartSVM` and the errors of its nodes.

        Parameters
        ----------
        estimator : SmartSVM, or a search over it such as SmartSVMCV
            Fitted classifier.

        Returns
        -------
        HierarchyDisplay
            Not drawn yet.
        """
        estimator = _fitted_classifier(estimator)
        if not hasattr(estimator, "nodes_"):
            return cls(estimator.hierarchy_)
        notes = [
            f"{node.left_out_error:.2g}" + ("" if np.isnan(error) else f" ({error:.2g})")
            for node, error in zip(estimator.nodes_, estimator.bayes_errors_, strict=True)
        ]
        display = cls(
            estimator.hierarchy_,
            notes=notes,
            to_gain=estimator.to_gain_ > 0,
        )
        display._meaning = "number: left-out error (Bayes error where it was asked for)"
        return display

    def plot(self, ax=None, *, cuts=True):
        """Draw the tree from left to right, classes on the right.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.
        cuts : bool, default=True
            Write the notes, or the weight of each cut, beside its node.

        Returns
        -------
        HierarchyDisplay
            Itself.
        """
        tree = self.hierarchy
        height = float(np.clip(1.0 + 0.32 * tree.n_classes, 2.4, 16))
        ax = _axes(ax, (float(np.clip(2.5 + 0.62 * tree.depth, 4.5, 16)), height))
        depths = tree.node_depths
        leaf_height = np.empty(tree.n_classes)
        leaf_height[tree.leaf_order()] = np.arange(tree.n_classes)
        node_height = np.empty(tree.n_nodes)
        for node in range(tree.n_nodes - 1, -1, -1):  # children first
            below = [
                (depths[child], node_height[child])
                if child >= 0
                else (tree.depth, leaf_height[~child])
                for child in tree.children[node].tolist()
            ]
            node_height[node] = np.mean([h for _, h in below])
            for x, h in below:
                corner = [depths[node], depths[node], x], [node_height[node], h, h]
                ax.plot(*corner, color="0.3", linewidth=1.2, solid_joinstyle="round")
        to_gain = np.zeros(tree.n_nodes, bool) if self.to_gain is None else np.array(self.to_gain)
        ax.scatter(depths[~to_gain], node_height[~to_gain], s=18, color="black", zorder=3)
        ax.scatter(
            depths[to_gain], node_height[to_gain], s=34, marker="s", facecolor="white",
            edgecolor="black", linewidth=1.4, zorder=3,
        )  # fmt: skip
        notes = self.notes
        if notes is None:
            notes = ["" if np.isnan(cut) else f"{cut:.2g}" for cut in tree.cut_weights]
        if cuts:
            for x, h, note in zip(depths, node_height, notes, strict=True):
                ax.annotate(
                    figure_text(note), (x, h), xytext=(-3, 2), textcoords="offset points",
                    ha="right", va="bottom", fontsize=7.5,
                )  # fmt: skip
        for k, h in enumerate(leaf_height):
            ax.text(tree.depth + 0.08, h, figure_text(tree.classes[k]), va="center", ha="left")
        ax.set_xlim(-0.9, tree.depth + 0.6)
        ax.set_ylim(tree.n_classes - 0.4, -0.6)
        ax.set_yticks([])
        ax.set_xticks(np.arange(0, tree.depth, max(1, tree.depth // 10)))
        ax.spines[["top", "right", "left"]].set_visible(False)
        words = ["Decisions taken before this node"]
        if cuts and any(notes):
            words.append(self._meaning)
        if to_gain.any():
            words.append("square: accuracy left to gain")
        ax.set(xlabel="\n".join(words), title="Hierarchy of classes")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _fitted_classifier(estimator):
    """The fitted classifier with a hierarchy, from itself or from a search for the best."""
    check_is_fitted(estimator)
    chosen = getattr(estimator, "best_estimator_", estimator)
    if not hasattr(chosen, "hierarchy_"):
        raise TypeError(
            f"estimator must be a fitted SmartSVM or a search over it, got {describe(estimator)}."
        )
    return chosen


def _labels(classes, n_classes):
    labels = np.arange(n_classes) if classes is None else np.asarray(classes)
    if labels.shape != (n_classes,):
        raise ValueError(f"classes must have {n_classes} labels, got shape {labels.shape}.")
    return labels
