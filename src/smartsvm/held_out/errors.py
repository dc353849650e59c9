"""What a rule is asked for: its mistakes on samples that it has not seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Mistakes(NamedTuple):
    """Mistakes of some settings of a rule on samples that it was made without.

    Attributes
    ----------
    settings : tuple
        What the rules differ in, one entry per rule.
    wrong : ndarray of shape (m, n_samples)
        Whether each rule errs on each sample; a share where a vote is tied.
    """

    settings: tuple
    wrong: np.ndarray

    @property
    def errors(self):
        """Share of mistakes of each rule."""
        return self.wrong.mean(axis=1, dtype=float)

    def only(self, chosen):
        """Some of the rules; `chosen` says of each whether it stays."""
        settings = tuple(each for each, stays in zip(self.settings, chosen, strict=True) if stays)
        return Mistakes(settings, self.wrong[np.asarray(chosen)])


def wrong_answers(scores, codes):
    """Samples whose own class does not come out alone on top; changes `scores`.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, K)
        The larger the better.
    codes : ndarray of shape (n_samples,)
        Class of each sample.

    Returns
    -------
    ndarray of bool of shape (n_samples,)
        Mistakes.
    """
    places = np.arange(len(codes)), codes
    own = scores[places]
    scores[places] = -np.inf
    return scores.max(axis=1) >= own
