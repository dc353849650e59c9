"""A drawing of a hierarchy of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from smartsvm._core.types import Axes
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy
from smartsvm.plotting.axes import (
    LETTER_WIDTH,
    Display,
    fitted_classifier,
    ink,
    new_axes,
    points_for_each,
    short_names,
    type_size,
)
from smartsvm.plotting.fonts import families_for, figure_text
from smartsvm.presentation.display_names import shown

_NOTE_TYPE = 7.5  # points


class HierarchyDisplay(Display):
    """Drawing of a class hierarchy.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The tree to draw.
    notes : sequence of K - 1 str, default=None
        Text beside each node; the weights of the cuts by default.
    to_gain : sequence of K - 1 bool, default=None
        Nodes to draw as squares, because they could be more accurate.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the drawing, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.

    Examples
    --------
    >>> from smartsvm import HierarchyDisplay, class_hierarchy
    >>> display = HierarchyDisplay(class_hierarchy([[0, 0.2], [0.2, 0]]))
    >>> display.hierarchy.n_nodes
    1
    """

    def __init__(
        self,
        hierarchy: ClassHierarchy,
        *,
        notes: Sequence[str] | None = None,
        to_gain: Sequence[bool] | None = None,
    ) -> None:
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
        self._meaning = (
            "number: error across the cut" if notes is None else "beside each node: its note"
        )

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> HierarchyDisplay:
        """Draw the hierarchy of a fitted `SmartSVM` and the errors of its nodes.

        Parameters
        ----------
        estimator : SmartSVM, or a search over it such as SmartSVMCV
            Fitted classifier.
        **options : dict
            Passed to `plot`.

        Returns
        -------
        HierarchyDisplay
            The display, drawn.
        """
        estimator = fitted_classifier(estimator)
        if not hasattr(estimator, "nodes_"):
            return cls(estimator.hierarchy_).plot(**options)
        notes = [f"{node.held_out_error:.2g}" for node in estimator.nodes_]
        errors = getattr(estimator, "bayes_errors_", None)
        if errors is None or np.isnan(errors).all():
            display = cls(estimator.hierarchy_, notes=notes)
            display._meaning = "number: held-out error"
        else:
            notes = [f"{note} ({error:.2g})" for note, error in zip(notes, errors, strict=True)]
            display = cls(estimator.hierarchy_, notes=notes, to_gain=estimator.to_gain_ > 0)
            display._meaning = "number: held-out error (in brackets: Bayes error)"
        return display.plot(**options)

    @property
    def alt_text(self) -> str:
        """The plot in words."""
        left, right = (
            ", ".join(shown(label) for label in side.tolist())
            for side in self.hierarchy.node_classes(0)
        )
        return (
            f"Tree of {self.hierarchy.n_classes} classes, {self.hierarchy.depth} decisions deep. "
            f"The first separates {left} from {right}."
        )

    def plot(self, ax: Axes | None = None, *, cuts: bool = True) -> HierarchyDisplay:
        """Draw the tree from left to right, classes on the right.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure by default.
        cuts : bool, default=True
            Whether to write the notes, or the weights of the cuts, beside the nodes.

        Returns
        -------
        HierarchyDisplay
            The display itself.
        """
        tree = self.hierarchy
        height = float(np.clip(1.0 + 0.32 * tree.n_classes, 2.4, 16))
        notes = self.notes
        if notes is None:
            notes = ["" if np.isnan(cut) else f"{cut:.2g}" for cut in tree.cut_weights]
        # A note is left of its node and right of the line that leads there.
        step = 0.3 + LETTER_WIDTH * _NOTE_TYPE / 72 * max(map(len, notes))
        ax = new_axes(ax, (float(np.clip(3 + step * tree.depth, 6, 16)), height))
        heights = self._draw_lines(ax)
        to_gain = self._draw_nodes(ax, heights)
        if cuts:
            self._write_notes(ax, notes, heights)
        self._name_classes(ax)
        ax.set_xlim(-0.9, tree.depth)
        ax.set_ylim(tree.n_classes - 0.4, -0.6)
        ax.set_yticks([])
        ax.set_xticks(np.arange(0, tree.depth, max(1, tree.depth // 10)))
        ax.spines[["top", "right", "left"]].set_visible(False)
        lines = ["Decisions before this node"]
        if cuts and any(notes):
            lines.append(self._meaning)
        if to_gain.any():
            lines.append("square: could be more accurate")
        ax.set(xlabel="\n".join(lines), title="Hierarchy of classes")
        return self._drawn_on(ax)

    def _leaf_heights(self):
        heights = np.empty(self.hierarchy.n_classes)
        heights[self.hierarchy.leaf_order()] = np.arange(len(heights))
        return heights

    def _draw_lines(self, ax):
        """Draw the lines from each node to its children; the height of every node."""
        tree, leaf_heights = self.hierarchy, self._leaf_heights()
        depths, heights = tree.node_depths, np.empty(tree.n_nodes)
        for node in range(tree.n_nodes - 1, -1, -1):  # children first
            below = [
                (depths[child], heights[child])
                if child >= 0
                else (tree.depth, leaf_heights[~child])
                for child in tree.children[node].tolist()
            ]
            heights[node] = np.mean([h for _, h in below])
            for x, h in below:
                corner = [depths[node], depths[node], x], [heights[node], h, h]
                ax.plot(*corner, color=ink(), linewidth=1.2, solid_joinstyle="round")
        return heights

    def _draw_nodes(self, ax, heights):
        """Draw a dot for each node, or a square if it could be more accurate; which ones could."""
        depths = self.hierarchy.node_depths
        to_gain = np.zeros(len(depths), bool) if self.to_gain is None else np.array(self.to_gain)
        ax.scatter(depths[~to_gain], heights[~to_gain], s=18, color=ink(), zorder=3)
        ax.scatter(
            depths[to_gain],
            heights[to_gain],
            s=34,
            marker="s",
            facecolor=ax.get_facecolor(),
            edgecolor=ink(),
            linewidth=1.4,
            zorder=3,
        )
        return to_gain

    def _write_notes(self, ax, notes, heights):
        families = families_for(map(shown, notes))
        for x, h, note in zip(self.hierarchy.node_depths, heights, notes, strict=True):
            ax.annotate(
                figure_text(note),
                (x, h),
                xytext=(-3, 2),
                textcoords="offset points",
                ha="right",
                va="bottom",
                fontsize=_NOTE_TYPE,
                fontfamily=families,
            )

    def _name_classes(self, ax):
        size = type_size(points_for_each(ax, self.hierarchy.n_classes))
        if not size:
            return
        names, families = short_names(self.hierarchy.classes)
        for name, h in zip(names, self._leaf_heights(), strict=True):
            ax.annotate(
                name,
                (self.hierarchy.depth, h),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                ha="left",
                fontsize=size,
                fontfamily=families,
            )
