"""Refusals of tables say what would help."""

import pytest

from smartsvm.tables.reading import TableError, read_table


def _write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def test_refusals_of_text_say_what_would_help(tmp_path):
    for values, message in (
        ("red", "columns hold text, not numbers: x\\. Use --categorical onehot"),
        ("1_0", "'x' holds '1_0': write numbers with the digits 0 to 9 only"),
    ):
        file = _write(tmp_path, "text.csv", "x,y\n" + f"{values},a\n{values},b\n")
        with pytest.raises(TableError, match=message):
            read_table(file, "y", categorical="refuse")


def test_each_column_of_text_is_looked_at(tmp_path):
    lines = [f"customer {i},{'ab'[i % 2]},{'uv'[i % 2]}" for i in range(25)]
    file = _write(tmp_path, "mixed.csv", "\n".join(["who it is,city,y", *lines]))
    with pytest.raises(TableError) as refusal:
        read_table(file, "y", categorical="refuse")
    said = str(refusal.value)
    assert "'who it is' differs in every sample: leave it out with --drop 'who it is'." in said
    assert "'city'" not in said


def test_columns_that_are_not_there_and_what_was_meant(tmp_path):
    named = _write(tmp_path, "named.csv", "x|Label\n1|a\n2|b\n")
    with pytest.raises(TableError, match=r"the columns are x, Label\. Did you mean 'Label'"):
        read_table(named, "lable")
    with pytest.raises(TableError, match=r"the columns are x, Label\.$"):
        read_table(named, "something else")
    many = _write(tmp_path, "many.csv", ",".join(f"c{i}" for i in range(30)) + "\n" + "1," * 30)
    with pytest.raises(TableError, match=r"are c0, c1, .*, c8, \.\.\., c27, c28, c29\.$"):
        read_table(many, "kind")
    bare = _write(tmp_path, "bare.csv", "1.5,a\n2.5,b\n")
    with pytest.raises(TableError, match="The first line must name the columns"):
        read_table(bare, "y")


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("latin-1", "such as --encoding latin-1"),
        ("utf-16", "use --encoding utf-16"),
        ("utf-32", "use --encoding utf-32"),
        ("utf-16-le", "use --encoding utf-16-le"),
        ("utf-16-be", "use --encoding utf-16-be"),
        ("utf-32-be", "does not look like text"),
    ],
)
def test_files_in_other_encodings(encoding, message, tmp_path):
    file = tmp_path / "other.csv"
    file.write_text("Größe,y\n1,a\n2,b\n", encoding=encoding)
    with pytest.raises(TableError, match=rf"not written in UTF-8\..*{message}"):
        read_table(file, "y", encoding="utf-8")
