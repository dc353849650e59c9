"""Files separated by spaces, with titles, of Excel, JSON and Feather, in cp1252, compressed."""

import bz2
import datetime
import gzip
import io
import json
import lzma
import zipfile

import pytest
from table_files import GERMAN_LINES

from smartsvm.tables.hints import TableError
from smartsvm.tables.reading import read_table

ROWS = [(k % 7, k % 5, "ab"[k % 2]) for k in range(30)]
VALUES = [list(row[:2]) for row in ROWS]


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def lines(mark=",", end=""):
    return "".join(f"{mark.join(map(str, row))}{end}\n" for row in ROWS)


def test_spaces(tmp_path):
    found = read_table(write(tmp_path / "t.txt", " x  z y\n" + lines("   ", " ")), "y")
    assert found.X.columns.tolist() == ["x", "z"]
    assert found.X.to_numpy().tolist() == VALUES
    assert found.notes == ["read spaces as separators"]
    assert found.X.index[0] == "line 2"


def test_names_of_rows_as_r_writes_them(tmp_path):
    rows = "".join(f'"case {k}" {a} {b} "{c}"\n' for k, (a, b, c) in enumerate(ROWS))
    found = read_table(write(tmp_path / "t.txt", '"x" "z" "y"\n' + rows), "y")
    assert found.X.to_numpy().tolist() == VALUES
    assert found.y.tolist() == [row[2] for row in ROWS]


@pytest.mark.parametrize(
    "titles", ["A survey\n\nof 2012, here\n", "# of mine\n", "sep=,\n", "y\n", "Table 1: x by y\n"]
)
def test_lines_above_the_header(titles, tmp_path):
    found = read_table(write(tmp_path / "t.csv", titles + "x,z,y\n" + lines()), "y")
    assert found.X.to_numpy().tolist() == VALUES
    assert found.X.index[0] == f"line {titles.count(chr(10)) + 2}"
    n = sum(map(bool, titles.split("\n")))
    assert found.notes == [f"skipped {n} line{'s' * (n > 1)} above the header"]


def test_excel(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["About this file"])
    sheet = book.create_sheet("data")
    for row in (["Title"], [], ["x", None, "when", "y"]):
        sheet.append(row)
    first = datetime.datetime(2020, 1, 1)
    for k, (a, _, c) in enumerate(ROWS):
        sheet.append([a, None, first + datetime.timedelta(days=k), c])
    book.save(tmp_path / "t.xlsx")
    found = read_table(tmp_path / "t.xlsx", "y")
    assert found.X["x"].tolist() == [row[0] for row in ROWS]
    assert found.X["when"].tolist() == [*range(30)]
    assert found.X.index[0] == "row 4"
    assert found.notes[:2] == ["read the sheet 'data' of 2", "skipped 1 row above the header"]
    with pytest.raises(ValueError, match="no column 'z'"):
        read_table(tmp_path / "t.xlsx", "z")
    (tmp_path / "d.xlsx").write_bytes((tmp_path / "t.xlsx").read_bytes()[:-50])
    with pytest.raises(ValueError, match=r"d\.xlsx: not a complete Excel file"):
        read_table(tmp_path / "d.xlsx", "y")
    with pytest.raises(ValueError, match="unpacks to more than 100 bytes"):
        read_table(tmp_path / "t.xlsx", "y", unpack_limit=100)


def test_a_workbook_of_one_sheet_needs_no_note(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["x", "z", "y"], *ROWS):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    found = read_table(tmp_path / "t.xlsx", "y")
    assert found.X.to_numpy().tolist() == VALUES
    assert found.notes == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [([], "the file is empty"), ([["x", "y"]], "there are no rows below the header")],
)
def test_a_workbook_without_samples_is_refused(rows, message, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / "t.xlsx", "y")


def test_json(tmp_path):
    records = [dict(zip("xzy", row, strict=True)) for row in ROWS]
    by_line = "".join(json.dumps(record) + "\n" for record in records)
    columns = {name: [record[name] for record in records] for name in "xzy"}
    for name, text in (
        ("t.jsonl", by_line),
        ("t.ndjson", by_line + "\n"),
        ("t.json", by_line),
        ("t.json", json.dumps(records)),
        ("t.json", json.dumps(columns)),
    ):
        found = read_table(write(tmp_path / name, text), "y")
        assert found.X.to_numpy().tolist() == VALUES
        assert found.y.tolist() == [row[2] for row in ROWS]
    for text, message in (
        (by_line[:-5], "line 30: not readable as JSON"),
        ("[1, 2]", "it must hold records"),
        ("", "the file is empty"),
        (by_line.replace('"y"', '"kind"'), "no column 'y'"),
    ):
        with pytest.raises(ValueError, match=message):
            read_table(write(tmp_path / "t.jsonl", text), "y")


REPEATED = {
    "a record": ("[%s]", '{"x": %d, "x": 7, "y": "%s"}', "one object holds 'x' twice"),
    "a field of a field": (
        "[%s]",
        '{"x": {"a": {"b": %d}}, "x.a.b": 7, "y": "%s"}',
        r"one object holds 'x\.a\.b' and a field 'a\.b' in 'x'",
    ),
    "columns": ('{"x": [%s], "x": [1], "y": ["a"]}', "%d%.0s", "one object holds 'x' twice"),
    "names": (
        '{"columns": ["x", "x", "y"], "data": [%s]}',
        '[%d, 7, "%s"]',
        "one object holds 'x' twice",
    ),
}


@pytest.mark.parametrize("where", REPEATED)
def test_json_that_names_a_value_twice_is_refused(tmp_path, where):
    whole, row, message = REPEATED[where]
    text = whole % ",".join(row % (k, "ab"[k % 2]) for k in range(8))
    with pytest.raises(TableError, match=message):
        read_table(write(tmp_path / "t.json", text), "y")


def test_a_sheet_with_two_targets_is_refused(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["x", "y", "y"], *([k, "ab"[k % 2], "ab"[k % 2]] for k in range(9))):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(TableError, match="two columns are named 'y'"):
        read_table(tmp_path / "t.xlsx", "y")


WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize("encoding", [*WIDE, "cp1252"])
def test_json_in_other_encodings(encoding, tmp_path):
    records = [{"größe": k % 7, "y": ["für", "gegen"][k % 2]} for k in range(20)]
    for name, text in {
        "t.json": json.dumps(records, ensure_ascii=False, indent=1),
        "t.jsonl": "\n".join(json.dumps(record, ensure_ascii=False) for record in records),
    }.items():
        file = tmp_path / name
        file.write_bytes(text.encode(encoding))
        for given in ("auto", encoding):
            found = read_table(file, "y", encoding=given)
            assert found.X["größe"].tolist() == [k % 7 for k in range(20)]
            assert found.y.tolist() == ["für", "gegen"] * 10
            shown = "cp1252" if encoding == "cp1252" else encoding[:6].upper()
            notes = [note for note in found.notes if note.startswith(f"read as {shown}")]
            assert len(notes) == (given == "auto")
        with pytest.raises(TableError, match="not written in UTF-8"):
            read_table(file, "y", encoding="utf-8")
        with pytest.raises(TableError, match="one that Python knows, got 'utf-0'"):
            read_table(file, "y", encoding="utf-0")


@pytest.mark.parametrize("text", ["[]", "{}", " {} "])
def test_json_that_holds_nothing_is_empty(text, tmp_path):
    with pytest.raises(TableError, match=r"t\.json: the file is empty\."):
        read_table(write(tmp_path / "t.json", text), "y")


def test_json_that_holds_more_than_a_table(tmp_path):
    records = [dict(zip("xzy", row, strict=True)) for row in ROWS]
    nested = [{"id": {"y": row[2]}, "at": {"x": row[0], "z": row[1]}} for row in ROWS]
    split = {"columns": ["x", "z", "y"], "index": [*range(30)], "data": ROWS}
    for stored, target, notes in (
        ({"meta": {"rows": 30}, "data": records}, "y", ["read the records of data"]),
        ({"a": [1], "b": {"rows": records}}, "y", ["read the records of b.rows"]),
        ({"features": nested}, "id.y", ["read the records of features"]),
        (nested, "id.y", []),
        ({f"case {k}": record for k, record in enumerate(records)}, "y", []),
        (split, "y", []),
    ):
        found = read_table(write(tmp_path / "t.json", json.dumps(stored)), target)
        assert found.X.to_numpy().tolist() == VALUES
        assert found.y.tolist() == [row[2] for row in ROWS]
        assert found.notes == notes
    for stored, message in (
        ({"meta": 1, "data": records}, r"no records with a field 'kind' .*of data have x, z, y\."),
        ({"a": [1, 2], "b": [1]}, "no records with a field 'kind' in this JSON"),
        ([{"x": 1}], r"no column 'kind'; the columns are x\.$"),
    ):
        with pytest.raises(TableError, match=message):
            read_table(write(tmp_path / "t.json", json.dumps(stored)), "kind")
    both = json.dumps({"a": records, "b": records})
    with pytest.raises(TableError, match="several fields hold records with 'y': a and b"):
        read_table(write(tmp_path / "t.json", both), "y")
    with pytest.raises(TableError, match="not readable as JSON: Expecting"):
        read_table(write(tmp_path / "t.json", json.dumps(records, indent=1)[:-1]), "y")


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_feather(tmp_path, compression):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["x", "z", "y"])
    frame.to_feather(tmp_path / "t.feather", compression=compression)
    found = read_table(tmp_path / "t.feather", "y")
    assert found.X.to_numpy().tolist() == VALUES
    assert found.y.tolist() == [row[2] for row in ROWS]
    with pytest.raises(TableError, match="no column 'w'"):
        read_table(tmp_path / "t.feather", "w")
    with pytest.raises(TableError, match="unpacks to more than 100 bytes"):
        read_table(tmp_path / "t.feather", "y", unpack_limit=100)
    whole = (tmp_path / "t.feather").read_bytes()
    (tmp_path / "d.feather").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match="not a complete Feather or Arrow file"):
        read_table(tmp_path / "d.feather", "y")


def test_a_stream_of_arrow(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    columns = dict(zip("xzy", zip(*ROWS, strict=True), strict=True))
    table = pyarrow.table({name: list(values) for name, values in columns.items()})
    with pyarrow.ipc.new_stream(tmp_path / "t.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=7)
    assert read_table(tmp_path / "t.arrow", "y").X.to_numpy().tolist() == VALUES


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_two_or_four_bytes_for_each_letter(encoding, tmp_path):
    found = read_table(write(tmp_path / "t.csv", "Größe;z;y\n" + lines(";"), encoding), "y")
    assert found.X.columns.tolist() == ["Größe", "z"]
    assert found.X.to_numpy().tolist() == VALUES
    assert found.notes == [f"read as {encoding[:6].upper()}"]


PACKED = {
    "t.csv.gz": gzip.compress,
    "t.csv.bz2": bz2.compress,
    "t.csv.xz": lzma.compress,
    "t.zip": lambda data: archive({"folder/t.csv": data, "folder/": b"", "__MACOSX/._t.csv": b"?"}),
}


def archive(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as stored:
        for name, data in members.items():
            stored.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("name", PACKED)
def test_compressed_files(name, tmp_path):
    file = tmp_path / name
    file.write_bytes(PACKED[name](("x,z,y\n" + lines()).encode()))
    assert read_table(file, "y").X.to_numpy().tolist() == VALUES
    with pytest.raises(TableError, match="unpacks to more than 100 bytes"):
        read_table(file, "y", unpack_limit=100)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match="file is damaged or incomplete"):
        read_table(file, "y")
    file.write_bytes(b"x,z,y\n1,2,a\n")
    with pytest.raises(TableError, match="file is damaged or incomplete"):
        read_table(file, "y")


def test_archives_without_one_table(tmp_path):
    file = tmp_path / "t.zip"
    for members, message in (({}, "holds no file"), ({"a.csv": b"", "b.csv": b""}, "a.csv, b.csv")):
        file.write_bytes(archive(members))
        with pytest.raises(TableError, match=message):
            read_table(file, "y")


def test_western_text(tmp_path):
    found = read_table(write(tmp_path / "t.csv", GERMAN_LINES, "cp1252"), "Größe")
    assert found.y.tolist()[:2] == ["klein", "groß"]
    assert found.notes[0] == ("read as cp1252, a Western European encoding: the file is not UTF-8")
    quoted = "x,y\n" + "".join(
        f"{k % 7},“{'some of it' if k % 2 else 'all of that'}” – 5 €\n" for k in range(20)
    )
    assert "€" in read_table(write(tmp_path / "t.csv", quoted, "cp1252"), "y").y[0]
    cyrillic = "x,y\n" + "".join(f"{k % 7},{'да' if k % 2 else 'нет'}\n" for k in range(20))
    with pytest.raises(ValueError, match="not written in UTF-8"):
        read_table(write(tmp_path / "t.csv", cyrillic, "cp1251"), "y")
    with pytest.raises(ValueError, match="not written in UTF-8"):
        read_table(write(tmp_path / "t.csv", GERMAN_LINES, "cp1252"), "Größe", encoding="utf-8")


def test_a_line_below_the_header_that_continues_it_is_no_sample(tmp_path):
    units = read_table(write(tmp_path / "t.csv", "x,z,y\nmm,kg,kind\n" + lines()), "y")
    assert units.X.to_numpy().tolist() == VALUES
    assert set(units.y) == {"a", "b"}
    assert units.notes == ["left out the line below the header, which continues it: mm, kg, kind"]
    assert units.X.index[0] == "line 3"


def test_answers_below_the_header_name_columns_without_a_name(tmp_path):
    rows = "".join(
        f"{['yes', 'no'][k % 2]},{['red', 'blue'][k % 3 > 1]},{k},m\n" for k in range(40)
    )
    rows = rows.replace("m\n", "f\n", 17)
    text = "Which colours?,,id,sex\nYellow,Response,,Response\n" + rows
    found = read_table(write(tmp_path / "t.csv", text), "sex")
    assert set(found.y) == {"f", "m"}
    assert "renamed columns without a name of their own: 'Response'" in found.notes
    assert found.notes[0].startswith("left out the line below the header")


@pytest.mark.parametrize("first", ["5,5,a\n", "7,kg,a\n", "mm,kg,a\n", "mm,3,c\n"])
def test_an_odd_first_sample_is_one(first, tmp_path):
    found = read_table(write(tmp_path / "t.csv", "x,z,y\n" + first + lines()), "y")
    assert not any("header" in note for note in found.notes)
    assert len(found.y) == len(ROWS) + 1


def test_short_words_with_many_accents_are_cp1252(tmp_path):
    text = "a,y\n" + "".join(f"{k % 7},{('Größe', 'née')[k % 2]}\n" for k in range(40))
    found = read_table(write(tmp_path / "t.csv", text, "cp1252"), "y")
    assert set(found.y) == {"Größe", "née"}


def test_another_alphabet_beside_ascii_letters_is_not_cp1252(tmp_path):
    rows = "".join(f"product number {k},{('да', 'нет')[k % 2]}\n" for k in range(40))
    with pytest.raises(TableError, match="not written in UTF-8"):
        read_table(write(tmp_path / "t.csv", "name,y\n" + rows, "cp1251"), "y")


@pytest.mark.parametrize(("word", "encoding"), [("naïve", "cp437"), ("Universe?åÊ", "mac_roman")])
def test_few_letters_of_an_unknown_encoding_do_not_keep_a_file_out(word, encoding, tmp_path):
    rows = "".join(f"{k % 7},a word or two of plain text,{'ab'[k % 2]}\n" for k in range(40))
    table = write(tmp_path / "t.csv", f"x,name,y\n1,{word},a\n{rows}", encoding)
    found = read_table(table, "y")
    assert len(found.y) == 41
    assert found.notes[0] == (
        "read as mac_roman, because the file is neither UTF-8 nor cp1252: {} may be wrong "
        "(--encoding changes this)".format("a letter" if word == "naïve" else "2 letters")
    )
    with pytest.raises(TableError, match="not written in UTF-8"):
        read_table(table, "y", encoding="utf-8")


def test_notes_cut_names_that_are_whole_questions(tmp_path):
    question = "Which of these do you like best, if at all, and how often do you have it in a year?"
    rows = "".join(
        f"{['pie', 'jam'][k % 2] if k < 12 else ''},{k % 5},{'ab'[k % 2]}\n" for k in range(30)
    )
    found = read_table(write(tmp_path / "t.csv", f'"{question}",x,y\n{rows}'), "y")
    (note,) = (note for note in found.notes if note.startswith("left out"))
    assert note == "left out Which of these do y...have it in a year? (60% empty)"
