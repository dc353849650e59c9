"""What simple rules reach when every sample is left out in turn, and what that says."""

from __future__ import annotations

from typing import NamedTuple

from smartsvm.estimates import Interval
from smartsvm.report.intervals import neighbor_interval

NEIGHBORS, LINEAR = "neighbors", "linear"
# How a sentence names each rule, and its verb.
IN_WORDS = {NEIGHBORS: ("nearest neighbours", "err"), LINEAR: ("a straight-line rule", "errs")}


class Reached(NamedTuple):
    """Errors that were reached without seeing the label that is judged.

    Attributes
    ----------
    neighbors : Interval
        Of nearest neighbours.
    linear : Interval or None
        Of the linear rule, if it was tried.
    """

    neighbors: Interval
    linear: Interval | None

    @property
    def rule(self):
        """The rule with the smaller error."""
        better = self.linear is not None and self.linear.value < self.neighbors.value
        return LINEAR if better else NEIGHBORS

    @property
    def best(self):
        """The smaller error. Both intervals are made alike: its limits are the smaller ones."""
        return self.linear if self.rule == LINEAR else self.neighbors


def reached_errors(votes, linear, z):
    """Intervals of the errors of both rules.

    Parameters
    ----------
    votes : LeaveOneOut
        Nearest neighbours.
    linear : LinearLeaveOneOut or None
        The linear rule.
    z : float
        Standard errors that an interval reaches to each side.

    Returns
    -------
    Reached
        Intervals.
    """
    n = len(votes.disagreement)
    neighbors = neighbor_interval(votes.errors[votes.best], n, z)
    if linear is None:
        return Reached(neighbors, None)
    return Reached(neighbors, neighbor_interval(linear.errors[linear.best], n, z))


def point_estimate(votes, linear, reached, upper):
    """The best single number for the Bayes error, from the better rule.

    Parameters
    ----------
    votes : LeaveOneOut
        Nearest neighbours.
    linear : LinearLeaveOneOut or None
        The linear rule.
    reached : Reached
        Their errors.
    upper : float
        Upper bound of the Bayes error.

    Returns
    -------
    float
        What the linear rule would reach with ever more samples, if it errs less and clearly
        beats guessing; else half way between the error of neighbours and what ever more
        votes would reach. At most the bound.
    """
    # Not raised to the lower bound: where the two disagree it is the bound that is too high.
    # Without signal the smaller one of two errors is smaller by chance: no reason to take it.
    if reached.rule == LINEAR and linear.beats_guessing:
        return min(linear.limit, upper)
    return min((reached.neighbors.value + votes.limit) / 2, upper)
