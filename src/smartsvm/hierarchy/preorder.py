"""Binary trees as arrays of children, in preorder: a node before its children, the left one first.

A child is the number of a node, or ``~k`` for the leaf of class k.
"""

import numpy as np

from smartsvm._core.validation import describe


def checked_children(children, n_classes):
    """A copy of the children of K - 1 nodes; raises unless they form a tree in preorder."""
    children = np.array(children)
    n_nodes = n_classes - 1
    if children.shape != (n_nodes, 2):
        raise ValueError(
            f"children must have shape {(n_nodes, 2)} for {n_classes} classes, got "
            f"{children.shape}."
        )
    # Each node but the root and each leaf occurs once, below an earlier node: there is no cycle.
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


def leaves_below(children, node):
    """Yield the classes below a node, or that of a leaf, from left to right."""
    stack = [node]
    while stack:
        node = stack.pop()
        if node < 0:
            yield ~node
        else:
            stack += children[node, ::-1].tolist()


def sides_of(children):
    """-1 for the classes on the left of each node, +1 for those on its right, 0 for others."""
    sides = np.zeros((len(children), len(children) + 1), dtype=np.int8)
    for node in range(len(children) - 1, -1, -1):  # children first
        for sign, child in zip((-1, 1), children[node].tolist(), strict=True):
            inside = sides[child] != 0 if child >= 0 else ~child
            sides[node, inside] = sign
    return sides


def flattened(nested):
    """The labels of nested lists of two, and the children of every list, the outermost first.

    A child is the number of a list, or ``~i`` for the label at place i.
    """
    children, labels, list_ids = [], [], set()
    stack = [(nested, None, 0)]  # (item, list whose child it is, which child)
    while stack:
        item, parent, side = stack.pop()
        is_label = not isinstance(item, list | tuple)
        if parent is None and is_label:
            raise ValueError(f"a nested hierarchy must be a list of two, got {describe(nested)}.")
        if parent is not None:
            children[parent][side] = ~len(labels) if is_label else len(children)
        if is_label:
            labels.append(item)
            continue
        if len(item) != 2:
            raise ValueError(
                f"a nested hierarchy must be made of lists of two, got {describe(item)}."
            )
        if id(item) in list_ids:
            raise ValueError(
                "a nested hierarchy must hold each list once, got one that contains itself or "
                "comes twice."
            )
        list_ids.add(id(item))
        stack += [(child, len(children), place) for place, child in enumerate(item)]
        children.append([0, 0])
    return labels, np.array(children)
