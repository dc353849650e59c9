"""A model of the user: its error, its headroom and where that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from smartsvm._core.types import Integers, Labels
from smartsvm.estimation.results import Interval
from smartsvm.presentation.wording import about, percent, points
from smartsvm.report.avoidable_error import Difference


class AsGiven(NamedTuple):
    """How predictions of the user compare with what held-out ones can know."""

    chance: float  # that the Bayes error is at most the high end of their error
    behind_best: Difference  # of their error to that of the best classifier
    n_right: int  # right answers on equal rows with different labels
    most_right: int  # that any function of the columns has there


@dataclass(frozen=True, eq=False, repr=False)
class Headroom:
    """How much of a model's error can be gained, and where.

    Attributes
    ----------
    model : str
        Its name in `models`.
    error : Interval
        Its held-out error, that of the fits of the cross-validation.
    gain : Interval
        Its expected error when fitted to as many rows, less the Bayes error: what the best possible
        classifier would gain.
    chance : float
        The chance that at least one percentage point can be gained.
    cross_validated : bool
        Whether the report cross-validated the model; otherwise its predictions are as given, and
        all of this holds only if they are held out.
    predicted : ndarray of shape (n_samples,)
        What the model predicts for each sample; the label itself where `cv` never holds it out.
    confusion : ndarray of shape (K, K)
        Samples of each class by what the model predicts, on the same samples as
        ``classes.confusion`` of the report.
    improvable : ndarray of int
        Positions of the samples that the model gets wrong and all classifiers combined get right,
        those first of whose label these are most certain; without the doubtful ones.
    doubtful : ndarray of int
        Positions of the samples that the model gets wrong and whose label is probably wrong.
    as_given : AsGiven or None
        Whether predictions that are as given may be held out; None if cross-validated.
    """

    model: str
    error: Interval
    gain: Interval
    chance: float
    cross_validated: bool
    predicted: Labels
    confusion: Integers
    improvable: Integers
    doubtful: Integers
    as_given: AsGiven | None = None

    def __post_init__(self) -> None:
        for each in (self.predicted, self.confusion, self.improvable, self.doubtful):
            each.setflags(write=False)

    def __setstate__(self, state) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickled arrays come back writable

    def sentence(self, subject: str = "Your model") -> str:
        """The error, and how much of it can be gained, in words.

        Parameters
        ----------
        subject : str, default="Your model"
            What the sentence calls the model.

        Returns
        -------
        str
            One or two sentences.
        """
        if self.error.value == 0:
            return f"{subject} makes no mistake on these rows."
        low, high = points(self.gain.low), points(self.gain.high)
        begin = f"{subject} errs {percent(self.error.value)}."
        if high == "0":
            return f"{begin} No classifier avoids any of that, as far as these rows show."
        if self.gain.high >= self.error.value:
            # The expected error may be above the one that is counted, and the Bayes error 0.
            if low == "0":
                return f"{begin} Anything from nothing to all of that can be gained."
            return f"{begin} Between {low} points and all of that can be gained."
        could = f"Up to {high}" if low == "0" else f"Between {low} and {high}"
        return (
            f"{begin} {could} points of that can be gained; the rest no classifier can avoid, as "
            "far as these rows show."
        )

    def __str__(self) -> str:
        return (
            f"{self.sentence(f'The model {self.model!r}')} The chance of a point or more: "
            f"{about(self.chance)}."
        )

    def __repr__(self) -> str:
        return (
            f"Headroom(model={self.model!r}, error={self.error.value:.3g}, "
            f"gain={self.gain.value:.3g} ({self.gain.low:.3g} to {self.gain.high:.3g}), "
            f"chance={self.chance:.3g})"
        )
