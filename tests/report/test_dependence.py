"""Rows of a unit, or consecutive ones, that are alike."""

import numpy as np
import pytest

from smartsvm import difficulty_report, prepare_table
from smartsvm.report.dependence import Units, _tells, find_dependence
from smartsvm.tables.name_hints import UNIT, has_hint


def persons(n_persons=60, n_rows=10, seed=0):
    """Rows around the centre of each person, who has one of two labels whatever the centre."""
    random = np.random.default_rng(seed)
    units = np.repeat(np.arange(n_persons), n_rows)
    centres = random.normal(size=(n_persons, 4))
    X = centres[units] + 0.3 * random.normal(size=(len(units), 4))
    return X, random.integers(0, 2, n_persons)[units], units


def independent(n=600, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n) > 0).astype(int)


def search(X, y, *named):
    return find_dependence(X, y, [Units(*each) for each in named], seed=0, n_jobs=1)


def test_rows_of_a_person_are_found_in_any_order():
    X, y, units = persons()
    order = np.random.default_rng(1).permutation(len(y))
    found = search(X[order], y[order], ("person", units[order]))
    assert found.unit == "person"
    assert found.n_units == 60
    assert found.new_error > found.error + 0.2
    assert search(X[order], y[order]) is None  # neither a column nor the order names the units


def test_a_column_of_numbers_may_name_the_person():
    X, y, units = persons()
    order = np.random.default_rng(1).permutation(len(y))
    numbers = np.random.default_rng(2).permutation(60)[units]
    X = np.column_stack([X[:, :2], numbers, X[:, 2:]])
    assert search(X[order], y[order]).unit == 2


def test_two_rows_of_a_unit_are_enough_where_its_name_says_so():
    X, y, units = persons(n_persons=200, n_rows=2)
    order = np.random.default_rng(1).permutation(len(y))
    table = beside(X[order], **{"Subject ID": [f"p{unit}" for unit in units[order]]})
    report = difficulty_report(table, y[order], n_trees=1, classifiers=("neighbors",))
    assert report.data.dependence.unit == "Subject ID"
    assert "by its name, Subject ID is a unit" in report.data.preparation
    table = table.rename(columns={"Subject ID": "place"})
    report = difficulty_report(table, y[order], n_trees=1, classifiers=("neighbors",))
    assert report.data.dependence is None


def test_names_of_units():
    units = ["childid", "Subject ID", "patientNo", "pupil", "customerId"]
    others = ["child", "childno", "paid", "acid", "class", "team number"]
    assert [name for name in units + others if has_hint(name, UNIT)] == units


def test_of_two_columns_with_the_same_units_the_first_is_named():
    X, y, units = persons()
    order = np.random.default_rng(1).permutation(len(y))
    for seed in range(3):
        code = np.random.default_rng(seed).permutation(60)[units]
        named = ("country", units[order]), ("iso2", code[order])
        assert search(X[order], y[order], *named).unit == "country"
        assert search(X[order], y[order], *reversed(named)).unit == "iso2"


def test_another_spelling_of_the_label_names_no_unit():
    random = np.random.default_rng(0)
    y = random.integers(0, 25, 1000)
    X = random.normal(size=(25, 4))[y] + 0.5 * random.normal(size=(1000, 4))
    spelt = np.where(random.random(1000) < 0.05, random.integers(0, 25, 1000), y)
    assert search(X, y, ("kind", spelt)) is None
    assert search(X, y, ("kind", 2 * y + (random.random(1000) < 0.2))) is None


def test_a_number_on_a_scale_names_no_unit():
    X, y, units = persons()
    random = np.random.default_rng(1)
    order, numbers = random.permutation(len(y)), random.permutation(60)[units]
    X = X + 0.5 * random.normal(size=X.shape)  # no copies
    days = 7 * numbers[order] + 5000.0
    for factor, time, unit in ((1, None, "number"), (1.29, None, None), (1, days, None)):
        columns = np.column_stack([X, factor * numbers])[order]
        names = [*"abcd", "number"]
        found = difficulty_report(columns, y[order], feature_names=names, time=time).data.dependence
        assert (found and found.unit) == unit


def test_the_day_of_the_month_names_no_unit_beside_a_time():
    X, y, units = persons()
    random = np.random.default_rng(1)
    order, days = random.permutation(len(y)), random.permutation(60)[units]
    X = X + 0.5 * random.normal(size=X.shape)  # no copies
    columns = np.column_stack([X, days])[order]
    time = random.permutation(len(y))
    for name, unit in (("day", None), ("person", "person")):
        names = [*"abcd", name]
        found = difficulty_report(columns, y[order], feature_names=names, time=time).data.dependence
        assert (found and found.unit) == unit


def test_a_table_of_cells_is_not_searched():
    """Rows of equal columns are counts of one cell, in whatever order they are written."""
    random = np.random.default_rng(0)
    cells = np.repeat(np.arange(40), 25)
    X = random.permutation(40)[cells, None].astype(float)
    y = (random.random(40) < 0.5)[cells] ^ (random.random(1000) < 0.1)
    assert search(X, y.astype(int)) is not None  # rows that follow each other are alike
    assert difficulty_report(X, y).data.dependence is None


@pytest.mark.parametrize("by_label", [False, True])
def test_consecutive_rows_are_found_without_a_column(by_label):
    X, y, _ = persons()
    order = np.argsort(y, kind="stable") if by_label else slice(None)
    found = search(X[order], y[order])
    assert found.unit is None
    assert found.new_error > found.error + 0.1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_independent_rows_raises_no_alarm(seed):
    X, y = independent(seed=seed)
    for order in (slice(None), np.argsort(y), np.argsort(X[:, 0]), np.lexsort((X[:, 0], y))):
        assert search(X[order], y[order]) is None


@pytest.mark.parametrize("seed", range(3))
def test_repeated_values_of_independent_rows_raise_no_alarm(seed):
    X, y = independent(seed=seed)
    random = np.random.default_rng(seed)
    rounded = np.round(8 * X)
    assert search(rounded, y) is None
    assert search(rounded, y, ("random", random.integers(0, 40, len(y)))) is None
    few = random.integers(0, 5, len(y))  # too few values to be units
    assert search(X, (few + y) % 2, ("few", few)) is None


def test_a_column_that_names_the_classes_names_no_units():
    X, _, units = persons(40, 20)
    assert search(X, units, ("person", units)) is None
    assert search(X, units // 2, ("person", units)).unit == "person"


def test_as_many_units_of_a_large_table_count_as_possible():
    X, y, units = persons(150, 40)
    order = np.random.default_rng(1).permutation(len(y))
    found = search(X[order], y[order], ("person", units[order]))
    assert found.n_units == 150
    assert found.n_samples == 150 * 13  # at most 2,000


def test_a_text_that_tells_the_class_names_no_unit():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X, y = independent(900)
    words = [
        f"{k} min" if label else f"{k} seasons"
        for k, label in zip(random.integers(1, 45, 900), y, strict=True)
    ]
    table = pandas.DataFrame(X).add_prefix("x").assign(duration=words, kind=y)
    report = difficulty_report(table, "kind", n_trees=1, classifiers=("linear",))
    assert report.data.dependence is None


def test_few_rows_or_units_say_nothing():
    X, y, units = persons(5, 11)
    assert search(X, y, ("person", units)) is None
    X, y, units = persons(15, 10)
    assert search(X, y, ("person", units)) is None or search(X, y, ("person", units)).unit is None


def beside(X, **columns):
    """A table of numbers and some columns beside them."""
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X).add_prefix("x").assign(**columns)


def test_the_report_warns_and_names_the_option():
    X, y, units = persons()
    order = np.random.default_rng(1).permutation(len(y))
    names = np.array([f"p{u}" for u in units])
    report = difficulty_report(beside(X[order], **{"the person": names[order]}), y[order])
    (flag,) = (flag for flag in report.flags if flag.code == "dependent_rows")
    assert "Rows of the same the person are alike" in flag.message
    assert 'groups="the person"' in flag.message
    assert report.data.dependence.unit == "the person"
    assert report.to_dict()["data"]["dependence"]["n_units"] == 60
    assert report.judge(0.9).objections == ("dependent_rows",)
    with_groups = difficulty_report(X[order], y[order], groups=units[order])
    assert with_groups.data.dependence is None
    assert with_groups.errors.held_out.best.value > report.errors.held_out.best.value + 0.2


def test_rows_that_are_left_out_take_their_units_along():
    X, y, units = persons()
    order = np.random.default_rng(1).permutation(len(y))
    table = beside(X[order], person=[f"p{unit}" for unit in units[order]])
    table["label"] = np.array(["no", "yes"])[y[order]]
    table.loc[::50, "label"] = None
    report = difficulty_report(table, "label")
    assert report.data.n_samples == len(y) - len(y) // 50
    assert report.data.dependence.unit == "person"
    assert report.data.dependence.n_units == 60


def test_text_columns_of_a_table_may_name_units():
    pandas = pytest.importorskip("pandas")
    X, y, units = persons()
    table = pandas.DataFrame(X, columns=list("abcd")).assign(
        name=[f"p{u}" for u in units], kind=np.where(y, "yes", "no")
    )
    table = table.sample(frac=1, random_state=0)
    assert list(prepare_table(table, "kind").units) == ["name"]
    assert difficulty_report(table, "kind").data.dependence.unit == "name"


def children(n_children=150, n_visits=4):
    """A label that hardly changes between the visits of a child; ids in the order of the label."""
    random = np.random.default_rng(0)
    ill = np.sort(random.random(n_children) < 0.2)
    child = np.repeat(np.arange(n_children), n_visits)
    visit = np.tile(np.arange(n_visits), n_children)
    smoke = random.integers(0, 2, n_children)[child]
    X = np.column_stack([100 + 3 * child, visit, smoke]).astype(float)
    return X, (ill[child] ^ (random.random(len(child)) < 0.05)).astype(int)


def test_an_id_in_the_order_of_the_classes_names_units():
    X, y = children()
    found = difficulty_report(X, y, feature_names=["id", "visit", "smoke"]).data.dependence
    assert found.unit == "id"
    assert found.new_error > found.error + 0.05
    # A number that measures something tells the class of values between those that were seen.
    assert difficulty_report(X, y, feature_names=["dose", "visit", "smoke"]).data.dependence is None


def test_the_id_is_named_and_not_what_is_fixed_for_a_unit():
    X, y, units = persons()
    X += 0.5 * np.random.default_rng(1).normal(size=X.shape)  # no copies
    last_day = np.random.default_rng(2).permutation(60)[units] // 1.05
    for ids in (units, np.random.default_rng(3).permutation(60)[units]):
        columns = np.column_stack([last_day, X, ids])
        names = ["day", *"abcd", "patient_id"]
        report = difficulty_report(columns, y, feature_names=names, scale="standard")
        assert report.data.dependence.unit == names[-1]


def test_persons_whose_rows_look_like_copies_are_still_units():
    random = np.random.default_rng(0)
    units = np.repeat(np.arange(40), 4)
    y = (random.permutation(40) % 2)[units]
    size = np.round(random.normal(size=160) + 2 * y)  # values that others have, too
    X = np.column_stack([np.eye(40)[units], np.tile(np.arange(4), 40), size])
    report = difficulty_report(beside(X, person=[f"p{unit}" for unit in units]), y)
    assert report.data.dependence.unit == "person"
    for flag in report.flags:  # hardly any row is left out
        assert "use one of each" not in flag.message


def test_an_id_mostly_tells_what_is_fixed_for_its_unit():
    random, ids = np.random.default_rng(0), np.repeat(np.arange(80), 6)
    day = 1000 + random.permutation(80)[ids]
    assert _tells(ids, day // 3)  # an age that several have
    assert _tells(ids, day)
    day[:20] += 500
    assert _tells(ids, day)
    assert not _tells(random.permutation(ids), day)


def test_a_table_in_the_order_of_the_classes_has_no_alike_blocks():
    # A block of the rows holds most of a class. One column changes slowly, but tells nothing.
    random, y = np.random.default_rng(0), np.repeat(np.arange(20), 15)
    X = random.normal(size=(300, 5)) + 1.5 * random.normal(size=(20, 5))[y]
    slow = np.convolve(random.normal(size=307), np.ones(8), "valid")
    assert search(np.column_stack([X, slow]), y) is None


def test_consecutive_rows_of_few_values_are_found_without_a_column():
    X, y, _ = persons()
    for values in (np.round(X), (X > 0).astype(float)):
        assert search(values, y).unit is None


def test_an_id_may_have_one_value_in_all_first_rows():
    X, y, units = persons(30, 300)
    found = search(np.column_stack([units, X]), y)
    assert found.unit == 0
