"""Columns that the user names."""

from smartsvm._core.validation import describe


def as_names(given, parameter):
    """The names in `drop` or `keep`: one text is one name, None is none."""
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    try:
        if isinstance(given, bytes | bytearray):
            raise TypeError("its items are numbers")
        return tuple(given)
    except TypeError as error:
        raise TypeError(
            f"{parameter} must be the name of a column or a list of names, got {describe(given)}."
        ) from error


def check_repeatable(given, parameter):
    """Raise if names are an iterator: a second fit would find nothing left in it."""
    if hasattr(given, "__next__"):
        raise TypeError(
            f"{parameter} must be the name of a column or a list of names, got "
            f"{describe(given)}, which can be read only once."
        )
