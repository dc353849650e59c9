"""Choice of C by cross-validation over given folds, timed, within a limit of time."""

from __future__ import annotations

import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

_REPEAT_UP_TO = 0.5  # seconds: shorter things are timed several times
_MOST_REPEATS = 5


class Clock:
    """CPU seconds spent under each name, fits that did not converge, and the cap."""

    def __init__(self, cap=float("inf"), so_far=lambda results: None):
        self.cap = cap
        self.so_far = so_far  # takes results to be kept if the job is killed at its cap
        self.began = time.monotonic()
        self.spent = {}
        self.unconverged = 0

    @contextmanager
    def __call__(self, *names):
        """Charge what happens inside to each of the names."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = time.process_time()
            yield
            seconds = time.process_time() - start
        self.unconverged += sum(issubclass(w.category, ConvergenceWarning) for w in caught)
        for name in names:
            self.spent[name] = self.spent.get(name, 0.0) + seconds

    def best_of(self, name, call):
        """Charge the shortest of a few turns, and return what the call gave."""
        seconds = []
        while len(seconds) < _MOST_REPEATS and sum(seconds) < _REPEAT_UP_TO:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                start = time.process_time()
                result = call()
                seconds.append(time.process_time() - start)
        self.spent[name] = min(seconds)
        return result

    @property
    def elapsed(self):
        """Wall seconds since the beginning, which is what the cap counts."""
        return time.monotonic() - self.began


@dataclass
class Path:
    """Mean scores along the Cs, as far as time allowed."""

    scores: list
    capped: bool

    def best(self, Cs):
        """The smallest C with the highest score."""
        return Cs[int(np.argmax(self.scores))]


def along_path(Cs, one, clock, share=0.8):
    """Scores of ``one(C)`` for each C, or as many as fit into a share of the cap.

    `one` gives a tuple of scores, one for each way of reading the same machines. Larger Cs take
    longer, so the next is expected to grow as the last did; it is not begun if it would not end.
    """
    scores, seconds = [], []
    for C in Cs:
        if seconds:
            growth = seconds[-1] / seconds[-2] if len(seconds) > 1 else 1.0
            ahead = seconds[-1] * min(max(growth, 1.0), 4.0)
            if clock.elapsed + ahead > share * clock.cap:
                break
        start = time.monotonic()
        scores.append(one(C))
        seconds.append(time.monotonic() - start)
    capped = len(scores) < len(Cs)
    return [Path(list(each), capped) for each in zip(*scores, strict=True)]


def mean_ari(predictions, problem):
    """Mean over the folds of the adjusted Rand index of predictions of the validation rows."""
    truths = (problem.y_train[rows] for _, rows in problem.folds)
    pairs = zip(truths, predictions, strict=True)
    return float(np.mean([adjusted_rand_score(truth, found) for truth, found in pairs]))
