"""Repeated values as categories: naive Bayes on the class shares of every value.

A number may act as a category: a wage of 12.50 may be that of one trade, and 12.51 that of another.
Trees that cut at random miss it among other columns, and so do distances. The same holds for a text
of many values, such as a shop. To leave a sample out, its value and class are counted once less.

The last `n_categories` columns are numbered texts. Boosting takes the same columns, and some of
them as the class shares of their values (`shares_of_values`).
"""

from typing import NamedTuple

import numpy as np

from smartsvm.held_out.mistakes import Mistakes, wrong_answers

# Weight m of the prior: the share of class k among rows of a value is (n_k + m p_k) / (n + m).
PRIOR_ROWS = (1.0, 4.0, 16.0)
# A column is read as categories if it has at least 30 values (trees handle fewer) and at least 3
# rows per value on average.
_LEAST_VALUES = 30
_LEAST_SIZE = 3
# A column without equal values among this many rows m is no category. With at most n / 3 values, m
# rows of n have 3 m² / (2 n) equal pairs on average or more: 60 for 100,000 rows.
_FIRST_ROWS = 2000
# A column counts if it raises the log likelihood of all labels by more than 5 nats: 0.3% of columns
# without signal do, and 4% raise it by more than 2.
_LEAST_GAIN = 5.0
# Weight m of the same prior in the shares that boosting takes. With 1 and 4 it errs alike.
_PRIOR_OF_SHARES = 4.0


class Categories(NamedTuple):
    """Texts of many values, which some classifiers read by value."""

    values: np.ndarray  # numbered from 0, a column for each text
    encoded: np.ndarray  # columns of X, True where one is 1 for a value of these texts and else 0

    def of(self, rows):
        """The same of some rows."""
        return self._replace(values=self.values[rows])

    def beside(self, points):
        """The columns of X that encode none of these texts, and the numbered texts behind them."""
        return np.hstack([points[:, ~self.encoded], self.values])


def categories_leave_one_out(points, codes, n_classes, *, n_categories=0, seed=0, n_jobs=None):
    """Leave-one-out mistakes for each number of prior rows; None where no column is a category."""
    everyone = np.ones(len(codes), dtype=bool)
    scores = _scores(points, codes, n_classes, everyone, PRIOR_ROWS, n_categories)
    if scores is None or (scores == scores[:, :1]).all():  # the baseline, with ties for mistakes
        return None
    wrong = np.stack([wrong_answers(of_prior.copy(), codes) for of_prior in scores])
    return Mistakes(PRIOR_ROWS, wrong, lambda number, rows=slice(None): scores[number][rows])


def categories_predict(
    points, codes, n_classes, train, settings, *, n_categories=0, seed=0, n_jobs=None
):
    """Scores of the rows not in `train` from the others, or None without repeated values."""
    scores = _scores(points, codes, n_classes, train, settings, n_categories)
    return None if scores is None else [of_prior[~train] for of_prior in scores]


def shares_of_values(columns, codes, n_classes, train):
    """Shares of the classes among training rows of the same value, for each of some columns.

    A training row gets the shares of the rows before it, in random order. The shares of all other
    rows would reveal its label: where four of five rows of a value are of one class, each of the
    four has a share of 3/4, and the fifth a share of 4/4.
    """
    rows = np.random.default_rng(0).permutation(np.flatnonzero(train))
    n_shown = n_classes - (n_classes == 2)  # the shares of two classes say the same
    of_all = np.bincount(codes[rows], minlength=n_classes) / len(rows)
    shares = [np.empty((len(codes), 0))]
    for values in columns.T.astype(np.intp):
        shape = int(values.max()) + 1, n_classes
        counts = np.bincount(values[rows] * n_classes + codes[rows], minlength=shape[0] * shape[1])
        counts = counts.reshape(shape)[values]
        counts[rows] = _counts_before(values[rows], codes[rows], n_classes)
        total = counts.sum(axis=1, keepdims=True)
        smoothed = (counts + _PRIOR_OF_SHARES * of_all) / (total + _PRIOR_OF_SHARES)
        shares.append(smoothed[:, :n_shown])
    return np.hstack(shares)


def _counts_before(values, codes, n_classes):
    """How many earlier rows of the same value there are of each class."""
    order = np.argsort(values, kind="stable")
    before = np.zeros((len(values) + 1, n_classes), dtype=np.intp)
    before[1:][np.arange(len(values)), codes[order]] = 1
    before = np.cumsum(before, axis=0)[:-1]
    sizes = np.bincount(values)
    begins = (np.cumsum(sizes) - sizes)[values[order]]
    counts = np.empty_like(before)
    counts[order] = before - before[begins]
    return counts


def _scores(points, codes, n_classes, train, settings, n_categories):
    """Log probabilities of all rows up to a constant; those in `train` without their own label."""
    first_rows = np.random.default_rng(0).permutation(len(codes))[:_FIRST_ROWS]
    n_numbers = points.shape[1] - n_categories
    columns = [
        values
        for column in points.T[:n_numbers]
        if _repeats(column[first_rows]) and (values := _numbered(column)) is not None
    ]
    columns += list(points.T[n_numbers:].astype(np.intp))
    if not columns:
        return None
    shares = (np.bincount(codes[train], minlength=n_classes) + 0.5) / (
        np.count_nonzero(train) + n_classes / 2
    )
    totals = np.tile(np.log(shares), (len(settings), len(codes), 1))
    inside = np.flatnonzero(train)
    for values in columns:
        n_values = int(values.max()) + 1
        cells = values[train] * n_classes + codes[train]
        counts = np.bincount(cells, minlength=n_values * n_classes).reshape(n_values, n_classes)
        counts = counts[values].astype(float)
        counts[inside, codes[inside]] -= 1
        for total, prior in zip(totals, settings, strict=True):
            more = np.log(
                (counts + prior * shares) / (counts.sum(axis=1) + prior)[:, None] / shares
            )
            changed = _log_shares(total[inside] + more[inside]) - _log_shares(total[inside])
            if changed[np.arange(len(inside)), codes[inside]].sum() > _LEAST_GAIN:
                total += more
    return totals.astype(np.float32)


def _repeats(column):
    column = np.sort(column)
    return bool((column[1:] == column[:-1]).any())


def _numbered(column):
    """Values of a column numbered from 0, or None if they are too few or hardly repeated."""
    values, numbers = np.unique(column, return_inverse=True)
    return numbers if _LEAST_VALUES <= len(values) <= len(column) / _LEAST_SIZE else None


def _log_shares(scores):
    top = scores.max(axis=1, keepdims=True)
    return scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
