"""The door: X in any form becomes `Points`. What is behind it, trees and reports, takes these."""

from smartsvm._core.devices import find_device
from smartsvm._core.points import Points, points_on_device
from smartsvm._core.safe_range import are_safe, scale_to_safe_range
from smartsvm._core.sources import open_source
from smartsvm._core.validation import as_finite, is_plain


def open_points(X, name="X", *, trees=None, device=None):
    """`Points` of X, read as a `TreePlan` needs them; without one they are not read yet."""
    if isinstance(X, Points):
        if trees is not None:
            trees.check_device(X.device)
        return X
    if trees is None:
        return Points(source=open_source(X, name))
    place = find_device(device, X)
    if place is not None:
        trees.check_device(place)
        return points_on_device(X, place, trees.memory_limit, name)
    if not trees.has_limit and is_plain(X):  # the usual case, in few steps
        own = X.copy()
        if are_safe(own):
            return Points(own)
        return Points(*scale_to_safe_range(as_finite(own, name, copy=False)))
    source = open_source(X, name)
    if trees.needs_blocks(source):
        return Points(source=source)
    # Trees of classes are computed when they are asked for: until then the points keep their type,
    # and a file stays where it is.
    values = source.kept() if trees.by_class else None
    if values is not None:
        return Points(values, limit=trees.memory_limit)
    return Points(*scale_to_safe_range(source.whole()), limit=trees.memory_limit)
