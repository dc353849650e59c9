"""Files without a header, as many archives keep them: the first line is a sample."""

from smartsvm.tables.column_readers import MISSING_WORDS
from smartsvm.tables.hints import TableError, is_number

_LEAST_ROWS = 10  # below the first line
_LEAST_SIGNS = 2  # fields that no header would have
LOOKED_AT = 500  # rows below the first line


def is_sample(first, rows):
    """Whether the first line is one: nothing in it names a column, and some of it is a value."""
    # Files that were put together may repeat their header.
    rows = [row for row in rows if len(row) == len(first) and row != first]
    if len(first) < 2 or len(rows) < _LEAST_ROWS:
        return False
    numbers = [word for word in map(str.strip, first) if is_number(word)]
    signs = 0
    for word, *below in zip(first, *rows, strict=True):
        word, below = word.strip(), [value.strip() for value in below]
        below = [value for value in below if value.lower() not in MISSING_WORDS]
        if word.lower() in MISSING_WORDS or not below:
            continue
        if is_number(word):
            signs += not word.lstrip("+-").isdecimal() or numbers.count(word) > 1
        elif 2 * sum(map(is_number, below)) > len(below):
            return False  # a name above numbers
        elif word in below:
            signs += 1
        elif 2 * len(set(below)) < len(below):
            return False  # a name above categories
    return signs >= _LEAST_SIGNS


def names_for(first, target):
    """Names of the columns of such a file; the target may be named by its first value."""
    names = [f"column {place}" for place in range(1, len(first) + 1)]
    if target in names:
        return names
    if first.count(target) != 1:
        raise TableError(
            f"no column {target!r}: the first line is a sample, so that the columns have no names. "
            f"Use {names[0]!r} to {names[-1]!r}, or write names above the first line."
        )
    names[first.index(target)] = target
    return names
