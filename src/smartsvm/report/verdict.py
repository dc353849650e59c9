"""Is a target accuracy within reach: three answers and the numbers they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from smartsvm.report.wording import percent

REACHABLE, OUT_OF_REACH, CANNOT_TELL = "reachable", "out of reach", "cannot tell"


@dataclass(frozen=True)
class Verdict:
    """Whether a target accuracy is realistic.

    Attributes
    ----------
    answer : str
        "reachable", "out of reach" or "cannot tell".
    target_accuracy : float
        The accuracy that was asked about.
    allowed_error : float
        1 - target.
    neighbor_error_high : float
        Upper limit of the leave-one-out error: some classifier does at least so well.
    bound_low : float
        Lower limit of the lower bound: hardly any classifier does better.
    objections : tuple of str
        Codes of the flags that speak against the lower bound.
    reason : str
        The answer in a sentence.
    """

    answer: str
    target_accuracy: float
    allowed_error: float
    neighbor_error_high: float
    bound_low: float
    objections: tuple
    reason: str


def judge(target_accuracy, neighbors, lower, flags):
    """Compare the allowed error with what neighbours reach and what the bound forbids.

    Parameters
    ----------
    target_accuracy : float
        Between 0 and 1.
    neighbors : Interval
        Leave-one-out error of nearest neighbours.
    lower : Interval
        Lower bound of the Bayes error.
    flags : sequence of Flag
        Reasons to doubt.

    Returns
    -------
    Verdict
        The answer and its numbers.
    """
    allowed = 1 - target_accuracy
    objections = tuple(flag.code for flag in flags if flag.against_bounds)
    reached, bound = percent(neighbors.high), percent(lower.low)
    if neighbors.high <= allowed:
        answer = REACHABLE
        reason = (
            f"Nearest neighbours, untuned, already err at most {reached} of the time; the target "
            f"allows {percent(allowed)}."
        )
    elif lower.low > allowed and not objections:
        answer = OUT_OF_REACH
        reason = (
            f"The target allows an error of {percent(allowed)}, but on these columns even the "
            f"best classifier errs at least {bound} of the time."
        )
    else:
        answer = CANNOT_TELL
        if lower.low > allowed:
            reason = (
                f"The lower bound (at least {bound}) says no to an error of {percent(allowed)}, "
                "but it is in doubt here: see the warnings."
            )
        else:
            reason = (
                f"The target allows an error of {percent(allowed)}. All that is known is that the "
                f"best classifier errs at least {bound} and nearest neighbours at most {reached} "
                "of the time; the target lies between."
            )
    return Verdict(
        answer,
        float(target_accuracy),
        float(allowed),
        float(neighbors.high),
        float(lower.low),
        objections,
        reason,
    )
