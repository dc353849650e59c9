"""Problems whose Bayes error is known, by kind of data.

A problem is a seeded recipe: it draws points and, for each, the probabilities of the classes
there; labels are drawn from those. So the Bayes error is the mean of one minus the largest
probability, which many draws give to about three digits. Problem `number` of a family has the same
parameters at every size.

`families.csv` lists the families: what each is for, and the module that has it. Those for
evaluation are written before any estimate is made on them, and none of their results may lead to a
change.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import numpy as np

from .building import draw_labels

SIZES = (100, 400, 2000, 8000)
ROLES = ("design", "retired", "evaluation")
# Points at which the truth is measured; with many columns, fewer, which take as long.
_TRUTH_DRAWS, _TRUTH_PART, _WIDE, _TRUTH_DRAWS_OF_WIDE = 200_000, 10_000, 100, 50_000


def _registered():
    """Family to its row of `families.csv`."""
    with (Path(__file__).parent / "families.csv").open(encoding="utf-8", newline="") as file:
        return {row["family"]: row for row in csv.DictReader(file)}


def _recipe(family, kind):
    """The function of a family: its words with underscores, in the module of its kind."""
    return getattr(import_module(f".{kind}", __package__), re.sub(r"\W+", "_", family))


FAMILIES = _registered()
ALL = {family: _recipe(family, row["kind"]) for family, row in FAMILIES.items()}


@dataclass(frozen=True)
class Problem:
    """A seeded recipe of one problem.

    Attributes
    ----------
    family : str
        Name of its family.
    number : int
        Its place in the family.
    n_samples : int
        Rows to draw.
    describe : str
        Its parameters in words.
    draw : callable
        ``draw(random, n)`` gives points and the probabilities of the classes at each.
    """

    family: str
    number: int
    n_samples: int
    describe: str
    draw: Callable

    def seed(self, purpose):
        """Seed of a purpose: 0 parameters, 1 sample, 2 truth, 3 target, 4 rows, 5 more samples."""
        return [zlib.crc32(self.family.encode()), self.number, purpose]

    def sample(self):
        """Points and labels; every class that has a label at all has two or more."""
        X, y = self._labelled([*self.seed(1), self.n_samples])
        return X, np.unique(y, return_inverse=True)[1]

    def another_sample(self, place):
        """A further sample, independent of all others; classes have the numbers of `draw`."""
        return self._labelled([*self.seed(5), self.n_samples, place])

    def _labelled(self, seed):
        random = np.random.default_rng(seed)
        if hasattr(self.draw, "sample"):  # of samples that depend on each other
            X, y = self.draw.sample(random, self.n_samples)
        else:
            X, chances = self.draw(random, self.n_samples)
            y = draw_labels(random, chances)
        _, places, counts = np.unique(y, return_inverse=True, return_counts=True)
        kept = counts[places] >= 2
        return X[kept], y[kept]

    @cached_property
    def _chances(self):
        """Probabilities at many points: the truth, but for a standard error below 0.0012."""
        random = np.random.default_rng(self.seed(2))
        parts, left = [], _TRUTH_DRAWS
        while left > 0:
            X, chances = self.draw(random, _TRUTH_PART)
            if not parts and X.shape[1] > _WIDE:
                left = _TRUTH_DRAWS_OF_WIDE
            parts.append(chances)
            left -= _TRUTH_PART
        return np.concatenate(parts)

    def bayes_error(self):
        """The truth, by simulation."""
        return float(1 - self._chances.max(axis=1).mean())

    def balanced_error(self):
        """The least balanced error, by the same simulation: no class counts more than another."""
        shares = self._chances.mean(axis=0)
        chances = self._chances[:, shares > 0] / shares[shares > 0]  # of classes that occur at all
        return float(1 - chances.max(axis=1).mean() / chances.shape[1])


def problem(family, number, n_samples):
    """One problem of a family; its truth does not depend on the number of samples."""
    if family not in ALL:
        raise ValueError(f"family must be a key of benchmarks.problems.ALL, got {family!r}")
    random = np.random.default_rng([zlib.crc32(family.encode()), number, 0])
    return Problem(family, number, n_samples, *ALL[family](random))


def families(role):
    """Names of the families of a role.

    Parameters
    ----------
    role : {"design", "retired", "evaluation", "all"}
        "design" includes those retired from evaluation: what was seen on them has led to changes.
    """
    if role not in (*ROLES, "all"):
        raise ValueError(f"role must be one of {(*ROLES, 'all')}, got {role!r}")
    chosen = {"design": ROLES[:2], "all": ROLES}.get(role, (role,))
    return [name for name, row in FAMILIES.items() if row["role"] in chosen]
