"""What rules reach: picking, excess, limits, the interval made of them, recall of classes."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm import Interval, difficulty_report
from smartsvm.estimation.extrapolation import CrossLimit
from smartsvm.held_out import registry
from smartsvm.held_out.errors import Mistakes
from smartsvm.held_out.neighbors import ladder_for, leave_one_out, neighbor_labels
from smartsvm.held_out.registry import CLASSIFIERS, RATES, Trials
from smartsvm.report.held_out_errors import (
    HeldOutErrors,
    _dependence,
    _picked_error,
    class_recalls,
    held_out_errors,
)
from smartsvm.report.intervals import baseline_interval, bayes_error_interval, error_interval


def trials_of(X, y, classifiers=CLASSIFIERS, seed=0):
    n_classes = int(y.max()) + 1
    ladder = ladder_for(len(y))
    votes = leave_one_out(neighbor_labels(X, y, int(ladder[-1])), y, n_classes, ladder)
    return Trials(X, y, votes, classifiers, seed=seed, n_jobs=1)


def test_picking_among_rules_of_pure_chance_does_not_flatter():
    random = np.random.default_rng(0)
    errors, smallest = [], []
    for seed in range(60):
        wrong = random.random((25, 200)) < 0.5
        errors.append(_picked_error(wrong, seed))
        smallest.append(wrong.mean(axis=1).min())
    assert np.mean(smallest) < 0.44
    assert np.mean(errors) == pytest.approx(0.5, abs=0.015)


def test_a_clearly_better_rule_is_picked():
    wrong = np.stack([np.arange(100) % 2 == 0, np.arange(100) % 10 == 0])
    assert _picked_error(wrong, 0) == pytest.approx(0.1)
    assert _picked_error(wrong[:1], 0) == 0.5


@pytest.mark.parametrize("name", ["neighbors", "forest"])
def test_votes_count_as_dependent_where_they_decide_answers(name):
    assert _dependence(name, 100, gain=0.0) == 1.0  # always the largest class: a binomial count
    assert 1.0 < _dependence(name, 100, gain=0.1) < _dependence(name, 100, gain=0.2)
    assert _dependence(name, 100, gain=0.3) == _dependence(name, 100) == 1.5
    assert _dependence("linear", 100, gain=0.0) == _dependence("linear", 100)


def test_neighbors_that_find_nothing_have_the_interval_of_guessing():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(400, 3)), (np.arange(400) % 20 == 0).astype(int)
    reached = held_out_errors(trials_of(X, y, classifiers=("neighbors",)), 1.96, 0)
    error = reached.of("neighbors").error
    assert error.value == pytest.approx(0.05, abs=0.005)
    assert error == error_interval(error.value, 400, 1.96)


def test_all_rules_judge_all_samples_of_a_small_set():
    X, y = two_gaussians(300, 3, 2.0)
    trials = trials_of(X, y)
    assert list(trials.found) == [name for name in CLASSIFIERS if "ranks" not in name]
    for found in trials.found.values():
        assert found.wrong.shape == (len(found.settings), 300)
        assert found.errors.min() < 0.25  # Bayes error .159


def test_ranks_are_tried_where_they_are_another_matter():
    X, y = two_gaussians(300, 3, 2.0)
    assert "ranks" not in trials_of(X, y).found
    assert "ranks" not in trials_of((X > 1).astype(float), y).found
    assert "ranks" not in trials_of(np.zeros_like(X), y).found
    assert "ranks" not in trials_of(np.exp(2 * X), y, classifiers=("kernel",)).found
    # Whatever rises as the column does has the same ranks.
    skewed, more = (trials_of(np.exp(a * X), y).found for a in (2, 3))
    for name in ("ranks", "linear_ranks"):
        np.testing.assert_array_equal(skewed[name].wrong, more[name].wrong)


def test_a_line_on_ranks_sees_ordered_classes_of_skewed_columns():
    random = np.random.default_rng(0)
    Z = random.normal(size=(1000, 8))
    y = np.digitize(Z.mean(axis=1) * np.sqrt(8), [-0.8, -0.2, 0.2, 0.8])
    X = np.exp(2 * Z)
    errors = {name: found.errors.min() for name, found in trials_of(X, y).found.items()}
    best = min(error for name, error in errors.items() if name != "linear_ranks")
    assert errors["linear_ranks"] < best - 0.1
    report = difficulty_report(X, y)
    assert report.held_out.classifier == "linear_ranks"
    assert "by a straight-line classifier on ranks" in str(report)
    excess, standard_error, _ = trials_of(X, y).excess("linear_ranks")
    assert 0 <= excess < errors["linear_ranks"]
    assert standard_error > 0


def test_ranks_see_which_values_are_zero():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 400)
    there = random.random((800, 12)) < np.where(y == 0, 0.15, 0.4)[:, None]
    X = np.where(there, np.exp(2 * random.normal(size=there.shape)), 0.0)
    errors = {name: found.errors.min() for name, found in trials_of(X, y).found.items()}
    assert errors["ranks"] < errors["kernel"] - 0.05
    excess, standard_error, _ = trials_of(X, y).excess("ranks")
    assert 0 <= excess < errors["ranks"]
    assert standard_error > 0


def test_a_forest_that_cannot_come_near_stays_small():
    X, y = two_gaussians(1000, 60, 3.5)  # a straight line errs .05
    assert trials_of(X, y).found["forest"].settings == (16,)
    random = np.random.default_rng(0)
    X = random.uniform(size=(600, 6))
    y = ((X[:, 0] > 0.5) & (X[:, 1] > 0.5)).astype(int)  # what trees are made for
    assert trials_of(X, y).found["forest"].settings == (48,)


def test_large_sets_are_judged_in_part(monkeypatch):
    monkeypatch.setattr(registry, "LEAST_ROWS", 100)
    monkeypatch.setattr(registry, "MOST_ROWS", 150)
    X, y = two_gaussians(600, 3, 2.0)
    trials = trials_of(X, y)
    assert len(trials.rows) == 150
    for name, found in trials.found.items():
        assert found.wrong.shape[1] == (600 if name in ("neighbors", "linear") else 150)
        assert trials.on_rows(name).shape[1] == 150
    reached = held_out_errors(trials, 1.96, 0)
    assert 0.1 < reached.best.value < 0.25
    for name in ("neighbors", "linear"):
        excess, error, known = trials.excess(name)
        assert excess >= 0
        assert 0 <= known <= 1
        assert 0 < error < 0.1


def test_excess_is_the_rise_to_quarters_by_the_rate(monkeypatch):
    X, y = two_gaussians(400, 40, 3.0)
    trials = trials_of(X, y, ["linear"])
    monkeypatch.setitem(RATES, "linear", 0.5)
    *slow, known = trials.excess("linear")
    assert slow[0] > 0
    monkeypatch.setitem(RATES, "linear", 0.25)
    expected = [*(np.array(slow) / (np.sqrt(2) - 1)), known]
    assert trials.excess("linear") == pytest.approx(expected)
    assert trials.excess("baseline") == (0, 0, 1)


@pytest.mark.parametrize(
    ("gain_of_parts", "known", "rate"),
    [(0.4, 1, 1.0), (0.36, 1, 1.0), (0.32, 0.5, 0.85), (0.28, 0, 0.7), (-0.1, 0, 0.7)],
)
def test_the_beginning_is_slow_for_parameters_and_unknown_for_other_rules(
    gain_of_parts, known, rate
):
    for name in ("linear", "gaussians"):
        assert registry._rate_and_known(name, gain_of_parts, 0.4) == pytest.approx((rate, 1))
    expected = pytest.approx((RATES["kernel"], known))
    assert registry._rate_and_known("kernel", gain_of_parts, 0.4) == expected


def test_a_pattern_of_three_columns_is_not_known_from_what_little_was_learnt():
    X = np.random.default_rng(4).normal(size=(500, 10))
    X += np.random.default_rng(5).normal(size=(500, 1))
    y = (X[:, :3].prod(axis=1) > 0).astype(int)  # no label is uncertain
    reached = held_out_errors(trials_of(X, y), 1.96, 0)
    assert reached.best.value > 0.2
    assert reached.known < 0.5
    straight = held_out_errors(trials_of(*two_gaussians(500, 10, 1.0)), 1.96, 0)
    assert straight.known == 1


def test_the_error_of_the_excess_is_its_spread_over_samples():
    found = [trials_of(*two_gaussians(300, 5, 2.0, seed), ["linear"]) for seed in range(40)]
    excesses, errors, _ = np.array([trials.excess("linear") for trials in found]).T
    # Excesses are cut at 0, which takes off up to half of their spread.
    assert 0.4 < excesses.std() / errors.mean() < 1.6


def test_too_few_samples_have_no_excess():
    X, y = two_gaussians(30, 2, 2.0)
    assert trials_of(X, y).excess("neighbors") == (0, 0, 1)


def test_limit_of_a_straight_line_in_many_columns():
    errors, limits = [], []
    for seed in range(4):
        reached = held_out_errors(trials_of(*two_gaussians(500, 50, 2.0, seed)), 1.96, seed)
        errors.append(reached.best.value)
        limits.append(reached.limit)
        assert reached.limit <= reached.best.value
        assert reached.limit_error > 0
    assert np.mean(errors) > 0.18
    assert np.mean(limits) == pytest.approx(0.159, abs=0.03)


def test_nothing_is_extrapolated_where_guessing_is_not_clearly_beaten():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(300, 4)), np.arange(300) % 2
    reached = held_out_errors(trials_of(X, y), 1.96, 0)
    assert (reached.excess, reached.gain) == (0, 0)
    assert reached.limit == reached.best.value


def test_no_rule_is_worse_than_guessing():
    random = np.random.default_rng(5)
    X, y = random.normal(size=(120, 3)), np.arange(120) % 2
    reached = held_out_errors(trials_of(X, y), 1.96, 0)
    assert reached.best.value <= 0.5


def test_points_that_are_all_the_same():
    y = np.arange(60) % 3
    reached = held_out_errors(trials_of(np.zeros((60, 2)), y), 1.96, 0)
    assert reached.best.value >= 0.6
    assert reached.of("gaussians") is None


def reached(limit=0.1, limit_error=0.02, gain=0.8, known=1.0):
    best = Interval(0.12, 0.1, 0.14)
    return HeldOutErrors((), "kernel", best, 0.02, limit, limit_error, gain, known, 1000.0)


def limit(value, error):
    return CrossLimit(value, error, np.full(3, value), np.full(3, error), 0.5)


def test_the_value_is_the_mean_by_precision():
    # A share of .18 has the bounds .1 and .18.
    even = bayes_error_interval(reached(), limit(0.18, 1e-9), 2, 1.96, 1.645)
    assert even.value == pytest.approx((0.1 + 0.14) / 2)  # .02 is a quarter of the distance
    most = bayes_error_interval(reached(), limit(0.3, 0.01), 2, 1.96, 1.645)
    assert most.value == 0.12  # at most what was reached
    vague = bayes_error_interval(reached(), limit(0.18, 0.5), 2, 1.96, 1.645)
    assert vague.value == pytest.approx(0.1, abs=0.005)
    below = bayes_error_interval(reached(limit_error=0.5), limit(0.08, 0.001), 2, 1.96, 1.645)
    assert below.value == pytest.approx((0.0417 + 0.08) / 2, abs=0.002)


def test_the_value_is_at_least_the_share_of_wrong_labels():
    low = bayes_error_interval(reached(), limit(0.0, 0.01), 2, 1.96, 1.645)
    assert low.value < 0.06
    assert bayes_error_interval(reached(), limit(0.0, 0.01), 2, 1.96, 1.645, 0.06).value == 0.06
    assert bayes_error_interval(reached(), limit(0.0, 0.01), 2, 1.96, 1.645, 0.2).value == 0.12


@pytest.mark.parametrize(
    ("gain", "known", "trust"),
    [(0.0, 1, 0.0), (0.15, 1, 0.5), (0.3, 1, 1.0), (0.9, 1, 1.0), (0.9, 0.5, 0.5), (0.9, 0, 0.0)],
)
def test_a_rule_is_trusted_by_what_it_has_learnt(gain, known, trust):
    found = bayes_error_interval(reached(gain=gain, known=known), limit(0.12, 0.02), 2, 1.96, 1.645)
    trees = (1 - np.sqrt(1 - 2 * (0.12 - 1.96 * 0.02))) / 2
    name = 0.1 - 1.96 * 0.02
    assert trees < name
    assert found.low == pytest.approx(trees + trust * (name - trees))


def test_a_rule_does_not_lift_the_low_end_above_what_the_trees_expect():
    found = bayes_error_interval(reached(limit_error=0.005), limit(0.05, 0.02), 2, 1.96, 1.645)
    assert found.low == pytest.approx(0.05 + 0.1 * 0.02)
    assert bayes_error_interval(reached(), limit(0.0, 0.01), 2, 1.96, 1.645).low <= 0.001


def test_the_ends():
    found = bayes_error_interval(reached(), limit(0.18, 0.02), 2, 1.96, 1.645)
    chance = error_interval(0.12, 1000, 1.645).high - 0.12
    assert found.high == pytest.approx(0.12 + np.hypot(chance, 1.645 * 0.01) - 0.01)
    settled = bayes_error_interval(reached()._replace(excess=0), limit(0.18, 0.02), 2, 1.96, 1.645)
    assert found.high < settled.high == pytest.approx(0.12 + chance)
    young = bayes_error_interval(reached()._replace(excess=0.1), limit(0.18, 0.02), 2, 1.96, 1.645)
    assert young.high == settled.high  # an excess that is not known does not widen it
    assert found.low == pytest.approx((1 - np.sqrt(1 - 2 * (0.18 - 1.96 * 0.02))) / 2)
    refused = bayes_error_interval(reached(), limit(np.nan, np.nan), 2, 1.96, 1.645)
    assert refused == Interval(0.1, 0.0, found.high)
    # Trees that are too sure are refuted by what was reached.
    refuted = bayes_error_interval(reached(), limit(0.4, 0.001), 2, 1.96, 1.645)
    assert refuted.low == pytest.approx(0.1 - 1.96 * 0.02)


def test_the_high_end_is_never_below_what_was_reached():
    for z_above in (-0.5, 0.0):  # of levels of a half and less
        found = bayes_error_interval(reached(), limit(0.18, 0.02), 2, 0.5, z_above)
        assert found.low < found.value <= found.high == 0.12


def test_guessing_has_limits_for_new_samples():
    random = np.random.default_rng(0)
    for shares, least, most in [
        ([0.5, 0.5], 0.95, 0.99), ([0.1] * 10, 0.95, 0.995), ([0.9, 0.1], 0.92, 0.975),
    ]:  # fmt: skip
        covered = []
        for counts in random.multinomial(300, shares, 2000):
            found = baseline_interval(counts, 300, 1.96)
            assert found.low < found.value < found.high
            covered.append(found.low <= 1 - max(shares) <= found.high)
        assert least < np.mean(covered) < most


class _Trials:
    """Mistakes that are known."""

    def __init__(self, **wrong):
        self.found = {name: Mistakes(tuple(range(len(each))), each) for name, each in wrong.items()}
        self.rows = np.arange(next(iter(wrong.values())).shape[1])

    def on_rows(self, name):
        return self.found[name].wrong


def one_in_twenty(n, separation, seed=0):
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.05).astype(int)
    return random.normal(size=(n, 2)) + separation * y[:, None], y


def test_recalls_are_those_of_the_rule_with_the_smallest_balanced_error():
    codes = np.repeat([0, 1], [900, 100])
    largest = (codes == 1).astype(float)[None]  # always answers class 0
    even = (np.arange(1000) % 5 == 0).astype(float)[None]  # errs on every fifth of both
    found = class_recalls(_Trials(neighbors=largest, linear=even), codes, 2, 1.96, 0)
    assert found.classifier == "linear"
    assert found.by_class == pytest.approx([0.8, 0.8])
    assert found.balanced_error.value == pytest.approx(0.2)
    assert found.limits[1, 1] - found.limits[1, 0] > 2 * (found.limits[0, 1] - found.limits[0, 0])
    assert (found.limits[:, 0] < found.by_class).all()
    assert (found.limits[:, 1] > found.by_class).all()


def test_the_interval_of_the_balanced_error_covers():
    covered = []
    for seed in range(400):
        random = np.random.default_rng(seed)
        codes = np.repeat([0, 1], [570, 30])
        wrong = random.random((1, 600)) < np.where(codes, 0.3, 0.05)
        found = class_recalls(_Trials(linear=wrong.astype(float)), codes, 2, 1.96, 0)
        covered.append(found.balanced_error.low <= 0.175 <= found.balanced_error.high)
    assert 0.92 <= np.mean(covered) <= 0.99


def test_a_setting_is_picked_without_the_samples_it_is_counted_on():
    random = np.random.default_rng(0)
    codes = np.arange(200) % 2
    noise = (random.random((50, 200)) < 0.5).astype(float)  # none is better than another
    found = class_recalls(_Trials(neighbors=noise), codes, 2, 1.96, 0)
    assert noise.mean(axis=1).min() < 0.45
    assert found.balanced_error.value > 0.45


@pytest.mark.parametrize("separation", [0.0, 1.0, 6.0])
def test_reports_of_rare_classes(separation):
    X, y = one_in_twenty(800, separation)
    report = difficulty_report(X, y)
    recall = report.recall
    assert recall.balanced_error.low <= recall.balanced_error.value < recall.balanced_error.high
    assert recall.balanced_error.value == pytest.approx(1 - recall.by_class.mean())
    if separation == 0:
        assert recall.balanced_error.value > 0.4
    if separation == 6:
        assert recall.by_class.min() > 0.9
    frame = report.to_frame("classes").set_index("class")
    assert frame.loc[1, "recall"] == recall.by_class[1]
    assert frame.loc[1, "recall_low"] == recall.limits[1, 0]
    found = report.to_dict()["held_out"]
    assert found["balanced_error"] == recall.balanced_error._asdict()
    for page in (str(report), report.to_html()):
        assert "How much of each class is found?" in page
        assert "guessing has 50 %" in " ".join(page.split())
