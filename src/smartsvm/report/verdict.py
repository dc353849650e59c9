"""Whether a target accuracy is within reach: three answers, and the numbers they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm._core.wording import percent
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, IN_WORDS, RATES
from smartsvm.report.held_out_errors import HeldOutErrors

REACHABLE, OUT_OF_REACH, CANNOT_TELL = "reachable", "out of reach", "cannot tell"
_MOST_MORE = 1000  # times the samples: beyond it more of them are no advice
_SMOOTH = 1.5  # exponent of the distance between smooth and sharp borders


@dataclass(frozen=True)
class Verdict:
    """Whether a target accuracy is realistic.

    Attributes
    ----------
    answer : str
        "reachable", "out of reach" or "cannot tell".
    target_accuracy : float
        The accuracy in question.
    allowed_error : float
        1 - target.
    bayes_error_low : float
        Low end of the Bayes error: hardly any classifier does better.
    classifier : str
        The classifier that the answer rests on: the best one, or "baseline" if that is enough.
    reached_high : float
        High end of the Bayes error, or of guessing: some classifier does at least so well.
    objections : tuple of str
        Codes of the flags that count against an answer.
    rows_needed : int or None
        About how many samples would settle it, where the answer is "cannot tell" and more
        samples would help.
    reason : str
        The answer in a sentence.
    """

    answer: str
    target_accuracy: float
    allowed_error: float
    bayes_error_low: float
    classifier: str
    reached_high: float
    objections: tuple
    rows_needed: int | None
    reason: str


class Grounds(NamedTuple):
    """What verdicts rest on.

    Attributes
    ----------
    held_out : HeldOutErrors
        What classifiers reach.
    baseline : Interval
        Error of always answering the largest class.
    bayes_error : Interval
        For the truth.
    flags : tuple of Flag
        Reasons to doubt.
    n_samples : int
        Samples.
    dimension : float
        Intrinsic dimension of the data.
    """

    held_out: HeldOutErrors
    baseline: Interval
    bayes_error: Interval
    flags: tuple
    n_samples: int
    dimension: float


def judge(target_accuracy, grounds):
    """Compare the allowed error with what classifiers reach and what the Bayes error forbids.

    Parameters
    ----------
    target_accuracy : float
        Between 0 and 1.
    grounds : Grounds
        What is known.

    Returns
    -------
    Verdict
        The answer and its numbers.
    """
    allowed = 1 - target_accuracy
    held_out, low = grounds.held_out, grounds.bayes_error.low
    if grounds.baseline.high <= allowed:
        classifier, high = BASELINE, grounds.baseline.high
        against = ()
    else:
        classifier, high = held_out.classifier, grounds.bayes_error.high
        against = tuple(flag.code for flag in grounds.flags if flag.against_reached)
    rows = None
    name, errs = IN_WORDS[classifier]
    if high <= allowed and not against:
        answer = REACHABLE
        if classifier == BASELINE:
            reason = f"Guessing already reaches this: {name} {errs} at most {percent(high)} of the "
        else:
            reason = (
                f"With {name} the error is already {percent(held_out.best.value)}, and the best "
                f"classifier is likely to err at most {percent(high)} of the "
            )
        reason += f"time; the target allows {percent(allowed)}."
    elif high <= allowed:
        answer = CANNOT_TELL
        reason = (
            f"The best classifier seems to err at most {percent(high)} of the time, and the target "
            f"allows {percent(allowed)}, but samples may depend on each other: see the warnings."
        )
    else:
        against = tuple(flag.code for flag in grounds.flags if flag.against_bounds)
        if low > allowed and not against:
            answer = OUT_OF_REACH
            reason = (
                f"The target allows an error of {percent(allowed)}, but on these columns even the "
                f"best classifier is likely to err at least {percent(low)} of the time."
            )
        elif low > allowed:
            answer = CANNOT_TELL
            reason = (
                f"The best classifier seems to err at least {percent(low)} of the time, more than "
                f"the {percent(allowed)} that the target allows, but that is in doubt here: see "
                "the warnings."
            )
        else:
            answer = CANNOT_TELL
            rows = rows_needed(allowed, grounds)
            reason = (
                f"The target allows an error of {percent(allowed)}. The best classifier may err "
                f"as little as {percent(low)} of the time, or as much as {percent(high)}. "
                f"{_advice(rows, grounds)}"
            )
    return Verdict(
        answer, float(target_accuracy), float(allowed), float(low), classifier, float(high),
        against, rows, reason,
    )  # fmt: skip


def rows_needed(allowed, grounds):
    """About how many samples would settle whether an error can be reached.

    Parameters
    ----------
    allowed : float
        Error between the low end of the Bayes error and what is reached.
    grounds : Grounds
        What is known.

    Returns
    -------
    int or None
        If the best guess of the Bayes error is right: the samples with which the best classifier
        reaches the allowed error, or with which the low end forbids it. The error
        that a classifier is left with falls as its rate says, chance as 1/√n, and what the
        extrapolation leaves open as lengths of edges do, to the power of 1.5. None if no classifier
        clearly beats guessing, so that there is no curve to go by, if a thousand times as many
        samples would not be enough, or if the error is the best guess itself.
    """
    if not grounds.held_out.gain:
        return None
    value = grounds.bayes_error.value
    more = np.geomspace(1, _MOST_MORE, 200)
    if allowed > value:
        held_out = grounds.held_out
        chance = (grounds.bayes_error.high - held_out.best.value) / np.sqrt(more)
        above = max(held_out.best.value - value, 0.0) / more ** RATES[held_out.classifier]
        settled = value + above + chance <= allowed
    else:
        rate = min(0.5, _SMOOTH / grounds.dimension)
        _, low, high = grounds.bayes_error
        # A low end of 0 was cut there: it would be as far away as the other one, or farther.
        below = value - low if low > 0 else max(value, high - value)
        settled = value - below / more**rate > allowed
    if not settled.any():
        return None
    rows = grounds.n_samples * more[np.argmax(settled)]
    unit = 10 ** max(int(np.floor(np.log10(rows))) - 1, 0)
    return int(np.ceil(rows / unit) * unit)


def _advice(rows, grounds):
    if not grounds.held_out.gain:
        return (
            "No classifier clearly beats the baseline, so nothing says how many samples would "
            "settle it: columns that say more might."
        )
    if rows is None:
        return (
            "By the curves seen, more samples of this kind would hardly settle it: columns that "
            "say more, or a better classifier, might."
        )
    return (
        f"About {rows:,} samples would settle it, by the curves seen ({grounds.n_samples:,} are "
        "here)."
    )
