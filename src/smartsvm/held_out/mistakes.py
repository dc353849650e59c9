"""The mistakes of a classifier on samples that it was not fitted to."""

from __future__ import annotations

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
    # further(points): the scores of samples beside the judged ones, where they come for little
    further: Callable[..., np.ndarray] | None = None

    @property
    def errors(self):
        """The error of each setting."""
        return self.wrong.mean(axis=1, dtype=float)

    @property
    def best(self):
        """The number of the best setting; the last among equals, which varies less."""
        return len(self.settings) - 1 - int(np.argmin(self.errors[::-1]))

    def only(self, chosen):
        """The settings for which `chosen` is true."""
        settings = tuple(each for each, stays in zip(self.settings, chosen, strict=True) if stays)
        return Mistakes(settings, self.wrong[np.asarray(chosen)])


def wrong_answers(scores, codes):
    """Samples whose own class does not have the only largest score; overwrites `scores`."""
    places = np.arange(len(codes)), codes
    own = scores[places]
    scores[places] = -np.inf
    return (scores >= own[:, None]).any(axis=1)
