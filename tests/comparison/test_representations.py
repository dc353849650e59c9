"""`compare_representations`: which is best, rows that match, and what it refuses."""

import json
import sys

import numpy as np
import pandas
import pytest
from layout import assert_readable
from sklearn.datasets import load_iris

from smartsvm import RepresentationComparison, compare_representations

X, Y = load_iris(return_X_y=True)
QUICK = {"classifiers": ["neighbors", "linear"]}


@pytest.fixture(scope="module")
def irises():
    return compare_representations({"sepals": X[:, :2], "petals": X[:, 2:], "all": X}, Y, **QUICK)


def test_worse_and_equal_representations(irises):
    assert isinstance(irises, RepresentationComparison)
    assert set(irises.best) == {"petals", "all"}
    assert irises.better[2, 0]
    assert not irises.better[0].any()
    low = irises.difference("sepals", "all").low
    assert 0 < low < irises.errors[0] - irises.errors[2]
    assert "sepals is worse" in str(irises).replace("\n", " ")
    assert repr(irises).startswith("RepresentationComparison(3 representations, 150 rows, best: ")


def test_the_same_representation_twice_makes_no_difference():
    found = compare_representations({"one": X, "two": X.copy()}, Y, **QUICK)
    assert not found.differences.any()
    assert set(found.best) == {"one", "two"}
    assert found.sentence() == "No representation can be told from the others."


def test_frames(irises):
    frame = irises.to_frame()
    assert frame["error"].is_monotonic_increasing
    assert frame["columns"].tolist().count(2) == 2
    pairs = irises.to_frame("pairs")
    assert len(pairs) == 3
    assert (pairs["error_low"] <= pairs["error"]).all()
    assert (pairs["error"] <= pairs["error_high"]).all()
    with pytest.raises(ValueError, match='what="groups" needs a comparison with groups_of_columns'):
        irises.to_frame("groups")


def test_figure_and_page(irises, tmp_path):
    for metric in ("error", "log_loss"):
        assert_readable(irises.plot(metric=metric).figure)
    irises.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "sepals is worse" in page
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    irises.save(tmp_path / "page.txt")
    assert (tmp_path / "page.txt").read_text(encoding="utf-8") == f"{irises}\n"
    irises.save(tmp_path / "page.md")
    as_markdown = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert as_markdown.startswith("# Which representation is best?\n\n150 rows · ")
    assert "| Representation | held-out error | log loss | columns |" in as_markdown
    irises.save(tmp_path / "page.json", title="Two")
    assert json.loads((tmp_path / "page.json").read_text(encoding="utf-8")) == irises.to_dict()
    irises.save(tmp_path / "page.csv")
    assert (tmp_path / "page.csv").read_text(encoding="utf-8").count("\n") == 1 + len(irises.names)
    with pytest.raises(ValueError, match=r"path must end in one of \.html, .* got .*page\.doc"):
        irises.save(tmp_path / "page.doc")


def test_ids_match_rows_in_any_order():
    order = np.random.default_rng(0).permutation(150)
    ids = np.array([f"case {k}" for k in range(150)])
    plain = compare_representations({"a": X, "b": X[:, :2]}, Y, **QUICK)
    matched = compare_representations(
        {"a": X, "b": X[order, :2]}, Y, ids={"a": ids, "b": ids[order]}, **QUICK
    )
    assert matched.errors == pytest.approx(plain.errors, abs=0.03)
    wrong = compare_representations({"a": X, "b": X[order, :2]}, Y, **QUICK)
    assert wrong.errors[1] > 0.4


def test_labels_of_the_same_rows():
    random = np.random.default_rng(0)
    noisy = np.where(random.random(150) < 0.3, random.integers(3, size=150), Y)
    found = compare_representations(X, {"checked": Y, "raw": noisy}, **QUICK)
    assert found.best == ["checked"]
    assert found.sentence() == "checked is best: it is clearly better than the other."


@pytest.mark.usefixtures("no_drawings")
def test_groups_of_columns_say_what_each_adds():
    found = compare_representations(
        X, Y, groups_of_columns={"petals": [2, 3], "sepals": [0, 1]}, **QUICK
    )
    rows = {row["group"]: row for row in found.rows("groups")}
    assert rows["petals"]["error_low"] > 0 > rows["sepals"]["error_low"]
    assert "What each group of columns adds" in str(found)
    assert "What each group of columns adds" in found.to_html()


def test_data_frames_with_text_and_a_named_target():
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"kind": np.where(random.random(80) < 0.5, "a", "b")})
    frame["good"] = np.where(frame["kind"] == "a", "red", "blue")
    frame["noise"] = random.normal(size=80)
    found = compare_representations(
        {"good": frame[["kind", "good"]], "noise": frame[["kind", "noise"]]}, "kind", **QUICK
    )
    assert found.best == ["good"]
    parts = compare_representations(
        frame.drop(columns="kind"), frame["kind"], groups_of_columns={"colour": ["good"]}, **QUICK
    )
    assert parts.names == ["all columns", "without colour", "colour alone"]


def test_one_table_with_its_labels_and_groups_of_columns():
    table = pandas.DataFrame(X, columns=list("abcd")).assign(species=Y)
    groups = {"sepals": ["a", "b"], "petals": ["c", "d"]}
    named = compare_representations(table, "species", groups_of_columns=groups, **QUICK)
    apart = compare_representations(
        table.drop(columns="species"), Y, groups_of_columns=groups, **QUICK
    )
    assert (named.differences == apart.differences).all()
    with pytest.raises(ValueError, match=r"groups_of_columns\['c'\] must name columns of X"):
        compare_representations(table, "species", groups_of_columns={"c": ["a", "species"]})
    with pytest.raises(ValueError, match="y must name a column of X, got 'kind'"):
        compare_representations(table, "kind", groups_of_columns=groups)


def test_one_column_is_a_group():
    for table, column in ((X, 0), (pandas.DataFrame(X), 0)):
        found = compare_representations(table, Y, groups_of_columns={"first": column}, **QUICK)
        assert found.n_features == [4, 3, 1]


def test_frames_whose_labels_do_not_match_by_position():
    tables = {name: pandas.DataFrame(X).assign(species=Y) for name in "ab"}
    tables["b"] = tables["b"].iloc[::-1]
    with pytest.raises(ValueError, match="y must have the same labels in the same order in all"):
        compare_representations(tables, "species", **QUICK)
    ids = {name: each.index for name, each in tables.items()}
    found = compare_representations(tables, "species", ids=ids, **QUICK)
    assert found.differences == pytest.approx(0, abs=1e-6)


def test_columns_are_scaled_unless_they_share_a_unit():
    large = {"one": X[:, 2:], "two": X[:, 2:] * [1, 2.0**20]}
    apart = compare_representations(large, Y, classifiers=["neighbors"], scale="none")
    alike = compare_representations(large, Y, classifiers=["neighbors"], scale="standard")
    assert apart.differences.any()
    assert alike.differences == pytest.approx(0, abs=1e-6)
    assert (apart.scales, alike.scales) == (2 * ["none"], 2 * ["standard"])


def made(half_widths):
    """A comparison of errors of 10, 25 and 30%, by the half widths of its intervals."""
    errors = np.array([0.25, 0.1, 0.3])
    differences = np.tile(errors[:, None] - errors, (2, 1, 1))
    return RepresentationComparison(
        names=["b", "a", "c"],
        errors=errors,
        log_losses=errors,
        differences=differences,
        half_widths=np.tile(half_widths, (2, 1, 1)),
        n_samples=100,
        n_features=[1, 1, 1],
        scales=3 * ["none"],
        confidence=0.95,
        groups_of_columns=None,
    )


def test_one_best_need_not_beat_all_others_itself():
    # c is worse than b alone, by the narrow interval of these two.
    found = made([[0, 0.1, 0.01], [0.1, 0, 0.5], [0.01, 0.5, 0]])
    assert found.best == ["a"]
    assert found.sentence() == "a is best: each of the others is worse than it or than another one."


def test_the_text_marks_the_best_and_gives_points_above_the_first():
    rows = [line.split() for line in str(made(np.full((3, 3), 0.18))).splitlines()[6:9]]
    assert rows == [
        ["*", "a", "10%", "0.100"],
        ["*", "b", "25%", "0.250", "+15.0", "(-3.0", "to", "+33.0)"],
        ["c", "30%", "0.300", "+20.0", "(+2.0", "to", "+38.0)"],
    ]


def test_a_page_without_matplotlib_has_no_figure(irises, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    page = irises.to_html()
    assert "sepals is worse" in page
    assert "<svg" not in page


@pytest.mark.parametrize(
    "columns",
    [
        [0, 2],
        [0, 2, 0],
        np.array([0, 2]),
        (column for column in (0, 2)),
        [True, False, True, False],
        np.array([True, False, True, False]),
        pandas.Series([True, False, True, False]),
    ],
    ids=["numbers", "twice", "array", "generator", "mask", "array mask", "series mask"],
)
def test_a_group_of_columns_in_any_form(columns):
    frame = pandas.DataFrame(X, columns=list("abcd"))
    expected = compare_representations(frame, Y, groups_of_columns={"g": ["a", "c"]})
    found = compare_representations(X, Y, groups_of_columns={"g": columns})
    assert found.n_features == [4, 2, 2]
    assert np.array_equal(found.differences, expected.differences)


@pytest.mark.parametrize("form", [list, np.array, pandas.Series])
def test_a_mask_of_named_columns(form):
    frame = pandas.DataFrame(X, columns=list("abcd"))
    expected = compare_representations(frame, Y, groups_of_columns={"g": ["a"]})
    mask = form([True, False, False, False])
    found = compare_representations(frame, Y, groups_of_columns={"g": mask})
    assert str(found) == str(expected)


def test_groups_widen_the_intervals():
    groups = np.arange(150) % 12
    alone = compare_representations({"a": X, "b": X[:, :2]}, Y, **QUICK)
    grouped = compare_representations({"a": X, "b": X[:, :2]}, Y, groups=groups, **QUICK)
    assert grouped.half_widths[0, 0, 1] != alone.half_widths[0, 0, 1]


def test_threads_do_not_change_the_result():
    one, three = (
        compare_representations({"a": X, "b": X[:, :2]}, Y, n_jobs=n_jobs, **QUICK)
        for n_jobs in (1, 3)
    )
    assert (one.differences == three.differences).all()
    assert (one.half_widths == three.half_widths).all()


IDS = np.arange(150)


@pytest.mark.parametrize(
    ("given", "labels", "options", "error", "message"),
    [
        (X, Y, {}, TypeError, "X must be a mapping of names to representations"),
        ({"a": X}, Y, {}, ValueError, "X must hold two representations or more"),
        ({"a": X, "b": X[:99]}, Y, {}, ValueError, r"X\['b'\] must have the 150 rows of X\['a'\]"),
        ({"a": X, "b": X}, Y[:99], {}, ValueError, "y must have one label for each of the 150"),
        ({"a": X, "b": X}, {"a": Y}, {}, ValueError, "y must have the names of X"),
        ({"a": X, "b": X}, Y, {"ids": {"a": IDS}}, ValueError, "ids must have an array of ids"),
        (
            {"a": X, "b": X},
            Y,
            {"ids": {"a": IDS, "b": IDS + 1}},
            ValueError,
            r"ids must be the same .* 1 only in 'a' \(0\) and 1 only in 'b' \(150\)",
        ),
        (
            {"a": X, "b": X},
            Y,
            {"ids": {"a": IDS, "b": IDS // 2}},
            ValueError,
            r"ids\['b'\] must be different",
        ),
        (
            {"a": X, "b": X},
            Y,
            {"ids": {"a": IDS, "b": IDS[:9]}},
            ValueError,
            "ids must be the same",
        ),
        (
            {"a": X, "b": X},
            Y,
            {"ids": {"a": IDS[:9], "b": IDS[:9]}},
            ValueError,
            r"ids\['a'\] must have one id for each of the 150 rows of X\['a'\], got 9",
        ),
        ({"a": X[48:52], "b": X[48:52]}, Y[48:52], {}, ValueError, "at least .* rows, got 4"),
        (X, Y, {"groups_of_columns": {}}, TypeError, "groups_of_columns must be a mapping"),
        (X, Y, {"groups_of_columns": ["c"]}, TypeError, "must be a mapping .* got"),
        (
            X,
            Y,
            {"groups_of_columns": {"c": [9]}},
            ValueError,
            r"groups_of_columns\['c'\] must name",
        ),
        (
            {"a": X, "b": X},
            Y,
            {"ids": {"a": np.column_stack([IDS, IDS]), "b": IDS}},
            ValueError,
            r"ids\['a'\] must be one-dimensional, one id for each row, got shape \(150, 2\)",
        ),
        (
            X,
            Y,
            {"groups_of_columns": {1: [0], "1": [1]}},
            ValueError,
            "groups_of_columns must have names that are different as text .* got 'without 1' twice",
        ),
        (
            X,
            Y,
            {"groups_of_columns": {"without c": [0], "c alone": [1]}},
            ValueError,
            "groups_of_columns must have names .* got 'without c alone' twice",
        ),
        (
            X,
            Y,
            {"groups_of_columns": {"c": [True, False]}},
            TypeError,
            r"\['c'\] must hold numbers of columns, or a mask of 4 values, got \[True, False\]",
        ),
        (X, Y, {"groups_of_columns": {"c": [0, True]}}, TypeError, "or a mask of 4 values"),
        (X, Y, {"groups_of_columns": {"c": [1.0]}}, TypeError, r"hold numbers of columns.*1\.0"),
        (X, Y, {"groups_of_columns": {"c": ["a"]}}, TypeError, "hold numbers of columns.*'a'"),
        (X, Y, {"groups_of_columns": {"c": [False] * 4}}, ValueError, "must name columns of X"),
        ({1: X, "1": X}, Y, {}, ValueError, "X must have names that are different as text"),
        ({"a": X, " ": X}, Y, {}, ValueError, "X must have names .* and not empty"),
        (X, {"a": Y}, {}, ValueError, "y must hold two sets of labels or more"),
        (X, Y, {"groups_of_columns": {"c": 9}}, ValueError, r"\['c'\] must name columns of X"),
        (X, Y, {"groups_of_columns": {"c": range(4)}}, ValueError, "must leave a column of X"),
        ({"a": X, "b": X}, Y, {"groups_of_columns": {"c": [0]}}, TypeError, "X must be one table"),
        ({"a": X, "b": X}, Y, {"classifiers": ["svm"]}, ValueError, "classifiers must be a seq"),
        ({"a": X, "b": X}, Y, {"classifiers": "linear"}, ValueError, "sequence of .* 'linear'"),
        ({"a": X, "b": X}, Y, {"classifiers": 5}, ValueError, "classifiers must be .* got 5"),
        ({"a": X, "b": X}, Y, {"scale": "log"}, ValueError, "scale must be one of"),
        ({"a": X, "b": X}, Y, {"confidence": 0}, ValueError, "confidence must be"),
    ],
)
def test_refusals_name_the_parameter(given, labels, options, error, message):
    with pytest.raises(error, match=message):
        compare_representations(given, labels, **options)


def test_names_of_a_difference_are_checked(irises):
    with pytest.raises(ValueError, match=r"second must be one of .* got 'leaves'"):
        irises.difference("sepals", "leaves")
