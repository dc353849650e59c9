"""Advice to merge classes, and the columns that carry the signal."""

import numpy as np
import pytest

from smartsvm.report.confusions import LEAST_SAMPLES, merge_advice
from smartsvm.report.signal_columns import signal_columns

LABELS = np.array(list("abcd"))


def advice(pairs, counts=(50, 50, 50, 50), confusion=None, *, significant=True):
    """The advice if nothing separates these pairs, and everything else is clear."""
    scores = np.full((4, 4), -9.0)
    for one, other, score in pairs:
        scores[one, other] = scores[other, one] = score
    np.fill_diagonal(scores, np.nan)
    confusion = np.eye(4) if confusion is None else np.asarray(confusion)
    problem = scores > -1, scores, confusion, np.array(counts), LABELS
    return merge_advice(*problem, significant=significant)


def test_a_chain_of_pairs_is_no_group():
    # b is like a and like c, but a and c differ: only the closer two are merged.
    assert advice([(0, 1, 0.2), (1, 2, 0.9)]).groups == (("b", "c"),)
    assert advice([(0, 1, 0.2), (1, 2, 0.9), (0, 2, 0.1)]).groups == (("a", "b", "c"),)
    assert advice([(0, 3, 0.2), (1, 2, 0.9)]).groups == (("a", "d"), ("b", "c"))
    assert advice([]).groups == ()


def test_small_classes_are_too_few_to_tell():
    found = advice([(0, 1, 0.5), (2, 3, 0.5)], counts=(LEAST_SAMPLES - 1, 50, 50, LEAST_SAMPLES))
    assert found.groups == (("c", "d"),)
    assert found.too_small == ("a",)


def test_random_labels_get_no_advice():
    everything = [(j, k, 0.5) for j in range(4) for k in range(j)]
    assert advice(everything).groups == (("a", "b", "c", "d"),)
    assert advice(everything, significant=False).groups == ()


def test_mistakes_inside_a_group_do_not_count_after_the_merge():
    confusion = [[6, 4, 0, 0], [3, 7, 0, 0], [0, 0, 9, 1], [0, 1, 0, 9]]
    found = advice([(0, 1, 0.5)], confusion=confusion)
    assert found.accuracy == pytest.approx(31 / 40)
    assert found.merged_accuracy == pytest.approx(38 / 40)
    assert advice([], confusion=confusion).merged_accuracy == pytest.approx(31 / 40)


def test_columns_with_the_signal_are_found_among_noise():
    random = np.random.default_rng(0)
    points = random.normal(size=(900, 120))  # more than are tried
    codes = (points[:, 40] + points[:, 3] > 0).astype(int)
    found = signal_columns(points, codes, seed=0, n_jobs=1)
    assert sorted(found.columns) == [3, 40]
    assert found.enough
    assert found.error < 0.05 < found.full_error
    few = signal_columns(points[:, :20] + 0.5 * codes[:, None], codes, seed=0, n_jobs=1)
    assert 2 < len(few.columns) <= 5  # all columns help alike
    assert not few.enough
    assert signal_columns(points, np.arange(900) % 31, seed=0, n_jobs=1) is None
