"""Held-out mistakes where whole groups of samples are held out together, by refits to folds."""

from __future__ import annotations

import numpy as np

from smartsvm.held_out.mistakes import Mistakes, wrong_answers

_FOLDS = 5


def group_folds(groups):
    """The fold of every sample: whole groups, in five folds of about the same size."""
    sizes = np.bincount(groups)
    folds, filled = np.zeros(len(sizes), dtype=np.intp), np.zeros(min(_FOLDS, len(sizes)))
    for group in np.argsort(-sizes, kind="stable"):
        folds[group] = filled.argmin()
        filled[folds[group]] += sizes[group]
    return folds[groups]


def predictions(classifier, points, codes, n_classes, train, settings, **work):
    """What a classifier predicts, with -inf for classes that it was not fitted to."""
    present, own = np.unique(codes[train], return_inverse=True)
    if len(present) == n_classes:
        return classifier.predict(points, codes, n_classes, train, settings, **work)
    n_test = np.count_nonzero(~train)
    if len(present) == 1:
        found = [np.zeros((n_test, 1))] * len(settings)
    else:
        inside = np.zeros_like(codes)
        inside[train] = own
        found = classifier.predict(points, inside, len(present), train, settings, **work)
    return None if found is None else (_spread(each, present, n_classes) for each in found)


def _spread(scores, present, n_classes):
    out = np.full((len(scores), n_classes), -np.inf, dtype=np.float32)
    out[:, present] = scores
    return out


def grouped_mistakes(classifier, points, codes, n_classes, groups, **work):
    """Mistakes on each fold of groups by fits to the others; None where there is no fit."""
    folds = group_folds(groups)
    data = classifier, points, codes, n_classes
    wrong = np.empty((len(classifier.settings), len(codes)), dtype=bool)
    for fold in range(folds.max() + 1):
        test = folds == fold
        found = predictions(*data, ~test, classifier.settings, **work)
        if found is None:
            return None
        for answers, each in zip(wrong, found, strict=True):
            answers[test] = wrong_answers(each.copy(), codes[test])

    def scores(number, rows=slice(None)):
        out = np.empty((len(codes), n_classes), dtype=np.float32)
        for fold in range(folds.max() + 1):
            test, setting = folds == fold, classifier.settings[number : number + 1]
            (out[test],) = predictions(*data, ~test, setting, **work)
        return out[rows]

    return Mistakes(classifier.settings, wrong, scores)
