"""Samples that are copies of each other, or nearly so, and one of each.

A copy of a sample gives its label away to every classifier, and held-out errors are too small. So
where rows are repeated that would not coincide by chance, classifiers see one of each.
"""

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from smartsvm._core.parallel import in_threads
from smartsvm.held_out.folds import LEAST_SAMPLES
from smartsvm.report.coincidence import coincide_by_chance

# Maximum ratio of the distance of a near copy to that of the next neighbour that is none. Among
# independent samples one in a thousand has such a neighbour in one dimension, far fewer in more.
_GAP = 1e-3
# The first look allows twice that ratio, because distances are rounded.
_ROUNDED_GAP = 2 * _GAP
# Numbers (4 MiB) in the largest temporary array.
_BLOCK_NUMBERS = 2**19
# Jittered copies are searched among the neighbours of at most this many samples.
_TESTED = 2000
# At least this fraction of them must differ from their nearest neighbour: the others have no gap.
_LEAST_APART = 0.5
# Jittered copies: at least this fraction of the samples has a gap beyond those that independent
# samples would have.
_COPIED = 0.25
# Maximum ratio of label disagreement inside / outside the gap.
_UNLIKE = 0.1
# Copies come from more than this many cases per class; fewer are clusters that lie apart.
_CASES_OF_CLASS = 3
# Neighbours that are searched for copies. A sample may have 15: a gap is looked for in the nearer
# half.
COPY_NEIGHBORS = 31
# Rows are copies only if (disagreement of labels of one case) / (of any two rows) is below this. A
# noise of 8% in the labels of copies gives as much.
_DIFFER = 0.3
# From this ratio of disagreement on, labels of near copies are as different as any: they give none
# away, and no error is too low.
_UNLIKE_COPIES = 0.9
# A column is discrete if (its distinct values) / (distinct rows) is below this.
_FEW_VALUES = 0.5
# Rows are copies of one case, up to another date or a corrected entry, if they share two rare
# values, which at most four rows have, and differ in at most a quarter of the columns in which two
# rows differ on average.
_DIFFERING = 0.25
_LEAST_SHARED = 2
_MOST_SHARING = 4
# Rare values are searched in at most this many columns, each with at least n / 4 distinct values.
_MOST_COLUMNS = 20
# Pairs of rows that show in how many columns two rows differ on average.
_PAIRS = 2000


def find_copies(points, nearest, codes, groups, n_jobs):
    """The fraction of samples with a copy, and the number of the case of each sample, or None.

    Near copies come first; where there are none, copies that were changed in a few columns, or
    moved.
    """
    share, cases = near_copies(points, nearest, n_jobs)
    if not share:
        changed = copies_with_changes(points, groups)
        if not changed[0]:
            changed = _measured_copies(points, nearest, codes, n_jobs)
        share, cases = changed if changed[0] else (share, cases)
    if share and label_likeness(codes, cases) >= _UNLIKE_COPIES:
        share = 0.0  # two rows of a day or a year, say, one of each class
    return share, cases


def near_copies(points, nearest, n_jobs=None):
    """The fraction of samples with a near copy, and the number of the case of each, or None."""
    # Near copies are at a distance above 0 and a thousand times nearer than the next neighbour.
    # Equal rows belong to one case, but do not count in the fraction.
    n = len(points)
    ends = _lengths(points, np.arange(n), nearest[:, [0, -1]], n_jobs)
    # Only where the first neighbour is that much nearer than the last one can there be a gap.
    rows = np.flatnonzero(ends[:, 0] < _ROUNDED_GAP * ends[:, 1])
    lengths = _lengths(points, rows, nearest[rows], n_jobs)
    lengths_before, lengths_after = lengths[:, :-1], lengths[:, 1:]
    gap = lengths_before < _GAP * lengths_after
    n_copied = np.count_nonzero((gap & (lengths_before > 0)).any(axis=1))
    copies = np.logical_or.accumulate(gap[:, ::-1], axis=1)[:, ::-1]  # all before a gap
    row, place = np.nonzero(copies)
    pairs = np.stack([rows[row], nearest[rows[row], place]])
    if not pairs.size and ends[:, 0].all():
        return 0.0, None
    graph = coo_matrix((np.ones(pairs.shape[1], dtype=bool), pairs), (n, n))
    return n_copied / n, connected_components(graph, directed=False)[1]


def copies_with_changes(points, groups=None):
    """The fraction of samples with a copy that differs in a few columns, and all cases, or None."""
    if groups is not None:  # they say which rows belong together
        return 0.0, None
    n = len(points)
    links = []
    for column in points.T:
        order = np.argsort(column, kind="stable")
        begins = np.flatnonzero(np.r_[True, np.diff(column[order]) > 0])
        if _MOST_SHARING * len(begins) < n:
            continue
        sizes = np.diff(np.r_[begins, n])
        next_too = np.diff(np.repeat(np.arange(len(begins)), sizes)) == 0
        next_too &= np.repeat(sizes <= _MOST_SHARING, sizes)[1:]
        links.append(order[:-1][next_too] * n + order[1:][next_too])
        if len(links) == _MOST_COLUMNS:
            break
    if len(links) < _LEAST_SHARED:
        return 0.0, None
    pairs, counts = np.unique(np.concatenate(links), return_counts=True)
    one, other = np.divmod(pairs[counts >= _LEAST_SHARED], n)
    any_two = np.random.default_rng(0).integers(n, size=(2, _PAIRS))
    usual = np.count_nonzero(points[any_two[0]] != points[any_two[1]]) / _PAIRS
    differing = np.count_nonzero(points[one] != points[other], axis=1)
    alike = differing <= _DIFFERING * usual
    changed = np.unique(np.stack([one, other])[:, alike & (differing > 0)])
    graph = coo_matrix((alike, (one, other)), (n, n))
    return len(changed) / n, connected_components(graph, directed=False)[1]


def _measured_copies(points, nearest, codes, n_jobs):
    """As `jittered_copies`, but for a gap that the columns of two values make."""
    # Rows of a rare category are far from all others, and no copies of each other. What moves
    # copies moves measured columns, and they alone must show the gap.
    found = jittered_copies(points, nearest, codes, n_jobs)
    is_binary = ((points == points.max(axis=0)) | (points == points.min(axis=0))).all(axis=0)
    if not found[0] or not is_binary.any():
        return found
    points = points[:, ~is_binary]
    lengths = _lengths(points, np.arange(len(points)), nearest, n_jobs)
    order = np.argsort(lengths, axis=1, kind="stable")
    return jittered_copies(points, np.take_along_axis(nearest, order, axis=1), codes, n_jobs)


def jittered_copies(points, nearest, codes, n_jobs=None):
    """As `near_copies`, for copies that were moved by more, such as augmented images."""
    # Of independent samples in δ dimensions, the j-th distance over the next one is below q with
    # probability q^(δj). Copies leave a gap: at some j far more ratios are small, and labels agree.
    n, k = nearest.shape
    half = (k + 1) // 2
    tested = np.arange(0, n, -(-n // _TESTED))
    lengths = _lengths(points, tested, nearest[tested], n_jobs)
    is_distinct = lengths[:, 0] > 0
    if half < 3 or is_distinct.mean() < _LEAST_APART:
        return 0.0, None
    tested, lengths = tested[is_distinct], lengths[is_distinct]
    spread = np.log(lengths[:, -1] / lengths[:, half - 1]).mean()
    if spread <= 0:
        return 0.0, None
    powers = np.arange(1, half) * np.log(k / half) / spread
    chances = _gap_chances(lengths, powers)
    ordered = np.sort(chances, axis=0)
    excess = np.arange(1, len(tested) + 1)[:, None] / len(tested) - ordered
    place, j = np.unravel_index(excess.argmax(), excess.shape)
    cut = ordered[place, j]
    inside = tested[chances[:, j] <= cut]
    differ = codes[nearest[inside]] != codes[inside, None]
    within, beyond = differ[:, : j + 1].mean(), differ[:, j + 1 : 2 * j + 2].mean()
    if excess[place, j] < _COPIED or not within <= _UNLIKE * beyond:
        return 0.0, None
    lengths = _lengths(points, np.arange(n), nearest, n_jobs)
    rows = np.flatnonzero(_gap_chances(lengths, powers)[:, j] <= cut)
    cases = _cases_of_neighbors(rows, nearest[:, : j + 1])
    # Hardly more cases than classes are clusters that lie apart.
    if len(np.unique(cases[rows])) <= _CASES_OF_CLASS * len(np.unique(codes)):
        return 0.0, None
    return len(rows) / n, cases


def _cases_of_neighbors(rows, nearest):
    """The number of the case of each sample, if some rows are of one case with their neighbours."""
    n, k = nearest.shape
    ends = np.repeat(rows, k), nearest[rows].ravel()
    graph = coo_matrix((np.ones(len(ends[0]), dtype=bool), ends), (n, n))
    return connected_components(graph, directed=False)[1]


def _gap_chances(lengths, powers):
    """The chance of so large a gap after each neighbour, for independent samples."""
    later = lengths[:, 1 : len(powers) + 1]
    return (lengths[:, : len(powers)] / np.where(later > 0, later, 1.0)) ** powers


def label_likeness(codes, cases):
    """How often labels of one case differ / those of any two samples: 0 for copies, 1 by chance."""
    any_two = _disagreement(codes)
    return _disagreement(codes, cases) / any_two if any_two else 1.0


def one_of_each(points, codes, cases, sources=None):
    """Rows of the first sample of each case and class, and the place of every sample among them."""
    # Equal rows with different labels are no copies of one case: all of them are kept, since they
    # prove an error that nothing avoids. So are rows that may coincide by chance. Both results are
    # None if all samples are kept: also if labels of equal rows often differ, or if fewer than
    # eight would remain. `sources` has the column of the table of each column.
    if label_likeness(codes, cases) >= _DIFFER:
        return None, None
    _, first, site = np.unique(points, axis=0, return_index=True, return_inverse=True)
    site = site.ravel()
    labels_of_site = np.unique(np.stack([site, codes]), axis=1)[0]
    contradicted = np.bincount(labels_of_site, minlength=len(first))[site] > 1
    case = cases[first[site]]
    sources = range(points.shape[1]) if sources is None else sources
    alone = contradicted
    if coincide_by_chance(points, site, sources):
        alone = alone | ~_have_own_values(points, case)
    keys = np.stack([case, codes, np.where(alone, np.arange(len(codes)) + 1, 0)])
    _, chosen, places = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    if len(chosen) == len(points) or len(chosen) < LEAST_SAMPLES:
        return None, None
    return np.sort(chosen), chosen.argsort().argsort()[places.ravel()]


def _have_own_values(points, case):
    """Whether a value of each sample, in a column of many values, occurs in its own case only."""
    n_cases = len(np.unique(case))
    have_own = np.zeros(len(points), dtype=bool)
    for column in points.T:
        values, places = np.unique(column, return_inverse=True)
        if len(values) < _FEW_VALUES * n_cases:
            continue
        least, most = np.full(len(values), len(case)), np.full(len(values), -1)
        np.minimum.at(least, places, case)
        np.maximum.at(most, places, case)
        have_own |= (least == most)[places]
        if have_own.all():
            break
    return have_own


def _disagreement(codes, cases=None):
    """How often the labels of two samples, of the same case if cases are given, differ."""
    n_classes = int(codes.max()) + 1
    keys = codes if cases is None else cases * n_classes + codes
    of_cases = np.array([len(codes)]) if cases is None else np.bincount(cases)
    n_pairs = float((of_cases * (of_cases - 1)).sum())
    counts = np.bincount(keys)
    return 1 - float((counts * (counts - 1)).sum()) / n_pairs if n_pairs else 0.0


def _lengths(points, rows, others, n_jobs):
    """Distances of rows from some others each, a block of rows at a time."""
    out = np.empty(others.shape)
    step = max(1, _BLOCK_NUMBERS // (others.shape[1] * points.shape[1]))

    def fill(block):
        away = points[others[block]]
        away -= points[rows[block], None]
        np.sqrt(np.einsum("ijk,ijk->ij", away, away), out=out[block])

    in_threads(fill, [slice(start, start + step) for start in range(0, len(rows), step)], n_jobs)
    return out
