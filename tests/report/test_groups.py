"""Samples that depend on each other: groups that were passed, and copies that were not."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from smartsvm import ClassForest, difficulty_report
from smartsvm._core.points import Points
from smartsvm.estimation.friedman_rafsky import signal_on_trees
from smartsvm.estimation.number_of_trees import ReportTrees
from smartsvm.report.tree_stage import count_edges


def patients(n_patients, n_each, spread, seed=0):
    """Samples of patients whose label has nothing to do with their places."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_patients), n_each)
    X = random.normal(size=(n_patients, 3))[groups]
    y = random.permutation(n_patients)[groups] % 2
    return X + spread * random.normal(size=X.shape), y, groups


def codes_of(report):
    return {flag.code for flag in report.flags}


@pytest.mark.parametrize("spread", [0.02, 0.2])
def test_patients_are_not_recognised(spread):
    X, y, groups = patients(100, 5, spread)
    blind = difficulty_report(X, y, target_accuracy=0.9)
    if spread < 0.1:  # samples of one patient are so near to each other that it is seen
        assert "copies" in codes_of(blind)
        assert blind.verdict.answer != "reachable"
    else:  # other samples of the patient give the label away
        assert blind.errors.held_out.best.value < 0.4
    report = difficulty_report(X, y, target_accuracy=0.9, groups=groups)
    assert report.errors.held_out.of("neighbors").error.value > 0.4
    assert {each.classifier for each in report.errors.held_out.classifiers} > {
        "neighbors",
        "kernel",
    }
    assert all(each.error.value > 0.4 for each in report.errors.held_out.classifiers)
    assert report.verdict.answer != "reachable"
    assert report.bayes_error.high > 0.4
    assert report.trees.cross_share.value == pytest.approx(0.5, abs=0.12)
    assert not len(report.suspects)


def test_far_groups_are_no_ground_for_a_verdict():
    X, y, groups = patients(40, 10, 0.01)
    report = difficulty_report(X, y, target_accuracy=0.6, groups=groups)
    assert "few_between_groups" in codes_of(report)
    assert report.verdict.answer == "unclear"
    assert "few_between_groups" in report.verdict.objections


def test_groups_of_one_sample_change_no_count():
    random = np.random.default_rng(5)
    y = np.arange(150) % 3
    X = random.normal(size=(150, 4)) + y[:, None]
    plain = difficulty_report(X, y, classifiers=("neighbors",))
    alone = difficulty_report(X, y, groups=np.arange(150)[::-1])
    assert tuple(alone.trees.cross_share) == pytest.approx(tuple(plain.trees.cross_share))
    assert tuple(alone.trees.upper) == pytest.approx(tuple(plain.trees.upper))
    assert alone.errors.by_n_neighbors == plain.errors.by_n_neighbors
    assert np.allclose(alone.pairs.bounds.value, plain.pairs.bounds.value)
    assert np.array_equal(alone.trees.sample_difficulty, plain.trees.sample_difficulty)
    assert alone.data.signal.z == pytest.approx(plain.data.signal.z, rel=0.2)


def test_any_names_of_groups_follow_the_subsample():
    X, y, groups = patients(60, 4, 0.3)
    named = np.array([f"patient {group}" for group in groups])
    report = difficulty_report(X, y, groups=named, subsample=150)
    again = difficulty_report(X, y, groups=groups * 7, subsample=150)
    assert report.data.n_samples == 150
    assert report.errors.by_n_neighbors == again.errors.by_n_neighbors


def test_edges_between_groups_stand_for_all():
    X, y, groups = patients(50, 4, 0.4, seed=3)
    n_trees = ReportTrees(1, 1, 1, averages_ties=True)
    counts = count_edges(Points(X), y, n_trees, seed=0, groups=groups)
    forest = ClassForest._of_counts(counts, np.unique(y), n_trees.made)
    edges = forest.tree_edges()[0]
    between = groups[edges[:, 0]] != groups[edges[:, 1]]
    crossing = (y[edges[:, 0]] != y[edges[:, 1]])[between].mean()
    assert counts.share_between_groups == pytest.approx(between.mean())
    assert forest.multiclass(bias_correction=False).cross_counts == pytest.approx(crossing * 199)
    assert forest.pairwise(bias_correction=False).cross_counts[0, 1] == pytest.approx(
        crossing * 199
    )
    graph = counts.graph()
    assert graph.weights.sum() == pytest.approx(199)
    assert len(graph.edges) == np.count_nonzero(between)


def test_the_test_for_signal_keeps_its_size_with_groups():
    rejected = []
    for seed in range(60):
        X, y, groups = patients(60, 4, 0.3, seed=seed)
        trees = ClassForest(X, y, n_trees=3).tree_edges()
        blind = signal_on_trees(trees, y, 99)
        test = signal_on_trees(trees, y, 99, groups=groups)
        rejected.append((blind.significant, test.significant, test.p_permutation <= 0.05))
    assert np.mean(rejected, axis=0)[0] > 0.9
    assert (np.mean(rejected, axis=0)[1:] < 0.17).all()


def test_a_signal_is_seen_through_groups():
    X, y, groups = patients(80, 4, 0.3)
    test = difficulty_report(X + 1.5 * y[:, None], y, groups=groups).data.signal
    assert test.p_permutation < 0.05
    assert test.significant


def test_near_copies_forbid_a_verdict():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(150, 5)), np.arange(150) % 2
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    near = X + 1e-6 * random.normal(size=X.shape)
    report = difficulty_report(near, y, target_accuracy=0.8)
    assert report.errors.held_out.best.value > 0.35  # one of each is asked
    assert "copies" in codes_of(report)
    apart = difficulty_report(near + 6 * y[:, None], y, target_accuracy=0.8)
    assert apart.errors.held_out.best.high < 0.2
    assert apart.verdict.answer == "unclear"
    assert "copies" in apart.verdict.objections
    equal = difficulty_report(X, y, target_accuracy=0.8)  # one of each is asked
    assert "duplicates" in codes_of(equal)
    assert equal.verdict.answer != "reachable"
    grouped = difficulty_report(X, y, target_accuracy=0.8, groups=np.arange(300) // 2)
    assert "copies" not in codes_of(grouped)
    assert grouped.errors.held_out.of("neighbors").error.value > 0.3


@pytest.mark.usefixtures("no_drawings")
def test_columns_that_give_the_label_away_are_flagged():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(120, 4)), np.arange(120) % 3
    X[:, 1], X[:, 2] = np.arange(120), 4.0 - y
    report = difficulty_report(X, y, feature_names=["a", "id", "code", "b"])
    messages = {flag.code: flag.message for flag in report.flags}
    assert "(id)" in messages["numbering_columns"]
    assert ": code (no mistake)." in messages["label_columns"]
    for page in (str(report), report.to_html()):
        assert "columns that number the samples" in page.lower()
        assert "perhaps the label in disguise" in page.lower()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], r"groups must have one value for each of the 150 rows of X, got shape \(2,\)"),
        (np.zeros(150), "groups must leave at least 5 samples outside of each group, got .*150"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(ValueError, match=message):
        difficulty_report(*load_iris(return_X_y=True), groups=groups)
