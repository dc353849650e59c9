"""Every link of the built site leads somewhere: to a page, a file, or a place within a page.

Sphinx checks references while it reads sources. This looks at what came out: links of copied
pages, of the gallery, of templates, and the places that they name.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page links, and the names of its places."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = set(), {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def broken_links(folder):
    """Links of the pages in a folder that lead nowhere.

    Parameters
    ----------
    folder : Path
        With HTML files, also in folders below.

    Returns
    -------
    list of str
        "page: link" for each, sorted.
    """
    folder = Path(folder).resolve()
    pages = {
        path.resolve(): _Page(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
        if "_static" not in path.parts
    }
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            # Search pages take their words from the address.
            known = pages[target].places if target in pages and not parts.query else None
            there = target.is_file() and target.is_relative_to(folder)
            if not there or (known is not None and unquote(parts.fragment) not in known):
                broken.append(f"{path.relative_to(folder)}: {link}")
    return sorted(broken)


def _check(app, exception):
    if exception is None and app.builder.format == "html":
        broken = broken_links(app.outdir)
        if broken:
            from sphinx.errors import ExtensionError

            raise ExtensionError("links that lead nowhere:\n" + "\n".join(broken))


def setup(app):
    """Check when the site has been built."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
