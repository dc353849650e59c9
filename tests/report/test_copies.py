"""Copies of samples are found, and each case is asked once."""

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import StandardScaler

from smartsvm import difficulty_report
from smartsvm._core.points import Points
from smartsvm.held_out.neighbors import nearest_rows
from smartsvm.report.copies import (
    copies_with_changes,
    find_copies,
    jittered_copies,
    near_copies,
    one_of_each,
)


def share_of(X):
    return near_copies(X, nearest_rows(Points(X), min(31, len(X) - 1)))[0]


@pytest.mark.parametrize("jitter", [0.0, 1e-6])
@pytest.mark.parametrize("n_copies", [2, 4, 10])
def test_copies_are_one_case(n_copies, jitter):
    random = np.random.default_rng(3)
    X = np.repeat(random.normal(size=(60, 3)), n_copies, axis=0)
    X += jitter * random.normal(size=X.shape)
    _, cases = near_copies(X, nearest_rows(Points(X), 31))
    assert len(np.unique(cases)) == 60
    assert (cases.reshape(60, n_copies) == cases[::n_copies, None]).all()


def test_independent_samples_have_no_cases():
    X = np.random.default_rng(4).normal(size=(200, 3))
    assert near_copies(X, nearest_rows(Points(X), 14)) == (0.0, None)


@pytest.mark.parametrize("n_features", [1, 2, 20])
@pytest.mark.parametrize("n_copies", [2, 3, 20])
def test_near_copies_are_seen(n_features, n_copies):
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(100, n_features)), n_copies, axis=0)
    assert share_of(X + 1e-6 * random.normal(size=X.shape)) > 0.9


def test_the_share_is_that_of_the_samples_with_a_copy():
    random = np.random.default_rng(1)
    X = random.normal(size=(950, 4))
    X = np.r_[X, X[:50] + 1e-7]
    assert share_of(X) == pytest.approx(0.1, abs=0.002)


@pytest.mark.parametrize("n_features", [1, 2, 10])
@pytest.mark.parametrize("kind", ["normal", "heavy", "clusters"])
def test_independent_samples_are_no_copies(n_features, kind):
    random = np.random.default_rng(2)
    X = random.normal(size=(2000, n_features))
    if kind == "heavy":
        X = random.standard_t(1.5, size=X.shape)
    elif kind == "clusters":
        X = X + 1000 * random.integers(0, 5, size=(2000, 1))
    assert share_of(X) < 0.005


def test_equal_rows_are_another_matter():
    random = np.random.default_rng(3)
    assert share_of(np.repeat(random.normal(size=(100, 3)), 2, axis=0)) < 0.01
    assert share_of(random.integers(0, 4, size=(500, 3)).astype(float)) == 0
    assert share_of(np.eye(6)[random.integers(0, 6, 500)]) == 0
    for X in (load_digits().data, load_iris().data):
        assert share_of(X) < 0.005


def augmented(n_cases, times, n_features, jitter, seed=0):
    """Copies of samples without signal, moved by a fraction of the typical distance."""
    random = np.random.default_rng(seed)
    X = np.repeat(random.normal(size=(n_cases, n_features)), times, axis=0)
    X += jitter * np.sqrt(2) * random.normal(size=X.shape)
    return X, np.repeat(random.integers(0, 2, n_cases), times)


@pytest.mark.parametrize("n_features", [5, 50])
@pytest.mark.parametrize("times", [2, 5, 10])
@pytest.mark.parametrize("jitter", [0.01, 0.03])
def test_augmented_samples_are_seen(n_features, times, jitter):
    X, y = augmented(400 // times, times, n_features, jitter)
    share, cases = jittered_copies(X, nearest_rows(Points(X), 31), y)
    assert share > 0.7
    assert len(np.unique(cases)) < 1.3 * 400 // times


@pytest.mark.parametrize("moved", [False, True])
def test_rows_of_a_category_are_no_copies_by_themselves(moved):
    random = np.random.default_rng(0)
    plots = np.repeat(np.arange(48), 8)
    of_plots = StandardScaler().fit_transform(np.eye(48)[plots])
    measured = random.normal(size=(len(plots), 3))
    if moved:
        measured = measured[8 * plots] + 0.01 * measured
    X, y = np.column_stack([of_plots, measured]), plots % 2
    nearest = nearest_rows(Points(X), 31)
    assert jittered_copies(X, nearest, y)[0] > 0.9
    assert (find_copies(X, nearest, y, None, 1)[0] > 0.9) == moved


@pytest.mark.parametrize("n_features", [1, 3, 30])
@pytest.mark.parametrize("kind", ["normal", "heavy", "clusters", "no signal", "digits"])
def test_independent_samples_are_not_taken_for_augmented_ones(n_features, kind):
    random = np.random.default_rng(5)
    y = np.arange(900) % 3
    X = random.normal(size=(900, n_features)) + y[:, None] * (kind != "no signal")
    if kind == "heavy":
        X = random.standard_t(1, size=X.shape) + y[:, None]
    elif kind == "clusters":
        X = random.normal(scale=5, size=(30, n_features))[np.arange(900) % 30] + X / 3
    elif kind == "digits":
        X, y = load_digits(return_X_y=True)
    assert jittered_copies(X, nearest_rows(Points(X), 31), y) == (0.0, None)


@pytest.mark.parametrize("n_samples", [8, 20, 30])
def test_two_small_clusters_are_no_copies(n_samples):
    X, y = two_gaussians(n_samples, 2, 12.0)
    assert "copies" not in {flag.code for flag in difficulty_report(X, y).flags}


def test_augmented_noise_is_not_called_reachable():
    X, y = augmented(100, 4, 8, 0.02)
    report = difficulty_report(X, y, target_accuracy=0.9)
    assert "copies" in {flag.code for flag in report.flags}
    assert report.bayes_error.high > 0.4
    assert report.verdict.answer not in ("reachable", "likely")


def test_the_first_of_each():
    X, y = two_gaussians(20)
    assert one_of_each(X, y, np.arange(20)) == (None, None)
    again = np.concatenate([np.arange(20), [3, 3, 7]])
    rows, places = one_of_each(X[again], y[again], np.arange(23))
    assert rows.tolist() == list(range(20))
    assert places.tolist() == again.tolist()
    other = y[again].copy()
    other[-1] = 1 - other[-1]  # the same row with another label is a case of its own
    # An equal row with another label contradicts: neither of the two is a copy of the other.
    assert one_of_each(X[again], other, np.arange(23))[0].tolist() == [*range(20), 22]


def test_rows_of_few_values_coincide_by_chance():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 300)
    X = random.integers(0, 3, size=(300, 4)).astype(float)
    assert one_of_each(X, y, np.arange(300)) == (None, None)


@pytest.mark.parametrize("jitter", [0.0, 1e-6])
def test_every_row_twice_says_what_every_row_once_says(jitter):
    X, y = two_gaussians(300)
    once = difficulty_report(X, y)
    again = np.repeat(X, 2, axis=0)
    again += jitter * np.random.default_rng(1).normal(size=again.shape)
    twice = difficulty_report(again, np.repeat(y, 2), target_accuracy=0.75)
    assert twice.errors.held_out.of("linear").error == pytest.approx(
        once.errors.held_out.of("linear").error
    )
    assert twice.bayes_error == pytest.approx(once.bayes_error, abs=0.02)
    assert twice.errors.balanced == pytest.approx(once.errors.balanced, abs=0.02)
    assert twice.verdict.answer == ("unclear" if jitter else once.judge(0.75).answer)


@pytest.mark.parametrize("jitter", [0.0, 1e-6])
@pytest.mark.parametrize("times", [2, 5])
def test_copies_of_noise_show_no_signal(times, jitter):
    # Edges between copies of one case join equal labels, whatever the labels mean.
    found = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        X = np.repeat(random.normal(size=(120, 4)), times, axis=0)
        X += jitter * random.normal(size=X.shape)
        report = difficulty_report(X, np.repeat(random.integers(0, 2, 120), times))
        found.append(report.data.signal.significant)
        assert report.bayes_error.high > 0.4
        assert report.judge(0.75).answer not in ("likely", "reachable")
    assert np.count_nonzero(found) <= 2  # 5% each by chance


@pytest.mark.slow
def test_the_truth_is_covered_although_every_row_is_there_twice():
    covered = []
    for seed in range(12):
        X, y = two_gaussians(100, seed=seed)  # Bayes error .227
        error = difficulty_report(np.repeat(X, 2, axis=0), np.repeat(y, 2)).bayes_error
        covered.append(error.low < 0.227 < error.high)
    assert np.mean(covered) > 0.8


def register(n_people, n_twice, *, other_day, seed=0):
    """People by four measured and four counted columns and a day, some of them entered twice."""
    random = np.random.default_rng(seed)
    people = random.normal(size=(n_people, 8))
    people[:, 4:] = people[:, 4:].round()
    y = random.integers(0, 2, n_people)
    rows = np.r_[np.arange(n_people), np.arange(n_twice)]
    days = random.integers(0, 365, len(rows))
    if not other_day:
        days = days[rows]
    return np.column_stack([people[rows], days]), y[rows], rows


def test_copies_with_another_day_are_one_case():
    X, _, people = register(300, 120, other_day=True)
    share, cases = copies_with_changes(X)
    assert share == pytest.approx(240 / 420, abs=0.02)  # some were entered twice on one day
    assert len(np.unique(cases)) == 300
    assert len(np.unique(np.stack([cases, people]), axis=1).T) == 300


@pytest.mark.parametrize("other_day", [False, True])
def test_people_entered_twice_give_no_label_away(other_day):
    X, y, _ = register(400, 320, other_day=other_day)
    report = difficulty_report(X, y)
    assert report.bayes_error.high > 0.4  # the labels are noise
    assert {"copies", "duplicates"} & {flag.code for flag in report.flags}


def test_groups_that_hold_the_copies_need_no_warning():
    X, y, people = register(200, 100, other_day=True)
    flags = difficulty_report(X, y, groups=people).flags
    assert "copies" not in {flag.code for flag in flags}


def test_copies_whose_labels_differ_are_read_as_cases():
    X, y, _ = register(300, 200, other_day=True)
    given, copied = y.copy(), y[300:]
    y[300:][::2] = np.random.default_rng(1).permutation(copied[::2])
    (message,) = (flag.message for flag in difficulty_report(X, y).flags if flag.code == "copies")
    assert "Each counts as a case of its own" in message
    given[300:] = np.random.default_rng(1).permutation(given[300:])  # they say nothing at all
    assert "copies" not in {flag.code for flag in difficulty_report(X, given).flags}
    X, y, _ = register(300, 200, other_day=True)
    (message,) = (flag.message for flag in difficulty_report(X, y).flags if flag.code == "copies")
    assert "Held-out errors use one of each" in message


def test_columns_that_say_the_same_make_no_copies():
    random = np.random.default_rng(2)
    minutes = random.integers(0, 400, size=(800, 3)).astype(float)
    flags = random.random((800, 30)) < 0.05  # in which most rows agree
    X = np.column_stack([minutes, 0.17 * minutes, flags])
    share, _ = copies_with_changes(X)
    assert share < 0.01


def test_equal_rows_of_common_values_coincide_by_chance():
    random = np.random.default_rng(3)
    amounts = np.where(random.random(400) < 0.5, 0.0, random.normal(size=400))
    X = np.column_stack([amounts, random.integers(0, 2, 400), random.integers(0, 3, 400)])
    y = random.integers(0, 2, 400)
    kept, _ = one_of_each(X, np.zeros(400, dtype=int), np.arange(400))
    assert kept is None
    twice = np.r_[np.arange(400), np.flatnonzero(amounts)]
    kept, _ = one_of_each(X[twice], y[twice], np.arange(len(twice)))
    assert kept.tolist() == list(range(400))


def test_copies_beside_as_many_rows_that_differ_in_one_column_are_copies():
    random = np.random.default_rng(4)
    X = random.integers(0, [90, 60, 200, 8, 7, 3], size=(1000, 6)).astype(float)
    y = random.integers(0, 2, 1000)
    changed = X[:150] + 3 * (np.arange(6) == 5)
    rows, labels = np.vstack([X, changed, X[150:300]]), np.r_[y, y[:150], y[150:300]]
    kept, _ = one_of_each(rows, labels, np.r_[:1150, 150:300])
    assert kept.tolist() == list(range(1150))


def test_rows_of_a_day_with_other_labels_are_no_copies():
    # Two rows a day, one of each class, that differ in a count.
    random, day = np.random.default_rng(0), np.repeat(np.arange(300), 2)
    y = np.tile([0, 1], 300)
    weather = random.normal(size=(300, 6))[day]
    X = np.column_stack([day, weather, random.poisson(20 + 30 * y)])
    codes = {flag.code for flag in difficulty_report(X.astype(float), y).flags}
    assert "copies" not in codes
