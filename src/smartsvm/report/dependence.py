"""Rows that are not independent: those of one unit (a state, a person), or those that follow
each other.

Where rows of a unit are alike, a classifier that has seen some of them recognises the others, and
held-out errors are too small for new units. Two cheap screens keep most tables out: within a class,
some column must be more alike inside the units than between them. Then a random forest is grown on
whole units and on single rows, and the probabilities that its trees give to the labels of the rows
that they have not seen are compared.
"""

from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata, t

from smartsvm._core.parallel import in_threads
from smartsvm._core.points import Points
from smartsvm.held_out.categories import shares_of_values
from smartsvm.held_out.extra_trees import ExtraTrees, wrong_votes
from smartsvm.held_out.folds import folds_of_groups, renumbered
from smartsvm.held_out.trials import Trials
from smartsvm.report.equal_rows import MANY_EQUAL
from smartsvm.report.flags.columns import label_in_disguise
from smartsvm.tables.name_hints import TIME, UNIT

# Units: at least 20 values that occur more than once, and 3 rows per value on average, or 2 if the
# column is named like a unit. So a table needs 60 rows.
_LEAST_UNITS = 20
_LEAST_SIZE = 3
_LEAST_SIZE_OF_NAMED = 2
_LEAST_ROWS = _LEAST_UNITS * _LEAST_SIZE
# Minimum of n² / Σ size²: two rows meet in one unit as often as in 15 units of equal size. A count
# with many zeros, or a category with few common values, has less.
_LEAST_EQUAL = 15
# The forests of the test see at most 2,000 rows, of as many units as possible, since units are what
# the test counts, but 5 rows of each. They have 32 trees whose splits try 6 cuts of a column.
_ROWS = 2000
_ROWS_OF_UNIT = 5
_TREES = 32
_CUTS = 6
# Columns that forests test, at most: the most alike.
_TESTED = 2
# Limits of the search's time. At most 50 columns may name units, in the order of the table, since
# ids come first. Their rows are compared in 30 other columns and in the 30 largest classes. Ranks
# of more than 100 columns would take longer than the rest of the search.
_MOST_CANDIDATES = 50
_COMPARED = 30
_RANKED = 100
# Rows of a unit are alike if z > 2 + √(2 log d). The largest z of d columns without any likeness is
# about √(2 log d).
_SCREEN = 2.0
# Level of the test by forests, divided by the number of tests, and of that for designs.
_LEVEL = 0.002
# Minimum difference of the two errors that is worth a warning. Other classifiers are tried only if
# that of the forests is at least half of it.
_LOSS = 0.03
_LOSS_OF_FOREST = _LOSS / 2
# Distances between rows, in rows, at which their likeness is measured.
_LAGS = (1, 2, 4, 8, 16, 32, 64)
# A block has 3 · 2 · lag rows, for the largest lag at which rows are more than half as alike as
# neighbours.
_BLOCK = 3
# A table is sorted by a column in which 99% of the steps from row to row, and at least 5, go one
# way.
_SORTED = 0.99
_LEAST_STEPS = 5
# An id mostly tells the value of a column if (distinct pairs of both) / (ids) is at most this.
_MOSTLY_TELLS = 1.5


class Units(NamedTuple):
    """A column that may name the units."""

    name: object  # None for blocks of consecutive rows
    codes: np.ndarray  # from 0, one for each row; in the order of the values of a number
    column: int | None = None  # its number in X, if it is a column of numbers there
    is_unit: bool = False  # whether its name says so
    is_category: bool = False  # a text that classifiers read by value

    @property
    def is_id(self):
        """Whether it is a number whose order means nothing."""
        return self.column is not None and self.is_unit

    @property
    def in_order(self):
        """Whether values beside each other may be alike."""
        return self.column is not None and not self.is_id


class Dependence(NamedTuple):
    """Rows that are alike."""

    unit: object  # name of the column, or None for rows that follow each other
    n_units: int
    size: float  # mean number of rows of a unit
    error: float  # held-out error of single rows
    new_error: float  # held-out error of whole units
    n_samples: int  # that these errors are measured on
    is_named: bool = True  # False for a number whose name says no id: it may be a quantity
    is_unit: bool = False  # whether the name of the column says so


def find_dependent_rows(problem, neighborhood, equal, signal):
    """Rows of a unit, or consecutive ones, that are alike; None where the folds are given."""
    # The trees do not see what only texts tell.
    shows = signal.significant or problem.categories is not None
    if problem.folds is not None or not shows:
        return None
    if equal.in_large_cells >= MANY_EQUAL:
        return None
    rows = (
        slice(None) if neighborhood.distinct is None else neighborhood.distinct
    )  # no copies of one case
    # The label in another form tells it for known values alone: another warning has that.
    told = {} if problem.columns is None else label_in_disguise(problem, None)
    units = [each for each in problem.units if each.is_unit or each.name not in told]
    units = [each._replace(codes=renumbered(each.codes[rows])) for each in units]
    names = problem.names
    ids = None if names is None else [UNIT in column.hints for column in problem.columns]
    dependence = find_dependence(
        problem.points.values[rows],
        problem.codes[rows],
        units,
        _may_be_names(problem),
        ids,
        **problem.threads,
    )
    if dependence is None or not isinstance(dependence.unit, int) or names is None:
        return dependence
    return dependence._replace(unit=names[dependence.unit])


def _may_be_names(problem):
    """Columns of whole numbers that are no part of the time: the others are on a scale."""
    whole = (np.floor(problem.X) == problem.X).all(axis=0)
    if problem.times.values is not None:
        columns = problem.columns
        same_time = np.unique(problem.times.values, return_inverse=True)[1]
        for j in np.flatnonzero(whole):
            same_value = np.unique(problem.X[:, j], return_inverse=True)[1]
            is_named = columns is not None and TIME in columns[j].hints
            whole[j] = not is_named and not np.array_equal(same_value, same_time)
    return whole


def find_dependence(points, codes, named=(), whole=None, ids=None, *, seed, n_jobs):
    """The units whose rows are most alike, or None; `named` has `Units` that are no columns.

    Only columns of `whole` numbers name units: 1.29 is measured on a scale, such as a price. `ids`
    says which columns are named like a unit.
    """
    # Rows are in the order of the table, since consecutive ones may be alike.
    if len(codes) < _LEAST_ROWS:
        return None
    alike = _alike_columns(points, codes, n_jobs)
    candidates = islice(chain(named, _repeated_columns(points, whole, ids)), _MOST_CANDIDATES)
    ranked = _most_alike(candidates, alike, codes)
    tested = ranked[:_TESTED]

    def test(units):
        return _test(points, codes, units, len(tested) + 1, seed=seed, n_jobs=n_jobs)

    results = [(units, test(units)) for units in tested]
    results = [(units, result) for units, result in results if result is not None]
    if not results:
        length = _block_length(points, codes, alike)
        return None if length is None else test(Units(None, np.arange(len(codes)) // length))
    chosen, best = max(results, key=lambda pair: pair[1].new_error - pair[1].error)
    # A number that is fixed for a unit, such as an age or a last day, names no unit beside its id.
    for units in ranked:
        if units.is_id and chosen.in_order and _tells(units.codes, chosen.codes):
            return test(units)
    return best


def _most_alike(candidates, alike, codes):
    """The candidates whose rows are alike beyond chance, the most alike first."""
    largest = np.argsort(-np.bincount(codes), kind="stable")[:_COMPARED]
    labels = _unit_variance((codes[:, None] == largest).astype(float))
    scored = []
    for units in candidates:
        may_be = _may_be_units(units) and _classes_recur(units.codes, codes)
        # The first column of those that name the same units, such as a country and its code.
        is_new = may_be and not any(_are_equal(units.codes, other.codes) for _, other in scored)
        if is_new:
            scored.append((_alikeness(units, alike, labels), units))
    n_compared = min(len(alike.numbers), _COMPARED) + labels.shape[1]
    least = _SCREEN + np.sqrt(2 * np.log(n_compared))
    scored = [(z, units) for z, units in scored if z > least]
    return [units for _, units in sorted(scored, key=lambda pair: -pair[0])]


def _classes_recur(units, codes):
    """Whether most rows are of a class that no unit has most of, so that no unit is a class."""
    n_units = int(units.max()) + 1
    pairs, counts = np.unique(codes * n_units + units, return_counts=True)
    in_one_unit = np.zeros(int(codes.max()) + 1)
    np.maximum.at(in_one_unit, pairs // n_units, counts)
    recurs = 2 * in_one_unit <= np.bincount(codes)
    return 2 * np.count_nonzero(recurs[codes]) > len(codes)


def _are_equal(codes, others):
    """Whether two columns number the same units."""
    n_pairs = len(np.unique(np.stack([codes, others]), axis=1)[0])
    return n_pairs == codes.max() + 1 == others.max() + 1


def _tells(codes, others):
    """Whether a value of the one column mostly tells that of the other."""
    n_pairs = len(np.unique(np.stack([codes, others]), axis=1)[0])
    return bool(n_pairs <= _MOSTLY_TELLS * len(np.unique(codes)))


def _may_be_units(units):
    """Whether values are many and repeated enough to be units."""
    counts, n = np.bincount(units.codes), len(units.codes)
    n_units = np.count_nonzero(counts > 1)
    many = n_units >= _LEAST_UNITS and n**2 >= _LEAST_EQUAL * float((counts**2).sum())
    return many and n >= (_LEAST_SIZE_OF_NAMED if units.is_unit else _LEAST_SIZE) * len(counts)


def _repeated_columns(points, whole=None, ids=None):
    """Columns of numbers with many repeated values."""
    # Of rows at random: the first ones of a sorted table may be of one unit.
    n = len(points)
    some = points[np.random.default_rng(0).choice(n, min(4 * _LEAST_ROWS, n), replace=False)]
    for j, column in enumerate(points.T):
        if whole is not None and not whole[j]:
            continue
        if len(np.unique(some[:, j])) >= _LEAST_UNITS / 2:
            yield Units(j, renumbered(column), j, ids is not None and ids[j])


class AlikeColumns(NamedTuple):
    """Columns in which rows of a unit may be alike beyond their class."""

    numbers: np.ndarray  # of the columns in X
    values: np.ndarray  # ranks less the mean of the class, with variance 1


def _alike_columns(points, codes, n_jobs=1):
    """All columns, or some of very many, spread evenly."""
    d, sizes = points.shape[1], np.bincount(codes)
    numbers = np.arange(min(d, _RANKED)) * d // min(d, _RANKED)
    values = np.empty((len(codes), len(numbers)))

    def fill(places):
        ranks = rankdata(points[:, numbers[places]], axis=0)
        means = np.stack([np.bincount(codes, column) / sizes for column in ranks.T], axis=1)
        values[:, places] = ranks - means[codes]

    in_threads(fill, [slice(i, i + 8) for i in range(0, len(numbers), 8)], n_jobs)
    return AlikeColumns(numbers, _unit_variance(values))


def _unit_variance(columns):
    centred = columns - columns.mean(axis=0)
    spread = centred.std(axis=0)
    return centred / np.where(spread > 1e-9 * len(centred), spread, np.inf)


def _alikeness(units, alike, labels):
    """The largest z of the columns by which rows of one unit are more alike than others."""
    # The squared mean of each unit over its variance, as in an analysis of variance. A number may
    # act smoothly: the mean of a value is compared with those of the values beside it.
    others = [place for place, j in enumerate(alike.numbers) if j != units.column]
    others = others[:: -(-len(others) // _COMPARED) or 1]
    columns = np.hstack([alike.values[:, others], labels])
    order = np.argsort(units.codes, kind="stable")
    sizes = np.bincount(units.codes)[:, None]
    begins = np.cumsum(sizes) - sizes[:, 0]
    means = np.add.reduceat(columns[order], begins) / sizes
    within = ((columns - means[units.codes]) ** 2).sum(axis=0) / (len(order) - len(sizes))
    variances, spread = 1 / sizes, 2.0
    if units.in_order:
        means = means[1:-1] - (means[:-2] + means[2:]) / 2
        variances = variances[1:-1] + (variances[:-2] + variances[2:]) / 4
        # Differences that share a value depend on each other: with equal sizes, 1 + 2·17/36 times.
        spread *= 1 + 2 * 17 / 36
    least = 1e-6  # a column that is constant in all units is alike enough
    ratios = means**2 / (np.maximum(within, least) * variances)
    return float(((ratios - 1).sum(axis=0) / np.sqrt(spread * len(ratios))).max())


def _block_length(points, codes, alike):
    """A length of blocks beyond which rows are hardly alike, or None if they never are."""
    n, values = len(codes), alike.values
    correlations = np.stack(
        [(values[lag:] * values[:-lag]).mean(axis=0) for lag in _LAGS if lag < n // 2]
    )
    z = correlations[0] * np.sqrt(n)
    j = int(z.argmax())
    if z[j] <= _SCREEN + np.sqrt(2 * np.log(len(z))) or _is_sorted(points, codes):
        return None
    lags = [
        lag
        for lag, value in zip(_LAGS, correlations[:, j], strict=False)
        if value > correlations[0, j] / 2
    ]
    return int(np.clip(_BLOCK * 2 * lags[-1], 6, max(min(n, _ROWS) // _LEAST_UNITS, 3)))


def _is_sorted(points, codes):
    """Whether the table is sorted by a column or a category, or by one within each class."""
    by_class = np.argsort(codes, kind="stable")
    same_class = np.diff(codes[by_class]) == 0
    n, n_classes = len(codes), int(codes.max()) + 1
    ones = (points == points.max(axis=0)).sum(axis=0)
    is_binary = ((points == points.max(axis=0)) | (points == points.min(axis=0))).all(axis=0)
    within = np.diff(points[by_class], axis=0)[same_class]
    for steps, n_runs in ((np.diff(points, axis=0), 1), (within, n_classes)):
        up, down = (steps > 0).sum(axis=0), (steps < 0).sum(axis=0)
        one_way = np.maximum(up, down) >= _SORTED * (up + down)
        # A column that numbers the rows does not count: its steps are all equal.
        many = (up + down >= _LEAST_STEPS) & (np.ptp(steps, axis=0) > 0)
        # The values of a category are columns of 0 and 1: the ones follow each other in a run.
        runs = is_binary & (np.maximum(up, down) <= n_runs) & (ones >= _LEAST_STEPS * (n_runs + 1))
        if (one_way & many).any() or 2 * ones[runs & (ones < n)].sum() >= n:
            return True
    return False


def _test(points, codes, units, n_tests, *, seed, n_jobs):
    """The two errors if that of new units is clearly larger, else None."""
    rows = _rows_of_units(units.codes, seed)
    points, codes, groups = points[rows], codes[rows], renumbered(units.codes[rows])
    present, codes = np.unique(codes, return_inverse=True)
    n, n_units = len(codes), int(groups.max()) + 1
    if len(present) < 2 or n_units < _LEAST_UNITS:
        return None
    of_new = points
    if units.is_category:  # known values have class shares, new ones have none
        shares = shares_of_values(groups[:, None], codes, len(present), np.ones(n, dtype=bool))
        of_new = np.hstack([points, np.zeros_like(shares)])
        points = np.hstack([points, shares])
    if units.is_id:  # in a table sorted by class, a new id would be near those of its class
        of_new = points.copy()
        of_new[:, units.column] = 0.0
    work = {"seed": seed, "n_jobs": n_jobs}

    def more_than_units(votes):
        return _clearly_more(votes, of_units, codes, groups, _LEVEL / n_tests)

    of_rows, of_units = _votes(points, codes, None, **work), _votes(of_new, codes, groups, **work)
    if not more_than_units(of_rows):
        return None
    of_forests = [float(wrong_votes(each, codes).mean()) for each in (of_rows, of_units)]
    if of_forests[1] - of_forests[0] < _LOSS_OF_FOREST:
        return None
    others = []
    if units.in_order:
        others.append(_shifted(groups, seed))
    if units.name is None:  # where the table is sorted by class, a block holds most of one
        others.append(_mixed(groups, codes, seed))
    if not all(more_than_units(_votes(of_new, codes, each, **work)) for each in others):
        return None
    error = _least_error(points, codes, of_forests[0], None, **work)
    new_error = _least_error(of_new, codes, of_forests[1], folds_of_groups(groups), **work)
    if new_error - error < _LOSS:
        return None
    is_named = units.column is None or units.is_id
    sizes = n_units, n / n_units
    return Dependence(units.name, *sizes, error, new_error, n, is_named, units.is_unit)


def _votes(points, codes, groups, *, seed, n_jobs):
    """Out-of-bag votes of a forest, whose trees are grown on rows or on whole groups."""
    n_classes = int(codes.max()) + 1
    trees = ExtraTrees(
        points, codes, n_classes, n_cuts=_CUTS, groups=groups, seed=seed % 2**32, n_jobs=n_jobs
    )
    trees.grow(_TREES)
    return trees.left_out()


def _clearly_more(votes, others, codes, groups, level):
    """Whether some votes favour the labels more than others do, by a t test on the groups."""
    more = (votes - others)[np.arange(len(codes)), codes]
    sums, sizes = np.bincount(groups, more), np.bincount(groups)
    spread = np.sqrt(((sums - more.mean() * sizes) ** 2).sum())
    return more.mean() * len(more) > t.isf(level, len(sizes) - 1) * spread


def _least_error(points, codes, of_forest, folds, *, seed, n_jobs):
    """The smallest held-out error: of the forest, of nearest neighbours, or of LDA."""
    quick = Trials(Points(points), codes, None, ("linear",), folds=folds, seed=seed, n_jobs=n_jobs)
    return min(of_forest, *(float(each.errors.min()) for each in quick.mistakes.values()))


def _rows_of_units(units, seed):
    """All rows, or as many of each unit as there is room for, drawn at random."""
    n, n_units = len(units), int(units.max()) + 1
    if n <= _ROWS:
        return np.arange(n)
    random = np.random.default_rng(seed)
    order = np.lexsort((random.random(n), random.permutation(n_units)[units]))
    sizes = np.bincount(units)
    ordered = units[order]
    begins = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1])
    place = np.arange(n) - np.repeat(begins, sizes[ordered[begins]])
    order = order[place < max(_ROWS // n_units, _ROWS_OF_UNIT)]
    return np.sort(order[:_ROWS])


def _mixed(groups, codes, seed):
    """Groups with as many rows of each class, but of any rows of it."""
    random, out = np.random.default_rng(seed), groups.copy()
    for label in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == label)
        out[own] = groups[random.permutation(own)]
    return out


def _shifted(groups, seed):
    """Groups of the same sizes, each of half of the rows of a value and half of the next one's."""
    order = np.lexsort((np.random.default_rng(seed).permutation(len(groups)), groups))
    sizes = np.bincount(groups)
    half = np.concatenate([[-(-sizes[0] // 2)], (sizes[:-1] // 2 + -(-sizes[1:] // 2))])
    out = np.empty(len(groups), dtype=np.intp)
    ends = np.minimum(np.cumsum(half), len(groups))
    out[order] = np.searchsorted(ends, np.arange(len(groups)), side="right")
    return renumbered(out)
