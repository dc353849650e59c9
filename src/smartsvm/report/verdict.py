"""Whether a target accuracy is realistic: three answers, and the numbers they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm._core.wording import percent
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, REGISTRY, words_of
from smartsvm.report.held_out_errors import HeldOutErrors

REACHABLE, OUT_OF_REACH, CANNOT_TELL = "reachable", "out of reach", "cannot tell"
_MOST_MORE = 1000  # times the samples: more than that is no useful advice
_SMOOTH = 1.5  # exponent of the distance, between smooth and sharp class borders


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
        High end of the Bayes error, or of the baseline error: some classifier does at least so
        well.
    objections : tuple of str
        Codes of the flags that speak against an answer.
    rows_needed : int or None
        About how many samples would settle it, if the answer is "cannot tell" and more samples
        would help.
    reason : str
        The answer in a sentence.
    """

    answer: str
    target_accuracy: float
    allowed_error: float
    bayes_error_low: float
    classifier: str
    reached_high: float
    objections: tuple[str, ...]
    rows_needed: int | None
    reason: str


class Grounds(NamedTuple):
    """What verdicts rest on."""

    held_out: HeldOutErrors
    baseline: Interval
    bayes_error: Interval
    flags: tuple
    n_samples: int
    dimension: float  # intrinsic dimension of the data


def judge(target_accuracy, grounds):
    """Compare the error that a target allows with both ends of the Bayes error."""
    allowed = 1 - target_accuracy
    held_out, low = grounds.held_out, grounds.bayes_error.low
    if grounds.baseline.high <= allowed:
        classifier, high, against = BASELINE, grounds.baseline.high, ()
    else:
        classifier, high = held_out.classifier, grounds.bayes_error.high
        against = tuple(flag.code for flag in grounds.flags if flag.against_reached)
    rows, answer = None, CANNOT_TELL
    target = f"the target allows {percent(allowed)}"
    if high <= allowed and not against:
        answer = REACHABLE
        if classifier == BASELINE:
            reason = (
                "Always answering the largest class is enough: it errs at most "
                f"{percent(high)} of the time; {target}."
            )
        else:
            reason = (
                f"The best classifier is likely to err at most {percent(high)} of the time; "
                f"{target}. The held-out error with {words_of(classifier)} is already "
                f"{percent(held_out.best.value)}."
            )
    elif high <= allowed:
        reason = (
            f"The best classifier seems to err at most {percent(high)} of the time, and {target}, "
            "but samples may depend on each other: see the warnings."
        )
    else:
        against = tuple(flag.code for flag in grounds.flags if flag.against_bounds)
        if low > allowed and not against:
            answer = OUT_OF_REACH
            reason = (
                "On these columns even the best classifier is likely to err at least "
                f"{percent(low)} of the time; {target}."
            )
        elif low > allowed:
            reason = (
                f"The best classifier seems to err at least {percent(low)} of the time, and "
                f"{target}, but that is in doubt here: see the warnings."
            )
        else:
            rows = rows_needed(allowed, grounds)
            reason = (
                f"The best classifier errs between {percent(low)} and {percent(high)} of the time; "
                f"{target}. {_advice(rows, grounds)}"
            )
    return Verdict(
        answer, float(target_accuracy), float(allowed), float(low), classifier, float(high),
        against, rows, reason,
    )  # fmt: skip


def rows_needed(allowed, grounds):
    """About how many samples would settle whether an error can be reached, or None.

    With them, if the estimate of the Bayes error is true, the best classifier reaches the allowed
    error or the low end excludes it. The classifier's excess falls with its rate, chance with 1/√n,
    and the uncertainty of the extrapolation with the length of edges to the power of 1.5.
    """
    held_out, (value, low, high) = grounds.held_out, grounds.bayes_error
    if not held_out.gain:
        return None
    more = np.geomspace(1, _MOST_MORE, 200)
    if allowed > value:
        chance = (high - held_out.best.value) / np.sqrt(more)
        rate = REGISTRY[held_out.classifier].rate
        settled = value + max(held_out.best.value - value, 0.0) / more**rate + chance <= allowed
    else:
        rate = min(0.5, _SMOOTH / grounds.dimension)
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
            "No classifier clearly beats the baseline, so the number of samples that would settle "
            "it is unknown. Look for more informative columns."
        )
    if rows is None:
        return (
            "More samples of this kind would hardly settle it. Look for more informative columns "
            "or a better classifier."
        )
    return f"About {rows:,} samples would settle it; there are {grounds.n_samples:,}."
