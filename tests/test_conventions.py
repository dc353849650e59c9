"""The manners of the house: layers, documentation, packaging."""

import ast
import dataclasses
import doctest
import functools
import graphlib
import importlib
import importlib.metadata
import inspect
import re
import tomllib
from pathlib import Path

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from numpydoc.validate import validate
from sklearn.base import BaseEstimator

import smartsvm

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "smartsvm"

# A module imports only from modules above it in this list.
LAYERS = [
    "_display_names",
    "_blas_threads",
    "_threads",
    "_team",
    "_parallel",
    "_sizes",
    "_validation",
    "_scaling",
    "_progress",
    "_start_up",
    "_short_names",
    "_mst",
    "_sampling",
    "number_of_trees",
    "forest",
    "_parquet",
    "sources",
    "out_of_core.partition",
    "out_of_core.scratch",
    "out_of_core.checkpoint",
    "out_of_core.summary",
    "out_of_core.store",
    "out_of_core.cluster",
    "out_of_core.tasks",
    "out_of_core.join",
    "out_of_core.memory_plan",
    "out_of_core.task_runner",
    "out_of_core.forest",
    "out_of_core.classes",
    "out_of_core",
    "spanning_trees",
    "_cross_edges",
    "cross_edges",
    "henze_penrose",
    "estimates",
    "class_groups",
    "class_forest",
    "tie_averaged_forest",
    "neighbors",
    "suspect_labels",
    "extrapolation",
    "extrapolated_errors",
    "bayes_error",
    "left_out.rule_errors",
    "left_out.columns",
    "left_out.linear",
    "left_out._gaussians",
    "left_out.directions",
    "left_out.gaussians",
    "left_out._tree_descent",
    "left_out._random_trees",
    "left_out.voting_trees",
    "left_out.forest_votes",
    "left_out.kernel",
    "left_out",
    "inference",
    "samples",
    "_minimum_cut",
    "class_cuts",
    "hierarchy",
    "plotting.fonts",
    "plotting.axes",
    "plotting.fitted",
    "plotting.pairwise",
    "plotting.classes",
    "plotting.hierarchy",
    "plotting",
    "report.intervals",
    "report.wording",
    "report.rules",
    "report.reached",
    "report.copies",
    "report.flags",
    "report.verdict",
    "report.export",
    "report.text",
    "report.figure",
    "report.page_assets",
    "report.page_tables",
    "report.html",
    "report.result",
    "report.measure",
    "report",
    "classifier._logistic",
    "classifier._newton",
    "classifier._evidence",
    "classifier._descent",
    "classifier.class_statistics",
    "classifier.hierarchy_search",
    "classifier.hierarchy_choice",
    "classifier.quadratic_map",
    "classifier.node_solver",
    "classifier.routing",
    "classifier.evidence_weights",
    "classifier.node_evidence",
    "classifier.node_errors",
    "classifier.node_design",
    "classifier.node_training",
    "classifier.estimator_nodes",
    "classifier.checked_input",
    "classifier.classifier",
    "classifier.tuning",
    "classifier",
    "metrics",
    "selection._distance_sums",
    "selection.search_criteria",
    "selection.feature_search",
    "selection.selector",
    "selection.display",
    "selection.transformed_error",
    "selection.transformer_ranking",
    "selection.transformations",
    "selection.transformer_search",
    "selection.pair_classifier",
    "selection.class_weights",
    "selection",
    "commands.demo",
    "commands.labels",
    "commands.table_error",
    "commands.table_hints",
    "commands.local_files",
    "commands.text_columns",
    "commands.parquet_columns",
    "commands.tables",
    "commands.report",
    "commands.compare",
    "commands.completion",
    "commands",
    "__init__",
    "__main__",
]

PUBLIC = [getattr(smartsvm, name) for name in smartsvm.__all__]
# numpydoc's own codes: missing sections, undocumented or unknown parameters, no summary...
ERRORS = {
    "GL01", "GL02", "GL03", "GL06", "GL07", "GL08", "SS01", "SS03", "SS06", "PR01", "PR02",
    "PR03", "PR04", "PR05", "PR06", "PR07", "PR08", "PR10", "RT01", "RT03", "RT04", "YD01",
}  # fmt: skip


def module_of(path):
    """The name in LAYERS: dotted within a folder, the folder itself for its __init__."""
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


MODULES = {
    module_of(path): path
    for path in sorted([*SOURCES.rglob("*.py"), *SOURCES.rglob("*.pyx")])
    if "_mst" not in path.parts
}


def imports_of(path):
    """Imported modules of ours; of one that is not in LAYERS, the folder or module it is in."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            assert not isinstance(node, ast.ImportFrom), "imports are absolute"
            continue
        for name in names:
            if name.split(".")[0] != "smartsvm":
                continue
            parts = name.split(".")[1:]
            found = [p for p in (".".join(parts[:n]) for n in (2, 1)) if p in LAYERS]
            yield found[0] if found else "__init__"


def test_every_module_has_its_layer():
    assert sorted([*MODULES, "_mst"]) == sorted(LAYERS)


@pytest.mark.parametrize("module", [name for name, path in MODULES.items() if path.suffix == ".py"])
def test_layers_import_upwards_only(module):
    above = LAYERS[: LAYERS.index(module)]
    assert set(imports_of(MODULES[module])) <= set(above)


def test_kernels_know_nothing_of_the_layers():
    below = (
        "smartsvm._mst",
        "smartsvm._blas_threads",
        "smartsvm._threads",
        "smartsvm._team",
        "smartsvm._validation",
    )
    for path in SOURCES.glob("_mst/**/*.p*"):
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"], ["cimport"]):
                assert not words[1].startswith("smartsvm") or words[1].startswith(below)
                assert not words[1].startswith(("sklearn", "joblib"))


# What the files of a room may refer to, beside each other: kernels stand on rooms.
ROOMS = {
    "common": set(),
    "edges": {"common"},
    "kd": {"common"},
    "products": {"common", "edges"},
    "small": {"common"},
    "": {"common", "edges", "kd", "products", "small"},
}


def references_in_kernels():
    """File of _mst, without its suffix -> those that it includes or imports."""
    found = {}
    for path in SOURCES.glob("_mst/**/*.*"):
        if path.suffix not in {".c", ".h", ".py", ".pyx", ".pxd"} or path.stem == "__init__":
            continue
        text = path.read_text()
        names = re.findall(r"smartsvm\._mst\.([\w.]+) c?import", text)
        names += re.findall(r'(?:include|extern from) "([\w/]+)\.h"', text)
        for package, imported in re.findall(r"from smartsvm\._mst(\.?\w*) import ([\w, ]+)", text):
            names += [f"{package}/{name}" for name in imported.split(", ")]
        file = str(path.relative_to(SOURCES / "_mst").with_suffix(""))
        names = {name.strip("./").replace(".", "/") for name in names} - {file}
        found.setdefault(file, set()).update(names)
    return {file: names & found.keys() for file, names in found.items()}


def test_rooms_of_kernels_refer_one_way():
    for file, names in references_in_kernels().items():
        room = file.rpartition("/")[0]
        rooms = {name.rpartition("/")[0] for name in names}
        assert rooms <= ROOMS[room] | {room}, file


def test_files_of_kernels_have_no_cycle():
    order = graphlib.TopologicalSorter(references_in_kernels()).static_order()
    assert "common/edge_order" in list(order)


def test_kernels_index_from_the_front():
    # With wraparound off, a negative index of a Python object is wrong on some versions.
    for path in SOURCES.glob("_mst/**/*.pyx"):
        assert not re.search(r"\w\[-\d+\]", path.read_text()), path


def documented():
    for thing in PUBLIC:
        yield thing.__qualname__
        if inspect.isclass(thing):
            for name, member in vars(thing).items():
                if not name.startswith("_") and (
                    inspect.isfunction(member) or isinstance(member, classmethod)
                ):
                    yield f"{thing.__qualname__}.{name}"


@pytest.mark.parametrize("name", list(documented()))
def test_docstrings_are_complete(name):
    if name.endswith(("set_fit_request", "set_score_request")):
        return  # scikit-learn writes these
    excused = set()
    if _fields(name):  # a result is not built by users: its fields are attributes
        assert [p.name for p in ClassDoc(_thing(name))["Attributes"]] == _fields(name)
        excused = {"PR01"}
    elif "." in name and not _parameters(name):
        excused = {"RT01"}  # a one-line accessor says in its summary what it returns
    found = validate(f"smartsvm.{name}")["errors"]
    assert [error for error in found if error[0] in ERRORS - excused] == []


def _thing(name):
    return functools.reduce(getattr, name.split("."), smartsvm)


def _fields(name):
    thing = _thing(name)
    if dataclasses.is_dataclass(thing):
        return [field.name for field in dataclasses.fields(thing)]
    return list(getattr(thing, "_fields", ()))


def _parameters(name):
    return [p for p in inspect.signature(_thing(name)).parameters if p != "self"]


@pytest.mark.parametrize(
    "thing",
    [
        t
        for t in PUBLIC
        if inspect.isfunction(t) or "Display" in t.__name__ or issubclass(t, BaseEstimator)
    ],
    ids=lambda t: t.__name__,
)
def test_public_things_have_an_example(thing):
    assert FunctionDoc(thing)["Examples"]


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("__")])
def test_examples_run(module):
    result = doctest.testmod(
        importlib.import_module(f"smartsvm.{module}"), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0


def test_version_is_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == smartsvm.__version__ == importlib.metadata.version("smartsvm2")
    assert f"version: '{smartsvm.__version__}'" in (ROOT / "meson.build").read_text()
    assert f"version: {smartsvm.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'version = "{smartsvm.__version__}"' in (ROOT / "conda" / "meta.yaml").read_text()


def test_the_conda_recipe_asks_for_the_same_packages():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    parts = dict(re.findall(r"^  (host|run):\n((?:    .*\n)+)", recipe, re.MULTILINE))
    for part, declared in (
        ("host", pyproject["build-system"]["requires"]),
        ("run", pyproject["project"]["dependencies"]),
    ):
        asked = re.findall(r"^    - (\S+ >=\S+)$", parts[part], re.MULTILINE)
        assert sorted(each.replace(" ", "") for each in asked) == sorted(declared)


def test_no_file_is_longer_than_it_reads_well():
    for path in [*SOURCES.rglob("*.py*"), *SOURCES.rglob("*.[ch]"), *ROOT.glob("tests/**/*.py")]:
        assert len(path.read_text().splitlines()) <= 500, path


def test_kernels_and_their_rooms_fit_one_glance():
    entries = {path.name for path in (SOURCES / "_mst").iterdir()} - {"__pycache__"}
    assert len(entries) <= 14, sorted(entries)


def test_no_test_pins_its_number_of_examples():
    """`make test-slow` multiplies them: `examples(n)` of strategies.py, or no settings at all."""
    allowed = {"conftest.py", "strategies.py"}
    for path in (ROOT / "tests").rglob("*.py"):
        assert path.name in allowed or "max_examples" + "=" not in path.read_text(), path
