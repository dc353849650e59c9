"""Where the documentation of an estimator is, for its HTML representation."""

from importlib.metadata import PackageNotFoundError, metadata


class DocumentationLink:
    """Links the reference at the address "Documentation" of pyproject.toml, once there is one."""

    def _get_doc_link(self):
        try:
            urls = metadata("smartsvm2").get_all("Project-URL") or []
        except PackageNotFoundError:
            return ""
        address = dict(url.split(", ", 1) for url in urls).get("Documentation", "").rstrip("/")
        return address and f"{address}/_generated/api/smartsvm.{type(self).__name__}.html"
