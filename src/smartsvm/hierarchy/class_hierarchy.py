"""ClassHierarchy, and how recursive minimum cuts make one from pairwise errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smartsvm._core.checked_labels import check_labels
from smartsvm._core.types import Floats, Integers, Labels
from smartsvm._core.validation import check_square, describe
from smartsvm.hierarchy.class_cuts import ClassCuts
from smartsvm.hierarchy.preorder import checked_children, flattened, leaves_below, sides_of
from smartsvm.hierarchy.tree_text import tree_lines


class PairwiseErrors(Protocol):
    """An `ErrorEstimate`, which lives in a folder above."""

    @property
    def value(self) -> Any: ...

    @property
    def classes(self) -> Any: ...


@dataclass(frozen=True, eq=False, repr=False)
class ClassHierarchy:
    """A binary tree over classes, as flat arrays in preorder.

    Node 0 is the root. A node comes before its children, and the left subtree before
    the right one. The left side of a node holds its smallest class.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Labels of the leaves.
    children : ndarray of shape (K - 1, 2)
        Left and right child of each node: the number of a node, or ``~k`` for the leaf of class k.
    cut_weights : ndarray of shape (K - 1,)
        Sum of the errors between the two sides of each node; NaN without a cut.
    sides : ndarray of shape (K - 1, K)
        -1 where a class lies on the left of a node, +1 on the right, 0 elsewhere.

    Notes
    -----
    All arrays are read-only copies, also after unpickling.
    """

    classes: Labels
    children: Integers
    cut_weights: Floats
    sides: NDArray[np.int8] = None  # type: ignore[assignment]  # computed from children

    def __post_init__(self) -> None:
        # Compiled code follows the children without looking: check everything here.
        classes = _distinct_classes(self.classes)
        children = checked_children(self.children, len(classes))
        cut_weights = np.array(self.cut_weights, dtype=float)
        if cut_weights.shape != (len(children),):
            raise ValueError(
                f"cut_weights must have shape {(len(children),)} for {len(classes)} classes, got "
                f"{cut_weights.shape}."
            )
        sides = sides_of(children)
        if self.sides is not None and not np.array_equal(self.sides, sides):
            raise ValueError(
                "sides must follow from children, or be None, got other signs: "
                f"{describe(np.asarray(self.sides).tolist())}."
            )
        arrays = {
            "classes": classes,
            "children": children,
            "cut_weights": cut_weights,
            "sides": sides,
        }
        for array in arrays.values():
            array.setflags(write=False)
        vars(self).update(arrays)  # the dataclass is frozen

    def __reduce__(self):
        # The constructor checks the arrays and makes them read-only again.
        return type(self), (self.classes, self.children, self.cut_weights)

    @classmethod
    def from_children(
        cls, children: ArrayLike, cut_weights: ArrayLike, classes: ArrayLike
    ) -> ClassHierarchy:
        """Build a hierarchy from its children in preorder.

        Parameters
        ----------
        children, cut_weights, classes : array-like
            As the attributes.

        Returns
        -------
        ClassHierarchy
            The hierarchy; its arrays are read-only copies.
        """
        return cls(classes, children, cut_weights)  # type: ignore[arg-type]

    @classmethod
    def from_nested(cls, nested: Sequence[Any]) -> ClassHierarchy:
        """Build a hierarchy from nested lists of two.

        Parameters
        ----------
        nested : list or tuple of two
            Each item is a label or a list of two.

        Returns
        -------
        ClassHierarchy
            The hierarchy over the sorted labels; its cuts have no weight (NaN).

        Examples
        --------
        >>> from smartsvm import ClassHierarchy
        >>> print(ClassHierarchy.from_nested([["cat", "dog"], "newt"]))
        cat dog | newt
        ├── cat | dog
        │   ├── cat
        │   └── dog
        └── newt
        """
        labels, children = flattened(nested)
        classes, codes = check_labels(_one_type(labels), "hierarchy", n_samples=len(labels))
        if len(classes) < len(labels):
            twice = classes[np.bincount(codes) > 1].tolist()[:5]
            raise ValueError(f"a nested hierarchy must hold each label once, got {twice} twice.")
        leaves = children < 0
        children[leaves] = ~codes[~children[leaves]]
        return _from_sides(classes, np.full(len(children), np.nan), sides_of(children))

    def restrict(self, classes: ArrayLike) -> ClassHierarchy:
        """The same hierarchy over some of its classes, without the nodes they do not need.

        Parameters
        ----------
        classes : array-like
            Labels to keep, at least two.

        Returns
        -------
        ClassHierarchy
            Over the sorted labels; itself if those are its classes.
        """
        kept = np.unique(classes)
        if len(kept) < 2 or not np.isin(kept, self.classes).all():
            raise ValueError(
                f"classes must be at least two labels of the hierarchy, got "
                f"{describe(kept.tolist())}; its labels are {describe(self.classes.tolist())}."
            )
        if np.array_equal(kept, self.classes):
            return self
        by_label = np.argsort(self.classes)  # `class_hierarchy` takes labels in any order
        columns = by_label[np.searchsorted(self.classes, kept, sorter=by_label)]
        return _from_sides(kept, self.cut_weights, self.sides[:, columns])

    @property
    def n_classes(self) -> int:
        """Number of leaves."""
        return len(self.classes)

    @property
    def n_nodes(self) -> int:
        """Number of binary problems, one less than the classes."""
        return len(self.children)

    @property
    def node_depths(self) -> Integers:
        """Number of decisions before each node; 0 for the root."""
        depths = np.zeros(self.n_nodes, dtype=np.intp)
        for node, pair in enumerate(self.children.tolist()):
            for child in pair:
                if child >= 0:
                    depths[child] = depths[node] + 1
        return depths

    @property
    def class_depths(self) -> Integers:
        """Number of decisions on the path to each class."""
        return np.count_nonzero(self.sides, axis=0)

    @property
    def depth(self) -> int:
        """Number of decisions on the longest path."""
        return int(self.class_depths.max())

    def node_classes(self, node: int) -> tuple[Labels, Labels]:
        """Labels on the left and on the right of a node.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.

        Returns
        -------
        left, right : ndarray
            The labels of each side, sorted.
        """
        return self.classes[self.sides[node] < 0], self.classes[self.sides[node] > 0]

    def leaf_order(self) -> Integers:
        """Class indices from left to right; similar classes are neighbours."""
        return np.array(list(leaves_below(self.children, 0)))

    def to_text(self, notes: Sequence[str] | None = None) -> str:
        """The tree as indented text, a line for each class and one or more for each node.

        Parameters
        ----------
        notes : sequence of K - 1 str, default=None
            Text beside each node; the weights of the cuts by default.

        Returns
        -------
        str
            Within 88 columns, unless the tree is deep; long names are shortened.
        """
        if notes is None:
            notes = ["" if np.isnan(cut) else f"cut {cut:.3g}" for cut in self.cut_weights]
        return "\n".join(tree_lines(self, notes))

    def __eq__(self, other):
        if not isinstance(other, ClassHierarchy):
            return NotImplemented
        return (
            np.array_equal(self.classes, other.classes)
            and np.array_equal(self.children, other.children)
            and np.array_equal(self.cut_weights, other.cut_weights, equal_nan=True)
        )

    def __hash__(self):
        return hash((tuple(self.classes.tolist()), self.children.tobytes()))

    def __repr__(self):
        return f"ClassHierarchy(n_classes={self.n_classes}, depth={self.depth})"

    def __str__(self):
        return self.to_text()


def class_hierarchy(
    error_matrix: ArrayLike | PairwiseErrors, *, classes: ArrayLike | None = None
) -> ClassHierarchy:
    """Cut a graph of pairwise errors recursively into a hierarchy of classes.

    The root separates the two groups of classes with the least error between them.
    Classes that are hard to tell apart stay together until late.

    Parameters
    ----------
    error_matrix : array-like of shape (K, K) or ErrorEstimate
        Symmetric nonnegative errors, or the result of `pairwise_bayes_error`. The
        diagonal does not count.
    classes : array-like of shape (K,), default=None
        Distinct labels in the order of the rows; by default those of the estimate, or 0 to K - 1.

    Returns
    -------
    ClassHierarchy
        K - 1 binary problems.

    Notes
    -----
    Each cut is a global minimum cut (Stoer and Wagner [1]_). Of the cuts of equal
    weight that the search meets, the most balanced one wins, then the first: the result depends on
    the matrix alone.

    A node of k classes costs at most k³/2 additions. If single classes are cut off one by
    one, all nodes together cost K⁴/8; where these classes are clearly the most loosely
    attached ones, no search is needed and the cost is a few K² log K.

    References
    ----------
    .. [1] M. Stoer and F. Wagner (1997), A simple min-cut algorithm, J. ACM 44.

    Examples
    --------
    >>> from smartsvm import class_hierarchy
    >>> errors = [[0, 0.3, 0.1], [0.3, 0, 0.05], [0.1, 0.05, 0]]
    >>> print(class_hierarchy(errors, classes=["cat", "dog", "newt"]))
    cat dog | newt   (cut 0.15)
    ├── cat | dog   (cut 0.3)
    │   ├── cat
    │   └── dog
    └── newt
    """
    if classes is None:
        classes = getattr(error_matrix, "classes", None)
    weights = check_square(getattr(error_matrix, "value", error_matrix), "error_matrix")
    n_classes = len(weights)
    if n_classes < 2:
        raise ValueError(f"error_matrix must have at least 2 classes, got shape {weights.shape}.")
    labels = np.arange(n_classes) if classes is None else np.asarray(classes)
    if labels.shape != (n_classes,):
        raise ValueError(
            f"classes must have one label for each of the {n_classes} rows of error_matrix, "
            f"got shape {labels.shape}."
        )
    _distinct_classes(labels)  # before the work
    return grow(labels, ClassCuts(weights))


def grow(classes, split):
    """The hierarchy by `split`, which maps sorted class codes to (cut weight, mask of one side)."""
    children, cut_weights = [], []
    # (classes of the subtree, node whose child it is, which child)
    stack = [(np.arange(len(classes)), None, 0)]
    while stack:
        inside, parent, side = stack.pop()
        node = len(children) if len(inside) > 1 else ~int(inside[0])
        if parent is not None:
            children[parent][side] = node
        if node >= 0:
            weight, right = split(inside)
            if right[0]:
                right = ~right
            children.append([0, 0])
            cut_weights.append(weight)
            stack.append((inside[right], node, 1))
            stack.append((inside[~right], node, 0))
    return ClassHierarchy.from_children(children, cut_weights, classes)


def _from_sides(classes, cut_weights, sides):
    """The hierarchy whose nodes split the classes as the rows of `sides` do, in any order."""
    halves = {}
    for weight, side in zip(cut_weights, sides, strict=True):
        group = np.flatnonzero(side)
        right = side[group] > 0
        if right.any() and not right.all():
            halves[group.tobytes()] = weight, right
    return grow(classes, lambda group: halves[group.tobytes()])


def _distinct_classes(classes):
    """A copy of at least two labels; raises if two of them are equal."""
    classes = np.array(classes)
    if classes.ndim != 1 or len(classes) < 2:
        raise ValueError(f"classes must be at least two labels, got shape {classes.shape}.")
    labels, counts = np.unique(classes, return_counts=True)
    if len(labels) < len(classes):
        twice = labels[counts > 1].tolist()
        raise ValueError(f"classes must hold each label once, got {twice[:5]} twice.")
    return classes


def _one_type(labels):
    """The labels as an array in which numbers stay numbers."""
    array = np.asarray(labels)
    is_text = array.dtype.kind in "US" and not all(
        isinstance(label, str | bytes) for label in labels
    )
    return np.asarray(labels, dtype=object) if is_text else array
