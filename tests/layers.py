"""The folders of the library from top to bottom: a folder imports only from those below it.

`tests/test_layers.py` reads every import and compares it with this table; CONTRIBUTING.md has the
drawing that `python tests/layers.py` writes.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- layers: begin -->\n", "<!-- layers: end -->\n"

LAYERS = {
    "": "the public names (__init__.py) and the command line's entry (__main__.py)",
    "commands": "the command line: report, compare, demo",
    "comparison": "samples, representations and labels: do they differ, and which is best",
    "selection": "features, transformations and class weights before training",
    "report": "difficulty_report: stages, their results, the verdict",
    "report/flags": "reasons not to trust a report, a class each",
    "report/output": "a report as text, web page, figure, JSON and CSV",
    "classifier": "SmartSVM: hierarchy, routing, tuning",
    "classifier/nodes": "its binary problems: solvers, evidence, weights",
    "plotting": "displays of errors and hierarchies",
    "label_errors": "suspect labels, sample difficulty",
    "estimation": "tree edges to counts, counts to Bayes errors; extrapolation, signal test",
    "hierarchy": "ClassHierarchy: recursive minimum cuts of a graph of errors",
    "held_out": "classifiers that judge every sample without its own label",
    "trees": "euclidean_mst, nearest_neighbors",
    "trees/out_of_core": "the same trees for points on disk or on a cluster",
    "trees/in_memory": "trees of classes, pairs and unions of classes",
    "tables": "files and data frames as points and labels: TablePreparation, prepare_table",
    "_mst": "compiled kernels: points in, edges out; labels are unknown here",
    "presentation": "numbers and names in words, progress, output files, links: what users see",
    "_core": "input, validation, scaling, threads, files",
}

# The rooms of _mst, and what the files of each may refer to beside each other.
ROOMS = {
    "": {"common", "kdtree", "prim", "products"},
    "common": set(),
    "edges": {"common"},
    "gpu": {"common", "edges"},
    "kdtree": {"common"},
    "prim": {"common"},
    "products": {"common", "edges"},
}


def drawing():
    """The table as a block of Markdown."""
    names = {folder: f"{folder}/" if folder else "smartsvm" for folder in LAYERS}
    width = max(map(len, names.values())) + 2
    lines = [f"{names[folder]:<{width}}{text}" for folder, text in LAYERS.items()]
    return "\n".join(["```", *lines, "```", ""])


def drawn(text):
    """A page with the drawing between its two marks brought up to date."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + drawing() + END + after


if __name__ == "__main__":
    CONTRIBUTING.write_text(drawn(CONTRIBUTING.read_text()))
