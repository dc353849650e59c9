"""Data frames from files of each format: numbers or text, NaN where a value is missing."""

import contextlib
import csv
import io
import itertools
import re
from collections import Counter

import numpy as np

from smartsvm._core.validation import warn_of_large_integers
from smartsvm.presentation.display_names import shorten
from smartsvm.presentation.wording import counted, listed
from smartsvm.tables.column_readers import MISSING_WORDS, import_pandas, stripped, unique_names
from smartsvm.tables.hints import TableError, about_encoding, about_header, check_target
from smartsvm.tables.input_file import check_size
from smartsvm.tables.json_and_excel import read_json, read_sheet
from smartsvm.tables.lines_below_header import continues_header, holds_roles, text_of
from smartsvm.tables.no_header import LOOKED_AT, is_sample, names_for
from smartsvm.tables.number_words import may_be_grouped
from smartsvm.tables.text_lines import encoding_of, parts_of_row, plain_lines, whole_line

TEXT = (".csv", ".tsv", ".txt", ".data", ".dat", ".tab")
JSON = (".json", ".jsonl", ".ndjson")
ARROW = (".feather", ".arrow")
_QUOTED = re.compile('"[^"]*"')
_MOST_RAGGED = 0.01  # of the rows: more with too few or too many values are not read over


def read_frame(file, kind, target, groups, *, encoding, decimal, unpack_limit):
    """The data frame of an open file, whose index names rows, and notes."""
    if kind in TEXT:
        return _read_text(file, kind, target, groups, encoding, decimal)
    if kind in (".parquet", ".pq"):
        import_pandas()
        frame, notes = _read_parquet(file, target, groups, unpack_limit)
    elif kind in ARROW:
        import_pandas()
        frame, notes = _read_arrow(file, target, groups, unpack_limit)
    elif kind in (".npz", ".npy"):
        frame = _read_npz(file, target, unpack_limit)
        notes = []
    elif kind in JSON:
        with _damage_as_table_error("not readable as JSON"):
            frame, notes = read_json(file, target, encoding)
    elif kind == ".xlsx":
        with _damage_as_table_error("not a complete Excel file"):
            frame, notes = read_sheet(file, target, unpack_limit)
        return frame, notes
    else:
        other = " Save the sheet as .xlsx or CSV." if kind in (".xls", ".ods") else ""
        raise TableError(
            "the name must end in .csv, .tsv, .txt, .xlsx, .jsonl, .parquet, .feather or .npz."
            + other
        )
    return frame.reset_index(drop=True), notes


@contextlib.contextmanager
def _damage_as_table_error(message):
    """Readers of foreign formats raise all kinds of errors when a file is damaged."""
    try:
        yield
    except (ImportError, MemoryError, TableError):
        raise
    except Exception as error:
        raise TableError(f"{message}: {error}") from error


def _read_text(file, kind, target, groups, encoding, decimal):
    encoding, notes = encoding_of(file, encoding)
    file, encoding, more = plain_lines(file, kind, target, encoding)
    header, has_header, lines, ragged, delimiter = _scan(file, kind, target, encoding)
    if ragged:
        more = [*more, _about_ragged(ragged, len(lines))]
        file = _without(file, ragged, encoding, delimiter)
        encoding = "utf-8"
    about = about_header(header) if has_header else _about_no_header(header)
    notes = [*notes, *more, *filter(None, [about])]
    options = {"delimiter": delimiter, "decimal": decimal, "texts": (target, groups)}
    options["has_header"] = has_header
    frame = _parsed(file, header, encoding=encoding, **options)
    written = header
    if has_header and len(frame) == len(lines) and continues_header(frame, header.index(target)):
        below = [text_of(value) or "" for value in frame.iloc[0].tolist()]
        n_more = 1 + holds_roles(frame)
        file = _without(file, lines[:n_more], encoding, delimiter)
        frame = _parsed(file, header, encoding="utf-8", **options)
        first = listed([word for word in dict.fromkeys(below) if word], 3)
        what = ("line", "continues") if n_more == 1 else ("two lines", "continue")
        notes.append(f"left out the {what[0]} below the header, which {what[1]} it: {first}")
        header = [name or word for name, word in zip(header, below, strict=True)]
        lines = lines[n_more:]
    header = unique_names(header)
    if renamed := [new for new, old in zip(header, written, strict=True) if new != old]:
        names = listed([repr(shorten(name, 40)) for name in renamed], 8)
        notes.append(f"renamed columns without a name of their own: {names}")
    if len(frame) != len(lines):
        raise TableError("quotation marks in it are ambiguous: write a quote in a value twice.")
    frame = frame.set_axis(header, axis=1).copy()  # one block of memory per type, not per column
    for name in {target, groups} & set(header):
        frame[name] = stripped(frame[name])
    return frame.set_axis([f"line {line}" for line in lines]), notes


def _about_no_header(names):
    return f"the first line is a sample: the columns are called {names[0]} to {names[-1]}"


def _parsed(file, header, *, has_header, encoding, delimiter, decimal, texts):
    """The columns of a text file, numbered; those with the names of `texts` as text."""
    pandas = import_pandas()
    # By default, pandas parses numbers exactly only from 3.1 on.
    old = tuple(map(int, pandas.__version__.split(".")[:2])) < (3, 1)
    places = [*range(len(header))]

    def parsed(texts, some=places):
        file.seek(0)
        return pandas.read_csv(
            file,
            sep=delimiter,
            decimal=decimal.replace("auto", "."),
            encoding=encoding,
            header=0 if has_header else None,
            names=places,
            usecols=some,
            index_col=False,
            dtype=dict.fromkeys(texts, str),
            keep_default_na=False,
            na_values=MISSING_WORDS,
            skipinitialspace=True,
            low_memory=False,
            **{"float_precision": "round_trip"} if old else {},
        )

    with _damage_as_table_error("not readable as a table"):
        frame = parsed([header.index(name) for name in texts if name in header])
        commas = any(_has_comma(frame[k]) for k in frame)
        grouped = [k for k in frame if decimal == "auto" and may_be_grouped(frame[k], commas)]
        if grouped:  # their words tell what was taken for decimals
            words = parsed(grouped, grouped)
            for k in grouped:
                frame[k] = words[k]
        return frame


def _has_comma(values):
    """Whether a comma is in the first words of a column."""
    is_text = values.dtype.kind in "OTU"
    return is_text and any("," in str(word) for word in values[:LOOKED_AT].tolist())


def _scan(file, kind, target, encoding):
    """The names of columns, whether the file has them, the lines of rows, and the separator."""
    name = "UTF-8" if encoding == "utf-8-sig" else encoding
    not_text = f"not written in {name}." + about_encoding(file.read(4096))
    file.seek(0)
    try:
        text = io.TextIOWrapper(file, encoding=encoding, newline="")
    except LookupError as error:
        raise TableError(f"--encoding must be one that Python knows, got {encoding!r}.") from error
    try:
        filled = (line for line in text if line.strip())
        first = whole_line(itertools.islice(filled, LOOKED_AT))
        # Separators within quotes belong to a name.
        marks = sorted(",;\t|", key=_QUOTED.sub("", first).count, reverse=True)
        # Other marks may stand in names without quotes; the right one makes the target a name.
        named = (mark for mark in marks if target in parts_of_row([first], mark))
        delimiter = "\t" if kind == ".tsv" else next(named, marks[0])
        text.seek(0)
        rows = csv.reader(text, delimiter=delimiter, skipinitialspace=True)
        return *_scan_rows(rows, target, not_text), delimiter
    except UnicodeError as error:
        raise TableError(not_text) from error
    except csv.Error as error:
        raise TableError(
            f"line {rows.line_num}: not readable as a table: {error}. Is a quote left open?"
        ) from error
    finally:
        text.detach()


def _scan_rows(rows, target, not_text):
    numbered = _numbered(rows)
    header, *first = next(numbered, ([], 0, 0))
    header = [name.strip() for name in header]
    lines = []
    ragged = []
    refusal = None
    if not header:
        raise TableError("the file is empty.")
    if "\0" in "".join(header):
        raise TableError(not_text)
    peeked = [*itertools.islice(numbered, LOOKED_AT)]
    if not peeked:
        raise TableError("there are no rows below the header.")
    below = [row for row, *_ in peeked]
    # A separator at the end of every line makes no column.
    while header[1:] and not (header[-1] or "".join(below[0][len(header) - 1 :]).strip()):
        header.pop()
    has_header = not is_sample(header, [row[: len(header)] for row in below])
    if has_header:
        if header.count(target) > 1 or about_header(header):
            _check_unique(header)
        check_target(target, header, is_text=True)
    else:
        peeked = [(header, *first), *peeked]
        header = names_for(header, target)
    for row, begin, end in itertools.chain(peeked, numbered):
        if "\0" in "".join(row):  # the reader of pandas would cut the value there
            raise TableError(f"line {begin}: it holds a NUL character, which no text does.")
        if len(row) < len(header) or "".join(row[len(header) :]).strip():
            where = f"line {begin}" if begin == end else f"lines {begin} to {end}, read as one row"
            refusal = refusal or TableError(
                f"{where}: {len(row)} value{'s' if len(row) > 1 else ''}, but the first line names "
                f"{len(header)} columns." + (" Is a quote left open?" if begin < end else "")
            )
            if begin < end:  # there is no telling how many rows it has swallowed
                raise refusal
            ragged.append(begin)
        else:
            lines.append(begin)
    if len(ragged) > _MOST_RAGGED * len(lines):
        raise refusal
    return header, has_header, lines, ragged


def _about_ragged(ragged, n_rows):
    return (
        f"skipped {counted(len(ragged), 'line')} of {n_rows + len(ragged):,}, with too few or too "
        f"many values: {listed(list(map(str, ragged)), 5)}"
    )


def _without(file, ragged, encoding, delimiter):
    """A copy of a text file without some lines."""
    file.seek(0)
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    copy = io.StringIO()
    ragged = {*ragged}
    rows = csv.reader(text, delimiter=delimiter, skipinitialspace=True)
    writer = csv.writer(copy, delimiter=delimiter)
    writer.writerows(row for row, begin, _ in _numbered(rows) if begin not in ragged)
    text.detach()
    return io.BytesIO(copy.getvalue().encode())


def _numbered(rows):
    """Rows that are not blank, with the lines on which they begin and end."""
    end = 0
    for row in rows:
        begin = end + 1
        end = rows.line_num  # a quoted value may hold line breaks
        if len(row) > 1 or "".join(row).strip(" \t"):
            yield row, begin, end


def _check_unique(names):
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        what = f"two columns are named {twice!r}" if twice else "several columns have no name"
        how = "The first line must name the columns" if about_header(names) else "Rename them"
        raise TableError(f"{what}. {how}.")


def _read_parquet(file, target, groups, unpack_limit):
    from pyarrow import parquet

    with _damage_as_table_error("not a complete Parquet file"):
        stored = parquet.ParquetFile(file)
        schema = stored.schema_arrow
        _check_unique(schema.names)
        check_target(target, schema.names)
        check_size(8 * stored.metadata.num_rows * len(schema.names), unpack_limit)
        return _frame_of(stored.read(), schema, target, groups)


def _read_arrow(file, target, groups, unpack_limit):
    """A Feather file, or a stream of Arrow, as Hugging Face stores them."""
    from pyarrow import ArrowInvalid, Table, ipc

    with _damage_as_table_error("not a complete Feather or Arrow file"):
        try:
            stored = ipc.open_file(file)
            batches = map(stored.get_batch, range(stored.num_record_batches))
        except ArrowInvalid:
            file.seek(0)
            batches = stored = ipc.open_stream(file)
        _check_unique(stored.schema.names)
        check_target(target, stored.schema.names)
        kept, size = [], 0
        for batch in batches:
            kept.append(batch)
            size += batch.nbytes
            check_size(size, unpack_limit)
        table = Table.from_batches(kept, stored.schema)
        return _frame_of(table, stored.schema, target, groups)


def _frame_of(table, schema, target, groups):
    """The frame of an Arrow table without its index, and notes."""
    pandas = import_pandas()
    from pyarrow import types

    # Otherwise a missing value would turn integers into floats and truth values into objects.
    def nullable(kind):
        exact = types.is_integer(kind) or types.is_boolean(kind)
        return pandas.ArrowDtype(kind) if exact else None

    table.validate(full=True)
    frame = table.to_pandas(ignore_metadata=True, types_mapper=nullable)
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in index if name in schema.names and name not in (target, groups)]
    named = [name for name in index if not name.startswith("__index_level_")]
    notes = [f"the index of the data frame is left out: {', '.join(named)}"] if named else []
    return frame.drop(columns=index), notes


def _read_npz(file, target, unpack_limit):
    pandas = import_pandas()
    with _damage_as_table_error("not a file of arrays as np.savez writes them"):
        stored = np.load(file, allow_pickle=False)
        if isinstance(stored, np.ndarray):
            raise TableError("one array only: save it together with its labels by np.savez.")
        check_size(sum(member.file_size for member in stored.zip.infolist()), unpack_limit)
    if target not in stored.files:
        raise TableError(f"no array {target!r}; the arrays are {', '.join(stored.files)}.")
    labels = _array(stored, target)
    if labels.ndim != 1:
        raise TableError(
            f"{target} must be one-dimensional, one label per row, got shape {labels.shape}."
        )
    others = [name for name in stored.files if name != target]
    arrays = {name: _array(stored, name) for name in (["X"] if "X" in others else others)}
    tables = {name: array for name, array in arrays.items() if array.ndim == 2}
    if len(tables) != 1:
        raise TableError(
            f"it must hold one two-dimensional array besides {target!r}, or one named X, got "
            f"{sorted(tables) or 'none'}."
        )
    ((name, X),) = tables.items()
    if len(X) != len(labels):
        raise TableError(f"{name} has {len(X)} rows, {target} has {len(labels)}.")
    if X.dtype.kind not in "biuf":
        raise TableError(f"{name} must hold numbers, got dtype {X.dtype}.")
    warn_of_large_integers(X, name)
    # The target keeps its name, also where a feature would have the same.
    names = unique_names([target, *(f"{name}{i}" for i in range(X.shape[1]))])[1:]
    frame = pandas.DataFrame(X.astype(float), columns=names)
    frame[target] = labels
    return frame


def _array(stored, name):
    """An array of an npz file, never unpickled."""
    with _damage_as_table_error(f"{name} cannot be read"):
        try:
            array = stored[name]
        except MemoryError as error:
            raise MemoryError(f"{name}: {error}") from error
        except ValueError as error:
            if "allow_pickle=False" not in str(error):
                raise
            raise TableError(
                f"{name} holds Python objects: save it as an array of numbers or text, for "
                f"instance by {name}.astype(str)."
            ) from error
        if not isinstance(array, np.ndarray):
            raise TableError(f"{name} is not an array as np.savez writes them.")
    return array
