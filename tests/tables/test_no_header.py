"""Files whose first line is a sample, and roles of columns below a header."""

import pytest

from smartsvm.tables.hints import TableError
from smartsvm.tables.reading import read_table

KINDS = ("cp", "im", "pp")


def rows(mark=",", n=40):
    return [
        mark.join([f"0.{37 * k % 100:02}", str(k % 7), ("A11", "A12")[k % 2], KINDS[k % 3]])
        for k in range(n)
    ]


def write(folder, lines, name="t.data"):
    path = folder / name
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.mark.parametrize("mark", [",", ";", "  "])
@pytest.mark.parametrize("target", ["column 4", "cp"])
def test_a_first_line_that_is_a_sample_is_one(mark, target, tmp_path):
    found = read_table(write(tmp_path, rows(mark)), target)
    assert len(found.y) == 40
    assert found.y[:3].tolist() == list(KINDS)
    assert found.X.columns[:2].tolist() == ["column 1", "column 2"]
    assert found.X.iloc[3].tolist()[:2] == [0.11, 3]
    assert found.X.index[0] == "line 1"
    said = f"the first line is a sample: the columns are called column 1 to {target}"
    assert said in found.notes


def test_a_name_that_the_file_does_not_have(tmp_path):
    with pytest.raises(TableError, match=r"first line is a sample.* Use 'column 1' to 'column 4'"):
        read_table(write(tmp_path, rows()), "kind")


@pytest.mark.parametrize(
    "header", ["size,count,code,kind", "0.5,1.5,code,kind", "2001,2002,2003,kind", "a,b,A11,cp"]
)
def test_a_header_is_none(header, tmp_path):
    found = read_table(write(tmp_path, [header, *rows()]), header.split(",")[-1])
    assert len(found.y) == 40
    repeated = [header, *rows()[:20], header, *rows()[20:]]
    assert read_table(write(tmp_path, repeated), header.split(",")[-1]).X.index[0] == "line 2"


def test_types_and_roles_below_the_header_are_no_samples(tmp_path):
    lines = ["size,count,code,kind", "c,c,A11 A12,d", ",,,class", *rows()]
    found = read_table(write(tmp_path, lines), "kind")
    assert set(found.y) == set(KINDS)
    assert found.X.index[0] == "line 4"
    assert found.notes[0].startswith("left out the two lines below the header, which continue it")
