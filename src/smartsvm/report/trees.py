"""Results from the spanning trees of a report."""

from __future__ import annotations

from dataclasses import dataclass

from smartsvm._core.types import Floats
from smartsvm.estimation.extrapolation import CrossLimit
from smartsvm.estimation.results import Interval


@dataclass(frozen=True, eq=False)
class TreeResults:
    """The spanning trees of all samples: `DifficultyReport.trees`.

    Attributes
    ----------
    lower : Interval
        The trees' lower bound of the Bayes error at this sample size.
    upper : Interval
        The trees' upper bound at this sample size.
    cross_share : Interval
        Tree edges between classes divided by the samples, from which the bounds are computed.
    cross_limit : CrossLimit
        That fraction with infinitely many samples, with its standard error.
    sample_difficulty : ndarray of shape (n_samples,)
        Fraction of each sample's tree edges that lead to other classes.
    n_trees : int
        Orthogonal trees that the bounds are read off.
    n_tie_orders : int
        Orders among equal distances that were averaged.
    between_groups : float
        Fraction of the edges of the first tree that join samples of different groups; 1 without
        groups.
    """

    lower: Interval
    upper: Interval
    cross_share: Interval
    cross_limit: CrossLimit
    sample_difficulty: Floats
    n_trees: int
    n_tie_orders: int
    between_groups: float
