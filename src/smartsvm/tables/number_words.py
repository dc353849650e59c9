"""Numbers that are written as text: marks of decimals and thousands, units and limits.

What one word leaves open, the column decides: 1.037 is 1037 beside 12.345,6, beside 1.234.567, or
beside 1.250 and several whole numbers below 1000, since 1.250 keeps a zero that they would have,
too. Then the other columns decide, and at last habit; a note says that the reading was open.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from smartsvm.presentation.wording import listed
from smartsvm.tables.hints import is_number
from smartsvm.tables.records import ENCODED_TEXTS

# What is taken off a word before it is a number: each way does what those before it do.
PLAIN, MARKS, UNITS, LIMITS = range(4)

_CURRENCY = (
    r"(?:us|ca|au|nz|hk|r|a|c)?[$]|[€£¥₹₽₩₺₫₪₴¢฿]|eur|usd|gbp|chf|jpy|cny|inr|sek|nok|dkk|pln|czk"
    r"|huf|ron|try|rub|brl|mxn|zar|cad|aud|nzd|sgd|hkd|krw|ils|rs\.?|kr\.?|zł|kč|fr\."
)
_UNIT = re.compile(rf"^([-+]?)(?:{_CURRENCY})\s*(?=[-+\d.,])|\s*(?:{_CURRENCY}|%|percent|pct)$")
_LIMIT = re.compile(r"^\s*(?:[<>]=?|[≤≥])\s*|\s*\+\s*$")  # of <1, >=50 and 3+
_AMOUNT_BEHIND = re.compile(rf"(?:{_CURRENCY})\s*[-+]?\d", re.IGNORECASE)
_AMOUNT = re.compile(_CURRENCY)
_LOSS = re.compile(r"\((.*\d.*)\)")  # an amount in parentheses is negative
_BETWEEN = r"[\s'’`´]"  # thousands, whatever the decimal mark is
_GROUPED = {
    ".": re.compile(
        rf"[-+]?(?:[1-9]\d{{0,2}}(?P<mark>,|{_BETWEEN})\d{{3}}(?:(?P=mark)\d{{3}})*"
        r"|[1-9]\d?(?:,\d\d)+,\d{3})(?:\.\d*)?"  # 12,34,567 in India
    ),
    ",": re.compile(
        rf"[-+]?[1-9]\d{{0,2}}(?P<mark>\.|{_BETWEEN})\d{{3}}(?:(?P=mark)\d{{3}})*(?:,\d*)?"
    ),
}
_OTHER = {".": ",", ",": "."}
_BODY = re.compile(rf"[-+]?(?P<body>(?:\d|[.,]\d)(?:[\d.,]|{_BETWEEN})*)(?P<power>e[-+]?\d+)?")
_OPEN = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_SINGLE = re.compile(r"\d*[.,]\d*")
_LEAST_WHOLE = 3  # distinct whole numbers below 1000 that prove marks of thousands
# The sum of rows of words among numbers that are gaps; up to _FEW_WORDS different ones may be in
# up to half of the rows, if they have no digit.
_FEW_WORDS, _MOST_ODD = 3, 0.05
# Beside words, up to 20 distinct numbers with 5 rows each or more may be codes of categories.
_FEW_NUMBERS, _ROWS_OF_A_CODE = 20, 5
_UNKNOWN = r"unk.*|unspec.*|missing.*|not? .*|don'?t know|refus.*"  # words for no answer
_CODE = re.compile(r"[^\W\d_]+[-. /]?\d.*")  # V27, E909
_FIRST = 1000  # rows: they rule out nearly every column
_ROUNDING = 1e-12
_MOST_QUOTED = 5  # words of a column in a note
_DIGIT = re.compile(r"\d")
_LETTER = r"[^\W\d_]"


class Notation(NamedTuple):
    """How the words of a column are written."""

    way: int = PLAIN
    decimal: str = "."


AS_PYTHON = Notation()


class Seen(NamedTuple):
    """What a column of words shows."""

    notation: Notation | None = None  # None for a text
    how: str | None = None  # a remark on how it is read
    # A word that may be another number, where nothing tells which.
    open_word: str | None = None


def numbers_of(words, notation):
    """Words of a column as floats, NaN for what is none in a notation."""
    import pandas

    codes, distinct = pandas.factorize(words)
    plain = [as_python(word, notation) for word in distinct.tolist()]
    numbers = pandas.to_numeric(pandas.Series(plain, dtype=object), errors="coerce")
    return np.append(numbers.to_numpy(dtype=float, na_value=np.nan), np.nan)[codes]


def as_python(word, notation):
    """A word as Python would write the number, if it is one."""
    way, decimal = notation
    word = {"true": "1", "false": "0"}.get(word := word.lower(), word)
    if way == PLAIN:
        return word
    word = _without_units(word, way)
    if _GROUPED[decimal].fullmatch(word):
        word = re.sub(rf"{_BETWEEN}|\{_OTHER[decimal]}", "", word)
    return word if decimal == "." else word.replace(".", "x").replace(",", ".")


def _without_units(word, way=LIMITS):
    word = word.replace("−", "-")
    if way >= UNITS:
        word = _UNIT.sub(r"\1", _LOSS.sub(r"-\1", word))
        word = _UNIT.sub(r"\1", word)  # in front and behind
    return _LIMIT.sub("", word) if way >= LIMITS else word


def _unit_of(word):
    return "".join(match.group().strip(" +-") for match in _UNIT.finditer(word.lower()))


def begins_with_unit(word):
    """Whether a word is an amount whose currency stands in front."""
    return _AMOUNT_BEHIND.match(word) is not None


def looks_like_number(word):
    """Whether a word is a number in some notation."""
    bare = re.sub(r"[\s.,'’`´_]", "", _without_units(word.lower()))
    return is_number(bare)


def may_be_grouped(values, beside_commas):
    """Whether decimals that were parsed may be numbers such as 1.037 with marks of thousands.

    `beside_commas` is whether other columns may have decimal commas, which prove it.
    """
    if values.dtype.kind != "f":
        return False
    for some in (values[:_FIRST], values):
        numbers = np.abs(some.to_numpy())
        numbers = numbers[numbers > 0]
        fractions = numbers[numbers != np.floor(numbers)]
        thousands = np.round(1000 * fractions)
        # Parsed from three digits behind the mark, and from none.
        if (
            (numbers >= 1000).any()
            or (fractions < 1).any()
            or (np.abs(fractions - thousands / 1000) > _ROUNDING * fractions).any()
        ):
            return False
    return len(fractions) > 0 and (beside_commas or len(fractions) < len(numbers))


class _Evidence(NamedTuple):
    """What the words of a column show about their marks."""

    n_certain: dict  # words that are numbers with one decimal mark only, by this mark
    open_words: dict  # words such as 1.037, by their mark
    whole: list  # without any mark
    lists: set  # marks that stand where none of a number can

    @property
    def decimal(self):
        """The mark that most words prove, or None."""
        found = [mark for mark in ".," if self.n_certain[mark] and mark not in self.lists]
        return max(found, key=self.n_certain.get, default=None)

    def proves_thousands(self, mark):
        """Whether whole numbers show that a mark is one of thousands."""
        enough = len(self._small) >= (1 if mark == "," else _LEAST_WHOLE)
        return enough and self._only_small and self._keeps_zeros(mark)

    def speaks_for_thousands(self, mark):
        """Whether it may be one."""
        enough = len(self._small) >= (1 if self._keeps_zeros(mark) else _LEAST_WHOLE)
        return enough and self._only_small

    @property
    def _small(self):
        return {word for word in self.whole if word.strip("0") and len(word) <= 3}

    @property
    def _only_small(self):
        return all(len(word) <= 3 for word in self.whole)

    def _keeps_zeros(self, mark):
        words = (_without_units(word.lower()) for word in self.open_words[mark])
        return any(word.endswith("0") for word in words)


def _evidence(distinct):
    n_certain, open_words, whole, lists = {".": 0, ",": 0}, {".": [], ",": []}, [], set()
    for word in distinct:
        match = _BODY.fullmatch(_without_units(word.lower()))
        if match is None:
            continue
        body = match["body"].rstrip()
        marks = [mark for mark in ".," if mark in body]
        if not marks:
            whole.append(body)
            continue
        last = max(marks, key=body.rfind)
        if body.count(last) > 1:
            if len(marks) == 1 and _GROUPED[_OTHER[last]].fullmatch(body):
                n_certain[_OTHER[last]] += 1
            else:
                lists.add(last)
        elif _OPEN.fullmatch(body) and not match["power"]:
            open_words[last].append(word)
        elif _SINGLE.fullmatch(body) or _GROUPED[last].fullmatch(body):
            n_certain[last] += 1
    return _Evidence(n_certain, open_words, whole, lists)


def decimal_of_table(columns):
    """The decimal mark that all columns agree on, or None; each is a list of distinct words."""
    found = {None}
    for distinct in columns:
        if 2 * sum(map(looks_like_number, distinct)) > len(distinct):
            found.add(_evidence(distinct).decimal)
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _decimal_of(distinct, of_table):
    """The decimal mark of the words of a column, and a word that may be another number."""
    evidence = _evidence(distinct)
    if evidence.decimal is not None:
        return evidence.decimal, None
    for mark in ".,":
        if evidence.open_words[mark] and not evidence.open_words[_OTHER[mark]]:
            if evidence.proves_thousands(mark):
                return _OTHER[mark], None
            if (decimal := of_table()) is not None:
                return decimal, None
            example = evidence.open_words[mark][0]
            if mark == "," or _AMOUNT.search(example.lower()):  # amounts have no third decimal
                return _OTHER[mark], example
            return ".", example if evidence.speaks_for_thousands(mark) else None
    words = evidence.open_words["."]
    return ".", words[0] if words else None


def notation_of(words, decimal, of_table):
    """What the words of a column show: a `Seen`. `of_table` gives the mark of other columns."""
    present = words.dropna()
    if not len(present):
        return Seen(Notation(MARKS if decimal == "," else PLAIN, decimal.replace("auto", ".")))
    distinct = present.drop_duplicates()
    is_auto, open_word = decimal == "auto", None
    if is_auto:
        decimal, open_word = _decimal_of(distinct.tolist(), of_table)
    odd = {}  # the words that each way does not read
    for way in range(MARKS if decimal == "," else PLAIN, LIMITS + 1):
        numbers = numbers_of(distinct, Notation(way, decimal))
        odd[way] = distinct[np.isnan(numbers)]
        if not len(odd[way]) and way != LIMITS:
            how = _on_marks(distinct, decimal, is_auto) if way == MARKS else None
            if way == UNITS:
                commas = is_auto and decimal == "," and distinct.str.contains(",").any()
                how = "numbers without their units" + " and with decimal commas" * bool(commas)
                units = sorted({_unit_of(word) for word in distinct})
                if len(units) > 1:
                    how += f", which differ ({listed([unit or 'none' for unit in units], 4)})"
            return Seen(Notation(way, decimal), how, open_word)
    signed = set(odd[UNITS]) - set(odd[LIMITS])
    import pandas

    repeated = pandas.Series(numbers).duplicated(keep=False).to_numpy()
    equal = repeated & distinct.isin(signed).to_numpy()
    if equal.any() and len(distinct) <= ENCODED_TEXTS:
        return Seen()  # as numbers, <5 and 5 or the grades 1 and 1+ would become one
    way = LIMITS if signed else UNITS
    rest = odd[way].tolist()
    n_rest = int(present.isin(rest).sum())
    if not _are_gaps(present, rest, n_rest) or _is_level(present, rest, len(distinct) - len(rest)):
        return Seen()
    remarks = []
    if is_auto and decimal == ",":
        remarks.append("decimal commas")
    if way == LIMITS:
        remarks.append(f"{quoted(signed)} as numbers without the sign")
    if rest:
        share = f"({n_rest:,} of {len(present):,})"
        remarks.append(f"{quoted(rest)} among numbers as missing {share}")
    return Seen(Notation(way, decimal), ", ".join(remarks), open_word)


def _on_marks(distinct, decimal, is_auto):
    """Which marks are read over."""
    found = []
    if decimal == "," and is_auto and distinct.str.contains(",", regex=False).any():
        found.append("decimal commas")
    grouped = [word for word in distinct if _GROUPED[decimal].fullmatch(word)]
    others = {_OTHER[decimal]: "dots" if decimal == "," else "commas", "'": "apostrophes"}
    others |= dict.fromkeys("’`´", "apostrophes")
    marks = {_GROUPED[decimal].fullmatch(word)["mark"] or "," for word in grouped}
    names = sorted({others.get(mark, "spaces") for mark in marks})
    if names:
        found.append(f"{listed(names, 4, ' and ')} between thousands")
    return " and ".join(found) or None


def _are_gaps(present, rest, n_rest):
    """Whether words among numbers are marks of missing values, and no categories."""
    few = max(_FEW_WORDS, _MOST_ODD * len(present))
    with_digit = [word for word in rest if _DIGIT.search(word)]
    if 2 * n_rest >= len(present) or any(map(is_number, rest)):
        return False
    if len(rest) > _FEW_WORDS and (n_rest > few or any(map(_CODE.fullmatch, rest))):
        return False
    return present.isin(with_digit).sum() <= few


def _is_level(present, words, n_numbers):
    """Whether a word among few numbers is as common as they are: a category such as 'more'."""
    n_rows = len(present) - present.isin(words).sum()
    if n_numbers > _FEW_NUMBERS or n_rows < _ROWS_OF_A_CODE * n_numbers:
        return False
    levels = present[present.isin(words) & present.str.contains(_LETTER)]
    counts = levels[~levels.str.lower().str.fullmatch(_UNKNOWN)].value_counts()
    return bool((counts * n_numbers >= n_rows).any())


def quoted(words):
    """Some words in quotes."""
    return listed([repr(word) for word in sorted(words)], _MOST_QUOTED)
