"""The Bayes error from soft labels: probabilities, or counts of what several annotators chose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from smartsvm._core.validation import check_array, check_share
from smartsvm._core.wilson import wilson_limits
from smartsvm.presentation.wording import counted, percent, rounded_repr

# Probabilities are rounded when they are written: a row may miss 1 by this much.
_ROUNDING = 1e-3


@dataclass(frozen=True, eq=False)
class SoftLabelEstimate:
    """A Bayes error estimated from soft labels.

    Attributes
    ----------
    value : float
        The estimate.
    low : float
        Low end of a confidence interval. With counts it also covers the bias of few annotators:
        it reaches from the lower limit of `shares` to the upper limit of `majority`.
    high : float
        Its high end.
    shares : float
        The mean of 1 - (largest share of a row): what the shares of the classes say. With counts
        it is too low on average, since chance makes one share the largest.
    majority : float or None
        The error of the majority of all annotators but one, as a guess of what that one chose. It
        is too high on average, since the majority of few is sometimes wrong; None for
        probabilities.
    n_samples : int
        Rows.
    annotators : float or None
        Mean number of annotators of a row; None for probabilities.
    confidence : float
        Confidence of the interval.
    """

    value: float
    low: float
    high: float
    shares: float
    majority: float | None
    n_samples: int
    annotators: float | None
    confidence: float
    __repr__ = rounded_repr

    def __str__(self) -> str:
        source = "probabilities of the classes"
        if self.annotators is not None:
            source = f"{self.annotators:.3g} annotators a row on average"
        return (
            f"Bayes error {percent(self.value)} ({percent(self.low)} to {percent(self.high)}, "
            f"{percent(self.confidence)} confidence), from {counted(self.n_samples, 'row')} with "
            f"{source}."
        )


def soft_label_bayes_error(
    soft_labels: ArrayLike, *, confidence: float = 0.95
) -> SoftLabelEstimate:
    """Measure the Bayes error where each sample has several labels.

    No column of the data is needed: where it is known how often each class is chosen for a
    sample, the best possible classifier errs as often as the most frequent class is not chosen.

    Parameters
    ----------
    soft_labels : array-like of shape (n_samples, n_classes)
        How many annotators chose each class for each sample, at least two annotators a row; or
        the probability of each class, with rows that sum to 1. Whole numbers are counts.
        Probabilities are taken as exact. If they are shares of annotators, pass the counts: the
        shares of few annotators make the error look too small.
    confidence : float, default=0.95
        Confidence of the interval.

    Returns
    -------
    SoftLabelEstimate
        The estimate with its interval.

    See Also
    --------
    difficulty_report : The same question for samples with columns and one label each.

    Notes
    -----
    Probabilities give the mean of 1 - max_k p_k [1]_. With the counts c_k of m annotators,
    1 - max_k c_k / m is too low on average, because the maximum is convex. The majority of m - 1
    annotators, ties broken evenly, errs at least as often as the best classifier when it guesses
    what the remaining one chose. Both limits need no assumption but that the annotators of a row
    are independent draws from its probabilities. Where the probabilities of the two most frequent
    classes have a smooth density f at a tie, the first is too low by f/4m and the second too high
    by as much: the estimate is the mean of both, whose error falls faster than 1/m.

    The samples count as independent; the limits of both means are Wilson's, with the number of
    samples that has the variance of the rows.

    The result says how well the annotators' choices can be predicted by someone who knows all
    that they saw. A classifier that sees less, such as a few columns, has a higher Bayes error.
    Probabilities that a model predicts give the error that it expects, which is too low if it is
    overconfident.

    References
    ----------
    .. [1] T. Ishida, I. Yamane, N. Charoenphakdee, G. Niu and M. Sugiyama, "Is the performance of
       my deep network too good to be true? A direct approach to estimating the Bayes error in
       binary classification", ICLR 2023.

    Examples
    --------
    Three images, each labelled by five people as a cat, a dog or a fox:

    >>> from smartsvm import soft_label_bayes_error
    >>> estimate = soft_label_bayes_error([[5, 0, 0], [1, 4, 0], [0, 3, 2]])
    >>> round(estimate.value, 2), round(estimate.shares, 2), round(estimate.majority, 2)
    (0.25, 0.2, 0.3)
    """
    confidence = check_share(confidence, "confidence")
    rows = check_array(soft_labels, "soft_labels", copy=False)
    if rows.ndim != 2 or rows.shape[1] < 2 or not len(rows):
        raise ValueError(
            "soft_labels must have a row for each sample and a column for each of two classes or "
            f"more, got shape {rows.shape}."
        )
    _refuse(rows, (rows < 0).any(axis=1), "must not be negative")
    counts = _are_counts(rows)
    sums = rows.sum(axis=1)
    if counts:
        _refuse(rows, sums < 2, "must hold the choices of two annotators or more, or probabilities")
        shares, majority = _error_of_shares(rows), _error_of_majority(rows)
    else:
        off = np.abs(sums - 1) > _ROUNDING
        _refuse(rows, off, "must sum to 1, or hold whole numbers, the counts of annotators")
        shares, majority = 1 - rows.max(axis=1) / sums, None
    means = [float(errors.mean()) for errors in (shares, majority) if errors is not None]
    z = float(ndtri((1 + confidence) / 2))
    guess = 1 - 1 / rows.shape[1]  # no best classifier errs more often
    return SoftLabelEstimate(
        value=min(sum(means) / len(means), guess),
        low=_limits(shares, z)[0],
        high=min(_limits(shares if majority is None else majority, z)[1], guess),
        shares=means[0],
        majority=None if majority is None else means[1],
        n_samples=len(rows),
        annotators=float(sums.mean()) if counts else None,
        confidence=confidence,
    )


def _are_counts(rows):
    """Whole numbers are counts; rows of one 1 each are so, too, and have too few annotators."""
    return bool((rows == np.floor(rows)).all())


def _refuse(rows, bad, demand):
    if bad.any():
        row = int(np.argmax(bad))
        others = int(bad.sum()) - 1
        more = f" and {counted(others, 'other row')}" if others else ""
        raise ValueError(
            f"Rows of soft_labels {demand}; row {row}{more}: {rows[row].tolist()[:10]}."
        )


def _error_of_shares(counts):
    return 1 - counts.max(axis=1) / counts.sum(axis=1)


def _error_of_majority(counts):
    """For each row, how often the majority of the others misses what an annotator chose."""
    # Without a vote of its own only the largest class can still be the largest: alone if it led by
    # two votes, beside the second largest ones if it led by one.
    second, first = np.partition(counts, -2, axis=1)[:, -2:].T
    ties = (counts == second[:, None]).sum(axis=1)
    right = np.select([first - second >= 2, first - second == 1], [1.0, 1 / (1 + ties)], 0.0)
    return 1 - first * right / counts.sum(axis=1)


def _limits(errors, z):
    """Wilson's limits of a mean of numbers in [0, 1/2], or above for many classes."""
    # As many samples as have the variance of the rows where each is 0 or 1. One row with the error
    # of a tie is added: hard rows may be too rare to be among few.
    rows = np.append(errors, 0.5)
    mean, variance = rows.mean(), rows.var()
    n = len(errors) * mean * (1 - mean) / variance if variance > 0 else len(errors)
    return tuple(map(float, wilson_limits(errors.mean(), n, z)))
