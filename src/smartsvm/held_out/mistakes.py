"""The mistakes of a classifier on samples, or whole groups of them, that it was not fitted to."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Mistakes(NamedTuple):
    """Held-out mistakes of a classifier with each of its settings."""

    settings: tuple
    wrong: np.ndarray  # shape (settings, samples); a fraction where a vote is tied
    # scores(number of a setting, rows): log probabilities of the classes, up to a constant per
    # sample, of some of the judged samples, shape (rows, K), 32 bits; each without its own label
    # and perhaps -inf.
    scores: Callable[..., np.ndarray] | None = None
    # further(points): the scores of samples beside the judged ones, where they cost little
    further: Callable[..., np.ndarray] | None = None

    @property
    def errors(self):
        """The error of each setting."""
        return self.wrong.mean(axis=1, dtype=float)

    @property
    def by_setting(self):
        """Each setting and its error."""
        return tuple(zip(self.settings, self.errors.tolist(), strict=True))

    @property
    def best(self):
        """The number of the best setting; the last among equals, which varies less."""
        return len(self.settings) - 1 - int(np.argmin(self.errors[::-1]))

    def only(self, chosen):
        """The settings for which `chosen` is true."""
        settings = tuple(
            setting for setting, stays in zip(self.settings, chosen, strict=True) if stays
        )
        return Mistakes(settings, self.wrong[np.asarray(chosen)])


def wrong_answers(scores, codes):
    """Samples whose own class does not have the only largest score; overwrites `scores`."""
    places = np.arange(len(codes)), codes
    own_scores = scores[places]
    scores[places] = -np.inf
    return (scores >= own_scores[:, None]).any(axis=1)


def predictions(predict, points, codes, n_classes, train, settings, **work):
    """The results of a classifier's `predict`, with -inf for classes that it was not fitted to."""
    present, codes_in_fit = np.unique(codes[train], return_inverse=True)
    if len(present) == n_classes:
        return predict(points, codes, n_classes, train, settings, **work)
    n_test = np.count_nonzero(~train)
    if len(present) == 0:  # nothing favours any class
        return [np.zeros((n_test, n_classes), dtype=np.float32)] * len(settings)
    if len(present) == 1:
        scores = [np.zeros((n_test, 1))] * len(settings)
    else:
        inside = np.zeros_like(codes)
        inside[train] = codes_in_fit
        scores = predict(points, inside, len(present), train, settings, **work)
    return (
        None
        if scores is None
        else (_spread(of_setting, present, n_classes) for of_setting in scores)
    )


def _spread(scores, present, n_classes):
    out = np.full((len(scores), n_classes), -np.inf, dtype=np.float32)
    out[:, present] = scores
    return out


def split_mistakes(classifier, points, codes, n_classes, folds, **work):
    """Mistakes on the judged samples, in their order; None where there is no fit to a fold."""

    def predicted(training, held_out, settings):
        used = training | held_out
        used = slice(None) if used.all() else np.flatnonzero(used)
        data = points[used], codes[used], n_classes, training[used]
        return predictions(classifier.predict, *data, settings, **work)

    held_out_rows = folds.held_out_rows
    wrong = np.empty((len(classifier.settings), len(codes)), dtype=bool)
    for training, held_out in folds.splits():
        of_settings = predicted(training, held_out, classifier.settings)
        if of_settings is None:
            return None
        for answers, of_setting in zip(wrong, of_settings, strict=True):
            answers[held_out] = wrong_answers(of_setting.copy(), codes[held_out])

    def scores(number, rows=slice(None)):
        out = np.empty((len(codes), n_classes), dtype=np.float32)
        for training, held_out in folds.splits():
            setting = classifier.settings[number : number + 1]
            (out[held_out],) = predicted(training, held_out, setting)
        return out[held_out_rows][rows]

    return Mistakes(classifier.settings, wrong[:, held_out_rows], scores)
