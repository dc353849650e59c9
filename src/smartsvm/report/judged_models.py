"""The stages of a report that are about models of the user."""

import numpy as np

from smartsvm._core.clearly import POINT
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.registry import BASELINE, LARGEST_VARIANCE
from smartsvm.report.avoidable_error import Gain, difference_of_models
from smartsvm.report.conclusions import fit_errors
from smartsvm.report.fitted_model import ACCURACY
from smartsvm.report.headroom import AsGiven, Headroom
from smartsvm.report.held_out_errors import held_out_errors
from smartsvm.report.intervals import error_interval
from smartsvm.report.models import cross_validated, folds_of_rows


def answers_of_models(problem, rows):
    """The models with their answers on some rows; estimators are cross-validated there."""
    codes = problem.codes[rows]
    folds = problem.folds if problem.folds is not None else folds_of_rows(codes, problem.seed)
    table = problem.table.iloc[rows] if hasattr(problem.table, "iloc") else problem.table[rows]
    work = {each: problem.work[each] for each in ("n_jobs", "verbose")}
    answered = []
    for model in problem.models:
        if model.is_given:
            answered.append(model._replace(answers=model.answers[rows]))
        else:
            answered.append(cross_validated(model, table, codes, problem.classes, folds, **work))
    return tuple(answered)


def wrong_rows(model, trials):
    """Which of the judged rows of some trials a model gets wrong."""
    return model.answers[trials.held_out_rows] != trials.codes[trials.held_out_rows]


def mistakes_of(model, trials):
    """The mistakes of a model on the judged rows of some trials."""
    return {model.name: Mistakes((None,), wrong_rows(model, trials)[None])}


def headroom_of_models(problem, neighborhood, held_out, limit, equal, errors, labels):
    """`Headroom` of every model by name."""
    found = {}
    for model in held_out.models:
        best, trials = errors.held_out, held_out.joined
        distribution, share, as_given = errors.distributions[ACCURACY], 1.0, None
        wrong = wrong_rows(model, held_out.trials)
        error = error_interval(float(wrong.mean()), len(wrong) / LARGEST_VARIANCE, problem.z)
        if model.is_given:
            as_given = AsGiven(
                distribution.chance(error.high),
                _behind_best(model, trials, best, problem),
                *_right_on_contradictions(model, held_out.trials, neighborhood, problem),
            )
            trials = trials.joined_by(mistakes_of(model, held_out.trials))
            best = held_out_errors(trials, problem.z, problem.seed)
            # If these answers are held out, the Bayes error is at most theirs.
            if best.classifier == model.name:
                distribution = fit_errors(problem, held_out, best, limit, equal)[1][ACCURACY]
        else:
            share = model.fits.share
        gain = Gain.of(distribution, _behind_best(model, trials, best, problem), share)
        found[model.name] = Headroom(
            model=model.name,
            error=error,
            gain=gain.interval(problem.settings.confidence),
            chance=1 - gain.chance(POINT),
            cross_validated=not model.is_given,
            as_given=as_given,
            **_where(model, problem, neighborhood, held_out, labels),
        )
    return found


def _behind_best(model, trials, errors, problem):
    """How much more a model errs than the best classifier, on the rows that both are judged on."""
    rows, wrong = trials.held_out_rows, wrong_rows(model, trials)
    if errors.classifier == BASELINE:
        of_best = trials.baseline_mistakes()
    else:
        mistakes = trials.mistakes[errors.classifier]
        of_best = mistakes.wrong[mistakes.best]
        if len(of_best) < len(rows):
            wrong, rows = wrong[np.searchsorted(rows, trials.rows)], trials.rows
    fits = model.fits and model.fits._replace(numbers=model.fits.numbers[rows])
    behind = difference_of_models(wrong, of_best, problem.n_independent / len(problem.codes), fits)
    if errors.classifier == model.name:
        return behind
    # The best of several classifiers looks better than it is; a model that is not chosen does not.
    return behind._replace(value=behind.value - (errors.best.value - float(of_best.mean())))


def _where(model, problem, neighborhood, held_out, labels):
    """The confusions of a model, and the rows on which it could do better."""
    trials, n_classes = held_out.trials, len(problem.classes)
    own, answers = trials.codes[trials.held_out_rows], model.answers[trials.held_out_rows]
    confusion = np.bincount(own * n_classes + answers, minlength=n_classes**2)
    places = slice(None) if neighborhood.places_of_cases is None else neighborhood.places_of_cases
    codes, answers = problem.codes, model.answers[places]
    answers = np.where(answers < 0, codes, answers)
    answers = np.where(np.isin(np.arange(len(codes)), problem.held_out_rows), answers, codes)
    wrong = answers != codes
    agree = held_out.posterior.answers() == codes
    doubtful = np.zeros(len(codes), dtype=bool)
    doubtful[labels.ranking[: labels.n_suspects]] = True
    improvable = np.flatnonzero(wrong & agree & ~doubtful)
    certain = held_out.posterior.of_labels(codes)[improvable]
    return {
        "predicted": problem.classes[answers],
        "confusion": confusion.reshape(n_classes, n_classes),
        "improvable": improvable[np.argsort(-certain, kind="stable")],
        "doubtful": np.flatnonzero(wrong & doubtful),
    }


def _right_on_contradictions(model, trials, neighborhood, problem):
    """Right answers on equal rows with different labels, and the most of any function of X."""
    rows = np.arange(len(problem.codes)) if neighborhood.distinct is None else neighborhood.distinct
    contradicted = trials.held_out_rows[neighborhood.equal[rows[trials.held_out_rows]]]
    if not len(contradicted):
        return 0, 0
    codes = trials.codes[contradicted]
    _, cells = np.unique(problem.points.values[rows[contradicted]], axis=0, return_inverse=True)
    cells = cells.ravel()
    pairs, counts = np.unique(np.stack([cells, codes]), axis=1, return_counts=True)
    largest = np.zeros(cells.max() + 1, dtype=np.intp)
    np.maximum.at(largest, pairs[0], counts)
    return int((model.answers[contradicted] == codes).sum()), int(largest.sum())
