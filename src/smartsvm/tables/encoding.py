"""Columns that were read as one matrix: gaps filled and marked, texts as columns of 0 and 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from smartsvm.presentation.wording import listed
from smartsvm.tables.column_readers import free_name
from smartsvm.tables.name_hints import hints_of_numbers
from smartsvm.tables.records import (
    BY_WORDS,
    CATEGORY,
    ENCODED,
    ENCODED_TEXTS,
    FILLED,
    GAPS,
    NUMBER,
    TEXT,
    WORDS,
    Column,
    Note,
    in_note,
)
from smartsvm.tables.sentences import Words


class _Mark(NamedTuple):
    """A column of 0 and 1 for columns that lack values in the same rows."""

    place: int  # of the first of these columns
    name: str
    sources: tuple


class Encoding:
    """What fills the gaps of some columns and which categories they have.

    Other columns that it encodes must be made in the same way, in the same order.
    """

    # numbers, texts   places of the columns that become one column, and several
    # marks            of gaps
    # columns          `Column` of each column of the matrix
    # words            by the place of a text of sentences, its `Words`
    # notes            what is filled in and encoded

    def __init__(self, read, sentences=frozenset()):
        gaps = [column.gaps() for column in read]
        # A number with one value and gaps says nothing beside the mark of its gaps.
        self.numbers = [
            place
            for place, column in enumerate(read)
            if column.kind != TEXT and not (gaps[place].any() and _has_one_value(column))
        ]
        texts = [place for place, column in enumerate(read) if column.kind == TEXT]
        self.texts = [place for place in texts if place not in sentences]
        self.words = {place: Words(read[place].values) for place in sorted(sentences)}
        self.marks = _marks_of(read, gaps)
        if self.numbers:
            self._fill_numbers = SimpleImputer(strategy="median", keep_empty_features=True)
            self._fill_numbers.fit(_values_of(read, self.numbers))
        if self.texts:
            self._fill_texts = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
            self._encoder = OneHotEncoder(
                max_categories=ENCODED_TEXTS + 1,
                handle_unknown="infrequent_if_exist",
                sparse_output=False,
            ).fit(self._fill_texts.fit_transform(_values_of(read, self.texts)))
        self.columns = tuple(self._columns(read))
        self.notes = [*self._on_gaps(read, gaps), *self._on_texts(read), *self._on_words(read)]

    def matrix(self, read):
        """The columns as finite numbers."""
        parts = [np.empty((len(read[0].values), 0))]
        if self.numbers:
            parts.append(self._fill_numbers.transform(_values_of(read, self.numbers)))
        if self.marks:
            marks = [read[mark.place].gaps() for mark in self.marks]
            parts.append(np.column_stack(marks).astype(float))
        if self.texts:
            texts = self._fill_texts.transform(_values_of(read, self.texts))
            parts.append(self._encoder.transform(texts))
        parts += [words.columns(read[place].values) for place, words in self.words.items()]
        return np.hstack(parts)

    def _columns(self, read):
        """The columns of the matrix; those of the table keep their names."""
        taken = {column.source for column in read}

        def own_name(name):
            taken.add(found := free_name(name, taken))
            return found

        for column in (read[place] for place in self.numbers):
            name = own_name(column.name) if column.suffix else column.source
            is_number = column.kind == NUMBER and not column.suffix
            hints = hints_of_numbers(column.source, column.values) if is_number else frozenset()
            yield Column(name, (column.source,), column.kind, hints)
        for mark in self.marks:
            yield Column(own_name(mark.name), mark.sources, GAPS)
        for place, values in zip(self.texts, self._categories(), strict=True):
            source = read[place].source
            for value in values:
                yield Column(own_name(f"{source}={value}"), (source,), CATEGORY)
        for place, words in self.words.items():
            source = read[place].source
            for number in range(1, words.n_columns + 1):
                yield Column(own_name(f"{source} words {number}"), (source,), WORDS)

    def _categories(self):
        """The values of each text that have a column, with "(other)" for all others."""
        if not self.texts:
            return
        rare_values = self._encoder.infrequent_categories_
        for values, rare in zip(self._encoder.categories_, rare_values, strict=True):
            if rare is None:
                yield values.tolist()
            else:
                yield [*(value for value in values if value not in set(rare)), "(other)"]

    def _on_gaps(self, read, gaps):
        """Which columns are filled in, each with the number of its gaps."""
        shown, sources = {}, {}
        for mark in self.marks:
            same = gaps[mark.place]
            for place, column in enumerate(read):
                if np.array_equal(gaps[place], same):
                    several = len(set(mark.sources)) == 1
                    name = column.source if several else column.name
                    shown[name] = f"{in_note(name)} ({np.count_nonzero(same):,})"
                    sources[column.source] = None
        if shown:
            begin = "filled in the median or the most frequent value, marked in a further column: "
            yield Note(FILLED, begin + listed([*shown.values()]), tuple(sources))

    def _on_texts(self, read):
        counts = []
        if not self.texts:
            return
        for place, values in zip(self.texts, self._encoder.categories_, strict=True):
            n = len(values)
            most = ENCODED_TEXTS
            count = f"{n:,}" if n <= most + 1 else f"{most} most frequent of {n:,} values"
            counts.append(f"{in_note(read[place].source)} ({count})")
        text = f"encoded text as columns of 0 and 1: {listed(counts)}"
        yield Note(ENCODED, text, tuple(read[place].source for place in self.texts))

    def _on_words(self, read):
        if self.words:
            names = [read[place].source for place in self.words]
            n_columns = max(words.n_columns for words in self.words.values())
            text = f"read sentences as {n_columns} columns by their words: "
            yield Note(BY_WORDS, text + listed([*map(in_note, names)]), tuple(names))


def _has_one_value(column):
    present = column.values[~np.isnan(column.values)]
    return len(present) > 0 and (present == present[0]).all()


def _values_of(read, places):
    return np.column_stack([read[place].values for place in places])


def _marks_of(read, gaps):
    """Columns that lack values in the same rows share a mark."""
    alike = {}
    for place, absent in enumerate(gaps):
        if absent.any():
            alike.setdefault(absent.tobytes(), []).append(place)
    marks = []
    for places in alike.values():
        sources = tuple(dict.fromkeys(read[place].source for place in places))
        names = [read[place].name for place in places]
        shown = sources if len(sources) < len(places) else names
        marks.append(_Mark(places[0], f"{listed([*shown], 3)} missing", sources))
    return marks
