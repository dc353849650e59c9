"""Run the README's blocks, put what they print below them, and draw its picture anew.

    python docs/refresh_readme.py

An output that ends in dots keeps as many paragraphs as it had. A test says when this is due.
"""

import contextlib
import io
import re
from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import load_digits

from smartsvm import difficulty_report

mpl.use("agg")
DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"
DOTS = "..."
BLOCK = re.compile(r"(```python\n(.*?)```\n)(?:(\n```\n)(.*?)(```))?", re.DOTALL)


def main():
    """Rewrite the README and its picture."""
    names = {}

    def refreshed(match):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(match[2], names)
        if match[3] is None:
            return match[0]
        output = printed.getvalue().rstrip("\n")
        if match[4].endswith(f"{DOTS}\n"):
            kept = match[4].count("\n\n") + 1
            output = "\n\n".join(output.split("\n\n")[:kept]) + f"\n{DOTS}"
        return f"{match[1]}{match[3]}{output}\n{match[5]}"

    README.write_text(BLOCK.sub(refreshed, README.read_text(encoding="utf-8")), encoding="utf-8")
    report = difficulty_report(*load_digits(return_X_y=True), target_accuracy=0.97)
    report.plot().savefig(DOCS / "digits-report.png", dpi=90)


if __name__ == "__main__":
    main()
