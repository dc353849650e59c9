"""Whether equal rows may coincide by chance, or are copies of one case."""

import numpy as np

# Cells of so many rows or more show a common value, whatever their rows are.
_LARGE = 10
# Fraction of the rows that equal an earlier one from which on the question is asked.
LEAST_REPEATED = 0.01


def coincide_by_chance(points, site, sources):
    """Whether equal rows are no more than the rows that differ in one column of the table only.

    `site` numbers the equal rows, and `sources` has the column of the table of each column of
    points. Where rows coincide by chance, far more of them coincide in all columns but one.
    """
    sizes = np.bincount(site)
    n_repeats = int(np.where(sizes < _LARGE, sizes - 1, 0).sum())
    if n_repeats < LEAST_REPEATED * len(points):
        return True
    first = np.unique(site, return_index=True)[1][sizes < _LARGE]
    return n_repeats <= _near_pairs(points[first], sources, n_repeats)


def _near_pairs(points, sources, enough):
    """Pairs of different rows that differ in one source only; stops once there are `enough`."""
    keys = np.random.default_rng(0)
    of_sources = {}
    for column, source in zip(points.T, sources, strict=True):
        values = np.unique(column, return_inverse=True)[1].ravel()
        key = keys.integers(2**63, size=int(values.max()) + 1, dtype=np.uint64)[values]
        of_sources[source] = of_sources.get(source, np.uint64(0)) + key
    whole = sum(of_sources.values())
    n_pairs = 0
    for key in of_sources.values():
        counts = np.unique(whole - key, return_counts=True)[1]
        n_pairs += int((counts * (counts - 1)).sum()) // 2
        if n_pairs > enough:
            break
    return n_pairs
