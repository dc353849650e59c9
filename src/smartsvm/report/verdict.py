"""Whether a target accuracy is realistic: a chance, one of five words, and the reason."""

from dataclasses import dataclass
from typing import NamedTuple

from smartsvm.held_out.registry import BASELINE, COMBINED, words_of
from smartsvm.presentation.wording import percent, rounded_repr
from smartsvm.report.bayes_error import BayesError
from smartsvm.report.fitted_model import ACCURACY as OF_ACCURACY
from smartsvm.report.fitted_model import BALANCED as OF_BALANCED

REACHABLE, LIKELY, UNCLEAR = "reachable", "likely", "unclear"
UNLIKELY, OUT_OF_REACH = "unlikely", "out of reach"
# Chances from which on a word is used. The outer two are the tails of a 95% interval.
_REACHABLE, _LIKELY, _UNLIKELY, _OUT_OF_REACH = 0.975, 0.75, 0.25, 0.025
# A flag against a high chance keeps it at 0.7 or below, one against a low chance at 0.3 or above.
_DOUBTED = 0.3
METRICS = ACCURACY, BALANCED_ACCURACY = "accuracy", "balanced_accuracy"
_DISTRIBUTIONS = {ACCURACY: OF_ACCURACY, BALANCED_ACCURACY: OF_BALANCED}


@dataclass(frozen=True)
class Verdict:
    """Whether a target accuracy is realistic.

    By the chance: "reachable" (at least 97.5%), "likely" (at least 75%), "unclear", "unlikely" (at
    most 25%) or "out of reach" (at most 2.5%).
    """

    answer: str
    chance: float  # that some classifier reaches the target
    target_accuracy: float
    # "accuracy" or "balanced_accuracy", the mean of the recalls of all classes
    target_metric: str
    # interval of the least possible error of this metric: for accuracy that of the Bayes error
    error_low: float
    error_high: float  # where always answering the largest class is enough, that of its error
    # the classifier with the smallest held-out error, or "baseline" if that is enough
    classifier: str
    objections: tuple[str, ...]  # codes of the flags that keep the answer at "unclear"
    reason: str  # the answer in a sentence
    __repr__ = rounded_repr


class Grounds(NamedTuple):
    """The evidence for verdicts on one kind of error."""

    metric: str
    classifier: str  # with the smallest held-out error
    error: BayesError  # the distribution of the least possible error
    confidence: float
    flags: tuple


def grounds_of(report, metric):
    """The numbers of a report that a target of this kind is compared with."""
    classifier = report.errors.held_out.classifier if metric == ACCURACY else COMBINED
    error = report.errors.distributions[_DISTRIBUTIONS[metric]]
    return Grounds(metric, classifier, error, report.settings.confidence, report.flags)


def judge(target_accuracy, grounds):
    """The chance that some classifier errs no more than a target allows, and a word for it."""
    allowed, error = 1 - target_accuracy, grounds.error
    chance, against = error.chance(allowed), set()
    for flag in grounds.flags:
        if flag.against_reached if chance >= 0.5 else flag.against_bounds:
            against.add(flag.code)
        if flag.against_reached:
            chance = min(chance, 1 - _DOUBTED)
        if flag.against_bounds:
            chance = max(chance, _DOUBTED)
    # No flag can be against a baseline that is enough.
    of_baseline, classifier = error.chance_of_baseline(allowed), grounds.classifier
    chance = max(chance, of_baseline)
    _, low, high = error.interval(grounds.confidence)
    if of_baseline >= _REACHABLE:
        classifier, against = BASELINE, set()
        high = error.limit_of_baseline(0.5 + grounds.confidence / 2)
    answer = _word(chance)
    against = tuple(sorted(against))
    reason = _reason(answer, allowed, (low, high), classifier, against, grounds)
    return Verdict(
        answer=answer,
        chance=float(chance),
        target_accuracy=float(target_accuracy),
        target_metric=grounds.metric,
        error_low=float(low),
        error_high=float(high),
        classifier=classifier,
        objections=against,
        reason=reason,
    )


def _word(chance):
    if chance <= _OUT_OF_REACH:
        return OUT_OF_REACH
    if chance >= _REACHABLE:
        return REACHABLE
    shown = round(chance, 2)  # the word fits the percentage beside it
    if shown <= _UNLIKELY:
        return UNLIKELY
    return LIKELY if shown >= _LIKELY else UNCLEAR


def _reason(answer, allowed, ends, classifier, against, grounds):
    low, high = map(percent, ends)
    error = "error" if grounds.metric == ACCURACY else "balanced error"
    target, best = f"the target allows {percent(allowed)}", percent(grounds.error.best.value)
    if classifier == BASELINE and answer == REACHABLE:
        enough = "Always answering the largest class is enough"
        return f"{enough}: its {error} is at most {high}; {target}."
    if answer == REACHABLE:
        held_out = f"The held-out {error} with {words_of(classifier)} is {best}"
        return f"{held_out}, the best possible one at most {high}; {target}."
    doubt = " The warnings below put both in doubt." * bool(against)
    return (
        f"The best possible {error} is between {low} and {high}; {target}. The smallest held-out "
        f"{error} is {best}, with {words_of(classifier)}.{doubt}"
    )
