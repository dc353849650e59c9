"""Whether a target accuracy is realistic: a chance, one of five words, and the reason."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm._core.wording import percent, rounded_repr
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import BASELINE, COMBINED, words_of
from smartsvm.report.intervals import ChanceShape, chance_below, doubt

REACHABLE, LIKELY, UNCLEAR = "reachable", "likely", "unclear"
UNLIKELY, OUT_OF_REACH = "unlikely", "out of reach"
_REACHABLE, _LIKELY, _UNLIKELY, _OUT_OF_REACH = 0.95, 0.75, 0.25, 0.03
_DOUBTED = 0.3  # a flag against one side keeps the chance this far from it
METRICS = ACCURACY, BALANCED_ACCURACY = "accuracy", "balanced_accuracy"
SHAPES = {ACCURACY: ChanceShape(), BALANCED_ACCURACY: ChanceShape(no_error=0.2)}


@dataclass(frozen=True)
class Verdict:
    """Whether a target accuracy is realistic.

    "reachable": a held-out error is clearly below what the target allows. Otherwise by the chance:
    "likely" (at least 75%), "unclear", "unlikely" (at most 25%) or "out of reach" (at most 3%).
    """

    answer: str
    chance: float  # that some classifier reaches the target
    target_accuracy: float
    # "accuracy" or "balanced_accuracy", the mean of the recalls of all classes
    target_metric: str
    allowed_error: float  # 1 - target
    bayes_error_low: float  # low end of the Bayes error: hardly any classifier does better
    # the classifier with the smallest held-out error, or "baseline" if that is enough
    classifier: str
    reached_high: float  # high end of the Bayes error, or of the baseline error
    objections: tuple[str, ...]  # codes of the flags that keep the answer at "unclear"
    reason: str  # the answer in a sentence
    __repr__ = rounded_repr


class Grounds(NamedTuple):
    """What verdicts on one kind of error rest on."""

    metric: str
    classifier: str  # with the smallest held-out error
    held_out: Interval  # that error
    baseline: Interval
    bayes_error: Interval
    doubt: float  # weight of a Bayes error that may lie anywhere
    n_samples: int
    flags: tuple


def grounds_of(report, metric):
    """The numbers of a report that a target of this kind is compared with."""
    held_out, error, baseline = report.held_out, report.bayes_error, report.baseline
    best, gain, classifier = held_out.best, held_out.gain, held_out.classifier
    if metric == BALANCED_ACCURACY:  # the same fraction of it is taken to be avoidable
        kept = np.divide(error[:2], best.value) if best.value else (0.0, 0.0)
        best, classifier = report.recall.balanced_error, COMBINED
        error = Interval(kept[0] * best.value, min(kept[1], 1.0) * best.low, best.high)
        baseline = Interval(*[1 - 1 / len(report.classes)] * 3)
        gain = 1 - best.value / baseline.value
    rest = doubt(gain, report.cross_limit, held_out.known), report.n_samples, report.flags
    return Grounds(metric, classifier, best, baseline, error, *rest)


def judge(target_accuracy, grounds):
    """The chance that some classifier errs no more than a target allows, and a word for it."""
    allowed, (_, low, high) = 1 - target_accuracy, grounds.bayes_error
    bayes_error, doubt, shape = grounds.bayes_error, grounds.doubt, SHAPES[grounds.metric]
    chance = chance_below(allowed, bayes_error, doubt, grounds.n_samples, shape)
    classifier, against = grounds.classifier, ()
    if grounds.baseline.high <= allowed:
        classifier, high, chance = BASELINE, grounds.baseline.high, 1.0
    elif chance >= 0.5:
        against = tuple(flag.code for flag in grounds.flags if flag.against_reached)
        chance = min(chance, 1 - _DOUBTED) if against else chance
    else:
        against = tuple(flag.code for flag in grounds.flags if flag.against_bounds)
        chance = max(chance, _DOUBTED) if against else chance
    answer = _word(chance)
    if high <= allowed and not against:
        answer, chance = REACHABLE, max(chance, _REACHABLE)
    reason = _reason(answer, allowed, (low, high), classifier, against, grounds)
    return Verdict(
        answer, float(chance), float(target_accuracy), grounds.metric, float(allowed), float(low),
        classifier, float(high), against, reason,
    )  # fmt: skip


def _word(chance):
    if chance <= _OUT_OF_REACH:
        return OUT_OF_REACH
    shown = round(chance, 2)  # the word fits the percentage beside it
    if shown <= _UNLIKELY:
        return UNLIKELY
    return LIKELY if shown >= _LIKELY else UNCLEAR


def _reason(answer, allowed, ends, classifier, against, grounds):
    low, high = map(percent, ends)
    error = "error" if grounds.metric == ACCURACY else "balanced error"
    target, best = f"the target allows {percent(allowed)}", percent(grounds.held_out.value)
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
