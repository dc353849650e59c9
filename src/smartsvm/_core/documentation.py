"""Where the documentation of an estimator is, for its HTML representation."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata


@cache
def documentation_address():
    """The address under "Documentation" in pyproject.toml, or None while there is no site."""
    try:
        urls = metadata("smartsvm2").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = dict(url.split(", ", 1) for url in urls)
    return named.get("Documentation", "").rstrip("/") or None


class DocumentationLink:
    """Links an estimator's HTML representation to its page of the reference."""

    def _get_doc_link(self):
        address = documentation_address()
        page = f"_generated/api/smartsvm.{type(self).__name__}.html"
        return f"{address}/{page}" if address else ""
