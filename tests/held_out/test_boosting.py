"""Gradient boosting: where it runs, and that nothing is learnt from held-out labels."""

import numpy as np
import pytest
from problems import trials_of

from smartsvm import difficulty_report
from smartsvm.held_out.boosting import boosting_held_out, column_scores, few_columns_matter
from smartsvm.held_out.registry import Trials


@pytest.fixture(autouse=True)
def _few_rounds(monkeypatch):
    monkeypatch.setattr("smartsvm.held_out.boosting.N_ROUNDS", 20)


def _few_useful(n=400, d=60, seed=0):
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, d))
    inside = (np.abs(points[:, 3]) < 0.7) & (points[:, 11] > -0.8)  # no mean differs much
    return points, np.where(random.random(n) < 0.05, ~inside, inside).astype(int)


def _columns(n_useful, n=300, d=40):
    random = np.random.default_rng(0)
    codes = np.arange(n) % 3
    points = random.normal(size=(n, d))
    points[:, :n_useful] += codes[:, None]
    return points, codes


@pytest.mark.parametrize(("n_useful", "runs"), [(0, False), (8, True), (20, False), (40, False)])
def test_runs_where_few_of_many_columns_matter(n_useful, runs):
    points, codes = _columns(n_useful)
    assert few_columns_matter(points, codes, 3, seed=0) == runs
    assert (boosting_held_out(points, codes, 3) is not None) == runs


def test_does_not_run_on_few_columns_many_classes_or_tiny_classes():
    points, codes = _columns(1)
    assert not few_columns_matter(points[:, :19], codes, 3, seed=0)
    assert not few_columns_matter(points, np.arange(300) % 11, 11, seed=0)
    assert not few_columns_matter(points, (np.arange(300) < 9).astype(int), 2, seed=0)


def test_the_screen_does_not_depend_on_the_order_of_rows_or_on_the_scale_of_columns():
    points, codes = _columns(2)
    points[:, 30:] = points[:, 30:].round()  # ties
    scores = column_scores(points, codes, 3)
    order = np.argsort(codes, kind="stable")
    np.testing.assert_allclose(column_scores(points[order], codes[order], 3), scores)
    np.testing.assert_allclose(column_scores(np.exp(5 * points), codes, 3), scores)
    assert set(np.argsort(-scores)[:2]) == {0, 1}


def test_finds_what_trees_on_random_columns_miss():
    points, codes = _few_useful()
    mistakes = trials_of(points, codes).mistakes
    errors = {name: found.errors.min() for name, found in mistakes.items()}
    assert errors["boosting"] < min(errors[name] for name in errors if name != "boosting") - 0.05
    scores = mistakes["boosting"].scores(0)
    wrong = scores.argmax(axis=1) != codes
    np.testing.assert_array_equal(wrong, mistakes["boosting"].wrong[0])
    assert mistakes["boosting"].scores(0, np.array([4, 2])).tolist() == scores[[4, 2]].tolist()


def test_columns_are_chosen_without_the_held_out_labels():
    # The best columns of many, for labels that depend on none: a leak would look like signal.
    random = np.random.default_rng(0)
    points, codes = random.normal(size=(200, 400)), np.arange(200) % 2
    assert 0.4 < boosting_held_out(points, codes, 2, screened=False).errors[0] < 0.6


def test_reports_name_it_and_extrapolate_it():
    report = difficulty_report(*_few_useful())
    assert report.held_out.classifier == "boosting"
    assert "gradient boosting" in str(report)
    assert report.held_out.excess > 0


def test_whole_groups_are_held_out():
    points, codes = _few_useful()
    groups, names = np.arange(400) // 4, ("boosting",)
    grouped = Trials(points, codes, None, names, groups=groups, seed=0, n_jobs=1)
    alone = boosting_held_out(points, codes, 2).errors[0]
    assert grouped.mistakes["boosting"].errors[0] == pytest.approx(alone, abs=0.05)
