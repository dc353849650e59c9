"""The classifiers of a report. A new one needs its own module and one entry in `_ALL`.

A `HeldOutClassifier` says how it is named and described, how its error behaves, what it is fitted
to and when, what memory it takes, and has a function that returns its `Mistakes` on held-out
samples. `Trials` (trials.py) runs them on one data set; the report, its estimate of memory, the
command line and the guide read the same entries.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from smartsvm._core.clearly import CLEAR, paired_difference
from smartsvm._core.validation import describe
from smartsvm.held_out.boosting import boosting_bytes, boosting_held_out, boosting_predict
from smartsvm.held_out.categories import (
    PRIOR_ROWS,
    categories_leave_one_out,
    categories_predict,
)
from smartsvm.held_out.extra_trees import MOST_TREES, extra_trees_out_of_bag, extra_trees_predict
from smartsvm.held_out.gaussians import gaussians_leave_one_out, gaussians_predict
from smartsvm.held_out.kernel_ridge import RIDGES, WIDTHS, kernel_leave_one_out, kernel_predict
from smartsvm.held_out.linear import (
    SHRINKAGES,
    covariance_bytes,
    linear_leave_one_out,
    linear_predict,
)
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.neighbors import LADDER, neighbors_leave_one_out, neighbors_predict
from smartsvm.held_out.network import network_held_out, network_predict

NEIGHBORS = "neighbors"
_FOREST = "forest"
# Named beside the classifiers: their weighted posterior (`posterior`), and the largest class.
COMBINED = "combined"
BASELINE = "baseline"
_OTHER_WORDS = {
    COMBINED: "all classifiers combined",
    BASELINE: "the baseline (largest class)",
}
# What a classifier is fitted to: all rows, or `judged_rows(n)` of them as values, as ranks, or as
# Gaussian quantiles of the ranks.
ALL_ROWS = "all rows"
SOME_ROWS = "some rows"
RANKS = "ranks"
QUANTILES = "quantiles"
# Limits of `judged_rows`: slow classifiers are fitted to half of the rows, within these limits.
LEAST_ROWS = 2500
MOST_ROWS = 10_000
# Forest and network gain from every row. They are fitted once more, to all rows, if these are at
# most twice as many and no other classifier clearly errs less often.
_MOST_OF_ALL_ROWS = 2 * MOST_ROWS

# Variance of a held-out error / that of independent samples, p(1 - p) / n. Votes of shared
# neighbours and the choice of a width make mistakes depend on each other: with two Gaussian classes
# and 100 or 300 samples, the ratio is 1.6 for votes and 1.4 for kernels.
_VARIANCE = 1.1
_OF_VOTES = 1.5
_OF_KERNELS = 1.35
# A model of the user may be of any kind, and the combination is of all: the largest ratio.
LARGEST_VARIANCE = _OF_VOTES
# Boosting is not tried if another classifier avoids a fifth of the forest's mistakes, and more than
# 2 standard errors: its borders then suit the classes better than those of trees. A network is not
# tried if the forest avoids as many of the mistakes of all others.
_FAR_BEHIND = 0.2


@dataclass(frozen=True, kw_only=True)
class HeldOutClassifier:
    """One classifier of the report."""

    name: str  # in classifiers=, in attributes and in JSON
    words: str  # in sentences, after "with"
    about: str  # in the guide's list
    # held_out(points, codes, n_classes, seed=, n_jobs=) returns `Mistakes`, or None where it cannot
    # be fitted
    held_out: Callable[..., Mistakes | None]
    # predict(points, codes, n_classes, train, settings, seed=, n_jobs=) returns for each setting
    # the scores of the rows not in `train` by a fit to the others, or None likewise
    predict: Callable[..., Iterable[np.ndarray] | None]
    settings: tuple = (None,)  # that `predict` tries where whole folds are held out
    fitted_to: str = SOME_ROWS
    variance: float = _VARIANCE
    setting: str = ""  # how a row shows the setting, if at all
    is_quick: bool = False  # whether pairs of classes and times, too, are judged by it
    on_device: bool = False  # whether held_out takes on_device=, points on a GPU
    takes_groups: bool = False  # whether held_out takes groups=, so that it needs no folds
    # Whether held_out and predict take n_categories=, columns of numbered texts behind the others.
    takes_categories: bool = False
    # worth_trying(trials), after the entries above; None: always
    worth_trying: Callable[..., bool] | None = None
    # worth_all_rows(trials), once it is among the mistakes on some rows; None: never
    worth_all_rows: Callable[..., bool] | None = None
    # extra_bytes(n, d, n_classes) beyond the scores that all classifiers keep
    extra_bytes: Callable[..., int] | None = None


def _trees_lead(trials):
    """Whether boosted trees may err least."""
    # With texts by value they see more than the forest.
    if _FOREST not in trials.mistakes or trials.categories is not None:
        return True
    of_forest = trials.on_rows(_FOREST).mean()
    return not any(
        lead > max(CLEAR * error, _FAR_BEHIND * of_forest)
        for _, lead, error in _leads_over(_FOREST, trials)
    )


def _smooth_borders_keep_up(trials):
    """Whether a classifier other than those of trees and neighbours is not far behind them."""
    if _FOREST not in trials.mistakes:
        return True
    of_forest = trials.on_rows(_FOREST).mean()
    leads = [
        lead + max(CLEAR * error, _FAR_BEHIND * of_forest)
        for name, lead, error in _leads_over(_FOREST, trials)
        if name not in (NEIGHBORS, _FOREST, "boosting")
    ]
    return not leads or max(leads) > 0


def _leads(name):
    """Whether no classifier clearly beats this one, on so many rows that it may have them all."""

    def holds(trials):
        few = len(trials.codes) <= _MOST_OF_ALL_ROWS
        return few and not any(lead > CLEAR * error for _, lead, error in _leads_over(name, trials))

    return holds


def _leads_over(rival, trials):
    """Each classifier, by how much it errs less often than a rival, and the standard error."""
    of_rival = trials.on_rows(rival)
    of_rival = of_rival[of_rival.mean(axis=1).argmin()]
    for name in trials.mistakes:
        wrong = trials.on_rows(name)
        yield name, *paired_difference(of_rival, wrong[wrong.mean(axis=1).argmin()])


_KERNEL = {
    "held_out": kernel_leave_one_out,
    "predict": kernel_predict,
    "settings": tuple(product(WIDTHS, RIDGES)),
    "variance": _OF_KERNELS,
}
_LINEAR = {
    "held_out": linear_leave_one_out,
    "predict": linear_predict,
    "settings": SHRINKAGES,
}
_ALL = (
    HeldOutClassifier(
        name=NEIGHBORS,
        words="k nearest neighbours",
        about="k nearest neighbours; always tried",
        held_out=neighbors_leave_one_out,
        predict=neighbors_predict,
        settings=LADDER,
        fitted_to=ALL_ROWS,
        variance=_OF_VOTES,
        setting=" (k = {})",
        takes_groups=True,
    ),
    HeldOutClassifier(
        name="linear",
        words="a linear classifier (LDA)",
        about="shrunk linear discriminant analysis (LDA)",
        fitted_to=ALL_ROWS,
        is_quick=True,
        on_device=True,
        extra_bytes=covariance_bytes,
        **_LINEAR,
    ),
    HeldOutClassifier(
        name="gaussians",
        words="Gaussian classes (QDA)",
        about="Gaussian classes with shrunk covariances (QDA)",
        held_out=gaussians_leave_one_out,
        predict=gaussians_predict,
    ),
    HeldOutClassifier(
        name="kernel",
        words="a kernel ridge classifier",
        about="kernel ridge regression",
        **_KERNEL,
    ),
    HeldOutClassifier(
        name="ranks",
        words="a kernel ridge classifier on ranks",
        about="the same on the ranks of the values in their columns, where values are skewed",
        fitted_to=RANKS,
        **_KERNEL,
    ),
    HeldOutClassifier(
        name="linear_ranks",
        words="a linear classifier (LDA) on ranks",
        about="LDA on Gaussian quantiles of these ranks",
        fitted_to=QUANTILES,
        **_LINEAR,
    ),
    HeldOutClassifier(
        name=_FOREST,
        words="a random forest",
        about="a random forest",
        held_out=extra_trees_out_of_bag,
        predict=extra_trees_predict,
        settings=(MOST_TREES,),
        variance=_OF_VOTES,
        is_quick=True,
        worth_all_rows=_leads(_FOREST),
    ),
    HeldOutClassifier(
        name="boosting",
        words="gradient boosting",
        about="gradient boosting, for at most ten classes, where a trial shows it ahead; where few "
        "of many columns matter, on those",
        held_out=boosting_held_out,
        predict=boosting_predict,
        fitted_to=ALL_ROWS,
        takes_categories=True,
        worth_trying=_trees_lead,
        extra_bytes=boosting_bytes,
    ),
    HeldOutClassifier(
        name="network",
        words="a small neural network",
        about="a small neural network, from 2,000 rows on, where a trial shows it ahead",
        held_out=network_held_out,
        predict=network_predict,
        worth_trying=_smooth_borders_keep_up,
        worth_all_rows=_leads("network"),
    ),
    HeldOutClassifier(
        name="categories",
        words="naive Bayes on repeated values",
        about="naive Bayes on the values of columns that repeat theirs, and of texts with ten "
        "values or more",
        held_out=categories_leave_one_out,
        predict=categories_predict,
        settings=PRIOR_ROWS,
        fitted_to=ALL_ROWS,
        takes_categories=True,
    ),
)
REGISTRY = {entry.name: entry for entry in _ALL}
CLASSIFIERS = tuple(REGISTRY)
# For stages that fit many classifiers to small parts of the data.
QUICK_CLASSIFIERS = tuple(entry.name for entry in _ALL if entry.is_quick)


def check_classifiers(names):
    """Check that a parameter names classifiers, and return them as a tuple."""
    is_sequence = np.iterable(names) and not isinstance(names, str)
    chosen = tuple(names) if is_sequence else (names,)
    if is_sequence and all(isinstance(name, str) and name in CLASSIFIERS for name in chosen):
        return chosen
    raise ValueError(
        f"classifiers must be a sequence of names from {list(CLASSIFIERS)}, got "
        f"{describe(list(chosen) if is_sequence else names)}."
    )


def words_of(name):
    """How a sentence names a classifier or the baseline."""
    if name in _OTHER_WORDS:
        return _OTHER_WORDS[name]
    return REGISTRY[name].words if name in REGISTRY else f"your model {name}"


def with_setting(text, name, setting):
    """A name with the setting of the classifier, where that is a number people know."""
    return text + REGISTRY[name].setting.format(setting) if name in REGISTRY else text


def extra_bytes(n, d, n_classes):
    """Bytes that classifiers take at most, beyond the scores that each keeps."""
    return sum(
        entry.extra_bytes(n, d, n_classes) for entry in _ALL if entry.extra_bytes is not None
    )


def variance_of(name):
    """Variance of the error of a classifier, a model or the combination / that of n samples."""
    return REGISTRY[name].variance if name in REGISTRY else LARGEST_VARIANCE


def judged_rows(n):
    """Number of rows that slow classifiers are fitted to and judged on."""
    return min(max(n // 2, LEAST_ROWS), MOST_ROWS)
