"""How many trees are made, read for bounds, and counted for small classes."""

import numpy as np
import pytest

from smartsvm.estimation.number_of_trees import trees_for_bounds, trees_for_report, trees_to_count


def test_a_report_makes_what_was_asked_for_or_what_serves_each_question():
    assert trees_for_report(4, 100, 2) == (4, 4, 4)
    assert trees_for_report("auto", 100, 2) == (3, 3, 10)
    assert trees_for_report("auto", 100, 20) == (3, 1, 10)
    assert trees_for_report("auto", 100_000, 20) == (3, 1, 3)


@pytest.mark.parametrize(("n_features", "n_trees"), [(1, 3), (3, 3), (4, 1), (784, 1)])
def test_bounds_are_read_off_one_tree_in_many_dimensions(n_features, n_trees):
    assert trees_for_bounds(n_features) == n_trees


def test_a_class_of_m_points_is_counted_in_m_halves_of_trees_and_in_one_at_least():
    assert trees_to_count(np.array([1, 2, 3, 4, 5, 9]), 3).tolist() == [1, 1, 1, 2, 2, 3]
    assert trees_to_count(100, np.array([0, 1, 7])).tolist() == [1, 1, 7]
