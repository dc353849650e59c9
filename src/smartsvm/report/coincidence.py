"""Whether equal rows may coincide by chance, or are copies of one case."""

import numpy as np

# Cells of so many rows or more show a common value, whatever their rows are.
_LARGE = 10
# Fraction of the rows that equal an earlier one from which on the question is asked.
LEAST_REPEATED = 0.01
# Rows coincide by chance if others differ in one column alone at least this fraction of as often as
# independent columns would make them: columns depend on each other.
_AS_INDEPENDENT = 0.2


def coincide_by_chance(points, site, sources):
    """Whether enough other rows differ from each other in one column of the table only.

    `site` numbers the equal rows, and `sources` has the column of the table of each column of
    points. Where rows coincide by chance, far more of them coincide in all columns but one.
    """
    # Of independent rows, those that differ in a column alone are (1 - p) / p times as many as
    # those that do not, where p is how often two values of it are equal.
    sizes = np.bincount(site)
    n_repeats = int(np.where(sizes < _LARGE, sizes - 1, 0).sum())
    if n_repeats < LEAST_REPEATED * len(points):
        return True
    first = np.unique(site, return_index=True)[1][sizes < _LARGE]
    of_sources = _keys_of_sources(points[first], sources)
    # A column of many values counts once: the equal rows may have its common ones.
    expected = sum(min(_odds_to_differ(key), 1.0) for key in of_sources)
    return _has_near_pairs(of_sources, n_repeats * expected * _AS_INDEPENDENT)


def _keys_of_sources(points, sources):
    """A random number for each value of each column of the table."""
    keys = np.random.default_rng(0)
    of_sources = {}
    for column, source in zip(points.T, sources, strict=True):
        values = np.unique(column, return_inverse=True)[1].ravel()
        key = keys.integers(2**63, size=int(values.max()) + 1, dtype=np.uint64)[values]
        of_sources[source] = of_sources.get(source, np.uint64(0)) + key
    return [*of_sources.values()]


def _odds_to_differ(key):
    counts = np.unique(key, return_counts=True)[1]
    equal = float((counts.astype(float) ** 2).sum()) / len(key) ** 2
    return (1 - equal) / equal


def _has_near_pairs(of_sources, enough):
    """Whether at least `enough` pairs of different rows differ in one source only."""
    whole = sum(of_sources)
    n_pairs = 0
    for key in of_sources:
        counts = np.unique(whole - key, return_counts=True)[1]
        n_pairs += int((counts * (counts - 1)).sum()) // 2
        if n_pairs >= enough:
            return True
    return False
