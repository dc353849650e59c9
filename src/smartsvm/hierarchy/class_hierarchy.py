"""Graph of pairwise errors to a hierarchy of classes, by recursive minimum cuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsvm._core.display_names import shown
from smartsvm._core.validation import check_labels, check_square, describe
from smartsvm.hierarchy.class_cuts import ClassCuts


@dataclass(frozen=True, eq=False, repr=False)
class ClassHierarchy:
    """A binary tree over classes, as flat arrays in preorder.

    Node 0 is the root; a node comes before its children, the left subtree before
    the right one. The left side of a node holds its smallest class.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Labels of the leaves.
    children : ndarray of shape (K - 1, 2)
        Left and right child of each node: the number of a node if it is not
        negative, else ``~k`` for the leaf of class k.
    cut_weights : ndarray of shape (K - 1,)
        Sum of the errors between the two sides of each node; NaN where nothing was cut.
    sides : ndarray of shape (K - 1, K)
        -1 where a class lies on the left of a node, +1 on the right, 0 elsewhere; follows
        from the children.

    Notes
    -----
    All arrays are read-only copies, also in a hierarchy that was unpickled or copied.
    """

    classes: np.ndarray
    children: np.ndarray
    cut_weights: np.ndarray
    sides: np.ndarray | None = None

    def __post_init__(self):
        """Check all arrays: compiled code follows the children without looking."""
        classes = _distinct_classes(self.classes)
        children = _checked_children(self.children, len(classes))
        cut_weights = np.array(self.cut_weights, dtype=float)
        if cut_weights.shape != (len(children),):
            raise ValueError(
                f"cut_weights must have shape {(len(children),)} for {len(classes)} classes, got "
                f"{cut_weights.shape}."
            )
        sides = _sides(children)
        if self.sides is not None and not np.array_equal(self.sides, sides):
            raise ValueError(
                "sides must follow from children, or be None, got other signs: "
                f"{describe(np.asarray(self.sides).tolist())}."
            )
        for name, array in (
            ("classes", classes),
            ("children", children),
            ("cut_weights", cut_weights),
            ("sides", sides),
        ):
            array.setflags(write=False)
            object.__setattr__(self, name, array)  # the dataclass itself is frozen

    def __reduce__(self):
        # Through the constructor: checked, and read-only again.
        return type(self), (self.classes, self.children, self.cut_weights)

    @classmethod
    def from_children(cls, children, cut_weights, classes):
        """Build a hierarchy from its children in preorder; the other arrays follow.

        Parameters
        ----------
        children : array-like of int, shape (K - 1, 2)
            As the attribute.
        cut_weights : array-like of shape (K - 1,)
            As the attribute.
        classes : array-like of shape (K,)
            As the attribute, no two of them the same.

        Returns
        -------
        ClassHierarchy
            The hierarchy; its arrays are read-only copies.
        """
        return cls(classes, children, cut_weights)

    @classmethod
    def from_nested(cls, nested):
        """Build a hierarchy from lists of two, one inside the other.

        Parameters
        ----------
        nested : list or tuple of two
            Each item is a label or again a list of two.

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
        lists, labels = [], []  # every list before those inside it
        stack = [(nested, None)]
        while stack:
            item, parent = stack.pop()
            if not isinstance(item, list | tuple):
                labels.append(item)
                continue
            if len(item) != 2:
                raise ValueError(
                    f"a nested hierarchy must be made of lists of two, got {describe(item)}."
                )
            stack += [(inner, len(lists)) for inner in item]
            lists.append((item, parent))
        if not lists:
            raise ValueError(f"a nested hierarchy must be a list of two, got {describe(nested)}.")
        classes, codes = check_labels(_one_type(labels), "hierarchy", n_samples=len(labels))
        if len(classes) < len(labels):
            twice = classes[np.bincount(codes) > 1].tolist()[:5]
            raise ValueError(f"a nested hierarchy must hold each label once, got {twice} twice.")
        code = dict(zip(labels, codes.tolist(), strict=True))
        inside = [[] for _ in lists]
        halves = {}
        for number in range(len(lists) - 1, -1, -1):
            item, parent = lists[number]
            leaves = [[code[inner]] for inner in item if not isinstance(inner, list | tuple)]
            first, second = inside[number] + leaves
            together = np.array(sorted(first + second))
            halves[together.tobytes()] = np.nan, np.isin(together, second)
            if parent is not None:
                inside[parent].append(first + second)
        return grow(classes, lambda together: halves[together.tobytes()])

    def restrict(self, classes):
        """The same hierarchy over some of its classes; nodes with one side empty vanish.

        Parameters
        ----------
        classes : array-like
            Labels to keep, at least two.

        Returns
        -------
        ClassHierarchy
            Over the sorted labels; itself if those are its classes.
        """
        classes = np.unique(classes)
        unknown = ~np.isin(classes, self.classes)
        if unknown.any() or len(classes) < 2:
            raise ValueError(
                f"classes must be at least two labels of the hierarchy, got "
                f"{describe(classes.tolist())}; its labels are {describe(self.classes.tolist())}."
            )
        if np.array_equal(classes, self.classes):
            return self
        # Its own classes need not be sorted: `class_hierarchy` takes them as they come.
        by_label = np.argsort(self.classes)
        columns = by_label[np.searchsorted(self.classes, classes, sorter=by_label)]
        halves = {}
        for weight, side in zip(self.cut_weights, self.sides[:, columns], strict=True):
            together = np.flatnonzero(side)
            right = side[together] > 0
            if right.any() and not right.all():
                halves[together.tobytes()] = weight, right
        return grow(classes, lambda together: halves[together.tobytes()])

    @property
    def n_classes(self):
        """Number of leaves."""
        return len(self.classes)

    @property
    def n_nodes(self):
        """Number of binary problems, one less than the classes."""
        return len(self.children)

    @property
    def node_depths(self):
        """Decisions before each node; 0 for the root."""
        depths = np.zeros(self.n_nodes, dtype=np.intp)
        for node, pair in enumerate(self.children.tolist()):
            for child in pair:
                if child >= 0:
                    depths[child] = depths[node] + 1
        return depths

    @property
    def class_depths(self):
        """Number of decisions on the path to each class."""
        return np.count_nonzero(self.sides, axis=0)

    @property
    def depth(self):
        """The largest number of decisions on the path to a class."""
        return int(self.class_depths.max())

    def node_classes(self, node):
        """Labels on the left and on the right of a node.

        Parameters
        ----------
        node : int
            Number of the node, 0 for the root.

        Returns
        -------
        left : ndarray
            The labels on the left, sorted.
        right : ndarray
            The labels on the right, sorted.
        """
        return self.classes[self.sides[node] < 0], self.classes[self.sides[node] > 0]

    def leaf_order(self):
        """Class indices from left to right, so that similar classes stand together."""
        order = []
        stack = [0]
        while stack:
            node = stack.pop()
            if node < 0:
                order.append(~node)
            else:
                left, right = self.children[node].tolist()
                stack += [right, left]
        return np.array(order)

    def to_text(self, notes=None):
        """The tree as indented text, one line per node or class.

        Parameters
        ----------
        notes : sequence of K - 1 str, default=None
            What to write beside each node; the weights of the cuts by default.

        Returns
        -------
        str
            2 K - 1 lines.
        """
        if notes is None:
            notes = ["" if np.isnan(cut) else f"cut {cut:.3g}" for cut in self.cut_weights]
        lines = []
        stack = [(0, "", "")]
        while stack:
            node, lead, below = stack.pop()
            if node < 0:
                lines.append(f"{lead}{shown(self.classes[~node])}")
                continue
            left, right = (_shorten(side) for side in self.node_classes(node))
            note = f"   ({notes[node]})" if notes[node] else ""
            lines.append(f"{lead}{left} | {right}{note}")
            first, second = self.children[node].tolist()
            stack.append((second, below + "└── ", below + "    "))
            stack.append((first, below + "├── ", below + "│   "))
        return "\n".join(lines)

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


def class_hierarchy(error_matrix, *, classes=None):
    """Cut a graph of pairwise errors recursively into a hierarchy of classes.

    Classes that are hard to tell apart stay together until late; the root
    separates the two groups with the least error between them.

    Parameters
    ----------
    error_matrix : array-like of shape (K, K) or ErrorEstimate
        Symmetric nonnegative errors, the diagonal ignored; or the result of
        `pairwise_bayes_error`. It is not written to.
    classes : array-like of shape (K,), default=None
        Labels in the order of the rows, no two of them the same; by default those of
        the estimate, or 0 to K - 1.

    Returns
    -------
    ClassHierarchy
        K - 1 binary problems.

    Notes
    -----
    Each cut is a global minimum cut (Stoer and Wagner [1]_). Among cuts
    of exactly the same weight the most balanced of those met is taken, then the
    one met first, starting from the first class: the result is a function of the
    matrix alone.

    Cost: at most k³/3 additions for a node of k classes, and K⁴/12 for the whole if single
    classes are cut off one by one. Where these are clearly the most loosely attached ones, as
    they often are, no cut is searched for, and the whole costs a few K² log K: a third of a
    second for 1,000 classes of random weights, on one core. Where most weights are next to
    nothing beside a few, it is 15 s.

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
    classes = np.arange(n_classes) if classes is None else np.asarray(classes)
    if classes.shape != (n_classes,):
        raise ValueError(
            f"classes must have one label for each of the {n_classes} rows of error_matrix, "
            f"got shape {classes.shape}."
        )
    _distinct_classes(classes)  # before the work
    return grow(classes, ClassCuts(weights))


def grow(classes, split):
    """A hierarchy from a rule that splits any group of classes.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        Labels, at least two.
    split : callable
        Takes sorted class codes, at least two, and returns the weight of their
        split and one side of it as a mask.

    Returns
    -------
    ClassHierarchy
        The hierarchy.
    """
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


def _checked_children(children, n_classes):
    """A copy of the children of K - 1 nodes that are in preorder and form a tree."""
    children, n_nodes = np.array(children), n_classes - 1
    if children.shape != (n_nodes, 2):
        raise ValueError(
            f"children must have shape {(n_nodes, 2)} for {n_classes} classes, got "
            f"{children.shape}."
        )
    # Each node but the root and each leaf once, below an earlier node: no path has a cycle.
    once = np.concatenate([np.arange(-n_nodes - 1, 0), np.arange(1, n_nodes)])
    if (
        children.dtype.kind not in "iu"
        or not np.array_equal(np.sort(children, axis=None), once)
        or np.any((children >= 0) & (children <= np.arange(n_nodes)[:, None]))
    ):
        raise ValueError(
            f"children must hold each node from 1 to {n_nodes - 1} once, after its parent, and "
            f"each leaf from ~0 to ~{n_nodes} once, got {describe(children.tolist())}."
        )
    return children.astype(np.intp)


def _sides(children):
    """-1 and +1 for the classes on the left and on the right of each node, 0 for others."""
    sides = np.zeros((len(children), len(children) + 1), dtype=np.int8)
    for node in range(len(children) - 1, -1, -1):  # children first
        for sign, child in zip((-1, 1), children[node].tolist(), strict=True):
            inside = sides[child] != 0 if child >= 0 else ~child
            sides[node, inside] = sign
    return sides


def _distinct_classes(classes):
    """A copy of some labels, at least two, no two of them the same."""
    classes = np.array(classes)
    if classes.ndim != 1 or len(classes) < 2:
        raise ValueError(f"classes must be at least two labels, got shape {classes.shape}.")
    labels, counts = np.unique(classes, return_counts=True)
    if len(labels) < len(classes):
        twice = labels[counts > 1].tolist()
        raise ValueError(f"classes must hold each label once, got {twice[:5]} twice.")
    return classes


def _one_type(labels):
    """The labels as an array, in which numpy has made no text of numbers."""
    array = np.asarray(labels)
    is_text = array.dtype.kind in "US" and not all(isinstance(each, str | bytes) for each in labels)
    return np.asarray(labels, dtype=object) if is_text else array


def _shorten(labels, most=12):
    more = f" ... ({len(labels)} classes)" if len(labels) > most else ""
    return " ".join(map(shown, labels[:most])) + more
