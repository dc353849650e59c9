"""Fonts for names in any script, and escapes for characters that no font has."""

import contextlib
import contextvars
import functools
import warnings

from smartsvm.presentation.display_names import display_width, escaped, shown

_readers_fonts = contextvars.ContextVar("readers_fonts", default=False)
_family_of = {}  # (number of installed fonts, character) -> family that has it, or None


def figure_text(text):
    """Any label for matplotlib with `families_for`: no formulas, escapes for what no font has."""
    text = shown(text)
    nowhere = {char for char, family in _fallbacks([text]).items() if family is None}
    return "".join(escaped(char) if char in nowhere else char for char in text).replace("$", r"\$")


def drawn_width(text):
    """Columns of a text as `figure_text` writes it, without the escapes of dollar signs."""
    return display_width(figure_text(text).replace(r"\$", "$"))


def families_for(texts):
    """Font families for these texts: those of the user's style, then other installed ones."""
    from matplotlib.font_manager import FontProperties

    others = {family for family in _fallbacks(texts).values() if family is not None}
    return [*FontProperties().get_family(), *sorted(others)]


@contextlib.contextmanager
def readers_fonts():
    """Draw text that the reader's program renders, with fonts that may not be installed here."""
    token = _readers_fonts.set(True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
            yield
    finally:
        _readers_fonts.reset(token)


def _fallbacks(texts):
    """For each character that the fonts of the style lack, an installed family or None."""
    chars = {char for text in texts if not text.isascii() for char in text if not char.isascii()}
    if not chars or _readers_fonts.get():
        return {}
    from matplotlib.font_manager import FontProperties, fontManager

    style = FontProperties().get_family()
    lacking = {char for char in chars if not any(_font_has(family, char) for family in style)}
    n_fonts = len(fontManager.ttflist)
    new = {char for char in lacking if (n_fonts, char) not in _family_of}
    _family_of.update(((n_fonts, char), family) for char, family in _search(new).items())
    return {char: _family_of[n_fonts, char] for char in lacking}


@functools.lru_cache(maxsize=4096)
def _font_has(family, char):
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=[family]))).get_char_index(ord(char)) != 0


def _search(chars):
    """A family for each character: first the one that has most of them, then the next."""
    from matplotlib.font_manager import fontManager

    # The regular font of a family comes last, and so wins.
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
    """The characters that a font can draw."""
    from matplotlib.font_manager import get_font

    if "lastresort" in file.lower().replace(" ", ""):  # draws a box for everything
        return set()
    try:
        font = get_font(file)
        held = {char for char in chars if font.get_char_index(ord(char))}
        return {char for char in held if font.load_char(ord(char)).width}  # 0 if coloured
    except (OSError, RuntimeError):  # matplotlib cannot use it
        return set()
