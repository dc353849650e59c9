"""Families of problems whose Bayes error is known, and which of them may be used for design.

A problem is a seeded recipe: it draws points and, for each, the probabilities of the classes
there; labels are drawn from those. So the Bayes error is the mean of one minus the largest
probability, which many draws give to about three digits. Problem `number` of a family has the same
parameters at every size.

Families in `EVALUATION` were written before any estimate was made on them and are for evaluation
only. What was seen on all others may have led to changes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import fresh_recipes, other_recipes, recipes, zero_recipes
from .evaluation_recipes import EVALUATION
from .failed_recipes import FAILED
from .former_evaluation_recipes import FORMER_EVALUATION
from .fourth_evaluation_recipes import FOURTH_EVALUATION
from .hidden_recipes import HIDDEN
from .later_recipes import LATER
from .recipes import draw_labels
from .second_evaluation_recipes import SECOND_EVALUATION
from .third_evaluation_recipes import THIRD_EVALUATION
from .unseen_recipes import UNSEEN

SIZES = (100, 400, 2000, 8000)
_TRUTH_DRAWS, _TRUTH_PART = 200_000, 10_000


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
        """Seed of one purpose: 0 the parameters, 1 the sample, 2 the truth, 3 the target."""
        return [zlib.crc32(self.family.encode()), self.number, purpose]

    def sample(self):
        """Points and labels; every class that has a label at all has two or more."""
        random = np.random.default_rng([*self.seed(1), self.n_samples])
        if hasattr(self.draw, "sample"):  # of samples that depend on each other
            X, y = self.draw.sample(random, self.n_samples)
        else:
            X, chances = self.draw(random, self.n_samples)
            y = draw_labels(random, chances)
        _, y, counts = np.unique(y, return_inverse=True, return_counts=True)
        kept = counts[y] >= 2
        return X[kept], np.unique(y[kept], return_inverse=True)[1]

    @cached_property
    def _chances(self):
        """Probabilities at many points: the truth, but for a standard error below 0.0006."""
        random = np.random.default_rng(self.seed(2))
        parts = range(_TRUTH_DRAWS // _TRUTH_PART)
        return np.concatenate([self.draw(random, _TRUTH_PART)[1] for _ in parts])

    def bayes_error(self):
        """The truth, by simulation."""
        return float(1 - self._chances.max(axis=1).mean())

    def balanced_error(self):
        """The least balanced error, by the same simulation: no class counts more than another."""
        shares = self._chances.mean(axis=0)
        chances = self._chances[:, shares > 0] / shares[shares > 0]  # of classes that occur at all
        return float(1 - chances.max(axis=1).mean() / chances.shape[1])


DESIGN = {
    "shift": recipes.shift,
    "covariance": recipes.covariance,
    "clusters": recipes.clusters,
    "heavy tails": recipes.heavy,
    "rings": recipes.rings,
    "checkerboard": recipes.checkerboard,
    "one-hot": recipes.one_hot,
    "logistic": recipes.logistic,
    "one in twenty": recipes.rare,
    "many classes": recipes.many_classes,
    "no signal": recipes.no_signal,
    "separable": recipes.separable,
}
ONCE = {
    "spirals": recipes.spirals,
    "parity": recipes.parity,
    "radius": recipes.radius,
    "one column": recipes.one_column,
    "wrong labels": recipes.wrong_labels,
    "sheet": recipes.sheet,
    "boxes": recipes.boxes,
    "skewed": recipes.skewed,
    "counts": recipes.counts,
    "waves": recipes.waves,
    "rare, three classes": recipes.rare_three,
}
FRESH = {
    "ripples": fresh_recipes.ripples,
    "nested mixture": fresh_recipes.nested_mixture,
    "table": fresh_recipes.table,
    "copula": fresh_recipes.copula,
    "pictures": fresh_recipes.pictures,
    "decisions": fresh_recipes.decisions,
}
LAST = {
    "compositions": fresh_recipes.compositions,
    "ordered": fresh_recipes.ordered,
    "mostly zero": fresh_recipes.mostly_zero,
    "tones": fresh_recipes.tones,
}
ZEROS = {
    "rare events": zero_recipes.rare_events,
    "word counts": zero_recipes.word_counts,
    "cut off": zero_recipes.cut_off,
    "amounts": zero_recipes.amounts,
    "overdispersed": zero_recipes.overdispersed,
    "few active": zero_recipes.few_active,
    "claims": zero_recipes.claims,
    "mixed columns": zero_recipes.mixed_columns,
}
OTHER_DESIGN = {
    "lognormal": other_recipes.lognormal,
    "xor of many": other_recipes.xor_of_many,
    "shells": other_recipes.shells,
    "five, uneven": other_recipes.five_uneven,
    "series": other_recipes.series,
    "noise by class": other_recipes.noise_by_class,
    "tiny clusters": other_recipes.tiny_clusters,
    "moons": other_recipes.moons,
}
OTHER_ONCE = {
    "survey": other_recipes.survey,
    "flipped": other_recipes.flipped,
    "family tree": other_recipes.family_tree,
    "topics": other_recipes.topics,
    "loop": other_recipes.loop,
    "coarse sensors": other_recipes.coarse_sensors,
    "overlapping blocks": other_recipes.overlapping_blocks,
    "thresholds": other_recipes.thresholds,
}
GROUPS = {
    "design": DESIGN,
    "once": ONCE,
    "fresh": FRESH,
    "last": LAST,
    "zeros": ZEROS,
    "other-design": OTHER_DESIGN,
    "other-once": OTHER_ONCE,
    "unseen": UNSEEN,
    "later": LATER,
    "failed": FAILED,
    "hidden": HIDDEN,
    "former-evaluation": FORMER_EVALUATION,
    "second-evaluation": SECOND_EVALUATION,
    "third-evaluation": THIRD_EVALUATION,
    "fourth-evaluation": FOURTH_EVALUATION,
    "evaluation": EVALUATION,
}
ALL = {name: recipe for group in GROUPS.values() for name, recipe in group.items()}


def problem(family, number, n_samples):
    """One problem of a family; its truth does not depend on the number of samples."""
    random = np.random.default_rng([zlib.crc32(family.encode()), number, 0])
    return Problem(family, number, n_samples, *ALL[family](random))
