"""What a document is made of: parts with sentences and tables, which each output renders."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

NAME, NUMBER, FIXED = "name", "number", "fixed"  # kinds of cells; only names may be shortened


@dataclass(frozen=True)
class Lead:
    """The most important sentence."""

    text: str


@dataclass(frozen=True)
class Sentence:
    """A paragraph, perhaps after a sentence that stands out."""

    text: str
    strong: str = ""


@dataclass(frozen=True)
class Target:
    """The verdict on a target: a line with the answer, and the reason."""

    answer: str
    line: str
    reason: str


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    texts: tuple


@dataclass(frozen=True)
class Warnings:
    """The flags; none says so."""

    flags: tuple


@dataclass(frozen=True)
class Code:
    """Lines to copy."""

    lines: tuple


class Cell(NamedTuple):
    """A cell of a table."""

    text: str | tuple  # or the names of two things, each of which may be shortened
    value: float | None = None  # to sort by; None sorts by the text
    kind: str = NAME


class TableFile(NamedTuple):
    """All rows of a table as a file that a page offers."""

    name: str
    words: str  # of the link
    rows: list  # dictionaries


@dataclass(frozen=True)
class Table:
    """A table; `rows(most)` has its first rows as tuples of `Cell`, or all for None."""

    head: tuple
    rows: Callable[[int | None], list]
    first: int | None = None  # rows that a text shows; None shows all, and a page does not sort
    more: str = ""  # what a text says where it shows fewer
    most: int | None = None  # rows that a page lists: the browser has to sort them
    total: int | None = None  # all rows, where a page lists fewer
    file: Callable[[], TableFile] | None = None


@dataclass(frozen=True)
class Drawing:
    """A figure; `drawings()` has its panels as SVG, and `words()` says what they show."""

    drawings: Callable[[], list]
    words: Callable[[], str]
    caption: str = ""


BLOCKS = (Lead, Sentence, Target, Items, Warnings, Code, Table, Drawing)


class Part(NamedTuple):
    """A part of a document."""

    title: str  # empty for what stands under the title of the whole
    blocks: tuple
    folded: bool = False  # whether a page shows it only when opened


class Document(NamedTuple):
    """A title, facts about the data, and parts."""

    title: str
    facts: tuple  # the first one stands in every output, the others on pages that are kept
    parts: tuple
