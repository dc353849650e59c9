"""Points and labels from a file, with refusals that say what to do."""

from contextlib import suppress

import numpy as np

from smartsvm.presentation.options import in_shell
from smartsvm.tables.formats import TEXT, read_frame
from smartsvm.tables.frames import Frame
from smartsvm.tables.hints import TableError
from smartsvm.tables.input_file import UNPACK_LIMIT, in_units, open_table
from smartsvm.tables.label_columns import GROUPS
from smartsvm.tables.prepared import prepare


def read_table(path, target, **options):
    """The `PreparedTable` of a file; the parameters are the options of ``report``."""
    return read_with_columns(path, target, **options)[0]


def read_with_columns(
    path,
    target,
    *,
    choose=None,
    groups=None,
    time=None,
    drop=(),
    keep=(),
    counts=None,
    categorical="onehot",
    missing="auto",
    encoding="auto",
    decimal="auto",
    unpack_limit=UNPACK_LIMIT,
    purpose_of_groups=GROUPS,
):
    """The same, and a frame of the columns that `choose` names, which are no part of the table."""
    size = 0
    try:
        with open_table(path, unpack_limit) as (file, kind):
            size = file.seek(0, 2)
            file.seek(0)
            frame, notes = read_frame(
                file,
                kind,
                target,
                groups,
                encoding=encoding,
                decimal=decimal,
                unpack_limit=unpack_limit,
            )
        names = [] if choose is None else choose(frame.columns.tolist())
        beside = frame[names]
        frame = frame.drop(columns=names)
        table = prepare(
            Frame(frame, frame.columns.tolist()),
            target,
            groups=groups,
            time=time,
            drop=drop,
            keep=keep,
            counts=counts,
            categorical=categorical,
            missing=missing,
            scale="none",
            option=_option,
            decimal=decimal,
            typed=read_labels_as if kind in TEXT else None,
            notes=notes,
            purpose_of_groups=purpose_of_groups,
        )
        return table, beside.iloc[table.rows]
    except TableError as error:
        raise TableError(f"{path}: {error}") from error
    except MemoryError as error:
        what = f"{path}: not enough memory to read {in_units(size)}"
        raise MemoryError(f"{what}: {error}" if str(error) else f"{what}.") from error


def _option(name, value):
    """A parameter as the command line writes it."""
    return f"--{name} {in_shell(value)}"


def read_labels_as(labels):
    """Labels as numbers where each is written as Python writes that number; and a note."""
    words, codes = np.unique(labels, return_inverse=True)
    numbers = [_number(word) for word in words.tolist()]
    if None in numbers:
        return labels, None
    odd = next((w for w, v in zip(words.tolist(), numbers, strict=True) if str(v) != w), None)
    whole = all(number == int(number) for number in numbers)
    # A continuous target has an error of its own.
    continuous = not whole and len(words) == len(set(numbers)) > len(labels) / 2
    if continuous or (odd is None and len(set(map(type, numbers))) == 1):
        return np.array(numbers)[codes], None
    why = f"a number would not be written as {odd!r}" if odd else "some are whole numbers"
    return labels, f"labels are read as text: {why}"


def _number(word):
    """The integer of 64 bits or finite float that a word stands for in plain digits, or None."""
    if not word.isascii() or "_" in word:
        return None
    for kind, limit in ((int, 2**63), (float, np.inf)):
        with suppress(ValueError):
            if abs(value := kind(word)) < limit:
                return value
    return None
