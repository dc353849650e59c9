"""Files become points and labels, or are refused."""

import gzip

import numpy as np
import pytest
from table_files import GERMAN_LINES, NAMES, X, Y, iris_columns, write_csv

from smartsvm.tables.reading import TableError, read_table


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_seen(delimiter, tmp_path):
    found = read_table(write_csv(tmp_path / "t.csv", iris_columns(), delimiter), "kind")
    assert np.array_equal(found.X, X)
    assert found.X.columns.tolist() == ["a", "b", "c", "d"]
    assert np.array_equal(found.y, NAMES)


def test_npz_and_parquet(tmp_path):
    import pandas

    np.savez(tmp_path / "d.npz", X=X, labels=Y, other=np.zeros((2, 2)))
    found = read_table(tmp_path / "d.npz", "labels")
    assert np.array_equal(found.X, X)
    assert np.array_equal(found.y, Y)
    frame = pandas.DataFrame(X, columns=list("abcd")).assign(kind=NAMES, flag=Y > 0)
    frame.to_parquet(tmp_path / "d.parquet")
    found = read_table(tmp_path / "d.parquet", "kind")
    assert np.array_equal(found.X.to_numpy()[:, :4], X)
    assert np.array_equal(found.X.to_numpy()[:, 4], Y > 0)
    assert np.array_equal(found.y, NAMES)


def test_categories(tmp_path):
    columns = iris_columns() | {"garden": np.array(["north", "south"])[Y % 2]}
    path = write_csv(tmp_path / "t.csv", columns)
    with pytest.raises(TableError, match=r"hold text.*garden.*--categorical onehot"):
        read_table(path, "kind", categorical="refuse")
    found = read_table(path, "kind")
    assert found.X.columns.tolist()[-2:] == ["garden=north", "garden=south"]
    assert np.array_equal(found.X.to_numpy()[:, -1], Y % 2)
    dropped = read_table(path, "kind", categorical="drop")
    assert dropped.X.columns.tolist() == ["a", "b", "c", "d"]
    assert dropped.notes[0] == "left out garden (text)"
    columns["garden"] = [f"case {i % 70}" for i in range(150)]
    found = read_table(write_csv(path, columns), "kind")
    assert found.X.iloc[:, 4:].sum(axis=1).tolist() == [1] * 150
    assert found.X.shape == (150, 4 + 50 + 1)
    assert found.notes[0].endswith("garden (50 most frequent of 70 values)")


def test_missing_values(tmp_path):
    columns = iris_columns()
    columns["b"] = ["NA" if i in (3, 7) else value for i, value in enumerate(X[:, 1])]
    columns["kind"] = ["" if i == 9 else value for i, value in enumerate(NAMES)]
    path = write_csv(tmp_path / "t.csv", columns)
    with pytest.raises(
        TableError,
        match=r"3 of 150 samples lack a value \(columns: b, the target; line 5, line 9, line 11\)"
        r"\. Fill them in, have them filled in with --missing auto, or leave .* --missing drop",
    ):
        read_table(path, "kind", missing="refuse")
    found = read_table(path, "kind", missing="drop")
    assert found.X.shape == (147, 4)
    assert set(found.y) == {"setosa", "versicolor", "virginica"}


def test_a_first_line_of_numbers_is_remarked_on(tmp_path):
    rows = "".join(f"{i}.5,{i * i},{i % 2}\n" for i in range(20))
    for header, remarked in (
        ("1.5,2,0", True),
        ("0,1,2", False),
        ("1,2,3", False),
        ("a,2,0", False),
    ):
        (tmp_path / "t.csv").write_text(header + "\n" + rows)
        table = read_table(tmp_path / "t.csv", header[-1])
        assert any("is it a sample" in note for note in table.notes) == remarked


def test_text_columns_are_named_in_one_note(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c,kind\n" + "1,x,u,p\n2,y,v,q\n3,z,u,q\n" * 4)
    table = read_table(tmp_path / "t.csv", "kind")
    assert table.X.shape == (12, 6)
    assert table.notes == [
        "encoded text as columns of 0 and 1: b (3), c (2)",
        "to change this: --drop NAME, --categorical drop",
    ]


def test_truth_words_are_numbers_and_infinities_are_refused(tmp_path):
    flags = np.where(X[:, 0] > 5, "True", "false")
    table = read_table(write_csv(tmp_path / "t.csv", {"flag": flags, "y": NAMES}), "y")
    np.testing.assert_array_equal(table.X.to_numpy()[:, 0], X[:, 0] > 5)
    values = X[:, 0].copy()
    values[3] = np.inf
    file = write_csv(tmp_path / "i.csv", {"a": X[:, 1], "b": values, "y": NAMES})
    with pytest.raises(TableError, match=r"i\.csv: these columns hold infinite values: b\."):
        read_table(file, "y")


def test_files_that_are_no_text_are_named(tmp_path):
    (tmp_path / "d.csv").write_bytes(b"a,b,y\n1,2,\xff\xfe\n")
    with pytest.raises(TableError, match=r"d\.csv: not written in UTF-8"):
        read_table(tmp_path / "d.csv", "y")


@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_labels_that_say_they_are_missing(suffix, tmp_path):
    import pandas

    labels = np.where(np.arange(150) % 50 == 7, "nan", NAMES)
    np.savez(tmp_path / "d.npz", X=X, kind=labels)
    pandas.DataFrame({"a": X[:, 0], "kind": labels}).to_parquet(tmp_path / "d.parquet")
    with pytest.raises(TableError, match=r"3 of 150 samples .* \(columns: the target; row"):
        read_table(tmp_path / f"d.{suffix}", "kind", missing="refuse")
    table = read_table(tmp_path / f"d.{suffix}", "kind")
    assert len(table.y) == 147
    assert table.notes == ["dropped 3 of 150 samples that lack a label"]  # no option changes that


def test_samples_of_arrays_are_named_by_their_rows(tmp_path):
    points = X.copy()
    points[2, 1] = np.nan
    np.savez(tmp_path / "d.npz", X=points, y=NAMES)
    table = read_table(tmp_path / "d.npz", "y", missing="drop")
    assert table.X.index.tolist() == [0, 1, *range(3, 150)]
    assert table.notes == [
        "dropped 1 of 150 samples that lack a value",
        "to change this: --missing auto",
    ]


def test_labels_of_parquet_keep_their_type(tmp_path):
    import pandas

    path = tmp_path / "d.parquet"
    for labels in (
        np.array([2**53, 2**53 + 1] * 75),
        Y > 0,
        np.array(["007", "7"] * 75),
        np.array([0.0, 1.0] * 75),
    ):
        pandas.DataFrame(X, columns=list("abcd")).assign(kind=labels).to_parquet(path)
        found = read_table(path, "kind").y
        assert found.tolist() == labels.tolist()
        assert found.dtype.kind == labels.dtype.kind
    holes = pandas.array([2**53, 2**53 + 1, None] * 50, dtype="Int64")
    pandas.DataFrame(X, columns=list("abcd")).assign(kind=holes).to_parquet(path)
    with pytest.raises(TableError, match="50 of 150 samples lack a value"):
        read_table(path, "kind", missing="refuse")
    found = read_table(path, "kind", missing="drop").y
    assert sorted(set(found.tolist())) == [2**53, 2**53 + 1]


def test_columns_of_large_integers_are_warned_of(tmp_path):
    columns = iris_columns()
    columns["a"] = [2**60 + i for i in range(150)]
    with pytest.warns(RuntimeWarning, match="column 'a' holds integers beyond"):
        read_table(write_csv(tmp_path / "t.csv", columns), "kind")
    columns["a"] = [f"{i}e300" for i in range(150)]
    read_table(write_csv(tmp_path / "t.csv", columns), "kind")


def _table(folder, name, text, *, pack=False, encoding="utf-8"):
    data = text.encode(encoding)
    (folder / name).write_bytes(gzip.compress(data) if pack else data)
    return folder / name


@pytest.mark.parametrize(("name", "pack"), [("a.csv", False), ("a.csv.gz", True)])
def test_decimal_comma_encoding_and_gzip(tmp_path, name, pack):
    file = _table(tmp_path, name, GERMAN_LINES, pack=pack, encoding="latin-1")
    table = read_table(file, "Größe", encoding="latin-1", decimal=",")
    assert table.X[:2].to_numpy().tolist() == [[0.0, 0.5], [1.1, 3.5]]
    assert table.y.tolist()[:2] == ["klein", "groß"]
    with pytest.raises(TableError, match=r"not written in UTF-8\."):
        read_table(file, "Größe", encoding="utf-8")
    with pytest.raises(TableError, match="one that Python knows, got 'latin-0'"):
        read_table(file, "Größe", encoding="latin-0")


@pytest.mark.parametrize(
    ("word", "number"), [("${}.39", 0.39), ("${},250.75", 250.75), ("{},25 €", 0.25)]
)
def test_numbers_with_units_show_their_decimal_mark(tmp_path, word, number):
    words = [word.format(k % 9 + 1) for k in range(40)]
    lines = [f"{each}\t{k % 7}\t{'ab'[k % 2]}" for k, each in enumerate(words)]
    file = _table(tmp_path, "prices.tsv", "\n".join(["price\tx\ty", *lines]))
    thousand = 1000 if number == 250.75 else 1
    table = read_table(file, "y")
    prices = [(k % 9 + 1) * thousand + number for k in range(40)]
    assert table.X["price"].tolist() == pytest.approx(prices)


def test_half_a_gzip_file_is_refused(tmp_path):
    file = _table(tmp_path, "a.csv.gz", GERMAN_LINES, pack=True)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(TableError, match="gzip file is damaged or incomplete"):
        read_table(file, "Größe")


def test_an_index_without_a_name_can_be_left_out(tmp_path):
    text = ",x,y\n" + "".join(f"{k},{k % 5},{'ab'[k % 2]}\n" for k in range(20))
    file = _table(tmp_path, "index.csv", text)
    notes = read_table(file, "y").notes
    assert notes[0] == "renamed columns without a name of their own: 'column 1'"
    assert notes[1] == "left out column 1 (numbers the samples)"
    assert read_table(file, "y", keep=["column 1"]).X.columns.tolist() == ["column 1", "x"]
    assert read_table(file, "y", drop=["column 1"]).X.columns.tolist() == ["x"]


def _rows(separator=",", end=""):
    return "".join(f"{k % 7}{separator}{k % 5}{separator}{'ab'[k % 2]}{end}\n" for k in range(20))


@pytest.mark.parametrize(
    "text",
    [
        '"in m, or so";"in s, or so";y\n' + _rows(";"),
        '"x; and";"z;;;";y\n'.replace(";y", ",y").replace('";"', '","') + _rows(),
        "x,z,y,\n" + _rows(end=","),
        "x,z,y,,\n" + _rows(end=",,"),
        "x,z,y\n" + _rows(end=","),
        "\n  \nx,z,y\n" + _rows(),
        "x,z,y\n" + _rows().replace("\n", "\n\n   \n"),
    ],
    ids=[
        "commas in names",
        "semicolons in names",
        "an empty end",
        "two empty ends",
        "an empty end below the header",
        "blank lines first",
        "blank lines between",
    ],
)
def test_what_surrounds_a_table_is_no_part_of_it(text, tmp_path):
    found = read_table(_table(tmp_path, "t.csv", text), "y")
    assert found.X.to_numpy().tolist() == [[k % 7, k % 5] for k in range(20)]
    assert found.y.tolist() == ["a", "b"] * 10


def test_lines_are_counted_through_blank_ones(tmp_path):
    file = _table(tmp_path, "t.csv", "\nx,y\n1,a\n\n2,b\n")
    assert read_table(file, "y").X.index.tolist() == ["line 3", "line 5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("x,y\n", "no rows below the header"),
        ("y,,y\n" + _rows(), "two columns are named 'y'. Rename them"),
        ("x,y\n1,a\n2,b,c\n", "line 3: 3 values, but the first line names 2 columns"),
        (
            'x,y\n1,a\n"2,b\n3,a\n',
            "lines 3 to 4, read as one row: 1 value, but .* Is a quote left open",
        ),
        ("x,z,y\n1,,a\n2,,b\n", r"these columns are empty: z\. Leave them out with --drop z"),
        ("x,y\n.5,1.5\n1,2\n", "'y' must hold classes, got 1.5"),
    ],
)
def test_refusals_name_what_is_wrong(text, message, tmp_path):
    for missing in ("refuse", "drop"):
        with pytest.raises(TableError, match=message):
            read_table(_table(tmp_path, "t.csv", text), "y", missing=missing)


def test_a_few_ragged_lines_are_skipped_and_named(tmp_path):
    rows = [f"{k % 7},{k % 5},{'ab'[k % 2]}" for k in range(600)]
    broken = [*rows[:100], "1,a", *rows[100:200], "1,2,a,b", *rows[200:]]
    found = read_table(_table(tmp_path, "t.csv", "\n".join(["x,z,y", *broken, ""])), "y")
    whole = read_table(_table(tmp_path, "u.csv", "\n".join(["x,z,y", *rows, ""])), "y")
    note = "skipped 2 lines of 602, with too few or too many values: 102, 203"
    assert found.notes == [note, *whole.notes]
    np.testing.assert_array_equal(found.X, whole.X)
    assert found.X.dtypes.tolist() == whole.X.dtypes.tolist()
    assert found.X.index[99:101].tolist() == ["line 101", "line 103"]
    many = "\n".join(["x,z,y", *["1,a"] * 7, *rows])  # more than one in a hundred
    with pytest.raises(TableError, match="line 2: 2 values, but the first line names 3 columns"):
        read_table(_table(tmp_path, "v.csv", many), "y")


def test_samples_that_all_lack_something(tmp_path):
    file = _table(tmp_path, "t.csv", "x,z,y\n1,,a\n,2,b\n")
    with pytest.raises(TableError, match=r"every sample lacks a value \(columns: x, z\)"):
        read_table(file, "y", missing="drop")


def test_a_column_serves_one_purpose(tmp_path):
    file = _table(tmp_path, "t.csv", "site,x,y\n" + _rows())
    for options, message in (
        ({"drop": ["y"]}, "'y' is the target: there is no other to leave out"),
        ({"groups": "y"}, "'y' is the target: there is no other to group samples by"),
        ({"groups": "site", "drop": ["site"]}, "'site' is what samples are grouped by"),
        ({"drop": ["x", "x"]}, "'x' is left out already"),
        ({"drop": ["sit"]}, "no column 'sit' to leave out. Did you mean 'site'"),
    ):
        with pytest.raises(TableError, match=message):
            read_table(file, "y", **options)


def _frame(path, **columns):
    import pandas

    frame = pandas.DataFrame({"x": X[:, 0], **columns, "y": NAMES})
    frame.to_parquet(path)
    return path


def test_lists_and_decimals_of_parquet_are_numbers(tmp_path):
    from decimal import Decimal

    table = read_table(_frame(tmp_path / "d.parquet", v=X[:, 1:].tolist()), "y")
    assert table.X.columns.tolist() == ["x", "v[0]", "v[1]", "v[2]"]
    assert np.array_equal(table.X, X)
    exact = [Decimal(str(value)) for value in X[:, 1]]
    assert np.array_equal(read_table(_frame(tmp_path / "d.parquet", d=exact), "y").X, X[:, :2])
    ragged = [[1.0] * (1 + k % 2) for k in range(150)]
    with pytest.raises(
        TableError, match=r"'v' must hold lists of numbers, .* got lengths \[1, 2\]"
    ):
        read_table(_frame(tmp_path / "d.parquet", v=ragged), "y")
    with pytest.raises(TableError, match="'v' holds records"):
        read_table(_frame(tmp_path / "d.parquet", v=[{"a": 1}] * 150), "y")


def test_the_index_of_parquet_is_left_out_or_used(tmp_path):
    import pandas

    frame = pandas.DataFrame(X, columns=list("abcd")).assign(kind=NAMES, site=Y % 2)
    frame.set_index(["kind", "site", "a"]).to_parquet(tmp_path / "d.parquet")
    table = read_table(tmp_path / "d.parquet", "kind", groups="site")
    assert table.X.columns.tolist() == ["b", "c", "d"]
    assert np.array_equal(table.y, NAMES)
    assert np.array_equal(table.groups, Y % 2)
    assert table.notes == ["the index of the data frame is left out: a"]


def test_parquet_that_cannot_be_used(tmp_path):
    import pandas
    import pyarrow
    from pyarrow import parquet

    twice = pyarrow.Table.from_arrays([pyarrow.array(X[:, k]) for k in (0, 1)], ["a", "a"])
    parquet.write_table(twice, tmp_path / "d.parquet")
    with pytest.raises(TableError, match="two columns are named 'a'"):
        read_table(tmp_path / "d.parquet", "y")
    pandas.DataFrame({"x": [], "y": []}).to_parquet(tmp_path / "d.parquet")
    with pytest.raises(TableError, match="there are no samples in it"):
        read_table(tmp_path / "d.parquet", "y")
    with pytest.warns(RuntimeWarning, match="column 'v' holds integers beyond"):
        read_table(_frame(tmp_path / "d.parquet", v=2**60 + np.arange(150)), "y")
