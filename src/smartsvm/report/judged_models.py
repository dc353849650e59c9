"""The stages of a report that are about models of the user."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.registry import BASELINE, LARGEST_VARIANCE
from smartsvm.report.avoidable_error import POINT, Difference, Gain, paired_difference
from smartsvm.report.conclusions import fit_errors
from smartsvm.report.fitted_model import ACCURACY
from smartsvm.report.headroom import Headroom
from smartsvm.report.held_out_errors import held_out_errors
from smartsvm.report.intervals import error_interval
from smartsvm.report.models import cross_validated, folds_of_rows


class GivenAnswers(NamedTuple):
    """How answers of the user compare with what held-out ones can know."""

    model: str
    error: Interval
    chance: float  # that the Bayes error is at most the high end of that
    behind_best: Difference  # of the error to that of the best classifier
    n_right: int  # right answers on equal rows with different labels
    most_right: int  # that any function of the columns has there


def answers_of_models(samples, problem, rows):
    """The models with their answers on some rows; estimators are cross-validated there."""
    codes = problem.codes[rows]
    folds = problem.folds if problem.folds is not None else folds_of_rows(codes, problem.seed)
    table = samples.table.iloc[rows] if hasattr(samples.table, "iloc") else samples.table[rows]
    work = {"n_jobs": problem.n_jobs, "verbose": problem.verbose}
    answered = []
    for model in samples.models:
        if model.is_given:
            answered.append(model._replace(answers=model.answers[rows]))
        else:
            answered.append(cross_validated(model, table, codes, samples.classes, folds, **work))
    return tuple(answered)


def wrong_rows(model, trials):
    """Which of the judged rows of some trials a model gets wrong."""
    return model.answers[trials.judged] != trials.codes[trials.judged]


def mistakes_of(model, trials):
    """The mistakes of a model on the judged rows of some trials."""
    return {model.name: Mistakes((None,), wrong_rows(model, trials)[None])}


def headroom_of_models(
    samples, problem, near, held_out, trees, limit, distributions, equal, label_errors
):
    """`Headroom` of every model by name, and how answers as given compare."""
    headroom, given_answers = {}, []
    for model in held_out.models:
        own = held_out
        distribution = distributions[ACCURACY]
        wrong = wrong_rows(model, held_out.trials)
        error = error_interval(float(wrong.mean()), len(wrong) / LARGEST_VARIANCE, problem.z)
        if model.is_given:
            chance = distribution.chance(error.high)
            behind = _behind_best(model, held_out, problem)
            right = _right_on_contradictions(model, held_out.trials, near, problem)
            given_answers.append(GivenAnswers(model.name, error, chance, behind, *right))
            trials = held_out.joined.joined_by(mistakes_of(model, held_out.trials))
            errors = held_out_errors(trials, problem.z, problem.seed)
            own = held_out._replace(joined=trials, errors=errors)
            # If these answers are held out, the Bayes error is at most theirs.
            if errors.classifier == model.name:
                fitted = fit_errors(samples, problem, equal, own, trees, limit)
                distribution = fitted[1][ACCURACY]
        share = 1.0 if model.is_given else model.fits.share
        gain = Gain.of(distribution, _behind_best(model, own, problem), share)
        headroom[model.name] = Headroom(
            model=model.name,
            error=error,
            gain=gain.interval(problem.confidence),
            chance=1 - gain.chance(POINT),
            cross_validated=not model.is_given,
            **_where(model, samples, problem, near, held_out, label_errors),
        )
    return headroom, tuple(given_answers)


def _behind_best(model, held_out, problem):
    """How much more a model errs than the best classifier, on the rows that both are judged on."""
    trials, errors = held_out.joined, held_out.errors
    rows, wrong = trials.judged, wrong_rows(model, trials)
    if errors.classifier == BASELINE:
        of_best = trials.baseline_mistakes()
    else:
        mistakes = trials.mistakes[errors.classifier]
        of_best = mistakes.wrong[mistakes.best]
        if len(of_best) < len(rows):
            wrong, rows = wrong[np.searchsorted(rows, trials.rows)], trials.rows
    fits = model.fits and model.fits._replace(numbers=model.fits.numbers[rows])
    behind = paired_difference(wrong, of_best, problem.n_independent / len(problem.codes), fits)
    if errors.classifier == model.name:
        return behind
    # The best of several classifiers looks better than it is; a model that is not chosen does not.
    return behind._replace(value=behind.value - (errors.best.value - float(of_best.mean())))


def _where(model, samples, problem, near, held_out, label_errors):
    """What the model predicts, its confusions, and the rows on which it could do better."""
    trials, n_classes = held_out.trials, len(samples.classes)
    own, answers = trials.codes[trials.judged], model.answers[trials.judged]
    confusion = np.bincount(own * n_classes + answers, minlength=n_classes**2)
    places = slice(None) if near.stand_ins is None else near.stand_ins
    codes, answers = problem.codes, model.answers[places]
    answers = np.where(answers < 0, codes, answers)
    answers = np.where(np.isin(np.arange(len(codes)), problem.judged), answers, codes)
    wrong = answers != codes
    agree = held_out.posterior.answers() == codes
    doubtful = np.zeros(len(codes), dtype=bool)
    doubtful[label_errors.suspects] = True
    improvable = np.flatnonzero(wrong & agree & ~doubtful)
    certain = held_out.posterior.of_labels(codes)[improvable]
    return {
        "predicted": samples.classes[answers],
        "confusion": confusion.reshape(n_classes, n_classes),
        "improvable": improvable[np.argsort(-certain, kind="stable")],
        "doubtful": np.flatnonzero(wrong & doubtful),
    }


def _right_on_contradictions(model, trials, near, problem):
    """Right answers on equal rows with different labels, and the most of any function of X."""
    rows = np.arange(len(problem.codes)) if near.distinct is None else near.distinct
    contradicted = trials.judged[near.equal[rows[trials.judged]]]
    if not len(contradicted):
        return 0, 0
    codes = trials.codes[contradicted]
    _, cells = np.unique(problem.points.values[rows[contradicted]], axis=0, return_inverse=True)
    cells = cells.ravel()
    pairs, counts = np.unique(np.stack([cells, codes]), axis=1, return_counts=True)
    largest = np.zeros(cells.max() + 1, dtype=np.intp)
    np.maximum.at(largest, pairs[0], counts)
    return int((model.answers[contradicted] == codes).sum()), int(largest.sum())
