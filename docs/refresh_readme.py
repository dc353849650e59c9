"""Run the README's blocks and the notebook, fill in tables, and draw the README's picture anew.

    python docs/refresh_readme.py

An output that ends in dots keeps as many paragraphs as it had. A test says when this is due.
"""

import contextlib
import io
import re
import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from smartsvm import difficulty_report

mpl.use("agg")
DOCS = Path(__file__).parent
BENCHMARKS = DOCS.parent / "benchmarks"
README = DOCS.parent / "README.md"
sys.path[:0] = [str(DOCS.parent), str(DOCS / "_ext")]
DOTS = "..."
BLOCK = re.compile(r"(```python\n(.*?)```\n)(?:(\n```\n)(.*?)(```))?", re.DOTALL)

TABLE = re.compile(r"(<!-- filled in: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
OF_PROBLEMS = ["problems", "coverage", "width", "RMSE"]
OF_CLASSIFIERS = ["accuracy", "fit, s", "predict, s"]
# Names of our modes; every other row of the table keeps its own.
MODES = {
    f"{mode}{hierarchy}": f"SmartSVM, {mode}{hierarchy}"
    for mode in ("accurate", "default")
    for hierarchy in ("", ", centroids")
} | {"RBF": "SVM with RBF kernel"}
OF_TREES = {"one tree": "as it is", "three trees": "three trees", "all pairs of classes": "pairs"}


def cells(page, table):
    """The rows of a table of a benchmark page: a dictionary for each first cell."""
    from benchmarks.page import read_table

    lines = [line for line in read_table(BENCHMARKS / page, table) if line.startswith("|")]
    head, _, *rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in lines]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def tables():
    """The tables of the README, from the pages that the benchmarks write."""
    from benchmarks.page import markdown_table

    known = cells("report/README.md", "truth")
    problems = [name for name in known if "constants" not in name]
    compared = cells("classifier/README.md", "all sets")
    speed = cells("trees/RESULTS.md", "real sets")["geometric mean"]
    mutual = cells("trees/RESULTS.md", "mutual reachability")["mean, threads: 1"]
    rows = {
        "report": [
            ["rows", "problems", "interval contains the truth", "median width", "error (RMSE)"],
            *([name, *(known[name][column] for column in OF_PROBLEMS)] for name in problems),
        ],
        "classifier": [
            ["", *OF_CLASSIFIERS],
            *(
                [MODES.get(name, name), *(row[column] for column in OF_CLASSIFIERS)]
                for name, row in compared.items()
            ),
        ],
        "trees": [
            ["", *OF_TREES],
            *(
                [processor, *(speed[f"{processor}, {column}"] for column in OF_TREES.values())]
                for processor in ("Neoverse-N1", "Xeon")
            ),
            ["Xeon, mutual reachability", f"{float(mutual['fastest peer']):.1f}", "–", "–"],
        ],
    }
    return {name: "\n".join(markdown_table(*table[:1], table[1:])) for name, table in rows.items()}


def main():
    """Rewrite the README, its picture and the notebook."""
    import notebook

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

    filled = tables()
    text = BLOCK.sub(refreshed, README.read_text(encoding="utf-8"))
    text = TABLE.sub(lambda match: f"{match[1]}{filled[match[2]]}\n{match[3]}", text)
    README.write_text(text, encoding="utf-8")
    report = difficulty_report(*load_digits(return_X_y=True), target_accuracy=0.97)
    report.plot().savefig(DOCS / "digits-report.png", dpi=90)
    plt.close("all")
    notebook.write(notebook.execute(notebook.read()))


if __name__ == "__main__":
    main()
