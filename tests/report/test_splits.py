"""Reports whose samples a splitter holds out."""

import json

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, PredefinedSplit, TimeSeriesSplit

from smartsvm import difficulty_report


def drifting(n=400, seed=0):
    """Two classes that lie on one side at first and on the other side later."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    turned = np.where(np.arange(n) < n // 2, 1, -1)
    X = random.normal(size=(n, 2))
    X[:, 0] += 2 * turned * (2 * y - 1)
    X[:, 1] += 6 * turned  # a classifier that has seen both times tells them apart
    return X, y


def test_a_grouped_splitter_gives_the_error_of_groups():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(50), 6)
    y = random.permutation(50)[groups] % 2
    X = random.normal(size=(50, 3))[groups] + 0.2 * random.normal(size=(300, 3)) + y[:, None]
    ours = difficulty_report(X, y, groups=groups)
    theirs = difficulty_report(X, y, groups=groups, cv=GroupKFold())
    assert ours.data.splits is None
    assert theirs.data.splits == ("GroupKFold", 5, 300, 0)
    assert "GroupKFold in 5 folds." in str(theirs)
    for each in ours.errors.held_out.classifiers:
        if each.classifier not in ("neighbors", "combined"):  # of all other groups
            assert theirs.errors.held_out.of(each.classifier) == each
    alone = difficulty_report(X, y)
    assert theirs.errors.held_out.best.value > alone.errors.held_out.best.value + 0.05


def test_rows_that_are_never_held_out_are_counted_and_left_out():
    X, y = drifting()
    report = difficulty_report(X, y, cv=TimeSeriesSplit(3))
    assert report.data.splits == ("TimeSeriesSplit", 3, 300, 100)
    # Of the tested samples, those of the second of three folds are on the other side.
    assert difficulty_report(X, y).errors.held_out.best.value < 0.1
    assert report.errors.held_out.of("linear").error.value > 0.25
    assert report.classes.confusion.sum() == 300
    sentence = "TimeSeriesSplit never holds out 100 of the 400 samples"
    assert sentence in " ".join(str(report).split())
    assert sentence in report.to_html()
    never = np.arange(100)
    assert np.isnan(report.labels.posterior[never]).all()
    assert not np.isnan(report.labels.posterior[100:]).any()
    assert sorted(report.labels.ranking) == list(range(400))
    assert set(report.labels.ranking[300:]) == set(never)
    assert not set(report.suspects) & set(never)
    np.testing.assert_array_equal(report.labels.suggested[never], y[never])
    stored = json.loads(report.to_json())["data"]["splits"]
    assert stored == report.data.splits._asdict()


def test_the_splitter_sees_the_rows_of_the_subsample():
    X, y = drifting()
    seen = []

    class Halves:
        def split(self, X, y, groups):
            seen.append((X, y, groups))
            half = np.arange(len(y)) < len(y) // 2
            yield np.flatnonzero(half), np.flatnonzero(~half)

    labels, groups = np.array(["no", "yes"])[y], np.arange(400) // 2
    report = difficulty_report(X, labels, cv=Halves(), subsample=200, groups=groups)
    ((points, given, of_groups),) = seen
    np.testing.assert_array_equal(points, X[report.data.rows])
    np.testing.assert_array_equal(given, labels[report.data.rows])
    assert len(of_groups) == 200
    assert report.data.splits == ("Halves", 1, 100, 100)


def test_an_iterable_has_numbers_of_all_rows():
    X, y = drifting()
    test = np.arange(400) % 4 == 0
    pairs = [(np.flatnonzero(~test), np.flatnonzero(test))]
    report = difficulty_report(X, y, cv=pairs)
    same = difficulty_report(X, y, cv=PredefinedSplit(np.where(test, 0, -1)))
    assert report.data.splits == ("cv", 1, 100, 300)
    assert report.errors.held_out == same.errors.held_out
    some = difficulty_report(X, y, cv=pairs, subsample=200)
    assert some.data.splits.n_held_out == np.count_nonzero(some.data.rows % 4 == 0)


def test_numbers_of_rows_are_refused_where_rows_are_dropped():
    pandas = pytest.importorskip("pandas")
    X, y = drifting()
    frame = pandas.DataFrame(X, columns=["a", "b"]).assign(label=np.where(y, "yes", "no"))
    frame.loc[3, "label"] = None
    pairs = [(np.arange(200), np.arange(200, 400))]
    with pytest.raises(ValueError, match=r"cv must be a splitter .* 400 rows are 399 samples"):
        difficulty_report(frame, "label", cv=pairs)
    assert difficulty_report(frame, "label", cv=TimeSeriesSplit(2)).data.splits.n_never == 133


@pytest.mark.parametrize(
    ("cv", "error", "message"),
    [
        (5, TypeError, "cv must be a splitter of scikit-learn, .* got 5"),
        (GroupKFold(), ValueError, "cv=GroupKFold.* cannot split the 400 samples: .*groups"),
    ],
)
def test_what_is_no_splitter_is_refused(cv, error, message):
    with pytest.raises(error, match=message):
        difficulty_report(*drifting(), cv=cv)
