"""The manners of the house: layers, documentation, packaging."""

import ast
import dataclasses
import doctest
import functools
import importlib
import importlib.metadata
import inspect
import pkgutil
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
    "_mst",
    "_validation",
    "_progress",
    "_descent",
    "subsamples",
    "kernel_choice",
    "forest",
    "sources",
    "blocks",
    "checkpoint",
    "block_store",
    "cluster",
    "block_tasks",
    "block_join",
    "memory_plan",
    "task_runner",
    "block_forest",
    "block_classes",
    "block_choice",
    "spanning_trees",
    "cross_edges",
    "henze_penrose",
    "estimates",
    "class_groups",
    "class_forest",
    "bayes_error",
    "neighbors",
    "inference",
    "samples",
    "tie_orders",
    "convergence",
    "hierarchy",
    "plotting",
    "wording",
    "flags",
    "verdict",
    "report_text",
    "report_data",
    "report_figure",
    "report_html",
    "difficulty",
    "report",
    "class_statistics",
    "hierarchy_search",
    "hierarchy_choice",
    "feature_maps",
    "node_solver",
    "node_design",
    "node_training",
    "routing",
    "estimator_nodes",
    "classifier",
    "tuning",
    "metrics",
    "search_criteria",
    "feature_search",
    "selection",
    "selection_display",
    "transformed_error",
    "transformer_ranking",
    "transformations",
    "transformer_search",
    "pair_classifier",
    "class_weights",
    "demo",
    "tables",
    "command_line",
    "__init__",
    "__main__",
]

PUBLIC = [getattr(smartsvm, name) for name in smartsvm.__all__]
# numpydoc's own codes: missing sections, undocumented or unknown parameters, no summary...
ERRORS = {
    "GL01", "GL02", "GL03", "GL06", "GL07", "GL08", "SS01", "SS03", "SS06", "PR01", "PR02",
    "PR03", "PR04", "PR05", "PR06", "PR07", "PR08", "PR10", "RT01", "RT03", "RT04", "YD01",
}  # fmt: skip


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("smartsvm"):
            parts = node.module.split(".")
            yield from [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "smartsvm":
                    yield [*alias.name.split("."), "__init__"][1]


def test_every_module_has_its_layer():
    modules = {path.stem for path in SOURCES.glob("*.py")}
    modules |= {path.stem for path in SOURCES.glob("*.pyx")}
    assert modules | {"_mst"} == set(LAYERS)


@pytest.mark.parametrize("path", sorted(SOURCES.glob("*.py")), ids=lambda path: path.stem)
def test_layers_import_upwards_only(path):
    above = LAYERS[: LAYERS.index(path.stem)]
    assert set(imports_of(path)) <= set(above)


def test_kernels_know_nothing_of_the_layers():
    for path in SOURCES.glob("_mst/*.py*"):
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"], ["cimport"]):
                assert not words[1].startswith("smartsvm") or words[1].startswith("smartsvm._mst")
                assert not words[1].startswith(("sklearn", "joblib"))


def test_kernels_index_from_the_front():
    # With wraparound off, a negative index of a Python object is wrong on some versions.
    for path in SOURCES.glob("_mst/*.pyx"):
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


@pytest.mark.parametrize(
    "module", [m.name for m in pkgutil.iter_modules(smartsvm.__path__) if m.name != "__main__"]
)
def test_examples_run(module):
    result = doctest.testmod(
        importlib.import_module(f"smartsvm.{module}"), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0


def test_version_is_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == smartsvm.__version__ == importlib.metadata.version("smartsvm")
    assert f"version: '{smartsvm.__version__}'" in (ROOT / "meson.build").read_text()
    assert smartsvm.__version__.removesuffix(".dev0") in (ROOT / "CITATION.cff").read_text()


def test_no_file_is_longer_than_it_reads_well():
    for path in [*SOURCES.rglob("*.py*"), *SOURCES.rglob("*.h"), *ROOT.glob("tests/*.py")]:
        assert len(path.read_text().splitlines()) <= 500, path
