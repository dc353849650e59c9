"""The manners of the house: documentation and packaging."""

import dataclasses
import doctest
import functools
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from numpydoc.validate import validate
from sklearn.base import BaseEstimator

import smartsvm

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "smartsvm"

PUBLIC = [getattr(smartsvm, name) for name in smartsvm.__all__]
# numpydoc's own codes: missing sections, undocumented or unknown parameters, no summary...
ERRORS = {
    "GL01",
    "GL02",
    "GL03",
    "GL06",
    "GL07",
    "GL08",
    "SS01",
    "SS03",
    "SS06",
    "PR01",
    "PR02",
    "PR03",
    "PR04",
    "PR05",
    "PR06",
    "PR07",
    "PR08",
    "PR10",
    "RT01",
    "RT03",
    "RT04",
    "YD01",
}


MODULES = sorted(
    path.relative_to(SOURCES.parent).with_suffix("").as_posix().replace("/", ".")
    for path in [*SOURCES.rglob("*.py"), *SOURCES.rglob("*.pyx")]
    if "_mst" not in path.parts and not path.stem.startswith("__")
    if ">>>" in path.read_text(encoding="utf-8")
)


def test_kernels_index_from_the_front():
    # With wraparound off, a negative index of a Python object is wrong on some versions.
    for path in SOURCES.glob("_mst/**/*.pyx"):
        assert not re.search(r"\w\[-\d+\]", path.read_text()), path


def documented():
    """Public names, and the methods of public classes that we have written."""
    for thing in PUBLIC:
        yield thing.__qualname__
        for name in dir(thing) if inspect.isclass(thing) else ():
            method = inspect.getattr_static(thing, name)
            method = getattr(method, "__func__", method)
            ours = inspect.isfunction(method) and method.__module__.startswith("smartsvm")
            if ours and not name.startswith("_"):
                yield f"{thing.__qualname__}.{name}"


def test_docstrings_are_complete():
    faults = {name: docstring_faults(name) for name in documented()}
    assert {name: found for name, found in faults.items() if found} == {}


def docstring_faults(name):
    """What numpydoc misses in a docstring, beside what needs none."""
    excused = set()
    if _fields(name):  # a result is not built by users: its fields are attributes
        assert [p.name for p in ClassDoc(_thing(name))["Attributes"]] == _fields(name), name
        excused = {"PR01"}
    elif "." in name and not _parameters(name):
        excused = {"RT01"}  # a one-line accessor says in its summary what it returns
    found = validate(f"smartsvm.{name}")["errors"]
    return [error for error in found if error[0] in ERRORS - excused]


def _thing(name):
    return functools.reduce(getattr, name.split("."), smartsvm)


def _fields(name):
    thing = _thing(name)
    if dataclasses.is_dataclass(thing):
        return [field.name for field in dataclasses.fields(thing)]
    if not hasattr(thing, "_fields"):
        return []
    # A subclass of a tuple may have attributes of its own, such as `core_distances`.
    return list(dict.fromkeys([*thing._fields, *vars(thing).get("__annotations__", {})]))


def _parameters(name):
    return [p for p in inspect.signature(_thing(name)).parameters if p != "self"]


def test_public_things_have_an_example():
    for thing in PUBLIC:
        called = inspect.isfunction(thing) or issubclass(thing, BaseEstimator)
        if called or "Display" in thing.__name__:
            assert FunctionDoc(thing)["Examples"], thing


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    result = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 0
    assert result.failed == 0


def test_the_version_stands_in_one_place():
    version = smartsvm.__version__
    script = [sys.executable, ROOT / "build_tools" / "version.py"]
    assert subprocess.run(script, capture_output=True, text=True).stdout == f"{version}\n"
    for name in ("pyproject.toml", "meson.build", "CITATION.cff", "conda/recipe.yaml"):
        assert version not in (ROOT / name).read_text(encoding="utf-8"), name


def test_the_conda_recipe_has_its_parts():
    """`make lint-release` lets rattler-build read it."""
    import yaml  # here: without it the other tests of this file run

    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text())
    assert recipe["package"] == {"name": "smartsvm2", "version": '${{ env.get("VERSION") }}'}
    assert set(recipe["requirements"]) == {"build", "host", "run", "run_constraints"}
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    entry_points = recipe["build"]["python"]["entry_points"]
    assert entry_points == [f"{name} = {place}" for name, place in scripts.items()]


def test_the_conda_recipe_asks_for_the_same_packages():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    parts = dict(re.findall(r"^  (host|run):\n((?:    .*\n)+)", recipe, re.MULTILINE))
    for part, declared in (
        ("host", pyproject["build-system"]["requires"]),
        ("run", pyproject["project"]["dependencies"]),
    ):
        asked = re.findall(r"^    - (\S+ >=\S+)$", parts[part], re.MULTILINE)
        assert sorted(each.replace(" ", "") for each in asked) == sorted(declared)


def test_no_test_pins_its_number_of_examples():
    """`make test-slow` multiplies them: `examples(n)` of strategies.py, or no settings at all."""
    allowed = {"conftest.py", "strategies.py"}
    for path in (ROOT / "tests").rglob("*.py"):
        assert path.name in allowed or "max_examples" + "=" not in path.read_text(), path


@functools.cache
def texts():
    """The reference, the changelog, the sources and the tests, each read once."""
    reference = (ROOT / "docs" / "reference" / "index.rst").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sources = [path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")]
    tests = [path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/test_*.py")]
    return reference, changelog, sources, tests


def missing_places(name):
    """Which of the five places of a public name lack it."""
    reference, changelog, sources, tests = texts()
    places = {
        "a module of smartsvm": any(
            re.search(rf"^(?:def|class) {name}\b", text, re.MULTILINE) for text in sources
        ),
        "smartsvm/__init__.py (__all__)": name in smartsvm.__all__,
        "docs/reference/index.rst": re.search(rf"^   {name}$", reference, re.MULTILINE),
        "a test": any(re.search(rf"\b{name}\b", text) for text in tests),
        "CHANGELOG.md": re.search(rf"`{name}[`(]", changelog),
    }
    return [place for place, found in places.items() if not found]


def referenced():
    """Names in the reference, whether or not they exist."""
    text = (ROOT / "docs" / "reference" / "index.rst").read_text(encoding="utf-8")
    return re.findall(r"^   ([A-Za-z]\w*)$", text, re.MULTILINE)


def test_a_public_name_stands_in_five_places():
    missing = {name: missing_places(name) for name in sorted({*smartsvm.__all__, *referenced()})}
    assert {name: places for name, places in missing.items() if places} == {}


def test_a_forgotten_place_is_named():
    made_up = "forgotten" + "_name"
    assert len(missing_places(made_up)) == 5
