"""Advice to merge classes, and the columns that carry the signal."""

import numpy as np
import pytest

from smartsvm._core.points import Points
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.posterior import Posterior
from smartsvm.held_out.trials import Trials
from smartsvm.report.classes import ClassResults
from smartsvm.report.confusions import LEAST_OF_CLASS, merge_advice
from smartsvm.report.pair_separation import area_score, pair_separation
from smartsvm.report.pairs import PairResults
from smartsvm.report.signal_columns import signal_columns

LABELS = np.array(list("abcd"))


def advice(pairs, counts=(50, 50, 50, 50), confusion=None, *, significant=True):
    """The advice if nothing separates these pairs, and everything else is clear."""
    scores = np.full((4, 4), -9.0)
    for one, other, score in pairs:
        scores[one, other] = scores[other, one] = score
    np.fill_diagonal(scores, np.nan)
    confusion = np.eye(4) if confusion is None else np.asarray(confusion)
    pairs = PairResults(None, None, scores, np.zeros((4, 4)))
    classes = ClassResults(LABELS, np.array(counts), confusion, None, None)
    return merge_advice(pairs, classes, significant=significant)


def test_a_chain_of_pairs_is_no_group():
    # b is like a and like c, but a and c differ: only the closer two are merged.
    assert advice([(0, 1, 0.2), (1, 2, 0.9)]).groups == (("b", "c"),)
    assert advice([(0, 1, 0.2), (1, 2, 0.9), (0, 2, 0.1)]).groups == (("a", "b", "c"),)
    assert advice([(0, 3, 0.2), (1, 2, 0.9)]).groups == (("a", "d"), ("b", "c"))
    assert advice([]).groups == ()


def test_small_classes_are_too_few_to_tell():
    found = advice([(0, 1, 0.5), (2, 3, 0.5)], counts=(LEAST_OF_CLASS - 1, 50, 50, LEAST_OF_CLASS))
    assert found.groups == (("c", "d"),)
    assert found.too_small == ("a",)


def test_random_labels_get_no_advice():
    assert advice([(0, 1, 0.5)]).groups == (("a", "b"),)
    assert advice([(0, 1, 0.5)], significant=False).groups == ()


def test_classes_are_not_merged_into_the_only_answer():
    everything = [(j, k, 0.5) for j in range(4) for k in range(j)]
    assert advice(everything).groups == ()
    # The merged class has 30 of 40 samples, and all answers name it.
    confusion = [[6, 4, 0, 0], [3, 7, 0, 0], [5, 5, 0, 0], [5, 5, 0, 0]]
    trio = [(0, 1, 0.5), (0, 2, 0.5), (1, 2, 0.5)]
    found = advice(trio, confusion=confusion)
    assert found.groups == ()
    assert found.accuracy == found.merged_accuracy
    told = [*confusion[:3], [1, 0, 0, 9]]
    assert advice(trio, confusion=told).groups == (("a", "b", "c"),)


def test_mistakes_inside_a_group_do_not_count_after_the_merge():
    confusion = [[6, 4, 0, 0], [3, 7, 0, 0], [0, 0, 9, 1], [0, 1, 0, 9]]
    found = advice([(0, 1, 0.5)], confusion=confusion)
    assert found.accuracy == pytest.approx(31 / 40)
    assert found.merged_accuracy == pytest.approx(38 / 40)
    assert advice([], confusion=confusion).merged_accuracy == pytest.approx(31 / 40)


def columns_of(points, codes):
    trials = Trials(Points(points), codes, None, ("linear", "forest"), seed=0, n_jobs=1)
    return signal_columns(trials, points, codes, seed=0, n_jobs=1)


def test_nearly_constant_columns_do_not_hide_those_that_matter():
    # On the rows of the search all but one are constant, and rounding is no variance.
    random, codes = np.random.default_rng(0), np.arange(400) % 4
    points = np.full((400, 30), 0.1) * np.arange(1, 31)
    points[:, 25] = 9 * codes + random.normal(size=400)
    assert columns_of(points, codes).columns == (25,)


def test_columns_with_the_signal_are_found_among_noise():
    random = np.random.default_rng(0)
    points = random.normal(size=(900, 120))  # more than are tried
    codes = (points[:, 40] + points[:, 3] > 0).astype(int)
    found = columns_of(points, codes)
    assert sorted(found.columns) == [3, 40]
    assert found.enough
    assert found.error < 0.05 < found.full_error
    few = columns_of(points[:, :20] + 0.5 * codes[:, None], codes)
    assert 2 < len(few.columns) <= 5  # all columns help alike
    assert not few.enough
    assert columns_of(points, np.arange(900) % 31) is None


def test_the_best_classifier_checks_the_columns_of_quick_ones():
    random = np.random.default_rng(0)
    points = random.normal(size=(900, 6))
    codes = (points[:, 2] + 0.05 * random.normal(size=900) > 0).astype(int)
    trials = Trials(Points(points), codes, None, ("linear", "forest"), seed=0, n_jobs=1)
    found = signal_columns(trials, points, codes, seed=0, n_jobs=1)
    assert found.columns == (2,)
    assert found.enough
    # A forest that errs far less on all columns than on the one: nothing is claimed.
    trials.mistakes["forest"] = Mistakes((1,), np.zeros((1, 900), dtype=bool))
    assert signal_columns(trials, points, codes, seed=0, n_jobs=1) is None


def test_two_classes_are_never_merged():
    two = np.array([[np.nan, 0.5], [0.5, np.nan]])
    pairs = PairResults(None, None, two, np.zeros((2, 2)))
    classes = ClassResults(LABELS[:2], np.array([40, 40]), np.full((2, 2), 20), None, None)
    assert merge_advice(pairs, classes, significant=True).groups == ()


def test_a_classifier_of_the_pair_alone_may_separate_it():
    # Classes a and b differ a little, along a direction in which c does not lie.
    random = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 300)
    points = random.normal(size=(900, 10))
    points[codes == 2] += 4
    points[codes == 1, 0] += 0.5
    scores = np.where(np.eye(3, dtype=bool), np.nan, -9.0)
    scores[0, 1] = scores[1, 0] = 0.5
    flat = Posterior(np.full((900, 3), -1.1, dtype=np.float32), {})
    found = pair_separation(points, codes, scores, flat, seed=0, n_jobs=1)
    assert found[0, 1] == found[1, 0] > 4
    assert np.isinf(found[0, 2])
    alike = pair_separation(points, random.permutation(codes), scores, flat, seed=0, n_jobs=1)
    assert alike[0, 1] < 4


def test_an_area_under_the_curve_is_compared_with_chance():
    random = np.random.default_rng(0)
    second = np.arange(400) % 2 == 1
    assert area_score(np.zeros(400), second) == 0
    assert area_score(second.astype(float), second) > 15
    assert area_score(-second.astype(float), second) < -15
    null = [area_score(random.normal(size=40).round(), np.arange(40) % 4 == 0) for _ in range(2000)]
    assert abs(np.mean(null)) < 0.1
    assert abs(np.std(null) - 1) < 0.1


def test_classes_whose_mistakes_go_elsewhere_are_not_merged():
    mostly_elsewhere = [[6, 1, 3, 0], [1, 7, 0, 2], [0, 0, 9, 1], [0, 1, 0, 9]]
    assert advice([(0, 1, 0.5)], confusion=mostly_elsewhere).groups == ()
    mostly_inside = [[6, 3, 1, 0], [2, 7, 0, 1], [0, 0, 9, 1], [0, 1, 0, 9]]
    assert advice([(0, 1, 0.5)], confusion=mostly_inside).groups == (("a", "b"),)
