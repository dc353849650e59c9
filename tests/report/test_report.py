"""The difficulty report: its numbers, its verdict, its flags."""

import dataclasses
import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import two_gaussians
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import roc_auc_score
from strategies import examples, point_sets

import smartsvm
from smartsvm import DifficultyReport, difficulty_report, sample_difficulty
from smartsvm.held_out import linear
from smartsvm.report import measure as measuring


def codes_of(report):
    return {flag.code for flag in report.flags}


@pytest.fixture(scope="module")
def digits():
    return difficulty_report(*load_digits(return_X_y=True), target_accuracy=0.97)


def test_disagreement_is_the_fraction_of_neighbours_of_another_class():
    X, y = two_gaussians(40, 2, 2.0)
    report = difficulty_report(X, y, scale="none", classifiers=())
    k = report.neighbor_ladder[-1][0]
    nearest = ((X[:, None] - X) ** 2).sum(axis=2).argsort(axis=1)[:, 1 : k + 1]
    np.testing.assert_allclose(report.disagreement, (y[nearest] != y[:, None]).mean(axis=1))


def test_the_truth_lies_between_the_bounds():
    report = difficulty_report(*two_gaussians(1500, 2, 2.0))  # Bayes error .1587
    assert report.lower.value < 0.1587 < report.upper.value
    assert report.bayes_error.value == pytest.approx(0.1587, abs=0.02)
    assert report.bayes_error.low < 0.1587 < report.bayes_error.high
    assert report.bayes_error.high - report.bayes_error.low < 0.1
    for interval in (
        report.lower,
        report.upper,
        report.cross_share,
        report.bayes_error,
        report.baseline,
        *(each.error for each in report.held_out.classifiers),
    ):
        assert interval.low < interval.value < interval.high
    assert report.signal.p_value < 1e-6
    assert not report.flags
    assert report.verdict is None


def test_numbers_are_those_of_the_single_estimates():
    X, y = two_gaussians(300, 2, 1.5)
    report = difficulty_report(X, y, n_trees=2)
    whole = smartsvm.multiclass_bayes_error(X, y, n_trees=2)
    assert (report.lower.value, report.upper.value) == (whole.lower, whole.upper)
    assert report.cross_share.value == pytest.approx(whole.cross_counts / 300)
    pairs = smartsvm.pairwise_bayes_error(X, y, n_trees=2, normalize=True)
    assert np.array_equal(report.pairs.value, pairs.value)
    test = smartsvm.friedman_rafsky_test(X, y, n_trees=2, n_permutations=0)
    assert report.signal.statistic == test.statistic
    assert report.signal.z == test.z
    assert np.array_equal(report.sample_difficulty, sample_difficulty(X, y, n_trees=2))


@pytest.mark.parametrize("load", [load_digits, load_iris, load_wine])  # many ties, some, none
def test_one_number_for_one_question(load):
    X, y = load(return_X_y=True)
    report = difficulty_report(X, y, classifiers=(), scale="none")
    whole = smartsvm.multiclass_bayes_error(X, y)
    assert (report.lower.value, report.upper.value) == (whole.lower, whole.upper)
    assert report.cross_share.value == whole.cross_counts / len(y)


def test_small_samples_get_ten_trees_for_the_test_and_the_samples():
    X, y = two_gaussians(300, 20, 0.8)
    report = difficulty_report(X, y, classifiers=())
    test = smartsvm.friedman_rafsky_test(X, y, n_permutations=0)
    assert report.signal.n_trees == test.n_trees == 10
    assert report.signal.z == test.z
    assert np.array_equal(report.sample_difficulty, sample_difficulty(X, y))
    large = difficulty_report(*two_gaussians(5001, 2, 2.0), classifiers=())
    assert (large.n_trees, large.counted_trees) == (3, 3)


def test_one_tree_is_counted_from_four_columns_on():
    for d, counted in ((3, 3), (4, 1)):
        X, y = two_gaussians(200, d, 2.0)
        report = difficulty_report(X, y)
        assert (report.n_trees, report.counted_trees) == (10, counted)
        whole = smartsvm.multiclass_bayes_error(X, y, n_trees=counted, bias_correction=False)
        assert report.cross_share.value == pytest.approx(whole.cross_counts / 200)
    assert difficulty_report(X, y, n_trees=2).counted_trees == 2


def test_intervals_are_wider_at_a_higher_level_and_narrower_with_more_data():
    def width(report):
        return report.cross_share.high - report.cross_share.low

    X, y = two_gaussians(1600, 2, 1.5)
    middle = difficulty_report(X, y)
    assert width(difficulty_report(X, y, confidence=0.99)) > width(middle)
    assert 1.6 < width(difficulty_report(X[:400], y[:400])) / width(middle) < 2.5


def test_no_signal_is_said():
    random = np.random.default_rng(1)
    report = difficulty_report(random.normal(size=(500, 3)), np.arange(500) % 2)
    assert report.signal.p_value > 0.05
    assert "No sign of any" in str(report)
    assert report.inseparable_pairs() == [(0, 1)]
    assert report.merge_advice().groups == ()
    assert "merge" not in str(report)
    assert report.signal_columns is None


def test_flipped_labels_are_ranked_first():
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    flipped = np.zeros(len(y), dtype=bool)
    flipped[random.choice(len(y), len(y) // 20, replace=False)] = True
    y = np.where(flipped, (y + random.integers(1, 10, len(y))) % 10, y)
    assert roc_auc_score(flipped, sample_difficulty(X, y)) >= 0.98
    report = difficulty_report(X, y)
    assert roc_auc_score(flipped, report.sample_difficulty) >= 0.98
    assert flipped[report.suspects[:50]].mean() > 0.9
    assert flipped[report.suspects].sum() > 0.9 * flipped.sum()


@pytest.mark.parametrize("d", [2, 5])
def test_pure_label_noise_is_the_lower_bound(d):
    X, y = two_gaussians(2000, d, 40.0)
    random = np.random.default_rng(1)
    flip = random.permutation(2000) < 200
    report = difficulty_report(X, np.where(flip, 1 - y, y))
    assert report.lower.value == pytest.approx(0.10, abs=0.01)
    assert report.bayes_error.value == pytest.approx(0.10, abs=0.01)
    assert report.bayes_error.low < 0.1 < report.bayes_error.high


def test_verdicts_of_data(digits):
    assert digits.verdict.answer == "reachable"
    X, y = two_gaussians(1500, 2, 1.0)  # Bayes error .31; its interval is .25 to .31
    assert difficulty_report(X, y, target_accuracy=0.95).verdict.answer == "out of reach"
    assert difficulty_report(X, y, target_accuracy=0.72).verdict.answer == "unclear"
    assert difficulty_report(X, y, target_accuracy=0.5).verdict.answer == "reachable"


def test_a_lower_bound_of_the_trees_that_a_classifier_refutes_is_not_believed():
    X, y = two_gaussians(1000, 100, 2.5)
    report = difficulty_report(X, y, target_accuracy=0.9)  # Bayes error .1056
    assert report.bayes_error.high < report.lower.low
    assert report.bayes_error.low < 0.1056 < report.bayes_error.high
    assert report.verdict.answer in ("likely", "unclear", "unlikely")
    assert "with many columns both are too high" in " ".join(str(report).split())


def test_two_spheres_are_not_called_hopeless():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 3000)
    X = random.normal(size=(3000, 50)) * np.where(y, 1.25, 1.0)[:, None]  # Bayes error .133
    report = difficulty_report(X, y, target_accuracy=0.8)
    assert report.lower.low > 0.35  # what the trees show
    assert report.bayes_error.low < 0.133 < report.bayes_error.high < 0.2
    assert report.verdict.answer == "reachable"
    assert report.held_out.classifier in ("gaussians", "kernel", "combined")


def test_one_column_among_many_is_found():
    X, y = two_gaussians(400, 500, 4.0)  # Bayes error .0228
    report = difficulty_report(X, y, target_accuracy=0.93)
    assert report.bayes_error.low < 0.0228 < report.bayes_error.high
    assert report.verdict.answer != "out of reach"


def test_separable_classes_are_within_reach_however_few():
    y = np.arange(150) % 3
    X = np.random.default_rng(0).normal(size=(150, 2)) + 100 * y[:, None]
    report = difficulty_report(X, y, target_accuracy=0.97)
    assert report.verdict.answer == "reachable"
    assert report.bayes_error.value == report.bayes_error.low == 0 < report.bayes_error.high < 0.03


def test_one_in_twenty_has_an_interval_with_a_width():
    random = np.random.default_rng(0)
    y = (random.random(400) < 0.05).astype(int)
    report = difficulty_report(random.normal(size=(400, 3)), y, target_accuracy=0.9)
    assert report.bayes_error.low < y.mean() < report.bayes_error.high
    assert report.bayes_error.high - report.bayes_error.low > 0.02
    assert report.verdict.answer == "reachable"
    assert report.verdict.reason.startswith("Always answering the largest class is enough")
    assert report.verdict.classifier == "baseline"


def test_nothing_but_chance_is_said_to_be_just_that():
    flagged = 0
    for seed in range(4):
        random = np.random.default_rng(seed)
        report = difficulty_report(
            random.normal(size=(500, 3)), np.arange(500) % 2, target_accuracy=0.7
        )
        # The warning never contradicts the signal test.
        flat = report.cross_limit.refused and not report.signal.significant
        assert ("flat_at_chance" in codes_of(report)) == flat
        flagged += flat
        assert report.bayes_error.low < 0.3
        assert report.bayes_error.high == pytest.approx(0.5, abs=0.05)
        assert report.verdict.answer in ("unclear", "unlikely")
    assert flagged >= 2


@pytest.mark.parametrize("n", [100, 600])
def test_balanced_noise_reaches_the_baseline_and_nothing_above_chance_is_reachable(n):
    covered, answers = [], []
    for seed in range(8):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(n, 4)), random.integers(0, 2, n)
        report = difficulty_report(X, y)
        covered.append(report.bayes_error.low <= 0.5 <= report.bayes_error.high)
        answers.append(report.judge(0.5 + 2 / np.sqrt(n)).answer)
        assert report.judge(0.45 - 1 / np.sqrt(n)).answer == "reachable"
    assert np.count_nonzero(covered) >= 7
    assert answers.count("reachable") == 0


def test_classifiers_can_be_chosen():
    X, y = two_gaussians(200, 4, 2.0)
    report = difficulty_report(X, y, classifiers=["linear"])
    assert [each.classifier for each in report.held_out.classifiers] == [
        "neighbors",
        "linear",
        "combined",
    ]
    alone = difficulty_report(X, y, classifiers=[])
    assert [each.classifier for each in alone.held_out.classifiers] == ["neighbors", "combined"]
    everything = difficulty_report(X, y)
    assert [each.classifier for each in everything.held_out.classifiers] == [
        "neighbors",
        "linear",
        "gaussians",
        "kernel",
        "forest",
        "combined",
    ]


def test_too_many_columns_and_samples_for_lda(monkeypatch):
    monkeypatch.setattr(linear, "MOST_DIRECTIONS", 3)
    report = difficulty_report(*two_gaussians(200, 4, 2.0), target_accuracy=0.6)
    assert report.held_out.of("linear") is None
    assert "LDA" not in str(report) + report.to_html()
    report.plot()


def test_other_targets_can_be_asked_about_later():
    X, y = two_gaussians(1500, 2, 1.0)
    report = difficulty_report(X, y, target_accuracy=0.95)
    assert report.judge(0.95) == report.verdict
    assert report.judge(0.5).answer == "reachable"
    for same in (95, "95%", " 95 % ", "0.95", "95"):
        assert report.judge(same) == report.verdict
        assert report.chance(same) == report.verdict.chance
    for wrong in (-1, 101, "101%", "high"):
        with pytest.raises(ValueError, match="target_accuracy must be a fraction from 0 to 1, or"):
            report.judge(wrong)


def _many_zeros(random, y):
    there = random.random((len(y), 12)) < np.where(y == 0, 0.1, 0.3)[:, None]
    return np.where(there, np.exp(2 * random.normal(size=there.shape)), 0.0)


KINDS = {
    "dense": lambda random, y: random.normal(size=(len(y), 12)) + y[:, None],
    "mostly zero": _many_zeros,
    "ties": lambda random, y: random.integers(0, 3, (len(y), 4)) + (y == 2)[:, None],
    "repeated rows": lambda random, y: np.repeat(random.normal(size=(300, 5)), 2, axis=0) + y[0],
    "wrong labels": lambda random, y: random.normal(size=(len(y), 3)) + 4 * y[:, None],
    "more columns than rows": lambda random, y: random.normal(size=(len(y), 300)) + y[:, None],
}


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("kind", KINDS)
def test_same_bits_for_any_number_of_threads(kind):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 250 if kind == "more columns than rows" else 600)
    X = KINDS[kind](random, y).astype(float)
    if kind == "wrong labels":
        y = np.where(random.random(600) < 0.1, random.integers(0, 3, 600), y)
    one, several = (
        difficulty_report(X, y, n_jobs=n_jobs, target_accuracy=0.8).to_json(samples=True)
        for n_jobs in (1, 3)
    )
    assert several == one


def test_same_bits_of_groups_for_any_number_of_threads():
    X, y = two_gaussians(600, 3, 2.0)
    one, several = (
        difficulty_report(X, y, groups=np.arange(600) // 3, n_jobs=n_jobs).to_json(samples=True)
        for n_jobs in (1, 3)
    )
    assert several == one


def test_same_bits_of_a_sparse_frame_for_any_number_of_threads():
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 600)
    X = _many_zeros(random, y)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).astype(pandas.SparseDtype(float, 0.0))
    one, several = (
        difficulty_report(frame, y, n_jobs=n_jobs).to_json(samples=True) for n_jobs in (1, 3)
    )
    assert several == one
    assert json.loads(one)["bayes_error"] == difficulty_report(X, y).to_dict()["bayes_error"]
    with pytest.raises(TypeError, match="sparse matrix"):
        difficulty_report(csr_matrix(X), y)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_pairs_and_classes_are_those_of_the_functions(load):
    X, y = load(return_X_y=True)
    report = difficulty_report(X, y, scale="none")
    for found, expected in (
        (smartsvm.pairwise_bayes_error(X, y, normalize=True), report.pairs),
        (smartsvm.ovr_bayes_error(X, y), report.by_class),
    ):
        for what in ("value", "lower", "upper"):
            np.testing.assert_array_equal(getattr(found, what), getattr(expected, what))


def test_the_seed_is_in_the_report_and_repeats_it():
    X, y = two_gaussians(200, 2, 1.0)
    report = difficulty_report(X, y, random_state=np.random.RandomState(5))
    again = difficulty_report(X, y, random_state=report.random_state)
    assert again.to_dict() == report.to_dict()


def test_the_curve_falls_in_many_columns():
    curve = difficulty_report(*two_gaussians(1500, 50, 4.0)).curve
    assert curve.sizes.tolist() == [187, 375, 750, 1500]
    assert (np.diff(curve.cross_shares) < 0).all()
    assert curve.fall > 2 * curve.fall_error


def test_ties_are_averaged_and_enter_the_interval():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 600)
    X = np.eye(6)[np.where(random.random(600) < 0.5, y, random.integers(0, 6, 600))]
    report = difficulty_report(X, y)
    assert report.n_tie_orders > 1
    assert "duplicates" in codes_of(report)
    shuffled = random.permutation(600)
    again = difficulty_report(X[shuffled], y[shuffled])
    tolerance = 2 * (report.cross_share.high - report.cross_share.value)
    assert abs(report.cross_share.value - again.cross_share.value) < tolerance
    assert difficulty_report(*two_gaussians(200, 2, 1.0)).n_tie_orders == 1


def test_tiny_classes_are_flagged_without_a_warning():
    X, y = two_gaussians(200, 2, 3.0)
    y = y.copy()
    y[:3] = 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = difficulty_report(X, y)
    (flag,) = (flag for flag in report.flags if flag.code == "tiny_classes")
    assert "2 (3)" in flag.message
    assert not flag.against_bounds
    many = difficulty_report(X[:30], np.arange(30) % 6)
    assert next(flag for flag in many.flags if flag.code == "tiny_classes").against_bounds


def test_columns_are_flagged():
    X, y = load_wine(return_X_y=True)
    constant = np.column_stack([X, np.full(len(X), 3.0)])
    (flag,) = (f for f in difficulty_report(constant, y).flags if f.code == "constant_features")
    assert "1 of 14 columns" in flag.message
    assert "number 13" in flag.message


def test_inseparable_classes_are_named():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(900, 2)), np.arange(900) % 3
    X[y == 2] += 4  # 0 and 1 are the same
    report = difficulty_report(X, np.array(["cat", "dog", "newt"])[y])
    assert report.inseparable_pairs() == [("cat", "dog")]
    assert report.hardest_pairs(1) == [("cat", "dog")]
    assert report.hardest_classes(3)[-1] == "newt"
    assert "cat and dog: merge them" in " ".join(str(report).split())
    advice = report.merge_advice()
    assert advice.groups == (("cat", "dog"),)
    assert advice.merged_accuracy > 0.95 > 0.8 > advice.accuracy
    assert report.to_dict()["merge"]["groups"] == [["cat", "dog"]]
    assert report.hierarchy.node_classes(0)[1].tolist() == ["newt"]


def test_the_columns_that_carry_the_signal_are_named():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 6)), np.arange(400) % 2
    X[:, 4] += 6 * y
    report = difficulty_report(X, y, feature_names=list("abcdef"))
    assert report.signal_columns.columns == ("e",)
    assert "Column e carries nearly all of the signal" in " ".join(str(report).split())
    assert report.to_dict()["signal_columns"]["columns"] == ["e"]
    spread = difficulty_report(random.normal(size=(400, 20)) + 0.8 * y[:, None], y)
    assert "The signal is spread over the columns" in " ".join(str(spread).split())


def test_classes_of_one_sample_are_not_called_the_same():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(60, 3)), np.r_[np.zeros(55, int), 1:6]
    X[y > 0] += 50 * np.eye(3)[y[y > 0] % 3]  # as far apart as can be
    report = difficulty_report(X, y)
    assert report.inseparable_pairs() == []
    assert "merge" not in str(report)
    assert "merge" not in report.to_html()
    assert np.isnan(report.pair_scores).all()
    assert all(pair["score"] is None for pair in report.to_dict()["pairs"])


def test_a_subsample_is_stated():
    X, y = two_gaussians(3000, 2, 1.5)
    y = y + 0
    y[:30] = 2
    report = difficulty_report(X, y, subsample=600)
    assert report.n_samples == 600
    assert report.class_counts.sum() == 600
    assert report.class_counts[2] == 6
    assert np.array_equal(y[report.rows], report.labels)
    note = report.subsample
    assert (note.n_given, note.n_used) == (3000, 600)
    half_width = (report.cross_share.high - report.cross_share.low) / 2
    assert note.added_error == pytest.approx(half_width / 1.96 * np.sqrt(0.8), rel=0.01)
    assert "Only 600 of 3,000" in str(report)
    assert difficulty_report(X[:500], y[:500], subsample=10**6).subsample is None


def test_of_many_samples_a_stated_part_is_looked_at(monkeypatch):
    monkeypatch.setattr(measuring, "MOST_SAMPLES", 300)
    X, y = two_gaussians(1000, 2, 1.5)
    report = difficulty_report(X, y)
    assert (report.n_samples, report.subsample.n_given) == (300, 1000)
    assert "Only 300 of 1,000" in str(report)
    assert report.bayes_error == difficulty_report(X, y, subsample=300).bayes_error
    assert difficulty_report(X, y, subsample=None).n_samples == 1000
    assert difficulty_report(X[:300], y[:300]).subsample is None


@examples(25)
@given(point_sets(least=8, most=40), st.integers(2, 4), st.integers(0, 100))
def test_any_finite_data_gives_a_sound_report(X, n_classes, seed):
    y = np.random.default_rng(seed).permutation(np.arange(len(X)) % n_classes)
    report = difficulty_report(X, y, target_accuracy=0.8)
    assert 0 <= report.lower.low <= report.lower.value <= report.lower.high
    assert report.lower.high <= report.baseline.high
    assert report.upper.low < report.upper.high
    assert report.lower.value <= report.upper.value <= report.guess_error
    assert report.upper.low <= report.upper.value <= report.upper.high
    assert 0 <= report.bayes_error.low <= report.bayes_error.value <= report.bayes_error.high <= 1
    assert report.bayes_error.low < report.bayes_error.high
    assert ((report.sample_difficulty >= 0) & (report.sample_difficulty <= 1)).all()
    assert max(map(len, str(report).splitlines())) <= 79
    report.to_json()


def test_report_is_immutable_and_repeats_itself(digits):
    with pytest.raises(dataclasses.FrozenInstanceError):
        digits.bayes_error = 0
    for report in (digits, pickle.loads(pickle.dumps(digits))):
        for array in (
            report.sample_difficulty,
            report.pairs.value,
            report.curve.sizes,
            report.classes,
        ):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    X, y = load_iris(return_X_y=True)
    assert difficulty_report(X, y).to_dict() == difficulty_report(X, y).to_dict()
    assert pickle.loads(pickle.dumps(digits)).to_dict() == digits.to_dict()
    assert isinstance(digits, DifficultyReport)


def test_the_caller_keeps_their_arrays():
    X, y = two_gaussians(100, 2, 1.0)
    X_before, y_before = X.copy(), y.copy()
    difficulty_report(X, y)
    X += 1  # still writable
    y += 0
    assert np.array_equal(X - 1, X_before) or np.allclose(X - 1, X_before)
    assert np.array_equal(y, y_before)


def test_progress_goes_to_standard_error(capsys):
    difficulty_report(*two_gaussians(100, 2, 1.0), verbose=1)
    said = capsys.readouterr()
    assert said.out == ""
    assert "nearest neighbours of 100 samples" in said.err
    difficulty_report(*two_gaussians(100, 2, 1.0))
    assert capsys.readouterr().err == ""


def test_a_row_of_the_page_and_the_choice_do_not_contradict_each_other():
    random = np.random.default_rng(7)
    X, y = random.normal(size=(300, 5)), random.integers(0, 2, 300)
    report = difficulty_report(X, y)
    row = report.held_out.of(report.held_out.classifier)
    assert row.error.value < report.held_out.best.value  # the smallest of five, by chance
    assert "too low by chance: corrected for the choice" in " ".join(str(report).split())
    # No classifier has learnt anything, whichever errs least.
    assert "What the classifiers use" not in " ".join(str(report).split())
    X, y = two_gaussians(400, 2, 9.0)
    assert "too low by chance" not in str(difficulty_report(X, y, classifiers=["linear"]))
