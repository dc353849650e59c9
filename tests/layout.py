"""Whether all that a figure says can be read: nothing leaves the page, nothing overlaps."""

from itertools import combinations

from matplotlib.text import Text


def assert_readable(figure):
    """All texts of a drawn figure are on its page, and apart from each other."""
    figure.canvas.draw()
    page = figure.bbox.padded(1)
    boxes = {text: text.get_window_extent() for text in _seen(figure)}
    for text, box in boxes.items():
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        assert inside, f"{text.get_text()!r} leaves the page"
    for (one, a), (two, b) in combinations(boxes.items(), 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(across, down) <= 1, f"{one.get_text()!r} and {two.get_text()!r} overlap"


def _seen(artist):
    """Texts below an artist, without the names of ticks beyond the ends of an axis."""
    if not artist.get_visible():
        return
    if isinstance(artist, Text) and artist.get_text().strip():
        yield artist
    ticks = artist._update_ticks() if hasattr(artist, "_update_ticks") else None
    for child in artist.get_children():
        if ticks is None or child in ticks or isinstance(child, Text):
            yield from _seen(child)
