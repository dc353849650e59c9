"""Name what a person must fill in before a release; exit with 1 if something is left.

Called by `make lint-release`, and by the workflow that publishes before it does.
"""

import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("Repository", "Documentation")


def missing_addresses(urls):
    """Sentences about addresses of the project that are absent, incomplete or placeholders."""
    problems = []
    for name in NEEDED:
        address = urls.get(name, "")
        host = urlsplit(address).hostname or ""
        if not address.startswith("https://") or host.endswith(".invalid"):
            problems.append(
                f"pyproject.toml: {name} in [project.urls] must be the project's address, which "
                f"begins with https://, got {address!r}."
            )
    return problems


def main(pyproject):
    project = tomllib.loads(Path(pyproject).read_text(encoding="utf-8"))["project"]
    problems = missing_addresses(project.get("urls", {}))
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [ROOT / "pyproject.toml"]))
