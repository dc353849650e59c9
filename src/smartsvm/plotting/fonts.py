"""Letters that figures can draw: fonts for names of any script, escapes for what none has.

A figure is drawn with the fonts of the user's style. What they lack matplotlib draws as empty
boxes, with a warning for each; other fonts that are installed may have it.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import warnings

from smartsvm._core.display_names import display_width, escaped, shown

_readers_fonts = contextvars.ContextVar("readers_fonts", default=False)
_found = {}  # (number of fonts known, character) -> family that has it, or None


def figure_text(text):
    """A name, or a shown text, as matplotlib should get it.

    Parameters
    ----------
    text : object
        Any label.

    Returns
    -------
    str
        Dollar signs are not read as formulas, and characters that no font has are written as
        escapes. To be drawn with `families_for`.
    """
    text = shown(text)
    nowhere = {char for char, family in _fallbacks([text]).items() if family is None}
    return "".join(escaped(char) if char in nowhere else char for char in text).replace("$", r"\$")


def drawn_width(text):
    """Columns of a shown text as `figure_text` writes it, apart from its dollars."""
    return display_width(figure_text(text).replace(r"\$", "$"))


def families_for(texts):
    """Families of fonts that have the characters of some texts.

    Parameters
    ----------
    texts : iterable of str
        What will be drawn.

    Returns
    -------
    list of str
        Those of the user's style, then others that are installed: for `fontfamily`.
    """
    from matplotlib.font_manager import FontProperties

    others = {family for family in _fallbacks(texts).values() if family is not None}
    return [*FontProperties().get_family(), *sorted(others)]


@contextlib.contextmanager
def readers_fonts():
    """Draws text that the reader's program will show: it may have fonts that are not here."""
    token = _readers_fonts.set(True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
            yield
    finally:
        _readers_fonts.reset(token)


def _fallbacks(texts):
    """For each character that the style's fonts lack, an installed family that has it, or None."""
    chars = {char for text in texts if not text.isascii() for char in text if not char.isascii()}
    if not chars or _readers_fonts.get():
        return {}
    from matplotlib.font_manager import FontProperties, fontManager

    style = FontProperties().get_family()
    lacking = {char for char in chars if not any(_font_has(family, char) for family in style)}
    known = len(fontManager.ttflist)
    new = {char for char in lacking if (known, char) not in _found}
    _found.update(((known, char), family) for char, family in _search(new).items())
    return {char: _found[known, char] for char in lacking}


@functools.lru_cache(maxsize=4096)
def _font_has(family, char):
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=[family]))).get_char_index(ord(char)) != 0


def _search(chars):
    """The installed family that has most of some characters, for those; for others the next."""
    from matplotlib.font_manager import fontManager

    # The upright, regular one of a family comes last, and stays.
    fonts = sorted(
        fontManager.ttflist, key=lambda font: (font.style, font.weight) == ("normal", 400)
    )
    files = {font.name: font.fname for font in fonts} if chars else {}
    held = {family: _drawable(file, chars) for family, file in sorted(files.items())}
    families = dict.fromkeys(chars)
    while held and any(left := {char for char in chars if families[char] is None}):
        best = max(held, key=lambda family: len(held[family] & left))
        if not held[best] & left:
            break
        families.update(dict.fromkeys(held.pop(best) & left, best))
    return families


def _drawable(file, chars):
    """The characters for which a font has a shape of its own."""
    from matplotlib.font_manager import get_font

    if "lastresort" in file.lower().replace(" ", ""):  # has a box for everything
        return set()
    try:
        font = get_font(file)
        held = {char for char in chars if font.get_char_index(ord(char))}
        return {char for char in held if font.load_char(ord(char)).width}  # coloured ones have none
    except (OSError, RuntimeError):  # matplotlib cannot use it
        return set()
