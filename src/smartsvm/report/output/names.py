"""Names in the cells of tables: shortened, and still distinct."""

from smartsvm.presentation.display_names import as_item, display_width, shorten_distinct, shown

_AND = " and "


def joined(text):
    """The text of a cell: that of two names has a word between them."""
    return (
        _AND.join(as_item(shown(each)) for each in text) if isinstance(text, tuple) else shown(text)
    )


def shortened(column, width):
    """The texts of the cells of a column; of two names that are too wide, each has its share."""
    parts = [cell.text if isinstance(cell.text, tuple) else (cell.text,) for cell in column]
    several = max(map(len, parts))
    if several == 1:
        return shorten_distinct([part for (part,) in parts], width, dots="...")
    share = (width - len(_AND) * (several - 1)) // several
    names = [as_item(shown(name)) for part in parts for name in part]
    short = iter(shorten_distinct(names, share, dots="..."))
    texts = [(joined(part), _AND.join(next(short) for _ in part)) for part in parts]
    return [whole if display_width(whole) <= width else cut for whole, cut in texts]
