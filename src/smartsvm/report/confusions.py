"""What the combined posterior confuses: errors of classes and of pairs, and classes to merge."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import in_threads
from smartsvm.estimation.results import Interval
from smartsvm.held_out.registry import COMBINED, REGISTRY
from smartsvm.report.intervals import wilson_limits

_BLOCK_NUMBERS = 2**19  # in the largest temporary array
LEAST_SAMPLES = 30  # of a class: with fewer, "nothing separates them" says little


class Recall(NamedTuple):
    """Recall of each class by the combined classifiers."""

    classifier: str  # "combined"
    balanced_error: Interval  # 1 less the mean of the recalls; chance has 1 - 1/K
    even_error: Interval  # the same where the answers, too, weigh all classes alike
    by_class: np.ndarray  # recall of each class
    limits: np.ndarray  # confidence limits of the recalls


class PairErrors(NamedTuple):
    """Two-class Bayes errors of all pairs of classes, shape (K, K), NaN on the diagonal."""

    # held-out error on the samples of two classes where only these are possible
    value: np.ndarray
    low: np.ndarray  # lower confidence limits of the Bayes error of the two
    high: np.ndarray  # upper confidence limits


class Confusions(NamedTuple):
    """Counts of answers."""

    answers: np.ndarray  # shape (K, K): own class, answer
    rivals: np.ndarray  # samples of a class for which another one is more probable
    balanced: np.ndarray  # right answers of each class where all classes count alike

    @property
    def counts(self):
        """Samples of each class."""
        return self.answers.sum(axis=1)


def count_confusions(posterior, codes, n_jobs=None):
    """Count the answers of a posterior by class, and the samples that lie nearer to another one."""
    logs = posterior.log_probabilities
    n, n_classes = logs.shape
    counts = np.bincount(codes, minlength=n_classes)
    answers = np.bincount(codes * n_classes + posterior.answers(), minlength=n_classes**2)
    order = np.argsort(codes, kind="stable")
    rivals, balanced = np.zeros((n_classes, n_classes)), np.zeros(n_classes)
    step = max(1, _BLOCK_NUMBERS // n_classes)

    def count(rows):
        own, block = codes[rows], logs[rows]
        of_own = block[np.arange(len(rows)), own][:, None]
        present, begins = np.unique(own, return_index=True)
        nearer = (block > of_own) + 0.5 * (block == of_own)
        right = own[(block - np.log(counts)).argmax(axis=1) == own]
        return present, np.add.reduceat(nearer, begins), np.bincount(right, minlength=n_classes)

    parts = [order[start : start + step] for start in range(0, n, step)]
    for present, nearer, right in in_threads(count, parts, n_jobs):
        rivals[present] += nearer
        balanced += right
    np.fill_diagonal(rivals, 0)
    return Confusions(answers.reshape(n_classes, n_classes), rivals, balanced)


def class_recalls(confusions, z):
    """Recall of every class, and the balanced errors, with limits."""
    n = confusions.counts / REGISTRY[COMBINED].variance
    recalls = confusions.answers.diagonal() / confusions.counts
    low, high = wilson_limits(recalls, n, z)
    balanced = _mean_error(1 - recalls, n, z)
    even = _mean_error(1 - confusions.balanced / confusions.counts, n, z)
    return Recall(COMBINED, balanced, even, recalls, np.stack([low, high], axis=1))


def _mean_error(errors, n, z):
    """The mean of the errors of all classes, n samples each, with limits."""
    below, above = wilson_limits(errors, n, z)
    value = float(errors.mean())
    return Interval(
        value,
        max(value - float(np.sqrt(((errors - below) ** 2).sum())) / len(errors), 0.0),
        min(value + float(np.sqrt(((above - errors) ** 2).sum())) / len(errors), 1.0),
    )


def pair_errors(confusions, bayes_error, held_out_error, z):
    """Bayes errors of all pairs of classes."""
    # The posterior of two classes bounds theirs from above. How far theirs may be below is unknown
    # for pairs: in the same proportion as for the whole problem.
    counts, rivals = confusions.counts, confusions.rivals
    together = np.add.outer(counts, counts)
    value = (rivals + rivals.T) / together
    low, high = wilson_limits(value, together / REGISTRY[COMBINED].variance, z)
    low *= min(bayes_error.low / held_out_error, 1.0) if held_out_error > 0 else 0.0
    if len(counts) == 2:  # the whole problem
        low[:], high[:] = min(bayes_error.low, value[0, 1]), max(bayes_error.high, value[0, 1])
    for each in (value, low, high):
        np.minimum(each, 0.5, out=each)  # no two classes are harder to tell apart than that
        np.fill_diagonal(each, np.nan)
    return PairErrors(value, low, high)


class MergeAdvice(NamedTuple):
    """Groups of classes to merge."""

    groups: tuple  # labels of each group; nothing separates any two of them
    accuracy: float  # held-out accuracy with the classes as they are
    merged_accuracy: float  # held-out accuracy if mistakes inside the groups do not count
    too_small: tuple  # labels with fewer than `least_samples`, too few to tell
    least_samples: int = LEAST_SAMPLES


def merge_advice(alike, scores, confusion, counts, labels, *, significant):
    """The advice where nothing separates pairs of `alike`."""
    # Without signal there is none, nor for two classes, of which one would remain.
    enough = counts >= LEAST_SAMPLES
    helps = significant and len(counts) > 2
    groups = _groups(scores, alike & enough & enough[:, None]) if helps else []
    group_of = np.arange(len(counts))
    for group in groups:
        group_of[group] = group[0]
    total = confusion.sum()
    merged = confusion[group_of[:, None] == group_of].sum() / total
    return MergeAdvice(
        tuple(tuple(labels[group].tolist()) for group in groups),
        float(np.trace(confusion) / total),
        float(merged),
        tuple(labels[~enough].tolist()),
    )


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
