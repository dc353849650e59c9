"""The scale of the columns on which nearest neighbours err least."""

import numpy as np

from smartsvm._core.clearly import is_clear, paired_difference
from smartsvm._core.column_scales import SCALES, scale_columns
from smartsvm._core.safe_range import are_safe
from smartsvm._core.sampling import content_order_by_class
from smartsvm.held_out.folds import renumbered
from smartsvm.held_out.neighbors import n_outside, neighbors_leave_one_out

# Scales that are tried: all but "minmax".
_TRIED = SCALES[:4]
# Rows on which scales are compared, at most: all pairs of them are measured for each scale.
_ROWS = 600
# Columns whose standard deviations differ by at most this factor need no scale.
_COMPARABLE = 10.0


def usual_scale(points):
    """The scale that needs no labels: "standard" where the columns' spreads differ, else "none"."""
    spreads = _spreads(points)
    alike = len(spreads) < 2 or spreads.max() <= _COMPARABLE * spreads.min()
    return "none" if alike and are_safe(points) else "standard"


def _spreads(points):
    """Standard deviations of the columns that are not constant."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        spreads = points.std(axis=0)
    return spreads[spreads > 0]


def choose_scale(X, codes, *, groups=None, seed=0, n_jobs=None):
    """The scale on which nearest neighbours err clearly least; else by the columns' spreads."""
    rows = np.arange(len(X))
    if len(X) > _ROWS:  # drawn by content: another seed must not choose another scale
        rows = content_order_by_class(X, codes)[np.arange(_ROWS) * len(X) // _ROWS]
    points = np.ascontiguousarray(X[rows])
    codes = codes[rows]
    spreads = _spreads(points)
    usual = usual_scale(points)
    if groups is not None:
        groups = renumbered(groups[rows])
    if len(spreads) < 2 or (groups is not None and not n_outside(groups)):
        return usual
    wrong = {}
    for scale in _TRIED:
        scaled = scale_columns(points, scale)
        if not are_safe(scaled):  # squares of distances would overflow
            continue
        votes = neighbors_leave_one_out(
            scaled, codes, int(codes.max()) + 1, groups=groups, seed=seed, n_jobs=n_jobs
        )
        wrong[scale] = votes.wrong[votes.errors.argmin()].astype(float)
    if usual not in wrong:
        return usual
    gains = {scale: paired_difference(wrong[usual], of_scale) for scale, of_scale in wrong.items()}
    clear = [scale for scale, gain in gains.items() if is_clear(*gain)]
    return max(clear, key=lambda scale: gains[scale][0], default=usual)
