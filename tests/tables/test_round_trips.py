"""Random tables written in every format are read back as they were."""

import csv
import gzip
import json
import re
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pandas import DataFrame, Series, Timestamp, date_range, isna
from strategies import examples

from smartsvm import TablePreparation, prepare_table
from smartsvm.tables.column_readers import MISSING_WORDS, stripped
from smartsvm.tables.formats import read_frame
from smartsvm.tables.hints import TableError
from smartsvm.tables.input_file import open_table

LETTERS = [*"abz,;|\t\"' #\\=", "\n", "\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"]
LETTERS += ["\x1d", "\x1e", "\x1b", "\ufeff", "\u200b", "\xa0", "é", "日", "😀", "\0"]
INNER = st.lists(st.sampled_from(LETTERS), max_size=4).map("".join)
WORDS = INNER.map(lambda inner: f"x{inner}y")
_NOT_IN_XML = re.compile(r"[\0-\x08\x0b-\x1f]")
NAMES = INNER.map(lambda inner: f"c{inner}d".replace("\0", ""))  # a name with it is no text
NUMBERS = st.integers(-999, 999).map(str)
GAPS = st.sampled_from(MISSING_WORDS)


@st.composite
def tables(draw):
    """Names of columns, and rows of words, numbers and gaps; the last column has no gaps."""
    names = draw(st.lists(NAMES, min_size=2, max_size=4))
    names = [f"{name}{k}" for k, name in enumerate(names)]
    kinds = [draw(st.sampled_from([WORDS, NUMBERS, WORDS | GAPS, NUMBERS | GAPS])) for _ in names]
    kinds[-1] = WORDS
    rows = draw(st.lists(st.tuples(*kinds), min_size=3, max_size=9))
    assume(all("".join(row).strip() for row in rows))
    return names, rows


def written_csv(path, names, rows, *, mark=",", title="", quoting=csv.QUOTE_ALL):
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(title)
        csv.writer(file, delimiter=mark, quoting=quoting).writerows([names, *rows])


def written_json(path, names, rows, *, lines=False, ascii_only=False):
    records = [dict(zip(names, row, strict=True)) for row in rows]
    dumped = [json.dumps(each, ensure_ascii=ascii_only) for each in records]
    text = "\n".join(dumped) if lines else f"[{','.join(dumped)}]"
    path.write_text(text, encoding="utf-8", newline="")


def written_split(path, names, rows):
    path.write_text(json.dumps({"columns": names, "data": rows}), encoding="utf-8")


def written_frame(path, names, rows):
    frame = DataFrame(rows, columns=names)
    with suppress(OSError):
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_feather(path)


def written_sheet(path, names, rows):
    from openpyxl import Workbook

    book = Workbook()
    for row in [names, *rows]:
        book.active.append(list(row))
    book.save(path)


def written_gz(path, names, rows):
    plain = path.with_suffix("")
    written_csv(plain, names, rows)
    path.write_bytes(gzip.compress(plain.read_bytes()))


WRITERS = {
    ".csv": [
        written_csv,
        lambda *table: written_csv(*table, mark=";"),
        lambda *table: written_csv(*table, mark="|", quoting=csv.QUOTE_MINIMAL),
        lambda *table: written_csv(*table, title="A title of the table\r\n\r\n"),
        lambda *table: written_csv(*table, title="\ufeff"),
    ],
    ".csv.gz": [written_gz],
    ".tsv": [lambda *table: written_csv(*table, mark="\t")],
    ".json": [written_json, written_split, lambda *table: written_json(*table, ascii_only=True)],
    ".jsonl": [lambda *table: written_json(*table, lines=True)],
    ".parquet": [written_frame],
    ".feather": [written_frame],
    ".xlsx": [written_sheet],
}


def read_back(path, target):
    with open_table(path) as (file, kind):
        options = {"encoding": "auto", "decimal": "auto", "unpack_limit": None}
        return read_frame(file, kind, target, None, **options)[0]


def cells(values):
    if values.dtype.kind == "f":  # whole numbers beside gaps
        values = values.astype("Int64")
    return [None if isna(each) else str(each) for each in stripped(values)]


@pytest.mark.parametrize("suffix", WRITERS)
@examples(25)
@given(table=tables(), data=st.data())
def test_a_table_is_read_as_it_was_written(suffix, table, data):
    names, rows = table
    if suffix == ".xlsx":  # XML has no other control characters, and one end of a line
        names, *rows = ([_NOT_IN_XML.sub("", cell) for cell in row] for row in [names, *rows])
    write = data.draw(st.sampled_from(WRITERS[suffix]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        write(path, names, rows)
        if suffix.startswith((".csv", ".tsv")) and any("\0" in "".join(row) for row in rows):
            with pytest.raises(TableError, match=r"NUL character|does not look like text"):
                read_back(path, names[-1])
            return
        frame = read_back(path, names[-1])
    assert frame.columns.tolist() == names
    for k, name in enumerate(names):
        assert cells(frame[name]) == cells(Series([row[k] for row in rows], dtype=object))


SPELLINGS = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%y", "%m/%d/%y", "%y-%m-%d"]
SPELLINGS += ["%b %d, %Y", "%d %B %Y", "%d-%b-%y", "%Y%m%d", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M:%S"]
SPELLINGS += ["%Y-%m-%dT%H:%M:%SZ", "%d/%m/%Y %I:%M %p"]
DOUBT = ("cannot be told apart", "impossible date", "none, such as", "no date", "time zones")


@st.composite
def moments(draw):
    """Days in order or in any order, from 1950 to 2035."""
    start = draw(st.integers(-7000, 18000))
    step = draw(st.sampled_from([1, 2, 7, 23, 31, 100]))
    n = draw(st.integers(12, 30))
    days = date_range(Timestamp(start, unit="D"), periods=n, freq=f"{step}D")
    assume(days[-1].year < 2036)
    order = draw(st.permutations(range(n))) if draw(st.booleans()) else range(n)
    return days[list(order)]


def read_days(words):
    """The days of a column and what is said about it; None where it is read as text."""
    table = DataFrame({"when": words, "x": np.arange(len(words)) ** 0.5})
    prepared = prepare_table(table, np.resize(["a", "b"], len(words)), keep=["when"])
    return prepared.time, " ".join(prepared.notes)


@examples(60)
@given(days=moments(), spellings=st.lists(st.sampled_from(SPELLINGS), min_size=1, max_size=2))
def test_dates_are_read_as_they_were_written_or_doubted(days, spellings):
    words = [day.strftime(spellings[k % len(spellings)]) for k, day in enumerate(days)]
    found, notes = read_days(words)
    if any(doubt in notes for doubt in DOUBT):
        return
    if found is None:
        assert "read dates as columns: when" not in notes
        return
    assert found.tolist() == [(day - Timestamp(0)).days for day in days]


FORMS = ["timestamps", "objects", "seconds"]


@examples(40)
@given(days=moments(), spelling=st.sampled_from(SPELLINGS), form=st.sampled_from(FORMS))
def test_new_rows_mean_the_same_in_any_spelling(days, spelling, form):
    stored = {"timestamps": days, "objects": Series(days.to_pydatetime(), dtype=object)}.get(form)
    if stored is None:
        stored = [(day - Timestamp(0)).total_seconds() for day in days]
        assume(min(stored) > 1e9)  # earlier numbers may be anything
    assume(spelling != "%Y%m%d")  # a number is none of these
    preparation = TablePreparation(scale="none").fit(DataFrame({"date": stored}))
    expected = preparation.transform(DataFrame({"date": list(days)}))
    new = DataFrame({"date": [day.strftime(spelling) for day in days]})
    found, refusal = None, ""
    try:
        found = preparation.transform(new)
    except TableError as error:
        refusal = str(error)
    if found is None:
        assert "cannot be told apart" in refusal
        return
    assert np.allclose(found, expected)
    for k in (0, len(days) - 1):
        assert np.allclose(preparation.transform(new.iloc[[k]]), expected[[k]])
