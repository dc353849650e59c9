"""A small neural network, scikit-learn's, held out by folds, where a trial shows it ahead.

Rules such as the sign of a sum of bent projections need a network: in a few rotated columns,
neither distances nor single columns show them. L-BFGS sees all rows at every step, so that their
order does not matter.
"""

import warnings

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.sampling import shuffled_by_class
from smartsvm.held_out.mistakes import Mistakes, wrong_answers
from smartsvm.held_out.short_trial import GAUSSIANS, LINEAR, ShortTrial, is_ahead
from smartsvm.held_out.standardised_columns import Columns

# With fewer rows a network hardly ever leads.
LEAST_ROWS = 2000
_MOST_CLASSES = 10
# Rows times columns of a fit; with more columns it takes too long.
_MOST_VALUES = 500_000
_SETTINGS = {"hidden_layer_sizes": (32,), "alpha": 2.0, "max_iter": 150}
_TRIAL = {"hidden_layer_sizes": (16,), "alpha": 1.0, "max_iter": 60}
# It runs if it leads LDA and QDA by more than half a standard error. In 14 columns 2,000 rows do
# not show what 4,000 do.
_AHEAD = 0.5
_TRIAL_ROWS = 4000
_N_FOLDS = 5
_LEAST_CHANCE = 1e-4  # smaller probabilities count as this much


def network_held_out(points, codes, n_classes, *, seed=0, n_jobs=None):
    """Mistakes in folds, or None where a network is unlikely to be the best."""
    if not network_pays(points, codes, n_classes, seed, n_jobs):
        return None
    folds = np.empty(len(codes), dtype=np.intp)
    folds[shuffled_by_class(codes, seed)] = np.arange(len(codes)) % _N_FOLDS
    scores = np.empty((len(codes), n_classes), dtype=np.float32)
    for fold in range(_N_FOLDS):
        scores[folds == fold] = _scores(points, codes, n_classes, folds != fold, _SETTINGS)
    wrong = wrong_answers(scores.copy(), codes)[None]
    return Mistakes((None,), wrong, lambda _, rows=slice(None): scores[rows])


def network_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train`, or None where a network is unlikely to be the best."""
    if not network_pays(points[train], codes[train], n_classes, seed, n_jobs):
        return None
    return [_scores(points, codes, n_classes, train, _SETTINGS)]


def network_pays(points, codes, n_classes, seed, n_jobs):
    """Whether a smaller network errs less than LDA and QDA, all fitted to some of the rows."""
    if len(codes) < LEAST_ROWS or n_classes > _MOST_CLASSES or points.size > _MOST_VALUES:
        return False
    work = {"seed": seed, "n_jobs": n_jobs, "most_rows": _TRIAL_ROWS}
    trial = ShortTrial(points, codes, n_classes, **work)
    rival = trial.best_rival((LINEAR, GAUSSIANS))
    scores = _scores(trial.points, trial.codes, n_classes, trial.train, _TRIAL)
    return is_ahead(trial.mistakes(scores), rival, _AHEAD)


def _scores(points, codes, n_classes, train, settings):
    """Log probabilities of the rows not in `train` by a fit to the others."""
    from sklearn.neural_network import MLPClassifier  # takes long to import

    columns = Columns(points).block(slice(None))
    model = MLPClassifier(solver="lbfgs", random_state=0, **settings)
    chances = np.zeros((np.count_nonzero(~train), n_classes))
    with warnings.catch_warnings(), single_blas_thread():
        warnings.simplefilter("ignore")  # it stops before it has converged
        model.fit(columns[train], codes[train])
        chances[:, model.classes_] = model.predict_proba(columns[~train])
    return np.log(np.maximum(chances, _LEAST_CHANCE), dtype=np.float32)
