"""Data frames from JSON, JSON lines and sheets of Excel."""

import json
import re
import zipfile

import numpy as np

from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import import_pandas, unique_names
from smartsvm.tables.dates import days_of_excel
from smartsvm.tables.hints import TableError, about_encoding, check_target
from smartsvm.tables.input_file import check_size
from smartsvm.tables.name_hints import DATED, has_hint
from smartsvm.tables.records import in_note
from smartsvm.tables.text_lines import encoding_of

_MOST_TITLES = 50  # rows above the header
_LINE_END = re.compile("\r\n|\n|\r")
_LEAST_DATES = 10  # different numbers that may be dates by their size alone
_DEEPEST = 2  # dots in the key of records


def read_json(file, target, encoding):
    """The frame of records, of columns by name, or of a record on each line; and notes."""
    pandas = import_pandas()
    text, notes = _decoded(file, encoding)
    try:
        stored = _loads(text)
    except json.JSONDecodeError as error:
        # Other separators of lines may stand within a text.
        lines = [(k, line) for k, line in enumerate(_LINE_END.split(text), 1) if line.strip()]
        if lines and not _is_json(lines[0][1]):  # one value over several lines
            raise TableError(f"not readable as JSON: {error}.") from error
        stored = [_record(line, k) for k, line in lines]
    if stored in ({}, []):
        raise TableError("the file is empty.")
    if isinstance(stored, dict):
        stored, key = _table_in(stored, target)
        notes += [f"read the records of {key}"] if key else []
    is_records = isinstance(stored, list) and all(isinstance(row, dict) for row in stored)
    if not is_records and not isinstance(stored, dict):
        raise TableError('it must hold records with named values, such as {"a": 1}.')
    if is_records and any(isinstance(value, dict) for row in stored for value in row.values()):
        # A field of a field is called field.field.
        fields = pandas.json_normalize(stored)
        _check_fields(stored, fields.columns)
        stored = fields
    frame = pandas.DataFrame(stored)
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    check_target(target, frame.columns.tolist())
    return frame, notes


def _decoded(file, encoding):
    """The text of a file, and notes."""
    data = file.read()
    # JSON begins with ASCII: its first bytes tell wide letters, also without a mark.
    wide = json.detect_encoding(data) if encoding == "auto" else "utf-8"
    if wide.startswith("utf-8"):
        encoding, notes = encoding_of(file, encoding)
    else:
        encoding, notes = wide, [f"read as {wide[:6].upper()}"]
    try:
        return data.decode(encoding), notes
    except UnicodeError as error:
        name = "UTF-8" if encoding == "utf-8-sig" else encoding
        raise TableError(f"not written in {name}." + about_encoding(data[:4096])) from error
    except LookupError as error:
        raise TableError(f"--encoding must be one that Python knows, got {encoding!r}.") from error


def _table_in(stored, target):
    """Records or columns in an object, and the key of the records if they have one."""
    if stored and all(isinstance(value, dict) and target in value for value in stored.values()):
        return [*stored.values()], None  # records by their names
    # As pandas writes them with orient="split"; a square table looks like two columns of lists.
    names = stored.get("columns") if "data" in stored else None
    if isinstance(names, list) and (target in names or not _are_columns(stored)):
        return [_without_repeats(zip(names, row, strict=True)) for row in stored["data"]], None
    if _are_columns(stored):
        return stored, None
    places = [(key, value) for key, value in stored.items()]
    for key, value in places:  # it grows: fields of the object, then their fields
        if isinstance(value, dict) and key.count(".") < _DEEPEST:
            places += [(f"{key}.{name}", each) for name, each in value.items()]
    found = [(key, value) for key, value in places if _are_records(value)]
    named = [each for each in found if any(_has_field(row, target) for row in each[1])]
    if len(named) == 1:
        return named[0][1], named[0][0]
    if len(named) > 1:
        keys = listed([key for key, _ in named], 5, " and ")
        raise TableError(f"several fields hold records with {target!r}: {keys}. Store one of them.")
    if not any(isinstance(value, list | dict) for value in stored.values()):
        return [stored], None  # one line of records
    known = dict.fromkeys(name for _, rows in found[:1] for name in rows[0])
    what = f"; the records of {found[0][0]} have {listed(known)}" if found else ""
    raise TableError(f"no records with a field {target!r} in this JSON{what}.")


def _are_columns(stored):
    """Whether an object has a list of values, or an object of them, for each column."""
    values = [*stored.values()]
    if not values or not isinstance(values[0], list | dict):
        return False
    if any(type(value) is not type(values[0]) or len(value) != len(values[0]) for value in values):
        return False
    plain = values if isinstance(values[0], list) else [each.values() for each in values]
    return not any(isinstance(each, dict) for value in plain for each in value)


def _are_records(value):
    return isinstance(value, list) and value and all(isinstance(row, dict) for row in value)


def _has_field(row, target):
    """Whether a record has a field, or a field of its fields, with the name."""
    first, _, rest = target.partition(".")
    return target in row or (rest != "" and isinstance(row.get(first), dict))


def _loads(text):
    """JSON whose objects hold no name twice; Python would keep the last value alone."""
    return json.loads(text, object_pairs_hook=_without_repeats)


def _without_repeats(pairs):
    named = {}
    for name, value in pairs:
        if name in named:
            raise TableError(f"one object holds {name!r} twice. Rename one of them.")
        named[name] = value
    return named


def _check_fields(records, names):
    """Raise if a field has the name that a field of a field gets."""
    names = {name for name in names if "." in name}
    for record in records:
        for name in names & record.keys():
            first, _, rest = name.partition(".")
            if not isinstance(record[name], dict) and _has_at(record.get(first), rest):
                raise TableError(
                    f"one object holds {name!r} and a field {rest!r} in {first!r}. Rename one."
                )


def _has_at(value, path):
    """Whether an object has a field, or a field of a field, at a path with dots."""
    if not isinstance(value, dict):
        return False
    first, _, rest = path.partition(".")
    return path in value or (rest != "" and _has_at(value.get(first), rest))


def _is_json(line):
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def _record(line, number):
    try:
        return _loads(line)
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
    written = [str(_at(rows[place], j) or "").strip() for j in used]
    if written.count(target) > 1:
        raise TableError(f"two columns are named {target!r}. Rename them.")
    header = unique_names(written)
    numbered = [
        (f"row {k}", [_at(row, j) for j in used])
        for k, row in enumerate(rows[place + 1 :], place + 2)
        if any(value is not None for value in row)
    ]
    if not numbered:
        raise TableError("there are no rows below the header.")
    names, values = zip(*numbered, strict=True)
    frame = pandas.DataFrame(list(values), columns=header, index=names, dtype=object)
    frame = frame.infer_objects()
    return frame, [*notes, *_on_numbers_like_dates(frame, target)]


def _on_numbers_like_dates(frame, target):
    """Notes on columns of numbers as Excel stores dates, which are not formatted as such."""
    for name, values in frame.items():
        if name == target or values.dtype.kind not in "if" or has_hint(name, DATED):
            continue
        numbers = values.to_numpy(dtype=float)
        dates = days_of_excel(numbers)
        present = numbers[~np.isnan(numbers)]
        if dates is None or len(np.unique(present)) < _LEAST_DATES:
            continue
        if (present % 1).any() or not (present % 5).any():  # amounts of money are mostly round
            continue
        yield (
            f"the numbers of {in_note(name)} are those that Excel stores for dates, here "
            f"{dates.span}: if they are dates, format the column as such"
        )


def _header(rows, target):
    """The place of the row that names the target, or None."""
    for place, row in enumerate(rows[:_MOST_TITLES]):
        names = [str(value).strip() for value in row if value is not None]
        if len(names) > 1 and target in names:
            return place
    return None


def _at(row, place):
    return row[place] if place < len(row) else None
