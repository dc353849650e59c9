"""Is a target accuracy within reach: three answers and the numbers they rest on."""

from __future__ import annotations

from dataclasses import dataclass

from smartsvm.report.reached import IN_WORDS
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
        Upper limit of the leave-one-out error of nearest neighbours.
    bound_low : float
        Lower limit of the lower bound: hardly any classifier does better.
    objections : tuple of str
        Codes of the flags that speak against the lower bound.
    reason : str
        The answer in a sentence.
    rule : str
        The better one of the rules that were tried: "neighbors" or "linear".
    reached_high : float
        Upper limit of its leave-one-out error: some classifier does at least so well.
    """

    answer: str
    target_accuracy: float
    allowed_error: float
    neighbor_error_high: float
    bound_low: float
    objections: tuple
    reason: str
    rule: str
    reached_high: float


def judge(target_accuracy, reached, lower, flags):
    """Compare the allowed error with what simple rules reach and what the bound forbids.

    Parameters
    ----------
    target_accuracy : float
        Between 0 and 1.
    reached : Reached
        Leave-one-out errors of nearest neighbours and of the linear rule.
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
    rule, errs = IN_WORDS[reached.rule]
    high, bound = percent(reached.best.high), percent(lower.low)
    if reached.best.high <= allowed:
        answer = REACHABLE
        reason = (
            f"{rule[0].upper()}{rule[1:]}, untuned, already {errs} at most {high} of the time; the "
            f"target allows {percent(allowed)}."
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
                f"best classifier errs at least {bound} and {rule} at most {high} of the time; "
                "the target lies between."
            )
    return Verdict(
        answer,
        float(target_accuracy),
        float(allowed),
        float(reached.neighbors.high),
        float(lower.low),
        objections,
        reason,
        reached.rule,
        float(reached.best.high),
    )
