"""The errors of a report where the classes have other shares than in the sample: `priors`.

Classifiers then answer by p(class) · prior / share, and a mistake weighs prior / share of its
class. The distribution of the Bayes error is carried over by a family of posteriors,

    q(class) ∝ share · (p(class) / share)^t,

with p that of all classifiers combined. From t = 0, where nothing is known, to t = ∞, where all is,
their Bayes error falls from that of the baseline to 0, under the shares of the sample as under the
priors. So each error in the sample has one under the priors; the held-out error has its own, and
the errors beside it move along. What chance adds to the latter widens the distribution.
"""

from dataclasses import replace

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import COMBINED, NEIGHBORS, variance_of
from smartsvm.held_out.trials import CERTAIN
from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.confusions import Confusions, balanced_errors, class_recalls, pair_errors
from smartsvm.report.fitted_model import ACCURACY
from smartsvm.report.found_classes import find_classes
from smartsvm.report.held_out_errors import held_out_errors
from smartsvm.report.learning_curve import LearningCurve
from smartsvm.report.priors import Priors

# Values of t. From 64 on no posterior that is worth a report changes.
_SHARPNESS = np.concatenate([[0.0], np.geomspace(1 / 16, 64, 41)])
_MOST_NUMBERS = 2**20  # samples times classes of the family, at most


def at_priors(report, problem, neighborhood, held_out):
    """The report with the errors that its classifiers have where the classes have the priors."""
    priors, trials = problem.priors, held_out.trials
    posterior, codes = held_out.held_out_posterior, trials.codes[trials.held_out_rows]
    weighted = trials.at_priors(priors, posterior)
    found = held_out_errors(weighted, problem.z, problem.seed)
    measured = report.errors.distributions[ACCURACY]
    independent = problem.n_independent / len(problem.codes)
    best = MeasuredError(found.best.value, found.n_independent * independent)
    carried = _carried(report.errors, best, weighted, trials, posterior)
    most = 1 - float(priors.max())
    fitted = measured.fitted
    location = float(carried.of(fitted.location))
    quantiles = carried.widened(carried.of(fitted.errors), fitted.levels, location)
    error = BayesError(
        fitted=fitted._replace(location=location, errors=quantiles),
        best=best,
        baseline=MeasuredError(most, CERTAIN),
        proven_error=MeasuredError(0.0, problem.n_independent),
        most=most,
    )
    bayes_error = error.interval(problem.settings.confidence)
    confusions = _confusions(held_out.confusions, posterior, codes, weighted.weights)
    weights = weighted.weights[:, None]
    by_neighbors = report.errors.by_n_neighbors
    if NEIGHBORS in weighted.mistakes:
        mistakes = weighted.mistakes[NEIGHBORS]
        by_neighbors = ((mistakes.settings[0], float(mistakes.wrong.mean())),)
    errors = replace(
        report.errors,
        held_out=found,
        by_n_neighbors=by_neighbors,
        baseline=Interval(most, most, most),
        balanced=balanced_errors(confusions, problem.z).error,
        learning_curve=_learning_curve(report.errors.learning_curve, found, bayes_error, carried),
        distributions=report.errors.distributions | {ACCURACY: error},
        priors=carried,
    )
    classes = replace(
        report.classes,
        confusion=confusions.answers * weights,
        recall=class_recalls(confusions, problem.z),
        found=find_classes(problem, neighborhood, held_out.posterior, weighted.weights),
    )
    pairs = replace(report.pairs, confused=pair_errors(confusions, problem.z, weights))
    return replace(report, bayes_error=bayes_error, errors=errors, classes=classes, pairs=pairs)


def _confusions(confusions, posterior, codes, weights):
    """The counts of the answers that the priors demand."""
    answers = posterior.towards(weights).answers()
    n_classes = len(weights)
    counts = np.bincount(codes * n_classes + answers, minlength=n_classes**2)
    return Confusions(counts.reshape(n_classes, n_classes), confusions.balanced)


def _carried(in_sample, best, weighted, trials, posterior):
    """The `Priors` of a sample with these errors."""
    measured = in_sample.distributions[ACCURACY]
    weights, codes = weighted.weights, trials.codes[trials.held_out_rows]
    counts = np.bincount(codes, minlength=len(weights))
    shares = np.maximum(counts, 1) / len(codes)
    logs = posterior.log_probabilities
    some = np.random.default_rng(0).permutation(len(logs))
    some = some[: max(_MOST_NUMBERS // len(weights), 1)]
    before, after = _family(logs[some].astype(float), shares, weights * shares)
    # The held-out error has its own error under the priors; those beside it move along.
    own = float(np.interp(measured.best.value, before, after))
    below = before <= measured.best.value
    most = after[-1]
    moved = np.where(below, after * (best.value / own if own > 0 else 1.0), after)
    if own < most:
        share = (after - own) / (most - own)
        moved = np.where(below, moved, best.value + share * (most - best.value))
    moved = np.maximum.accumulate(np.clip(moved, 0, most))
    before = np.append(before, measured.best.value)
    moved = np.append(moved, min(best.value, most))
    order = np.argsort(before, kind="stable")
    before, moved = before[order], np.maximum.accumulate(moved[order])
    # The part of its mistakes that those in the sample do not explain.
    slope = best.value / measured.best.value if measured.best.value > 0 else 1.0
    away = weighted.mistakes[COMBINED].wrong[0] - slope * trials.mistakes[COMBINED].wrong[0]
    unseen = np.square(weights - slope).sum() / len(away)
    variance = (away.var() + unseen) / len(away) * variance_of(COMBINED)
    return Priors(weights * shares, in_sample, before, moved, float(np.sqrt(variance)))


def _family(logs, shares, priors):
    """Bayes errors of the family under the shares and under the priors, both increasing."""
    ratios, errors = logs - np.log(shares), []
    for sharpness in _SHARPNESS:
        posterior = np.log(shares) + sharpness * ratios
        posterior = np.exp(posterior - posterior.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        means = np.maximum(posterior.mean(axis=0), 1e-12)
        errors.append(
            [1 - (posterior * each / means).max(axis=1).mean() for each in (shares, priors)]
        )
    errors = np.maximum(np.minimum.accumulate(errors), 0)[::-1].T
    return np.concatenate([np.zeros((2, 1)), errors], axis=1)


def _learning_curve(curve, found, bayes_error, carried):
    """The errors with more samples under the priors."""
    if curve is None or not found.gain:
        return None
    errors = [found.best]
    for later in curve.errors[1:]:
        before = errors[-1]
        value, low, high = (float(each) for each in carried.of(np.array(later)))
        low = value - np.hypot(value - low, 1.96 * carried.noise)
        high = value + np.hypot(high - value, 1.96 * carried.noise)
        low, high = min(max(low, 0.0), before.value), min(high, before.high)
        value = min(max(value, bayes_error.value, low), before.value)
        errors.append(Interval(value, float(low), float(max(high, value))))
    return LearningCurve(curve.sizes, tuple(errors))
