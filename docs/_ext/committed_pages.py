"""Pages committed elsewhere (benchmarks, changelog) become pages of the site.

They are copied before the build reads its sources, with links between them kept and links
to files that are no pages turned into plain names.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "_generated/pages"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_ERROR = re.compile(r"(?<=[\d.]) ± (?=[\d.])")


def pages():
    """Committed Markdown files that the site shows."""
    found = [*ROOT.glob("benchmarks/**/*.md")]
    return sorted([*found, ROOT / "CHANGELOG.md"])


def copy_pages(docs):
    """Write the pages below ``docs/_generated/pages``, in the folders they have here."""
    target = docs / FOLDER
    shutil.rmtree(target, ignore_errors=True)
    known = set(pages())
    for page in known:
        copy = target / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)

        def link(match, page=page, copy=copy):
            image, text, address = match.groups()
            if "://" in address or address.startswith("#"):
                return match[0]
            file = address.partition("#")[0]
            there = (page.parent / file).resolve()
            if image:
                beside = copy.parent / file
                beside.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(there, beside)
                return match[0]
            if there in known:
                return match[0]
            if there.is_relative_to(ROOT / "docs") and there.suffix == ".md":
                page_here = docs / there.relative_to(ROOT / "docs")
                return f"[{text}]({os.path.relpath(page_here, copy.parent)})"
            return text if text.startswith("`") else f"`{text}`"

        text = _LINK.sub(link, page.read_text(encoding="utf-8"))
        # A narrow column must not part a number from its error.
        copy.write_text(_ERROR.sub("\u00a0±\u00a0", text), encoding="utf-8")


def setup(app):
    """Copy once, before the sources are looked for."""
    copy_pages(Path(app.srcdir))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
