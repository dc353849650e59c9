"""Tables with gaps, names, ids and categories become points and labels."""

import numpy as np
import pytest
from table_files import passengers

from smartsvm import PreparedTable, TablePreparation, difficulty_report, prepare_table
from smartsvm.tables.hints import TableError


def frame(n=60, **columns):
    import pandas

    random = np.random.default_rng(0)
    return pandas.DataFrame(
        {"x": random.normal(size=n), **columns, "kind": np.where(np.arange(n) % 2, "b", "a")}
    )


def test_a_table_of_passengers():
    table = passengers()
    found = prepare_table(table, "survived")
    assert isinstance(found, PreparedTable)
    assert found.X.columns.tolist() == [
        *("pclass", "age", "fare", "age missing", "embarked missing"),
        *("sex=female", "sex=male", "embarked=C", "embarked=Q", "embarked=S"),
    ]
    assert np.array_equal(found.y, table["survived"])
    assert repr(found).startswith("PreparedTable(300 samples, 10 columns; left out passenger_id")
    assert found.notes == [
        "left out passenger_id (numbers the samples), name (300 different texts), "
        "ticket (198 different texts), cabin (80% empty)",
        "filled in the median or the most frequent value, marked in a further column: age (60), "
        "embarked (2)",
        "encoded text as columns of 0 and 1: sex (2), embarked (3)",
        "to change this: keep=[NAME], missing='refuse', drop=[NAME], categorical='drop'",
    ]
    assert np.allclose(found.X.mean(), 0)
    assert np.allclose(found.X.std(ddof=0), 1)
    raw = prepare_table(table, "survived", scale="none").X
    gaps = table["age"].isna()
    assert (raw["age"][gaps] == table["age"].median()).all()
    assert np.array_equal(raw["age missing"], gaps)


@pytest.mark.usefixtures("no_drawings")
def test_the_report_takes_a_column_name():
    table = passengers().set_index("name")
    report = difficulty_report(table, "survived", classifiers=["neighbors"])
    found = prepare_table(table, "survived", scale="none")  # the report scales by itself
    same = difficulty_report(found.X, found.y, classifiers=["neighbors"])
    assert report.bayes_error == same.bayes_error
    assert report.data.preparation == tuple(found.notes)
    assert report.data.row_names.tolist() == table.index.tolist()
    assert same.data.preparation == ()
    # What was left out stands before the first table.
    for output, later in ((str(report), "\nErrors\n"), (report.to_html(), "<h3>Errors")):
        assert output.index("Left out passenger_id (numbers") < output.index(later)
    assert "How the table was read\n  - filled in the median" in str(report)
    assert "How the table was read</h3></summary><ul><li>filled in the median" in report.to_html()
    numbered = table.set_axis(range(table.shape[1]), axis=1)
    where = table.columns.get_loc("survived")
    again = difficulty_report(numbered, where, classifiers=["neighbors"])
    assert again.bayes_error == report.bayes_error
    with pytest.raises(TableError, match=r"no column 'survive'.* Did you mean 'survived'"):
        difficulty_report(table, "survive")
    mixed = difficulty_report(
        table.drop(columns="survived"), table["survived"], classifiers=["neighbors"]
    )
    assert mixed.bayes_error == report.bayes_error
    assert mixed.data.preparation == report.data.preparation


@pytest.mark.parametrize(
    ("words", "values", "note"),
    [
        (["1,200", "900"], [1200, 900], "read commas between thousands: v"),
        (["5 %", "7%"], [5, 7], "read numbers without their units: v"),
        (["$5", "$7.5"], [5, 7.5], "read numbers without their units: v"),
        (["$1,234.50", "$7"], [1234.5, 7], "read numbers without their units: v"),
        (["2026-01-05", "2026-01-07"], [0, 2], "read dates as columns: v ("),
        (["2026-01-05 12:00", "2026-01-07 00:00"], [0, 1.5], "read dates as columns: v ("),
        (["13/01/2026", "14/01/2026"], [0, 1], "read dates as columns: v ("),
        (["1/13/2026", "1/14/2026"], [0, 1], "read dates as columns: v ("),
        (["5.1.2026", "6.1.2026"], [0, 1], "read dates as columns: v ("),
        (["true", "False"], [1, 0], None),
        (["1.5", "2"], [1.5, 2], None),
    ],
)
def test_words_that_stand_for_numbers(words, values, note):
    found = prepare_table(frame(v=words * 30), "kind", scale="none")
    assert found.X["v"].tolist() == values * 30
    assert (found.notes == []) if note is None else found.notes[0].startswith(note)


def test_types_of_columns():
    import pandas

    days = pandas.date_range("2026-01-01", periods=60)
    table = frame(
        day=days,
        lasting=days - days[0],
        code=pandas.Categorical([3, 7] * 30),
        whole=pandas.array([1, None, 4] * 20, dtype="Int64"),
        vector=[[1.0, float(i % 7)] for i in range(60)],
    )
    X = prepare_table(table, "kind", scale="none", keep=["day", "lasting"]).X
    assert X["day"].tolist() == X["lasting"].tolist() == list(range(60))
    assert X["code=3"].tolist() == [1, 0] * 30
    assert X["whole"].tolist() == [1, 2.5, 4] * 20
    assert X["vector[1]"].tolist() == [i % 7 for i in range(60)]


def test_marks_are_gaps_and_equal_gaps_share_a_column():
    words = ["-" if i % 6 == 0 else str(i * i) for i in range(60)]
    found = prepare_table(frame(v=words, w=words), "kind", scale="none")
    assert found.X.columns.tolist() == ["x", "v", "w", "v, w missing"]
    assert found.notes[0] == "read '-' among numbers as missing (10 of 60): v, w"


def test_a_word_as_common_as_the_few_numbers_beside_it_is_a_category():
    doors = [["2", "3", "4", "5more"][i % 4] for i in range(60)]
    persons = [["2", "4", "more"][i % 3] for i in range(60)]
    seen = ["unknown" if i % 20 == 0 else str(i % 7) for i in range(60)]
    marked = ["-" if i % 3 == 0 else str(i % 7) for i in range(60)]
    found = prepare_table(
        frame(doors=doors, persons=persons, seen=seen, marked=marked), "kind", scale="none"
    )
    names = ["x", "seen", "marked", "seen missing", "marked missing"]
    assert found.X.columns.tolist()[:5] == names
    assert found.X["persons=more"].tolist() == [0, 0, 1] * 20
    assert found.X["doors=5more"].tolist() == [0, 0, 0, 1] * 15


def test_texts_of_many_values_are_read_by_value():
    random = np.random.default_rng(0)
    columns = {
        "shop": [f"s{k}" for k in random.integers(0, 600, 6000)],
        "town": [f"t{k}" for k in random.integers(0, 40, 6000)],
        "color": random.choice(list("rgb"), 6000),
        "name": [f"n{k}" for k in random.integers(0, 9000, 6000)],
    }
    table = frame(6000, **columns)
    found = prepare_table(table, "kind")
    assert list(found.categories) == ["shop", "town"]
    assert found.notes[:2] == [
        f"left out name ({len(set(columns['name'])):,} different texts)",
        "used by boosting and naive Bayes only: shop (600 different texts)",
    ]
    for shop in ("s7", "s250"):
        numbers = found.categories["shop"][table["shop"] == shop]
        assert (numbers == numbers[0]).all()
    assert list(prepare_table(table, "kind", drop=["town"]).categories) == ["shop"]
    kept = prepare_table(table, "kind", keep=["shop"])
    assert list(kept.categories) == ["shop", "town"]
    assert kept.X.columns.str.startswith("shop=").sum() == 51
    assert prepare_table(table, "kind", categorical="drop").categories == {}
    alone = TablePreparation().fit(table.drop(columns="kind"))
    assert "left out shop (600 different texts), name (" in alone.notes_[0]


def test_ids_are_told_from_numbers():
    random = np.random.default_rng(1)
    table = frame(
        shuffled=random.permutation(60) + 1000,
        customer_id=random.choice(10**6, 60, replace=False),
        amount=random.choice(10**6, 60, replace=False),
        paid=random.integers(0, 50, 60),
    )
    assert prepare_table(table, "kind").X.columns.tolist() == ["x", "amount", "paid"]
    kept = prepare_table(table, "kind", keep=["shuffled", "customer_id"]).X
    assert kept.columns.tolist() == ["x", "shuffled", "customer_id", "amount", "paid"]


def test_ids_may_be_named_in_one_word_or_repeat():
    random = np.random.default_rng(1)
    ids = random.choice(10**6, 60, replace=False)
    repeated = np.concatenate([ids[:50], ids[:10]])
    table = frame(custid=np.sort(ids), paid=ids, patient_nbr=repeated, amount=repeated)
    found = prepare_table(table, "kind")
    assert found.X.columns.tolist() == ["x", "paid", "amount"]
    assert found.notes[0] == "left out custid (an id by its name), patient_nbr (50 ids by its name)"


def test_whole_numbers_beside_gaps_are_whole_labels():
    table = frame(grade=np.where(np.arange(60) == 7, np.nan, np.arange(60) % 3))
    assert prepare_table(table, "grade").y.dtype.kind == "i"


def test_names_of_many_things_are_left_out():
    names = np.array([f"shop {k}" for k in np.arange(3000) // 2])
    found = prepare_table(frame(3000, shop=names), "kind")
    assert found.notes[0] == "left out shop (1,500 different texts)"
    some = np.where(np.arange(3000) % 3, "the largest", names)
    assert "shop=the largest" in prepare_table(frame(3000, shop=some), "kind").X


def test_ids_with_gaps_are_left_out_whatever_their_name():
    random = np.random.default_rng(0)
    table = frame(
        400,
        pid=random.choice(9000, 400, replace=False),
        constant=np.full(400, "here"),
        count=random.choice(9000, 400),  # independent numbers: some are equal
        year=np.arange(400) + 1600,
    )
    found = prepare_table(table, "kind")
    assert found.notes[0] == "left out pid (numbers the samples), constant (constant)"
    assert found.X.columns.tolist() == ["x", "count", "year"]


def test_labels_and_groups_given_as_arrays_or_columns():
    table = frame(patient=np.arange(60) // 3)
    labels, patients = table.pop("kind").to_numpy(), table["patient"].to_numpy()
    found = prepare_table(table, labels, groups="patient")
    assert found.X.columns.tolist() == ["x"]
    assert found.y.tolist() == labels.tolist()
    assert found.groups.tolist() == patients.tolist()
    again = prepare_table(table, labels, groups=patients, drop=["patient"])
    assert again.groups.tolist() == patients.tolist()
    with pytest.raises(TableError, match="y must have a value for each of 60 rows, got 59"):
        prepare_table(table, labels[1:])


def test_other_tables():
    import pandas
    import polars
    import pyarrow

    table = frame(color=["red", "blue", None] * 20)
    wanted = prepare_table(table, "kind")
    for other in (polars.from_pandas(table), pyarrow.Table.from_pandas(table)):
        found = prepare_table(other, "kind")
        pandas.testing.assert_frame_equal(found.X, wanted.X)
        assert found.notes == wanted.notes
    numbered = table.set_axis(range(3), axis=1)
    assert prepare_table(numbered, 2).X.columns[0] == "0"


def test_refusals_name_the_parameter():
    table = frame(color=["red", "blue", None] * 20)
    for options, message in (
        ({"missing": "refuse"}, "with missing='auto', or leave .* missing='drop'"),
        ({"missing": "drop", "categorical": "refuse"}, "Use categorical='onehot' for"),
        ({"missing": "fill"}, r"missing must be one of \['auto', 'drop', 'refuse'\], got 'fill'"),
        ({"keep": ["size"]}, "no column 'size' to keep"),
    ):
        with pytest.raises(ValueError, match=message):
            prepare_table(table, "kind", **options)
    with pytest.raises(TableError, match="no sample has a label"):
        prepare_table(table.assign(kind=None), "kind")


@pytest.mark.parametrize("table", ["passengers.csv", 3, np.zeros((2, 2, 2))])
def test_what_is_no_table_is_named(table):
    with pytest.raises(TypeError, match="table must be a data frame, got"):
        prepare_table(table, "y")


@pytest.mark.parametrize("n", [60, 6000])
def test_none_is_an_answer_among_words_and_a_gap_among_numbers(n):
    random = np.random.default_rng(0)
    improved, doses = ["None", "Some", "Marked"], ["None", "1", "2.5", "4"]
    table = frame(
        n,
        advice=random.choice(["none", "a lot", "a little"], n, p=[0.6, 0.2, 0.2]),
        dose=random.choice(doses, n),
        improved=random.choice(improved, n),
        grade=random.choice(["1", "2", "None"], n),
    )
    found = prepare_table(table, "improved")
    assert set(found.y.tolist()) == set(improved)
    names = found.X.columns.tolist()
    assert {"advice=none", "advice=a lot", "advice=a little", "dose", "dose missing"} <= set(names)
    assert set(prepare_table(table, "grade").y.tolist()) == {"1", "2"}


def test_the_page_says_at_its_top_how_many_samples_lack_a_label():
    table = frame(name=[f"name {i}" for i in range(60)])
    table.loc[:20, "kind"] = None
    report = difficulty_report(table, "kind", n_trees=1, classifiers=("linear",))
    assert (
        "21 of 60 rows (35%) are left out: they lack a label. Every number here is about the "
        "others alone. Left out name (60 different texts); to change this: keep=[NAME]."
        in " ".join(str(report).split())
    )
    table.loc[:1, "kind"] = None
    table.loc[2:20, "kind"] = "a"
    few = difficulty_report(table, "kind", n_trees=1, classifiers=("linear",))
    assert (
        "Left out name (60 different texts); dropped 2 of 60 samples that lack a label; to change"
        in " ".join(str(few).split())
    )


def test_a_counter_with_a_few_repeats_is_an_id():
    random = np.random.default_rng(0)
    number = np.arange(1, 1001)
    number[[5, 50, 500]] = [9, 90, 900]
    tickets = random.integers(0, 10**6, 1000)  # of so many numbers, hardly any repeats
    found = prepare_table(frame(1000, number=number, size=random.integers(0, 1000, 1000)), "kind")
    assert found.notes[0] == "left out number (numbers the samples)"
    for name in ("PolicyNumber", "CLIENTNUM", "policy_number", "patient", "Booking_ID"):
        found = prepare_table(frame(1000, **{name: np.unique(tickets).repeat(2)[:1000]}), "kind")
        assert found.notes == [f"by its name, {name} is a unit"]  # half of them repeat
        distinct = random.choice(10**6, 1000, replace=False)
        found = prepare_table(frame(1000, **{name: distinct}), "kind")
        assert found.notes[0] == f"left out {name} (an id by its name)"
    for name in ("orders", "number of claims", "age", "phone"):
        assert not prepare_table(frame(1000, **{name: distinct}), "kind").notes


def test_a_column_of_one_value_and_gaps_is_a_box_to_tick():
    import pandas

    n = 60
    frame = pandas.DataFrame(
        {
            "size": np.arange(n) % 7,
            "snores": [None, "One of us snores"] * (n // 2),
            "sick": [1.0] + [np.nan] * 9 + [1.0] * 5 + [np.nan] * (n - 15),
            "typo": ["x"] + [None] * (n - 1),
        }
    )
    preparation = TablePreparation(scale="none")
    X = preparation.fit_transform(frame)
    assert preparation.get_feature_names_out().tolist() == ["size", "snores", "sick"]
    np.testing.assert_array_equal(X[:, 1], [0, 1] * (n // 2))
    assert X[:, 2].sum() == 6
    assert "read one value and gaps as ticked or empty: snores, sick" in preparation.notes_
    assert "left out typo (98.3% empty)" in preparation.notes_
    new = frame[:2].assign(snores=["another word", None])
    np.testing.assert_array_equal(preparation.transform(new)[:, 1], [1, 0])
