"""Separators of lines other than line feeds are letters of a cell."""

import json

import pytest

from smartsvm.tables.hints import TableError
from smartsvm.tables.reading import read_table

SEPARATORS = ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"]
N = 40


def rows(separator):
    """Words that hold a separator, and labels."""
    return [(f"{'up' if k % 2 else 'down'}{separator}town", k % 7, "ab"[k % 2]) for k in range(N)]


@pytest.mark.parametrize("separator", SEPARATORS, ids=ascii)
@pytest.mark.parametrize("kind", ["plain", "title", "spaces", "jsonl", "json"])
def test_no_row_is_cut(kind, separator, tmp_path):
    lines = rows(separator)
    if kind == "jsonl" or kind == "json":
        records = [dict(zip(("where", "x", "kind"), row, strict=True)) for row in lines]
        texts = [json.dumps(record, ensure_ascii=False) for record in records]
        text = "\n".join(texts) if kind == "jsonl" else f"[{','.join(texts)}]"
    else:
        mark = " " if kind == "spaces" else ","
        text = "".join(mark.join(map(str, row)) + "\n" for row in [("where", "x", "kind"), *lines])
        text = f"A title of the table\n\n{text}" if kind == "title" else text
    path = tmp_path / f"t.{kind if kind.startswith('json') else 'csv'}"
    path.write_text(text, encoding="utf-8", newline="")
    table = read_table(path, "kind")
    assert len(table.y) == N
    names = table.X.columns.tolist()
    assert names[1:] == [f"where={each}{separator}town" for each in ("down", "up")]


def test_names_with_quotes_below_a_title(tmp_path):
    path = tmp_path / "t.csv"
    body = "".join(f"{k % 7},{'ab'[k % 2]}\n" for k in range(N))
    path.write_text(f'A title\n\nx,"the ""real"" kind"\n{body}')
    table = read_table(path, 'the "real" kind')
    assert len(table.y) == N
    assert table.notes[0] == "skipped 1 line above the header"


@pytest.mark.parametrize("text", ["null", "3", "true", '"text"', "[null]", "[[1, 2]]", "[3, 4]"])
def test_json_without_records(text, tmp_path):
    for kind in ("json", "jsonl"):
        path = tmp_path / f"t.{kind}"
        path.write_text(text)
        with pytest.raises(TableError, match="it must hold records with named values"):
            read_table(path, "kind")


@pytest.mark.parametrize("mark", [",", ";"])
def test_a_name_over_two_lines_below_a_title(mark, tmp_path):
    path = tmp_path / "t.csv"
    body = "".join(f"{k % 7}{mark}{'ab'[k % 2]}\n" for k in range(N))
    path.write_text(f'A title\n\n"the\nwidth"{mark}"the\nkind"\n{body}')
    table = read_table(path, "the\nkind")
    assert table.X.columns.tolist() == ["the\nwidth"]
    assert len(table.y) == N


def test_names_may_hold_other_marks(tmp_path):
    path = tmp_path / "t.csv"
    body = "".join(f"{k % 7}|{k % 5}|{'ab'[k % 2]}\n" for k in range(N))
    path.write_text(f"x; y; z|v, w, u|kind\n{body}")
    assert read_table(path, "kind").X.columns.tolist() == ["x; y; z", "v, w, u"]


def test_a_nul_character_cuts_no_value(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n" + "1,a\n2,b\n" * 20 + "3,a\0b\n")
    with pytest.raises(TableError, match="line 42: it holds a NUL character"):
        read_table(path, "kind")


def test_a_square_table_of_columns_and_data(tmp_path):
    path = tmp_path / "t.json"
    names = ["x", "v", *(f"w{k}" for k in range(17)), "kind"]
    rows = [[(j * j + 7 * k) % 11 for j in range(19)] + ["ab"[k % 2]] for k in range(20)]
    path.write_text(json.dumps({"columns": names, "data": rows}))
    assert read_table(path, "kind").X.columns.tolist() == names[:-1]
