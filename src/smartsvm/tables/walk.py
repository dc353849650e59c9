"""The way of a table, walked once: columns as read, useless ones, rows, gaps and categories, scale.

`TablePreparation.fit` walks it with all rows, `prepare_table` with those that have a label.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.column_scales import SCALES, ColumnScale
from smartsvm._core.validation import check_choice
from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import read_columns, readers_of
from smartsvm.tables.encoding import Encoding
from smartsvm.tables.far_values import notes_on_far_values
from smartsvm.tables.hints import TableError, about_text
from smartsvm.tables.name_hints import notes_on_hints
from smartsvm.tables.named_columns import as_names, check_repeatable
from smartsvm.tables.records import BY_VALUE, LEFT_OUT, TEXT, Note, in_note
from smartsvm.tables.useless_columns import useless_columns

CATEGORICAL = ("onehot", "drop", "refuse")
DECIMALS = ("auto", ".", ",")
_MOST_HINTS = 3  # on text columns


def as_keyword(name, value):
    """A parameter as Python writes it."""
    shown = value if value == "NAME" else repr(value)
    return f"{name}=[{shown}]" if name in ("drop", "keep") else f"{name}={shown}"


class Walk(NamedTuple):
    """A table as it was read, before its rows are chosen."""

    read: list  # all columns
    useless: list  # `Useless` ones of them
    places: list  # of the others
    readers: dict  # of each column of the table

    @property
    def used(self):
        """The columns that are not left out."""
        return [self.read[place] for place in self.places]

    @property
    def used_readers(self):
        """The readers of these."""
        kept = {column.source for column in self.used}
        return {source: reader for source, reader in self.readers.items() if source in kept}

    @property
    def n_rows(self):
        """The rows of the table."""
        return len(self.read[0].values)


class Rows(NamedTuple):
    """The rows to learn from, as those who know the labels choose them."""

    rows: np.ndarray
    counts: Any = None  # the column that counts the samples of each row: it is no feature
    notes: tuple = ()
    by_value: frozenset = frozenset()  # texts that are left out, but that some classifiers read
    units: tuple = ()  # texts that are units by their names
    # Whether texts of sentences tell something that the points of other columns do not.
    words_tell: Any = None


@dataclass
class Learned:
    """What was learnt from a table."""

    readers: dict
    places: list  # of the columns that are used, among those that are read
    encoding: Encoding
    scale: ColumnScale
    scale_name: str
    notes: list[Note]

    @property
    def columns(self):
        """The `Column` of each column of points."""
        return self.encoding.columns

    def points_of(self, frame):
        """The scaled points of a frame with the same columns."""
        read = read_columns(frame, self.readers)
        used = [read[place] for place in self.places]
        _refuse_infinities(used, as_keyword)
        return self.scaled(self.encoding.matrix(used))

    def scaled(self, X):
        """The scaled points, or an error that names a column."""
        with np.errstate(over="ignore", under="ignore"):
            scaled = self.scale.of(X)
        beyond = np.flatnonzero(~np.isfinite(scaled).all(axis=0))
        if len(beyond):
            largest = np.abs(X[:, beyond[0]]).max()
            raise TableError(
                f"column {self.columns[beyond[0]].name!r} holds {largest:.3g}, too far from the "
                f"values that it was fitted to: with scale={self.scale_name!r} that is no finite "
                "number."
            )
        return scaled


def learn(named, settings, choose_rows, option=as_keyword):
    """What is learnt from a `Frame`, and its points before they are scaled.

    `settings` has the parameters of `TablePreparation`, `choose_rows` gives the `Rows` of a
    `Walk`, and `option` writes a parameter in messages.
    """
    check_choice(settings.categorical, "categorical", CATEGORICAL)
    check_choice(settings.scale, "scale", SCALES)
    check_choice(settings.decimal, "decimal", DECIMALS)
    check_repeatable(settings.drop, "drop")
    check_repeatable(settings.keep, "keep")
    dropped, kept = (
        [named.called(name, purpose) for name in as_names(getattr(settings, which), which)]
        for which, purpose in (("drop", "leave out"), ("keep", "keep"))
    )
    frame = named.frame.drop(columns=dropped)
    readers, notes = readers_of(frame, settings.decimal)
    walk = _walk(read_columns(frame, readers), readers, kept, settings)
    chosen = choose_rows(walk)
    places = [place for place in walk.places if walk.read[place] is not chosen.counts]
    used = [walk.read[place].of(chosen.rows) for place in places]
    _refuse_text(used, settings.categorical, option)
    _refuse_infinities(used, option)
    sentences = _telling_sentences(walk, chosen, used)
    notes += [*_on_useless(walk, chosen.by_value, sentences), *chosen.notes]
    places = sorted([*places, *sentences])
    used = [walk.read[place].of(chosen.rows) for place in places]
    if not used:
        raise TableError("; ".join(["no column of numbers is left", *map(str, notes)]) + ".")
    notes += notes_on_far_values(used)
    encoding = Encoding(used, {places.index(place) for place in sentences})
    X = encoding.matrix(used)
    notes += [*encoding.notes, *notes_on_hints(encoding.columns, chosen.units)]
    scale = ColumnScale(X, settings.scale)
    return Learned(readers, places, encoding, scale, settings.scale, notes), X


def _telling_sentences(walk, chosen, used):
    """The places of texts of sentences whose words tell something."""
    places = [each.place for each in walk.useless if each.is_sentences]
    if not places:
        return []
    points = Encoding(used).matrix(used) if used else np.empty((len(chosen.rows), 0))
    texts = [walk.read[place].of(chosen.rows).values for place in places]
    telling = [chosen.words_tell(values, points) for values in texts]
    return list(itertools.compress(places, telling))


def _walk(read, readers, kept, settings):
    useless = [
        each
        for each in useless_columns(read, settings.missing, settings.categorical)
        if read[each.place].source not in kept
    ]
    # The parts of a date go with it; the places of a list are judged one by one.
    left_out = {each.place for each in useless}
    dates = {read[place].source for place in left_out if read[place].is_date}
    places = [
        place
        for place, column in enumerate(read)
        if place not in left_out and not (column.is_date and column.source in dates)
    ]
    return Walk(read, useless, places, readers)


def _on_useless(walk, by_value, sentences):
    """What is left out, and what is read by value alone."""
    kinds = {(LEFT_OUT, "left out"): {}, (BY_VALUE, "used by boosting and naive Bayes only:"): {}}
    fully, alone = kinds.values()
    for each in walk.useless:
        column = walk.read[each.place]
        if each.place in sentences:
            continue
        found = alone if each.is_many_texts and column.source in by_value else fully
        found[f"{in_note(column.name)} ({each.why})"] = column.source
    for (kind, begin), reasons in kinds.items():
        if reasons:
            yield Note(kind, f"{begin} {listed([*reasons])}", tuple(reasons.values()))


def _refuse_infinities(read, option):
    numbers = [column for column in read if column.kind != TEXT]
    infinite = [column.name for column in numbers if np.isinf(column.values).any()]
    if infinite:
        raise TableError(
            f"these columns hold infinite values: {listed(infinite)}. Replace them, or leave "
            f"the column out with {option('drop', infinite[0])}."
        )


def _refuse_text(read, categorical, option):
    texts = [column for column in read if column.kind == TEXT]
    if not texts or categorical != "refuse":
        return
    hints = {}  # one for all columns with the same problem
    for column in texts:
        problem, hint = about_text(column.source, column.values[~column.gaps()].tolist(), option)
        hints.setdefault(problem, hint)
    raise TableError(
        f"these columns hold text, not numbers: {listed([column.source for column in texts])}."
        + "".join([*filter(None, hints.values())][:_MOST_HINTS])
        + f" Use {option('categorical', 'onehot')} for a 0/1 column per value, or "
        f"{option('categorical', 'drop')} to leave text columns out."
    )
