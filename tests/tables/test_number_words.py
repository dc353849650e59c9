"""Numbers that are written as text: what the whole column proves, and what stays open."""

import numpy as np
import pandas
import pytest

from smartsvm import TablePreparation, prepare_table
from smartsvm.tables.hints import TableError
from smartsvm.tables.reading import read_table

Y = np.repeat(["a", "b"], 30)


def as_frame(words):
    return pandas.DataFrame({"v": words * (60 // len(words)), "x": np.arange(60) % 7})


def read(words, **options):
    """A table with a column of words, read as a data frame."""
    return prepare_table(as_frame(words), Y, scale="none", keep=["v"], **options)


def read_file(words, folder, separator=",", beside=None, **options):
    """The same table, read from a file."""
    frame = as_frame(words).assign(kind=Y, **(beside or {}))
    frame.to_csv(folder / "t.csv", index=False, sep=separator)
    return read_table(folder / "t.csv", "kind", keep=["v"], **options)


NB, NARROW, THIN, MINUS = "\u00a0", "\u202f", "\u2009", "\u2212"
PROVED = {
    "two dots": (["1.037", "1.234.567", "12"], [1037, 1234567, 12]),
    "a comma behind": (["1.037", "12.345,6", "12"], [1037, 12345.6, 12]),
    "a comma elsewhere": (["1.037", "3,5"], [1037, 3.5]),
    "small whole numbers": (["1.037", "2.250", "845", "37", "912"], [1037, 2250, 845, 37, 912]),
    "two commas": (["1,037", "7,654,321"], [1037, 7654321]),
    "a dot behind": (["1,037", "12,345.6"], [1037, 12345.6]),
    "whole ones beside commas": (["1,250", "2,125", "845"], [1250, 2125, 845]),
    "decimals beside": (["1.037", "2.25", "845"], [1.037, 2.25, 845]),
    "a zero in front": (["0.037", "1.037"], [0.037, 1.037]),
    "a comma with zero in front": (["0,037", "1,037"], [0.037, 1.037]),
    "larger whole numbers": (["1.037", "1037", "12"], [1.037, 1037, 12]),
    "fixed decimals": (["1.037", "2.250", "9.125"], [1.037, 2.25, 9.125]),
    "apostrophes": (["1'037", "12'345.5", "9"], [1037, 12345.5, 9]),
    "other apostrophes": (["1’037", "1’234’567"], [1037, 1234567]),
    "spaces": (["1 037", "12 345,5"], [1037, 12345.5]),
    "no-break spaces": ([f"1{NB}037", f"1{NARROW}234,5", f"9{THIN}999"], [1037, 1234.5, 9999]),
    "lakh": (["12,34,567", "1,00,000.5"], [1234567, 100000.5]),
    "percent": (["12,5 %", "3,25%"], [12.5, 3.25]),
    "percent and no-break space": ([f"12.5{NB}%", f"3{NARROW}%"], [12.5, 3]),
    "euros": (["1.037 €", "12,50 €"], [1037, 12.5]),
    "euros in front": (["€ 1.234.567,89", "€ -5,00"], [1234567.89, -5]),
    "codes of currencies": (["CHF 1'200.50", "chf 3"], [1200.5, 3]),
    "codes behind": (["1.200,50 EUR", "3,00 EUR"], [1200.5, 3]),
    "dollars of a country": (["US$1,200.50", "-US$3"], [1200.5, -3]),
    "rupees": (["₹1,00,000", "₹500"], [100000, 500]),
    "pounds and yen": (["£1,234.5", "¥7"], [1234.5, 7]),
    "losses": (["(1,234.50)", "$(5.00)", "($2.00)", "$9"], [-1234.5, -5, -2, 9]),
    "a minus sign": ([f"{MINUS}1.5", "2"], [-1.5, 2]),
    "signs": (["-1.234.567,5", "+2.000,25"], [-1234567.5, 2000.25]),
    "powers": (["1,5e3", "2,25E-1"], [1500, 0.225]),
    "nothing in front": ([",5", "1,25"], [0.5, 1.25]),
    "limits": (["<1,5", "1.250,75"], [1.5, 1250.75]),
}


@pytest.mark.parametrize("case", PROVED)
def test_a_column_proves_its_marks(case, tmp_path):
    words, values = PROVED[case]
    values = values * (60 // len(words))
    tables = [read(words), read_file(words, tmp_path), read_file(words, tmp_path, ";")]
    tables.append(read_file(words, tmp_path, "\t"))
    for found in tables:
        assert found.X["v"].tolist() == values
        assert not [note for note in found.notes if note.kind.startswith("open")]
        assert not any("decimal" in note for note in found.notes if note.kind == "change")


def test_other_columns_prove_what_one_leaves_open(tmp_path):
    words, price = ["1.037", "2.514", "37"], ["3,50", "12,25", "7,00"] * 20
    for separator in ";\t,":
        found = read_file(words, tmp_path, separator, {"price": price})
        assert found.X["v"].tolist() == [1037, 2514, 37] * 20
        assert found.X["price"].tolist() == [3.5, 12.25, 7] * 20
    dotted = ["3.50", "12.25", "7.00"] * 20
    found = read_file(["1,037", "2,514", "37"], tmp_path, ";", {"price": dotted})
    assert found.X["v"].tolist() == [1037, 2514, 37] * 20
    contradicting = {"price": price, "weight": [2.5, 3.75, 1.5] * 20}
    found = read_file(words, tmp_path, ";", contradicting)
    assert found.X["v"].tolist() == [1.037, 2.514, 37] * 20


OPEN = [
    (["1.037", "2.514", "37", "5", "845"], "1.037", [1.037, 2.514, 37, 5, 845], 1000),
    (["1,037", "2,514"], "1,037", [1037, 2514], 1 / 1000),
    (["1.037", "2,514"], "1.037", [1.037, 2514], None),
    (["1.037", "2.250", "999"], "1.037", [1.037, 2.25, 999], 1000),
    (["1.250", "2.500", "12"], "1.250", [1.25, 2.5, 12], 1000),
]


@pytest.mark.parametrize(("words", "word", "values", "factor"), OPEN)
def test_an_open_reading_is_said_and_can_be_changed(words, word, values, factor, tmp_path):
    found = read(words)
    assert found.X["v"].tolist() == values * (60 // len(words))
    (note,) = [note for note in found.notes if note.kind.startswith("open")]
    assert note.startswith(f"{word!r} in v is read as {values[0]!s}")
    assert ", but may be " in note
    assert "decimal=','" in found.notes[-1]
    of_file = read_file(words, tmp_path)
    assert "--decimal ," in of_file.notes[-1]
    if factor:
        marked = [v * factor if len(w) > 3 else v for w, v in zip(words, values, strict=True)]
        for changed in (read(words, decimal=","), read_file(words, tmp_path, decimal=",")):
            assert changed.X["v"].tolist() == pytest.approx(marked * (60 // len(words)))
            assert not any(note.kind.startswith("open") for note in changed.notes)


def test_amounts_of_money_have_no_third_decimal():
    found = read(["10.000 €", "15.250 €", "900 €"])
    assert found.X["v"].tolist() == [10000, 15250, 900] * 20
    assert "'10.000 €' in v is read as 10000, but may be 10.000" in found.notes
    assert "decimal='.'" in found.notes[-1]
    assert read(["$1,234", "$5,678"]).X["v"].tolist() == [1234, 5678] * 30


@pytest.mark.parametrize(
    ("words", "units"), [(["5%", "0.05"], "none, %"), (["5 USD", "6 EUR"], "eur, usd")]
)
def test_units_that_differ_are_named(words, units):
    note = read(words).notes[0]
    assert note == f"read numbers without their units, which differ ({units}): v"


def test_a_mark_that_the_user_names_is_taken():
    words = ["1.037", "2.250", "845", "37", "912"]
    found = read(words, decimal=".")
    assert found.X["v"].tolist() == [1.037, 2.25, 845, 37, 912] * 12
    with pytest.raises(ValueError, match=r"decimal must be one of \['auto', '\.', ','\], got ';'"):
        read(words, decimal=";")


@pytest.mark.parametrize(
    "words",
    [
        ["1,2", "1,2,3", "2", "3"],  # several answers
        ["1.2.3", "1.10.2", "2.0.1"],  # versions
        ["192.168.1.10", "10.0.0.1", "172.16.100.200"],
        ["12 345 67", "98 765 43", "11 222 33"],  # telephones
        ["V27", "E909", "250", "401", "38"],
    ],
    ids=["answers", "versions", "addresses", "telephones", "codes"],
)
def test_what_is_no_number_stays_text(words):
    found = prepare_table(as_frame(words), Y, scale="none")
    assert any(column.kind == "category" for column in found.columns)
    assert not any(column.sources == ("v",) and column.kind == "number" for column in found.columns)


def test_few_words_among_numbers_are_gaps_and_counted():
    words = [f"{k % 37 + 0.5}" for k in range(1237)]
    odd = ["1,5", "less than year", "5 or 6", "a few", "ask again", "less than year", "~ 3"]
    words[100:800:100] = odd
    table = pandas.DataFrame({"years": words, "x": np.arange(1237) % 7})
    found = prepare_table(table, np.arange(1237) % 2, scale="none")
    assert found.X.columns.tolist() == ["years", "x", "years missing"]
    assert found.X["years missing"].sum() == 7
    assert found.notes[0] == (
        "read '1,5', '5 or 6', 'a few', 'ask again', 'less than year' and '~ 3' among numbers as "
        "missing (7 of 1,237): years"
    ).replace(" and '~ 3'", ", '~ 3'")
    words[100:800:100] = ["V27", "V30.1", "E909", "V45", "E885", "V58", "V42"]
    codes = prepare_table(table.assign(years=words), np.arange(1237) % 2)
    assert "years=1.5" in codes.X or "years" in codes.categories


def test_new_rows_are_read_as_the_fitted_ones():
    table = as_frame(["1.037", "2.250", "845", "37", "912"])
    preparation = TablePreparation(scale="none", keep=["v"])
    X = preparation.fit_transform(table)
    one_by_one = [preparation.transform(table.iloc[[k]])[0] for k in range(60)]
    np.testing.assert_array_equal(one_by_one, X)
    new = pandas.DataFrame({"v": ["4.500", "7"], "x": [1, 2]})
    assert preparation.transform(new)[:, 0].tolist() == [4500, 7]
    assert preparation.transform(new.assign(v=[4500, 7]))[:, 0].tolist() == [4500, 7]
    with pytest.raises(TableError, match=r"holds 4.5, .* dots between thousands: read it as text"):
        preparation.transform(new.assign(v=[4.5, 7]))
    with pytest.raises(TableError, match=r"holds .4\.5., which is written otherwise"):
        preparation.transform(new.assign(v=["4.5", "7"]))
