"""Where the documentation of an estimator is, for its HTML representation."""

from html import escape
from importlib.metadata import PackageNotFoundError, metadata
from inspect import getdoc


class DocumentationLink:
    """Links the page at the address "Documentation" of pyproject.toml; without one, unfolds it."""

    def _get_doc_link(self):
        try:
            urls = metadata("smartsvm2").get_all("Project-URL") or []
        except PackageNotFoundError:
            return ""
        address = dict(url.split(", ", 1) for url in urls).get("Documentation", "").rstrip("/")
        if address.endswith(".invalid"):  # nobody has filled it in
            return ""
        return address and f"{address}/_generated/api/smartsvm.{type(self).__name__}.html"

    def _html_repr(self):
        html = super()._html_repr()
        text = escape(getdoc(type(self)))
        folded = f"<details><summary>Documentation</summary><pre>{text}</pre></details>"
        return html if self._get_doc_link() else html + folded
