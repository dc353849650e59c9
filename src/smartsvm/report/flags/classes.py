"""Warnings about classes: very small ones, and numbers that are no classes."""

import re

import numpy as np
from scipy.stats import spearmanr

from smartsvm._core.clearly import CLEAR_OF_MANY, is_clear
from smartsvm.presentation.display_names import as_item, shorten
from smartsvm.presentation.wording import listed
from smartsvm.report.flags.flag import BOUNDS, Check

# Samples below which a class is tiny: later orthogonal trees have no edges left inside it.
_TINY_CLASS = 10
# Fraction of the samples in tiny classes above which the whole report suffers.
_TINY_SHARE = 0.05
# Distinct numbers as labels from which on the problem may be a regression, and from which on it is
# one if mistakes clearly follow their order: grades.
_MANY = 30
_GRADES = 10
# Rank correlation of labels and wrong answers from which on classes have an order. It is about 0
# for classes without one, whose mistakes go anywhere; those of a number go to its neighbours.
_ORDERED = 0.3
# What spellings of one class may differ in: "(s)" and the s of a plural, hyphens in words, and
# marks that touch no digit. A- and A, HIV+ and HIV-, 1.5 and 15 are no spellings of each other.
_SPELLINGS = (
    re.compile(r"\(e?s\)"),
    re.compile(r"(?<=[^\W\d_])\s*-\s*(?=[^\W\d_])"),
    re.compile(r"(?<!\d)[.,;:'’\"()/](?!\d)"),
    re.compile(r"(?<=[^\W\d_]{2}[^\Ws\d_])s\b"),
    re.compile(r"[\s_]"),
)


class TinyClasses(Check):
    """Classes with few samples."""

    code, title = "tiny_classes", "very small classes"

    def flags(self, report, problem):
        """Numbers about them are rough; many of them make the whole report rough."""
        classes, counts = report.classes.names, report.classes.counts
        tiny = counts < _TINY_CLASS
        if tiny.any():
            named = zip(classes[tiny], counts[tiny], strict=True)
            words = [f"{as_item(shorten(label, 30))} ({count})" for label, count in named]
            many = counts[tiny].sum() >= _TINY_SHARE * counts.sum()
            yield self.flag(
                f"Fewer than {_TINY_CLASS} samples: {listed(words, 6)}. Numbers about these "
                "classes are rough, and the trees' bounds are too high for them.",
                against=(BOUNDS,) if many else (),
            )


class SimilarLabels(Check):
    """Labels that are perhaps two spellings of one."""

    code, title = "similar_labels", "labels that may be spellings of one class"

    def flags(self, report, problem):
        """Labels that are equal without capitals, spaces, marks and plurals count by themselves."""
        groups = {}
        for label in report.classes.names.tolist():
            if isinstance(label, str):
                groups.setdefault(_spelled(label), []).append(label)
        groups = [group for group in groups.values() if len(group) > 1]
        if groups:
            yield self.flag(
                f"{_spellings(groups)} count as different classes. If they are spellings of one "
                "class, write it in one way: every error here is too high.",
                step=f"Write {_spellings(groups)} in one way, if they are the same class.",
            )


def _spelled(label):
    """A label without what its spellings may differ in; itself if nothing is left."""
    spelled = label.casefold()
    for pattern in _SPELLINGS:
        spelled = pattern.sub("", spelled)
    return spelled or label


def _spellings(groups):
    groups = [" and ".join(repr(shorten(label, 30)) for label in group) for group in groups]
    return listed(groups, 3)


class LooksLikeRegression(Check):
    """Labels that look like measured numbers."""

    code, title = "looks_like_regression", "perhaps a regression problem"

    def flags(self, report, problem):
        """Many numbers as labels, unless they just count classes without an order."""
        classes, confusion = report.classes.names, report.classes.confusion
        if classes.dtype.kind not in "iuf" or len(classes) < _GRADES:
            return
        order, chance = _order_of_mistakes(confusion)
        if len(classes) < _MANY and not is_clear(order - _ORDERED, chance, CLEAR_OF_MANY):
            return
        counts_classes = np.array_equal(classes - classes[0], np.arange(len(classes)))
        repeated = len(classes) <= report.data.n_samples / 2
        if counts_classes and repeated and order <= _ORDERED:
            return
        numbers = f"{len(classes):,} different numbers"
        yield self.flag(
            f"The labels are {numbers} from {classes[0]:g} to {classes[-1]:g}. If they measure "
            "something, a prediction nearby is better than one far off: use a regression, or cut "
            "them into a few classes.",
            step=f"If the labels, {numbers}, measure something, predict them with a regression, "
            "or cut them into a few classes.",
        )


def _order_of_mistakes(confusion):
    """The rank correlation of labels and wrong answers, and its standard error."""
    true, answered = np.nonzero(confusion * (1 - np.eye(len(confusion), dtype=confusion.dtype)))
    if len(true) < 3 or not (np.ptp(true) and np.ptp(answered)):
        return 0.0, 1.0
    counts = confusion[true, answered].astype(int)
    true, answered = np.repeat(true, counts), np.repeat(answered, counts)
    return spearmanr(true, answered).statistic, len(true) ** -0.5
