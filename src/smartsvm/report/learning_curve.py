"""The error of the best classifier with more samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import REGISTRY

MULTIPLES = (1, 2, 10)


class LearningCurve(NamedTuple):
    """The error of the best classifier now, with twice and with ten times the samples."""

    sizes: tuple[int, ...]  # numbers of samples
    # the held-out error with as many samples; the first is the present one
    errors: tuple[Interval, ...]


def learning_curve(held_out, n_samples):
    """Errors with more samples: the excess falls like n^-rate. None without any gain."""
    if not held_out.gain:
        return None
    now, rate = held_out.best, REGISTRY[held_out.classifier].rate
    limit = min(held_out.limit, now.value)
    errors = [now]
    for times in MULTIPLES[1:]:
        fallen = 1 - times**-rate
        fall = fallen * (now.value - limit)
        # The fall may be twice as large, and more if the classifier still learns fast.
        more = fallen * held_out.excess * (2 - held_out.known)
        low = now.value - fall - np.hypot(now.value - now.low, more)
        high = now.value - fall + np.hypot(now.high - now.value, fall)
        value, low, high = (float(np.clip(each, 0, 1)) for each in (now.value - fall, low, high))
        errors.append(Interval(value, low, high))
    return LearningCurve(tuple(times * n_samples for times in MULTIPLES), tuple(errors))
