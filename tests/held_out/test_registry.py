"""The registry: which classifiers run on which rows, and what a quarter of them would cost."""

from dataclasses import replace

import numpy as np
import pytest
from problems import trials_of, two_gaussians

from smartsvm import difficulty_report
from smartsvm._core.points import Points
from smartsvm._core.sampling import content_order_by_class
from smartsvm.held_out import registry
from smartsvm.held_out import trials as module
from smartsvm.held_out.folds import folds_of_groups
from smartsvm.held_out.kernel_ridge import WIDTHS, kernel_leave_one_out
from smartsvm.held_out.mistakes import Mistakes, split_mistakes
from smartsvm.held_out.registry import ALL_ROWS, CLASSIFIERS, REGISTRY, HeldOutClassifier
from smartsvm.held_out.trials import Trials


def test_all_classifiers_judge_all_samples_of_a_small_set():
    X, y = two_gaussians(300, 3, 2.0)
    trials = trials_of(X, y)
    assert {"neighbors", "linear", "gaussians", "kernel", "forest"} <= trials.mistakes.keys()
    assert list(trials.mistakes) == [name for name in CLASSIFIERS if name in trials.mistakes]
    for found in trials.mistakes.values():
        assert found.wrong.shape == (len(found.settings), 300)
        assert found.errors.min() < 0.25  # Bayes error .159


def test_ranks_are_tried_where_they_differ_from_values():
    X, y = two_gaussians(300, 3, 2.0)
    assert "ranks" not in trials_of(X, y).mistakes
    assert "ranks" not in trials_of((X > 1).astype(float), y).mistakes
    assert "ranks" not in trials_of(np.zeros_like(X), y).mistakes
    assert "ranks" not in trials_of(np.exp(2 * X), y, classifiers=("kernel",)).mistakes
    # Whatever rises as the column does has the same ranks.
    skewed, more = (trials_of(np.exp(a * X), y).mistakes for a in (2, 3))
    for name in ("ranks", "linear_ranks"):
        np.testing.assert_array_equal(skewed[name].wrong, more[name].wrong)


def test_lda_on_ranks_sees_ordered_classes_of_skewed_columns():
    random = np.random.default_rng(0)
    Z = random.normal(size=(1000, 8))
    y = np.digitize(Z.mean(axis=1) * np.sqrt(8), [-0.8, -0.2, 0.2, 0.8])
    X = np.exp(2 * Z)
    errors = {name: found.errors.min() for name, found in trials_of(X, y).mistakes.items()}
    best = min(error for name, error in errors.items() if name != "linear_ranks")
    assert errors["linear_ranks"] < best - 0.1
    report = difficulty_report(X, y, scale="none")
    assert report.errors.held_out.classifier == "linear_ranks"
    assert "linear classifier (LDA) on ranks" in str(report)


def test_ranks_see_which_values_are_zero():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 400)
    there = random.random((800, 12)) < np.where(y == 0, 0.15, 0.4)[:, None]
    X = np.where(there, np.exp(2 * random.normal(size=there.shape)), 0.0)
    errors = {name: found.errors.min() for name, found in trials_of(X, y).mistakes.items()}
    assert errors["ranks"] < errors["kernel"] - 0.05


def test_large_sets_are_judged_in_part(monkeypatch):
    monkeypatch.setattr(registry, "LEAST_ROWS", 100)
    monkeypatch.setattr(registry, "MOST_ROWS", 150)
    monkeypatch.setattr(registry, "_MOST_OF_ALL_ROWS", 0)
    X, y = two_gaussians(600, 3, 2.0)
    trials = trials_of(X, y)
    assert len(trials.rows) == 150
    for name, found in trials.mistakes.items():
        assert found.wrong.shape[1] == (600 if REGISTRY[name].fitted_to == ALL_ROWS else 150)
        assert trials.on_rows(name).shape[1] == 150


@pytest.mark.parametrize(("most", "n_judged"), [(600, 600), (500, 150)])
def test_a_forest_that_leads_is_fitted_to_all_rows(monkeypatch, most, n_judged):
    monkeypatch.setattr(registry, "LEAST_ROWS", 100)
    monkeypatch.setattr(registry, "MOST_ROWS", 150)
    monkeypatch.setattr(registry, "_MOST_OF_ALL_ROWS", most)
    points = np.random.default_rng(0).normal(size=(600, 8))
    codes = ((points[:, 0] > 0.3) & (points[:, 1] > -0.3)).astype(int)  # as trees split
    trials = trials_of(points, codes)
    assert trials.mistakes["forest"].wrong.shape[1] == n_judged
    assert trials.on_rows("forest").shape[1] == 150
    assert trials.scores("forest").shape == (150, 2)
    assert trials.scores("forest", unfitted=True).shape == (450, 2)


def test_a_classifier_is_one_entry(monkeypatch):
    def guess_class_0(points, codes, n_classes, **work):
        return Mistakes(("only",), (codes != 0)[None])

    def predict_class_0(points, codes, n_classes, train, settings, **work):
        return [np.eye(n_classes)[np.zeros(np.count_nonzero(~train), dtype=int)]]

    entry = HeldOutClassifier(
        name="zero",
        words="class 0",
        about="always class 0",
        held_out=guess_class_0,
        predict=predict_class_0,
        fitted_to=ALL_ROWS,
    )
    monkeypatch.setitem(REGISTRY, "zero", entry)
    monkeypatch.setattr("smartsvm.held_out.trials.CLASSIFIERS", tuple(REGISTRY))
    X, y = two_gaussians(200, 3, 2.0)
    trials = trials_of(X, y, ["zero"])
    assert list(trials.mistakes) == ["neighbors", "zero"]
    assert trials.mistakes["zero"].errors.tolist() == [np.mean(y != 0)]
    folds = folds_of_groups(np.arange(200) // 4)
    in_folds = Trials(Points(X), y, None, ["zero"], folds=folds, seed=0, n_jobs=1)
    assert in_folds.mistakes["zero"].errors.tolist() == [np.mean(y != 0)]


def test_kernel_ridge_gains_from_samples_that_teach_it():
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 2))
    ring = (np.hypot(*X.T) % 0.8 > 0.4).astype(int)  # fine detail, which needs many samples
    assert trials_of(X, ring, ["kernel"]).kernel_gain() > 0.05
    gains = [trials_of(*two_gaussians(1000, 2, 2.0, s), ["kernel"]).kernel_gain() for s in range(4)]
    assert np.abs(np.mean(gains)) < 0.02


def test_a_few_quarters_of_many_samples_show_the_same_gain(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(2500, 2))
    ring = (np.hypot(*X.T) % 0.8 > 0.4).astype(int)
    trials = trials_of(X, ring, ["kernel"])
    of_all = trials.kernel_gain()
    monkeypatch.setattr(module, "_ROWS_OF_QUARTERS", 1250)  # two quarters
    assert trials.kernel_gain() != of_all
    assert trials.kernel_gain() == pytest.approx(of_all, abs=0.03)
    assert of_all > 0.03


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("groups", [None, np.arange(200) // 4])
def test_the_gain_is_that_of_quarters(n_classes, groups):
    random = np.random.default_rng(1)
    y = random.integers(0, n_classes, 200)
    X = random.normal(size=(200, 3)) + np.eye(n_classes, 3)[y]
    folds = None if groups is None else folds_of_groups(groups)
    work = {"seed": 0, "n_jobs": 1}
    trials = Trials(Points(X), y, None, ["kernel"], folds=folds, **work)
    of_all, widths = trials.mistakes["kernel"], WIDTHS
    if folds is None:  # of the best width and the next wider one
        best = of_all.settings[int(of_all.errors.argmin())][0]
        widths = [width for width in WIDTHS if width <= best][-2:]
        of_all = of_all.only([width in widths for width, _ in of_all.settings])
    quarters = [content_order_by_class(X, y)[part::4] for part in range(4)]
    wrong = [
        kernel_leave_one_out(X[rows], y[rows], n_classes, widths).wrong
        if folds is None
        else split_mistakes(REGISTRY["kernel"], X[rows], y[rows], n_classes, folds.of(rows)).wrong
        for rows in quarters
    ]
    of_quarters = np.concatenate(wrong, axis=1).mean(axis=1).min()
    assert trials.kernel_gain() == pytest.approx(of_quarters - of_all.errors.min())


def test_too_few_samples_or_no_kernel_have_no_gain():
    X, y = two_gaussians(70, 2, 2.0)
    assert trials_of(X, y).kernel_gain() == 0
    X, y = two_gaussians(300, 2, 2.0)
    assert trials_of(X, y, ["linear"]).kernel_gain() == 0


def test_every_entry_is_described_and_says_what_memory_it_takes():
    for each in REGISTRY.values():
        assert each.about
        assert each.words
        if each.extra_bytes is not None:
            assert each.extra_bytes(10_000, 40, 3) > 0


def test_a_classifier_that_is_not_worth_trying_is_not_tried(monkeypatch):
    seen = []

    def never(trials):
        seen.extend(trials.mistakes)
        return False

    monkeypatch.setitem(REGISTRY, "forest", replace(REGISTRY["forest"], worth_trying=never))
    X, y = two_gaussians(200, 3, 2.0)
    assert "forest" not in trials_of(X, y, ["linear", "forest"]).mistakes
    assert seen == ["neighbors", "linear"]  # it is asked after those above it


def test_shared_mistakes_are_those_of_the_two_best_and_of_half_of_all():
    X, y = two_gaussians(40, 2, 2.0)
    trials = trials_of(X, y, ["linear"])
    wrong = np.zeros((4, 40))
    wrong[0, :4] = wrong[1, 2:8] = wrong[2, :20] = wrong[3, 10:40] = 1
    names = ("linear", "kernel", "forest", "neighbors")
    settings = {
        name: np.stack([np.ones(40), each]) for name, each in zip(names, wrong, strict=True)
    }
    trials.mistakes = {name: Mistakes((1, 2), each) for name, each in settings.items()}
    trials.mistakes["combined"] = Mistakes((None,), np.ones((1, 40)))
    # The best settings of linear and kernel share rows 2 and 3; rows 0 to 7 and 10 to 19 are wrong
    # with two of the four or more.
    assert trials.shared_mistakes() == pytest.approx((2 / 40, 18 / 40))
    trials.mistakes = {"kernel": trials.mistakes["kernel"]}
    assert trials.shared_mistakes() == pytest.approx((6 / 40, 6 / 40))
