"""Held-out mistakes on the same samples."""

import numpy as np

from smartsvm.selection.judgement import as_good


def test_candidates_are_compared_on_the_same_samples():
    wrong = np.zeros(1000)
    wrong[:100] = 1
    worse = wrong.copy()
    worse[100:104] = 1  # four mistakes more on the same samples are clear, beside 100 they are not
    assert not as_good(worse, wrong)
    worse[:3] = 0
    assert as_good(worse, wrong)
    assert as_good(wrong, worse)


def test_two_mistakes_more_are_chance_and_three_are_not():
    wrong = np.zeros(100)
    wrong[:2] = 1
    assert as_good(wrong, np.zeros(100))
    wrong[2] = 1
    assert not as_good(wrong, np.zeros(100))
