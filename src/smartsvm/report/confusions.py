"""Confusions of the combined posterior: errors of classes and pairs, and classes to merge."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import in_threads
from smartsvm._core.wilson import wilson_limits
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import COMBINED, variance_of
from smartsvm.report.intervals import Intervals

# Numbers (4 MiB) in the largest temporary array.
_BLOCK_NUMBERS = 2**19
# Samples of a class below which no merge is advised: a test of so few separates hardly any classes.
LEAST_OF_CLASS = 30
# A group is merged only if that removes at least this fraction of the mistakes about its samples:
# where most go to other classes, the group is hard, not alike.
_LEAST_REMOVED = 0.5


class BalancedErrors(NamedTuple):
    """1 less the mean of the recalls; chance has 1 - 1/K."""

    error: Interval  # of the answers as they are
    reweighted: Interval  # of answers under equal priors


class Confusions(NamedTuple):
    """Counts of answers."""

    answers: np.ndarray  # shape (K, K): own class, answer
    balanced: np.ndarray  # right answers of each class under equal priors

    @property
    def counts(self):
        """Samples of each class."""
        return self.answers.sum(axis=1)


def count_confusions(posterior, codes, n_jobs=None):
    """Count the answers of a posterior by class, as they are and under equal priors."""
    logs = posterior.log_probabilities
    n, n_classes = logs.shape
    counts = np.bincount(codes, minlength=n_classes)
    answers = np.bincount(codes * n_classes + posterior.answers(), minlength=n_classes**2)
    right = np.zeros(n_classes)
    step = max(1, _BLOCK_NUMBERS // n_classes)

    def count(rows):
        own = codes[rows]
        evenly = (logs[rows] - np.log(counts)).argmax(axis=1)
        return np.bincount(own[evenly == own], minlength=n_classes)

    for part in in_threads(count, [slice(i, i + step) for i in range(0, n, step)], n_jobs):
        right += part
    return Confusions(answers.reshape(n_classes, n_classes), right)


def class_recalls(confusions, z):
    """Recall of every class, with limits."""
    recalls = confusions.answers.diagonal() / confusions.counts
    return Intervals(recalls, *wilson_limits(recalls, _effective(confusions.counts), z))


def balanced_errors(confusions, z):
    """Both balanced errors, with limits."""
    counts, n = confusions.counts, _effective(confusions.counts)
    return BalancedErrors(
        _mean_error(1 - confusions.answers.diagonal() / counts, n, z),
        _mean_error(1 - confusions.balanced / counts, n, z),
    )


def _effective(counts):
    """Independent samples on which errors would be as certain as those of the combination."""
    return counts / variance_of(COMBINED)


def _mean_error(errors, n, z):
    """The mean of the errors of all classes, n samples each, with limits."""
    below, above = wilson_limits(errors, n, z)
    value = float(errors.mean())
    return Interval(
        value,
        max(value - float(np.sqrt(((errors - below) ** 2).sum())) / len(errors), 0.0),
        min(value + float(np.sqrt(((above - errors) ** 2).sum())) / len(errors), 1.0),
    )


def pair_errors(confusions, z, weights=1.0):
    """How often the samples of each pair of classes are taken for each other.

    `weights`, a column, say how many samples each one of a class stands for.
    """
    counts, answers = confusions.counts, confusions.answers * weights
    pair_sizes = np.add.outer(counts, counts)
    weighted = answers.sum(axis=1)
    value = (answers + answers.T) / np.add.outer(weighted, weighted)
    low, high = wilson_limits(value, _effective(pair_sizes), z)
    for each in (value, low, high):
        np.fill_diagonal(each, np.nan)
    return Intervals(value, low, high)


class MergeAdvice(NamedTuple):
    """Groups of classes to merge."""

    groups: tuple  # labels of each group; nothing separates any two of them
    accuracy: float  # held-out accuracy with the classes as they are
    merged_accuracy: float  # held-out accuracy if mistakes inside the groups do not count
    too_small: tuple  # labels with fewer than `least_samples`, too few to tell
    least_samples: int = LEAST_OF_CLASS


def merge_advice(pairs, classes, *, significant):
    """The advice where nothing separates some pairs."""
    # Without signal there is none, nor for two classes, of which one would remain.
    counts, labels, confusion = classes.counts, classes.names, classes.confusion
    enough = counts >= LEAST_OF_CLASS
    helps = significant and len(counts) > 2
    groups = _groups(pairs.scores, pairs.alike() & enough & enough[:, None]) if helps else []
    groups = [group for group in groups if _are_mistaken_for_each_other(confusion, group)]
    group_of = np.arange(len(counts))
    for group in groups:
        group_of[group] = group[0]
    total = confusion.sum()
    merged = confusion[group_of[:, None] == group_of].sum() / total
    if groups and merged <= np.bincount(group_of, weights=confusion.sum(axis=1)).max() / total:
        # The merged class would be the answer to everything.
        return merge_advice(pairs, classes, significant=False)
    return MergeAdvice(
        tuple(tuple(labels[group].tolist()) for group in groups),
        float(np.trace(confusion) / total),
        float(merged),
        tuple(labels[~enough].tolist()),
    )


def _are_mistaken_for_each_other(confusion, group):
    inside = confusion[np.ix_(group, group)]
    right = np.trace(inside)
    return inside.sum() - right >= _LEAST_REMOVED * (confusion[group].sum() - right)


def _groups(scores, mixed):
    """Groups of two or more classes, grown from the least separable pair on."""
    members = [[k] for k in range(len(mixed))]
    firsts, seconds = np.nonzero(np.triu(mixed, 1))
    for place in np.argsort(-scores[firsts, seconds], kind="stable"):
        one, other = members[firsts[place]], members[seconds[place]]
        if one is not other and mixed[np.ix_(one, other)].all():
            one += other
            for k in other:
                members[k] = one
    return [sorted(group) for k, group in enumerate(members) if len(group) > 1 and k == min(group)]
