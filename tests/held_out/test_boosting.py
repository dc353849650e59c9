"""Gradient boosting: where it runs, and that nothing is learnt from held-out labels."""

from types import SimpleNamespace

import numpy as np
import pytest
from problems import check_best_by, check_no_signal, trials_of

from smartsvm import difficulty_report
from smartsvm._core.points import Points
from smartsvm.held_out import boosting, registry
from smartsvm.held_out.boosting import (
    boosting_held_out,
    column_scores,
    few_columns_matter,
    worthwhile_plan,
)
from smartsvm.held_out.folds import folds_of_groups
from smartsvm.held_out.trials import Trials


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


@pytest.mark.parametrize(("n_useful", "few"), [(0, False), (8, True), (20, False), (40, False)])
def test_few_of_many_columns_matter(n_useful, few):
    points, codes = _columns(n_useful)
    assert few_columns_matter(points, codes, 3, seed=0) == few


def test_few_columns_many_classes_or_tiny_classes_stop_it():
    points, codes = _columns(1)
    assert not few_columns_matter(points[:, :19], codes, 3, seed=0)
    assert worthwhile_plan(points, np.arange(300) % 11, 11, 0, 1) is None
    assert not few_columns_matter(points, (np.arange(300) < 9).astype(int), 2, seed=0)


def test_the_screen_ignores_the_order_of_rows_and_scales():
    points, codes = _columns(2)
    points[:, 30:] = points[:, 30:].round()  # ties
    scores = column_scores(points, codes, 3)
    order = np.argsort(codes, kind="stable")
    np.testing.assert_allclose(column_scores(points[order], codes[order], 3), scores)
    np.testing.assert_allclose(column_scores(np.exp(5 * points), codes, 3), scores)
    assert set(np.argsort(-scores)[:2]) == {0, 1}


def test_finds_what_trees_on_random_columns_miss():
    mistakes = check_best_by(0.05, "boosting", *_few_useful())
    some = np.array([4, 2])
    assert mistakes.scores(0, some).tolist() == mistakes.scores(0)[some].tolist()


@pytest.mark.parametrize("few", [False, True])
def test_held_out_labels_are_not_seen(few, monkeypatch):
    plan = boosting.Plan(boosting._QUICK, few)
    monkeypatch.setattr(boosting, "worthwhile_plan", lambda *_: plan)
    check_no_signal(boosting_held_out, 200, 40)


def checkerboard(n, seed=0):
    """Squares of two colours in two of four columns: trees find them, smooth borders do not."""
    random = np.random.default_rng(seed)
    points = random.random((n, 4))
    return points, np.floor(4 * points[:, :2]).sum(axis=1).astype(int) % 2


def steps(n, seed=0):
    """A class that depends on thresholds of three of ten columns, with 5% of the labels wrong."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, 10))
    codes = ((points[:, 0] > 0.5) | ((points[:, 1] > 0) & (points[:, 2] < 0.3))).astype(int)
    return points, np.where(random.random(n) < 0.05, 1 - codes, codes)


def gaussians(n, seed=0):
    """Two Gaussian classes with a linear border."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, n)
    return random.normal(size=(n, 10)) + 0.5 * codes[:, None], codes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("draw", "runs"), [(checkerboard, True), (steps, True), (gaussians, False)]
)
@pytest.mark.parametrize("n", [1000, 2900, 3100])
def test_a_trial_decides_at_any_number_of_rows(draw, runs, seed, n):
    points, codes = draw(n, seed)
    assert (worthwhile_plan(points, codes, 2, seed, 1) is not None) == runs


def test_where_a_column_matters_only_beside_others_all_are_used():
    # The second column turns the border in the third, and alone tells nothing.
    points = np.random.default_rng(0).normal(size=(8000, 30))
    codes = (points[:, 0] + 2 * points[:, 1] * (points[:, 2] > 0) > 0).astype(int)
    assert few_columns_matter(points, codes, 2, seed=0)
    plan = worthwhile_plan(points, codes, 2, 0, 1)
    assert boosting_held_out(points, codes, 2).errors[0] < 0.08
    assert not plan.few_columns


def test_many_columns_and_classes_get_smaller_trees():
    points, codes = steps(4000)
    assert worthwhile_plan(points, codes, 2, 0, 1).settings is boosting._STOCK
    wide = np.hstack([points, np.random.default_rng(0).normal(size=(4000, 100)) + codes[:, None]])
    plan = worthwhile_plan(wide, codes, 2, 0, 1)
    assert plan is None or plan.settings is boosting._QUICK


def test_rare_classes_do_not_make_it_diverge():
    random = np.random.default_rng(0)
    shares = [0.01, 0.11, 0.24, 0.07, 0.01, 0.02, 0.18, 0.352, 0.008]
    codes = random.choice(9, 3000, p=shares)
    points = random.normal(size=(3000, 9)) + 4 * np.eye(9)[codes]
    train = np.arange(3000) < 2000
    for settings in (boosting._SHORT, boosting._TRIAL):
        scores = boosting._scores(points, codes, 9, train, boosting.Plan(settings, False))
        # 3% and 2%; without the ridge 16% and 22%.
        assert np.mean(scores.argmax(axis=1) != codes[~train]) < 0.1


def test_with_few_columns_it_is_stock_boosting_on_all_of_them():
    points, codes = steps(4000)
    mistakes = trials_of(points, codes).mistakes
    assert mistakes["boosting"].wrong.shape == (1, 4000)
    errors = {name: found.errors.min() for name, found in mistakes.items()}
    assert errors["boosting"] == min(errors.values())
    assert 0.05 <= errors["boosting"] + 0.01 < 0.09  # the Bayes error is 5%


def test_reports_name_it():
    report = difficulty_report(*_few_useful())
    assert report.errors.held_out.classifier in ("boosting", "combined")
    assert "gradient boosting" in str(report)
    assert report.bayes_error.low <= 0.05 <= report.bayes_error.high


def test_whole_groups_are_held_out():
    points, codes = _few_useful()
    groups, names = np.arange(400) // 4, ("boosting",)
    grouped = Trials(
        Points(points), codes, None, names, folds=folds_of_groups(groups), seed=0, n_jobs=1
    )
    alone = boosting_held_out(points, codes, 2).errors[0]
    assert grouped.mistakes["boosting"].errors[0] == pytest.approx(alone, abs=0.05)


@pytest.mark.parametrize(
    ("name", "avoided", "tried"),
    [
        ("kernel", 0, True),
        ("kernel", 0.03, True),
        ("kernel", 0.15, True),
        ("kernel", 0.3, False),
    ],
)
def test_boosting_is_left_out_only_where_trees_fall_behind(name, avoided, tried):
    # A twentieth fewer mistakes than the forest's is clear, but boosting may avoid more.
    random, codes = np.random.default_rng(0), np.zeros(6000, dtype=np.intp)
    forest = random.permutation(6000) < 3000
    other = forest & (random.random(6000) >= avoided)
    mistakes = {"forest": forest[None], name: other[None]}
    trials = SimpleNamespace(
        mistakes=mistakes, codes=codes, on_rows=mistakes.__getitem__, categories=None
    )
    (entry,) = (entry for entry in registry._ALL if entry.name == "boosting")
    assert entry.worth_trying(trials) == tried


@pytest.mark.parametrize("n_smallest", [1, 2, 3, 4, 5])
def test_a_tiny_class_beside_a_text_of_many_values(n_smallest):
    random = np.random.default_rng(n_smallest)
    codes = random.permutation((np.arange(48) < n_smallest).astype(int))
    points = np.c_[random.normal(size=(48, 2)), random.integers(0, 8, 48)]
    mistakes = boosting_held_out(points, codes, 2, n_categories=1)
    assert np.isfinite(mistakes.scores(None)).all()
    if n_smallest == 1:  # nobody can learn a class from the one row that is held out
        assert mistakes.wrong[0, codes == 1].all()


def test_a_class_of_one_row_beside_a_text_gets_a_report():
    random = np.random.default_rng(0)
    shop = random.choice([f"shop {k}" for k in range(12)], 48)
    report = difficulty_report(
        {"x": random.normal(size=48), "z": random.normal(size=48), "shop": shop},
        np.where(np.arange(48) == 7, "rare", "usual"),
        classifiers=["boosting"],
    )
    assert report.errors.held_out.of("boosting").error.value >= 1 / 48
