"""Data frames from JSON, JSON lines and sheets of Excel."""

import json
import zipfile

from smartsvm.tables.column_readers import import_pandas
from smartsvm.tables.hints import TableError, check_target
from smartsvm.tables.input_file import check_size
from smartsvm.tables.preparation import unique_names

_MOST_TITLES = 50  # rows above the header


def read_json(file, target):
    """The frame of a list of records, of columns by name, or of a record on each line."""
    pandas = import_pandas()
    text = file.read().decode("utf-8-sig")
    try:
        stored = json.loads(text)
    except json.JSONDecodeError:
        stored = [_record(line, k) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    if isinstance(stored, dict) and not any(isinstance(v, list | dict) for v in stored.values()):
        stored = [stored]
    if not stored:
        raise TableError("the file is empty.")
    if isinstance(stored, list) and not all(isinstance(row, dict) for row in stored):
        raise TableError('it must hold records with named values, such as {"a": 1}.')
    frame = pandas.DataFrame(stored)
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    check_target(target, frame.columns.tolist())
    return frame


def _record(line, number):
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise TableError(f"line {number}: not readable as JSON: {error}.") from error


def read_sheet(file, target, unpack_limit):
    """The frame of the first sheet of an Excel file that names the target, and notes."""
    pandas = import_pandas()
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise ImportError(
            "Reading Excel files needs openpyxl: pip install 'smartsvm2[table]'."
        ) from error
    check_size(sum(member.file_size for member in zipfile.ZipFile(file).infolist()), unpack_limit)
    book = load_workbook(file, read_only=True, data_only=True)
    try:
        sheets = {sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in book.worksheets}
    finally:
        book.close()
    found = ((name, _header(rows, target)) for name, rows in sheets.items())
    title, place = next((each for each in found if each[1] is not None), (None, None))
    if title is None:
        rows = next((rows for rows in sheets.values() if rows), [])
        if not rows:
            raise TableError("the file is empty.")
        check_target(target, [str(value) for value in rows[0] if value is not None])
    rows = sheets[title]
    notes = []
    if len(sheets) > 1:
        notes.append(f"read the sheet {title!r} of {len(sheets)}")
    n_titles = sum(any(value is not None for value in row) for row in rows[:place])
    if n_titles:
        notes.append(f"skipped {n_titles} row{'s' * (n_titles > 1)} above the header")
    used = [
        j for j in range(len(rows[place])) if any(_at(row, j) is not None for row in rows[place:])
    ]
    header = unique_names(str(_at(rows[place], j) or "").strip() for j in used)
    numbered = [
        (f"row {k}", [_at(row, j) for j in used])
        for k, row in enumerate(rows[place + 1 :], place + 2)
        if any(value is not None for value in row)
    ]
    if not numbered:
        raise TableError("there are no rows below the header.")
    names, values = zip(*numbered, strict=True)
    frame = pandas.DataFrame(list(values), columns=header, index=names, dtype=object)
    return frame.infer_objects(), notes


def _header(rows, target):
    """The place of the row that names the target, or None."""
    for place, row in enumerate(rows[:_MOST_TITLES]):
        names = [str(value).strip() for value in row if value is not None]
        if len(names) > 1 and target in names:
            return place
    return None


def _at(row, place):
    return row[place] if place < len(row) else None
