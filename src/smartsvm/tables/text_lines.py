"""Text files as lines of a plain table: their encoding, lines above the header, spaces as marks."""

import codecs
import csv
import io
import re

from smartsvm.presentation.wording import counted
from smartsvm.tables.hints import wide_encoding

_CHUNK = 1 << 20
_MOST_TITLES = 50  # lines above the header
_MARKS = ",;\t|"
_SPACES = re.compile(r'[ \t]+(?=(?:[^"]*"[^"]*")*[^"]*$)')  # outside of quotes
_AROUND = " \t\r\n"  # what may stand around a line whose separators are spaces
_QUOTED = re.compile('"[^"]*"')  # over the ends of lines, too
# Letters and signs of Western European text in cp1252. Bytes that are mostly others are no text.
_WESTERN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒßàáâãäåæçèéêëìíîïñòóôõöøùúûüœŠšŽž"
    "€£§©®°±²³´µ·º»«¼½¾¿¡×–—‘’‚“”„†•…‰™\u00a0"
)
_LEAST_WESTERN = 0.9  # of the characters beyond ASCII
# Minimum fraction of the letters beyond ASCII in words with as many of ASCII or more: words of
# other alphabets have none.
_LEAST_MIXED = 0.75
_WORD = re.compile(r"[^\W\d_]+")
# Files with at most this fraction of bytes beyond ASCII are read as mac_roman, where nothing else
# fits: only these letters may be wrong, and values that differ still do.
_FEW_BEYOND = 0.01


def encoding_of(file, encoding):
    """The encoding of a text file, and notes: UTF-8, or what fits if it is none."""
    if encoding.lower() in ("utf-8", "utf8"):
        return "utf-8-sig", []
    if encoding != "auto":
        return encoding, []
    file.seek(0)
    wide = wide_encoding(file.read(40))
    if wide is not None and _decodes(file, wide):
        return wide, [f"read as {wide[:6].upper()}"]
    if _decodes(file, "utf-8"):
        return "utf-8-sig", []
    if _is_western(file):
        return "cp1252", ["read as cp1252, a Western European encoding: the file is not UTF-8"]
    n_beyond = _few_beyond_ascii(file)
    if not n_beyond:
        return "utf-8-sig", []  # whose error says what to do
    wrong = "a letter" if n_beyond == 1 else f"{n_beyond:,} letters"
    return "mac_roman", [
        f"read as mac_roman, because the file is neither UTF-8 nor cp1252: {wrong} may be wrong "
        "(--encoding changes this)"
    ]


def plain_lines(file, kind, target, encoding):
    """The file, or a copy with tabs for spaces and blank lines above the header; and notes."""
    head = _head(file, encoding)
    if head is None:
        return file, encoding, []
    first = next((k for k, line in enumerate(head) if line.strip()), None)
    header = next((k for k in range(len(head)) if _names(head[k:], target, kind)), None)
    if header is None and first is not None and _is_spaced(head[first:]):
        header = first  # its names are others, or it is a sample
    if header is None:
        return file, encoding, []
    spaced = kind != ".tsv" and not _mark_of(whole_line(head[header:]))
    if header == first and not spaced:
        return file, encoding, []
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    lines = [*text]  # with their ends: other separators of lines are letters of a cell
    text.detach()
    notes = []
    n_titles = sum(bool(line.strip()) for line in lines[:header])
    if n_titles:
        notes.append(f"skipped {counted(n_titles, 'line')} above the header")
        lines[:header] = ["\n"] * header  # the numbers of the other lines stay
    if spaced:
        lines = [_SPACES.sub("\t", line.strip(_AROUND)) + "\n" for line in lines]
        rows = [line for line in lines[header + 1 :] if line.strip(_AROUND)]
        if rows and rows[0].count("\t") == lines[header].count("\t") + 1:
            lines[header] = "\t" + lines[header]  # names of rows, as R writes them
        notes.append("read spaces as separators")
    return io.BytesIO("".join(lines).encode()), "utf-8-sig", notes


def _head(file, encoding):
    """The first lines of a file, or None if they cannot be read."""
    file.seek(0)
    try:
        text = io.TextIOWrapper(file, encoding=encoding, newline="")
    except LookupError:
        return None
    try:
        return [line for line, _ in zip(text, range(_MOST_TITLES), strict=False)]
    except UnicodeError:
        return None
    finally:
        text.detach()
        file.seek(0)


def whole_line(lines):
    """The first line, with those below it in which a value in quotes goes on."""
    whole = ""
    for line in lines:
        whole += line
        if whole.count('"') % 2 == 0:
            return whole
    return whole  # a quote that nothing closes


def _mark_of(line):
    """What separates the names of a header, or nothing where only spaces can."""
    bare = _QUOTED.sub("", line)
    mark = max(_MARKS, key=bare.count)
    return mark if mark in bare else ""


def _names(lines, target, kind):
    """Whether the first of some lines names the target among other columns."""
    mark = "\t" if kind == ".tsv" else _mark_of(whole_line(lines))
    names = parts_of_row(lines, mark)
    if len(names) < 2 or target not in names:
        return False
    # A sentence may hold the name of the target, but no row of as many values follows.
    row = next((_SPACES.split(line.strip(_AROUND)) for line in lines[1:] if line.strip()), names)
    return bool(mark) or len(row) - len(names) in (0, 1)


def parts_of_row(lines, mark):
    """The values of the first row of some lines; one in quotes may go on in the next line."""
    lines = [lines[0].removeprefix("\ufeff"), *lines[1:]]
    try:
        parts = (
            next(csv.reader(lines, delimiter=mark, skipinitialspace=True), [])
            if mark
            else _SPACES.split(lines[0].strip(_AROUND))
        )
    except csv.Error:
        return []
    return [part.strip().strip('"').strip() for part in parts]


def _is_spaced(lines):
    """Whether only spaces can separate the values of some lines, and each has as many."""
    counts = {len(_SPACES.split(line.strip(_AROUND))) for line in lines if line.strip()}
    return len(counts) == 1 and max(counts) > 2 and not any(map(_mark_of, lines))


def _decodes(file, encoding):
    decoder = codecs.getincrementaldecoder(encoding)()
    file.seek(0)
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    finally:
        file.seek(0)
    return True


def _few_beyond_ascii(file):
    """The number of bytes beyond ASCII in a text that has few of them, else 0."""
    file.seek(0)
    n_bytes = n_beyond = 0
    try:
        while chunk := file.read(_CHUNK):
            if re.search(rb"[\x00-\x08\x0e-\x1f]", chunk):
                return 0
            n_bytes += len(chunk)
            n_beyond += len(chunk) - len(chunk.decode("ascii", "ignore"))
    finally:
        file.seek(0)
    return n_beyond if n_beyond <= _FEW_BEYOND * n_bytes else 0


def _is_western(file):
    """Whether the bytes of a file are Western European text in cp1252."""
    file.seek(0)
    n_beyond = n_western = n_letters = n_mixed = 0
    try:
        while chunk := file.read(_CHUNK):
            text = chunk.decode("cp1252")
            if re.search(r"[\x00-\x08\x0e-\x1f]", text):
                return False
            beyond = [letter for letter in text if letter > "\x7f"]
            n_beyond += len(beyond)
            for word in _WORD.findall(text):
                n_of_word = sum(letter > "\x7f" for letter in word)
                n_letters += n_of_word
                n_mixed += n_of_word * (2 * n_of_word <= len(word))
            n_western += sum(letter in _WESTERN for letter in beyond)
    except UnicodeError:
        return False
    finally:
        file.seek(0)
    return n_western >= _LEAST_WESTERN * n_beyond and n_mixed >= _LEAST_MIXED * n_letters
