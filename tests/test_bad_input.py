"""Bad input gets an error that names the parameter, its value and what is legal."""

import datetime

import numpy as np
import pandas
import pytest
import scipy.sparse

import smartsvm
from smartsvm import SmallClassWarning, SmartSVM

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.repeat(["a", "b"], 20)


def with_value(value):
    changed = X.copy()
    changed[3, 1] = value
    return changed


ESTIMATES = [
    smartsvm.bayes_error,
    smartsvm.pairwise_bayes_error,
    smartsvm.ovr_bayes_error,
]

POINTS = {
    "nan": (with_value(np.nan), ValueError, r"X must be finite, got nan at \[3, 1\]"),
    "inf": (with_value(-np.inf), ValueError, r"X must be finite, got -inf at \[3, 1\]"),
    "1-D": (X[:, 0], ValueError, r"X must have 2 dimensions, got shape \(40,\).*reshape"),
    "3-D": (X[None], ValueError, r"X must have 2 dimensions, got shape \(1, 40, 3\)"),
    "scalar": (3.0, ValueError, r"X must have 2 dimensions, got shape \(\)"),
    "no rows": (X[:0], ValueError, r"X must not be empty, got shape \(0, 3\)"),
    "no columns": (X[:, :0], ValueError, r"X must not be empty, got shape \(40, 0\)"),
    "sparse": (scipy.sparse.csr_array(X), TypeError, r"X is a sparse matrix .*X\.toarray\(\)"),
    "complex": (X + 1j, TypeError, r"X must be .* real numbers.*complex"),
    "strings": (X.astype(str), TypeError, r"X must be .* real numbers.*dtype <U"),
    "objects": (np.full((40, 3), object()), TypeError, r"X must be .* real numbers"),
    "dates": (X.astype("M8[s]"), TypeError, r"X must be .* real numbers.*datetime64"),
    "ragged": ([[1.0, 2.0], [3.0]], TypeError, r"X must be .* real numbers"),
    "masked": (
        np.ma.masked_greater(X, 1.0),
        ValueError,
        r"X must have no missing values, got a masked array with \d+ masked.*X\.filled",
    ),
    "huge integers": (
        np.full((40, 3), 10**400, dtype=object),
        TypeError,
        r"X must be .* real numbers within the range of float64, got 1000",
    ),
    "None": (None, ValueError, r"X must have 2 dimensions, got shape \(\)"),
}

OPTIONS = {
    "n_trees=0": ({"n_trees": 0}, ValueError, "n_trees must be at least 1, got 0"),
    "n_trees=-2": ({"n_trees": -2}, ValueError, "n_trees must be at least 1, got -2"),
    "n_trees huge": ({"n_trees": 10**400}, ValueError, "n_trees must be at most 92.*, got 1000"),
    "n_trees=1.5": ({"n_trees": 1.5}, TypeError, r"n_trees must be an integer .* got 1\.5"),
    "n_trees=True": ({"n_trees": True}, TypeError, "n_trees must be an integer .* got True"),
    "algorithm": (
        {"algorithm": "kruskal"},
        ValueError,
        r"algorithm must be one of \['auto'.*'krus",
    ),
    "random_state": (
        {"random_state": "x"},
        TypeError,
        "random_state must be an integer .* got 'x'",
    ),
    "n_jobs=0": ({"n_jobs": 0}, ValueError, "n_jobs must be None or .* other than 0.* got 0"),
    "n_jobs='two'": ({"n_jobs": "two"}, TypeError, "n_jobs must be None or .* got 'two'"),
    "n_jobs=2**31": ({"n_jobs": 2**31}, ValueError, "n_jobs must be at most 2147483647, got 2"),
    "n_jobs=1.5": ({"n_jobs": 1.5}, TypeError, r"n_jobs must be None or .* got 1\.5"),
    "negative seed": ({"random_state": -1}, ValueError, "random_state must be at least 0, got -1"),
}

LABELS = {
    "too short": (Y[:-1], ValueError, r"y must have one label for each of the 40 rows .* got 39"),
    "one class": (
        np.zeros(40, int),
        ValueError,
        r"y must hold at least 2 classes, got 1 class: \[0\]",
    ),
    "continuous": (np.linspace(0, 1, 40), ValueError, r"y must hold discrete classes, got 0\.02"),
    "nan": (np.r_[[np.nan], np.ones(39)], ValueError, "y must have no missing labels, got NaN"),
    "complex": (np.arange(40) % 2 + 1j, ValueError, "y must not be complex"),
    "mixed": (
        np.array([1, "a"] * 20, dtype=object),
        TypeError,
        r"y must hold labels of one sortable",
    ),
    "NaN objects": (
        np.array([1.0, np.nan] * 20, dtype=object),
        ValueError,
        "y must have no missing labels, got 20 of them",
    ),
    "None": (np.array(["a", None] * 20), ValueError, "y must have no missing labels, got 20"),
    "no date": (
        np.array(["2020-01-01", "NaT"] * 20, dtype="M8[D]"),
        ValueError,
        "y must have no missing labels, got 20",
    ),
    "masked": (
        np.ma.masked_less(np.arange(40) % 3, 1),
        ValueError,
        r"y must have no missing values, got a masked array with 14 masked",
    ),
    "0-D": (np.array(1), ValueError, r"y must be one-dimensional, got shape \(\)"),
    "2-D": (np.zeros((40, 3)), ValueError, r"y must be one-dimensional, got shape \(40, 3\)"),
    "3-D": (np.zeros((40, 1, 1)), ValueError, r"y must be one-dimensional, got shape \(40, 1, 1\)"),
}

MATRICES = {
    "not square": (np.ones((3, 4)), r"must be square, got shape \(3, 4\)"),
    "negative": (np.array([[0, -1.0], [-1.0, 0]]), r"must not be negative, got -1\.0 at \[0, 1\]"),
    "not symmetric": (
        np.array([[0, 1.0], [2.0, 0]]),
        r"must be symmetric, got 1\.0 at \[0, 1\] and 2",
    ),
    "nan": (np.array([[0, np.nan], [np.nan, 0]]), r"must be finite, got nan at \[0, 1\]"),
}


@pytest.mark.parametrize("case", POINTS)
def test_points(case):
    bad, kind, message = POINTS[case]
    with pytest.raises(kind, match=message):
        smartsvm.euclidean_mst(bad)
    for estimate in ESTIMATES:
        with pytest.raises(kind, match=message):
            estimate(bad, Y)


def _objects(value):
    changed = X.astype(object)
    changed[3, 1] = value
    return changed


NO_NUMBERS = {
    "dates": X.astype("M8[s]"),
    "durations": X.astype("m8[s]"),
    "a huge integer": _objects(10**400),
    "a negative one": _objects(-(10**400)),
    "a list with a huge integer": _objects(10**400).tolist(),
    "a date among objects": _objects(np.datetime64("2026-01-01")),
    "a duration among objects": _objects(datetime.timedelta(days=3)),
    "a numpy duration": _objects(np.timedelta64(3, "D")),
    "a frame with dates": pandas.DataFrame(X).assign(day=pandas.date_range("2026", periods=40)),
    "a frame with durations": pandas.DataFrame(X).assign(
        took=pandas.timedelta_range("1h", periods=40)
    ),
    "a frame of dates": pandas.DataFrame({"day": pandas.date_range("2026", periods=40)}),
}
TAKERS = {
    "SmartSVM": lambda bad: SmartSVM().fit(bad, Y),
    "SmartSVM.predict": lambda bad: SmartSVM().fit(X, Y).predict(bad),
    "SmartSVMCV": lambda bad: smartsvm.SmartSVMCV(cv=2).fit(bad, Y),
    "selector": lambda bad: smartsvm.BayesErrorSelector(2).fit(bad, Y),
    "ClassForest": lambda bad: smartsvm.ClassForest(bad, Y),
    "report": lambda bad: smartsvm.difficulty_report(bad, Y),
    "sample_difficulty": lambda bad: smartsvm.sample_difficulty(bad, Y),
    "weights": lambda bad: smartsvm.bayes_error_class_weight(bad, Y),
    "tree": smartsvm.euclidean_mst,
    "tree in blocks": lambda bad: smartsvm.euclidean_mst(bad, memory_limit=10**9),
} | {estimate.__name__: lambda bad, estimate=estimate: estimate(bad, Y) for estimate in ESTIMATES}


@pytest.mark.parametrize("case", NO_NUMBERS)
@pytest.mark.parametrize("taker", TAKERS)
def test_all_refuse_dates_durations_and_huge_integers(taker, case):
    if taker == "report" and "frame" in case:  # the report prepares frames
        assert TAKERS[taker](NO_NUMBERS[case]).data.preparation
        return
    with pytest.raises(TypeError, match="X must be an array of real numbers within the range"):
        TAKERS[taker](NO_NUMBERS[case])


@pytest.mark.parametrize("case", OPTIONS)
def test_options(case):
    options, kind, message = OPTIONS[case]
    with pytest.raises(kind, match=message):
        smartsvm.euclidean_mst(X, **options)
    for estimate in ESTIMATES:
        with pytest.raises(kind, match=message):
            estimate(X, Y, **options)


@pytest.mark.parametrize("case", LABELS)
def test_labels(case):
    bad, kind, message = LABELS[case]
    for estimate in ESTIMATES:
        with pytest.raises(kind, match=message):
            estimate(X, bad)


@pytest.mark.parametrize("case", MATRICES)
def test_matrices(case):
    bad, message = MATRICES[case]
    with pytest.raises(ValueError, match="X " + message):
        smartsvm.euclidean_mst(bad, metric="precomputed")
    with pytest.raises(ValueError, match="error_matrix " + message):
        smartsvm.class_hierarchy(bad)
    with pytest.raises(ValueError, match="error_matrix " + message):
        smartsvm.PairwiseErrorDisplay(bad)


@pytest.mark.parametrize("estimate", ESTIMATES[1:])
def test_unknown_bias_correction(estimate):
    with pytest.raises(
        ValueError, match=r"bias_correction must be one of \[True, False, 'prior'\]"
    ):
        estimate(X, Y, bias_correction=1)


def test_unknown_choices():
    with pytest.raises(ValueError, match=r"metric must be one of .* got 'cosine'"):
        smartsvm.euclidean_mst(X, metric="cosine")
    with pytest.raises(ValueError, match=r"method must be one of .* got 'sum'"):
        smartsvm.ClassForest(X, Y).multiclass(method="sum")
    with pytest.raises(ValueError, match="order must be"):
        smartsvm.PairwiseErrorDisplay(np.ones((2, 2))).plot(order="size")


def test_more_trees_than_the_points_hold():
    with pytest.raises(
        ValueError, match=r"n_trees must be at most .* for these 40 points, got 10000"
    ):
        smartsvm.euclidean_mst(X, n_trees=10_000)
    with pytest.warns(SmallClassWarning, match="n_trees=10000 is too many"):
        estimate = smartsvm.bayes_error(X, Y, n_trees=10_000)
    assert 1 <= estimate.n_trees <= 10


def test_a_class_of_one_sample_warns_and_works():
    lonely = np.r_[["c"], Y[1:]]
    for estimate in ESTIMATES:
        with pytest.warns(SmallClassWarning, match=r"fewer than 10 samples: 'c' \(1\)"):
            assert np.isfinite(estimate(X, lonely).value).all()
    with pytest.warns(SmallClassWarning, match="'c'"):
        model = SmartSVM(hierarchy="min-cut").fit(X, lonely)
    assert model.predict(X).shape == (40,)
    # No error of a pair is computed, so nothing warns.
    assert SmartSVM(nodes="linear").fit(X, lonely).predict(X).shape == (40,)
    assert SmartSVM().fit(X, lonely).predict(X).shape == (40,)


def test_hierarchy_and_metric():
    with pytest.raises(ValueError, match="at least 2 classes"):
        smartsvm.class_hierarchy([[0.0]])
    with pytest.raises(ValueError, match="classes must have one label for each of the 2 rows"):
        smartsvm.class_hierarchy(np.zeros((2, 2)), classes=["a"])
    with pytest.raises(ValueError, match="same length, got 2 and 1"):
        smartsvm.confusion_rate([1, 2], [1])
    with pytest.raises(ValueError, match="y_true must be one-dimensional and not empty"):
        smartsvm.confusion_rate([], [])
    with pytest.raises(ValueError, match=r"labels must be .* a label that occurs"):
        smartsvm.confusion_rate([1, 2], [1, 2], labels=[7])


def test_displays_refuse_other_things():
    with pytest.raises(TypeError, match="hierarchy must be a ClassHierarchy, got list"):
        smartsvm.HierarchyDisplay([1])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SmartSVM(C=-1.0), "C"),
        (SmartSVM(n_trees=0), "n_trees must be at least 1, got 0"),
        (SmartSVM(class_weight="heavy"), "class_weight"),
    ],
)
def test_classifier_options(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@pytest.mark.parametrize(
    "case", ["nan", "inf", "1-D", "3-D", "no rows", "sparse", "complex", "objects"]
)
def test_classifier_points(case):
    bad = POINTS[case][0]
    with pytest.raises((TypeError, ValueError)):
        SmartSVM(hierarchy="min-cut").fit(bad, Y)
    if case == "sparse":
        return  # fine without trees
    with pytest.raises((TypeError, ValueError)):
        SmartSVM().fit(bad, Y)
    fitted = SmartSVM().fit(X, Y)
    with pytest.raises((TypeError, ValueError)):
        fitted.predict(bad)


def test_values_too_large_to_be_squared():
    with pytest.raises(ValueError, match=r"X must hold values of at most 1e\+75.*got 1e\+80"):
        SmartSVM().fit(np.where(X.max() == X, 1e80, X), Y)


@pytest.mark.parametrize("case", ["too short", "one class", "continuous", "nan"])
def test_classifier_labels(case):
    with pytest.raises(ValueError, match=r"class|Unknown label|inconsistent|NaN"):
        SmartSVM().fit(X, LABELS[case][0])


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_flags_are_true_or_false(estimate, value):
    with pytest.raises(TypeError, match="normalize must be True or False, got "):
        estimate(X, Y, normalize=value)


def test_groups_of_a_split_are_labels():
    forest = smartsvm.ClassForest(X, Y)
    for left in (None, [], [3], ["a", "z"]):
        with pytest.raises(ValueError, match="left must hold labels of y, at least one"):
            forest.split(left, ["b"])


def test_a_checkpoint_is_a_path():
    for estimate in ESTIMATES:
        with pytest.raises(TypeError, match=r"checkpoint must be the path of .* got 5"):
            estimate(X, Y, checkpoint=5)


@pytest.mark.parametrize(
    "model",
    [
        SmartSVM(),
        smartsvm.SmartSVMCV(),
        smartsvm.BayesErrorSelector(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators_name_what_is_wrong_with_labels(model):
    with pytest.raises(TypeError, match="y must hold labels of one sortable type"):
        model.fit(X, np.array([1, "a"] * 20, dtype=object))
    with pytest.raises(ValueError, match="y must have no missing labels"):
        model.fit(X, np.array(["2020-01-01", "NaT"] * 20, dtype="M8[D]"))


def test_integers_that_floats_do_not_hold_are_warned_of():
    near = 2**60 + np.arange(120).reshape(40, 3)
    with pytest.warns(RuntimeWarning, match=r"X holds integers beyond 2\^53.*Subtract"):
        smartsvm.bayes_error(near, Y)
    with pytest.warns(RuntimeWarning, match=r"X holds integers beyond 2\^53"):
        smartsvm.BayesErrorSelector(1).fit(near, Y)
    smartsvm.bayes_error(near - 2**60, Y)


_NEAR = 2**60 + np.arange(120).reshape(40, 3)


@pytest.mark.parametrize(
    "points",
    [
        _NEAR.astype(object),
        _NEAR.tolist(),
        _NEAR.astype(np.uint64),
        pandas.DataFrame(_NEAR),
        # Beside floats a frame is one array of floats.
        pandas.DataFrame({"a": _NEAR[:, 0], "b": np.arange(40) / 7}),
        pandas.DataFrame({"a": pandas.array(_NEAR[:, 0], dtype="Int64"), "b": np.arange(40.0)}),
    ],
    ids=["objects", "list", "unsigned", "frame", "mixed frame", "nullable frame"],
)
def test_integers_that_floats_do_not_hold_in_any_container(points):
    with pytest.warns(RuntimeWarning, match=r"X holds integers beyond 2\^53"):
        smartsvm.bayes_error(points, Y)
    with pytest.warns(RuntimeWarning, match=r"X holds integers beyond 2\^53"):
        SmartSVM().fit(points, Y)


def test_a_masked_array_without_a_masked_value_is_an_array():
    expected = smartsvm.bayes_error(X, Y).value
    assert smartsvm.bayes_error(np.ma.asarray(X), Y).value == expected


def test_estimators_refuse_masks():
    masked = np.ma.masked_greater(X, 1.0)
    with pytest.raises(ValueError, match="X must have no missing values"):
        smartsvm.SmartSVM().fit(masked, Y)
    with pytest.raises(ValueError, match="X must have no missing values"):
        smartsvm.SmartSVM().fit(X, Y).predict(masked)


def test_labels_that_cannot_be_sorted_are_refused():
    # Sets have an order in which most of them do not come before or after each other.
    sets = [frozenset([k % 2]) for k in range(20)]
    with pytest.raises(TypeError, match=r"y must hold labels of one sortable type, got frozenset"):
        smartsvm.bayes_error(np.arange(20.0)[:, None], sets)


def test_fractions_are_no_classes_in_any_container():
    labels = np.array([0.5, 1.5] * 10)
    for y in (labels, labels.astype(object), labels.tolist()):
        with pytest.raises(ValueError, match=r"discrete classes, got 0\.5"):
            smartsvm.bayes_error(np.arange(20.0)[:, None], y)


def test_the_column_of_a_frame_that_is_no_number_is_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "shade": list("rgbr")})
    with pytest.raises(TypeError, match=r"column 'shade': could not convert string to float: 'r'"):
        smartsvm.bayes_error(frame, [0, 1, 0, 1])
