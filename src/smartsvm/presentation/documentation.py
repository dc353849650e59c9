"""Where pages of the documentation are."""

from html import escape
from importlib.metadata import PackageNotFoundError, metadata
from inspect import getdoc


def address_of_site():
    """The address "Documentation" of pyproject.toml; empty while nobody has filled it in."""
    try:
        urls = metadata("smartsvm2").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    address = dict(url.split(", ", 1) for url in urls).get("Documentation", "").rstrip("/")
    return "" if address.endswith(".invalid") else address


def page_of_guide(name, heading):
    """The address of a heading in the guide, or its place in a clone while there is no site."""
    site = address_of_site()
    return f"{site}/guide/{name}.html#{heading}" if site else f"docs/guide/{name}.md#{heading}"


class DocumentationLink:
    """Links the page at the address "Documentation" of pyproject.toml; without one, unfolds it."""

    def _get_doc_link(self):
        site = address_of_site()
        return site and f"{site}/_generated/api/smartsvm.{type(self).__name__}.html"

    def _html_repr(self):
        html = super()._html_repr()
        text = escape(getdoc(type(self)))
        folded = f"<details><summary>Documentation</summary><pre>{text}</pre></details>"
        return html if self._get_doc_link() else html + folded
