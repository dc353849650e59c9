"""Imports run one way: between folders as `layers.py` has them, within a folder without a cycle."""

import ast
import graphlib
import re
import sys

from layers import CONTRIBUTING, LAYERS, ROOMS, ROOT, drawn
from problems import two_gaussians

from smartsvm import difficulty_report

SOURCES = ROOT / "src" / "smartsvm"
ORDER = list(LAYERS)
FILES = sorted(path for suffix in ("py", "pyx", "pxd") for path in SOURCES.rglob(f"*.{suffix}"))
MODULES = {path.relative_to(SOURCES).with_suffix("").as_posix() for path in FILES}
STATEMENT = re.compile(r"^\s*from\s+(smartsvm[\w.]*)\s+c?import\s+(\([^)]*\)|[^\n]*)", re.MULTILINE)
PLAIN = re.compile(r"^\s*c?import\s+(smartsvm[\w.]*)", re.MULTILINE)


def folder_of(module):
    """The folder in LAYERS that a module lives in; the rooms of _mst are one."""
    folder = module.rpartition("/")[0]
    return "_mst" if folder.split("/")[0] == "_mst" else folder


def imports_of(path):
    """The modules of ours that a file imports or cimports, as paths without a suffix."""
    text = path.read_text()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are absolute"
    for package, names in STATEMENT.findall(text):
        base = package.removeprefix("smartsvm").strip(".").replace(".", "/")
        for name in re.findall(r"(\w+)(?:\s+as\s+\w+)?", re.sub(r"#.*", "", names)):
            inner = f"{base}/{name}".strip("/")
            if inner in MODULES:
                yield inner
            else:
                yield base if base in MODULES else f"{base}/__init__".strip("/")
    for name in PLAIN.findall(text):
        inner = name.removeprefix("smartsvm").strip(".").replace(".", "/")
        yield inner if inner in MODULES else f"{inner}/__init__".strip("/")


def module_of(path):
    return path.relative_to(SOURCES).with_suffix("").as_posix()


def test_every_file_is_in_a_folder_of_the_table():
    assert {folder_of(module) for module in MODULES} == set(LAYERS)


def test_folders_import_downwards():
    upwards = [
        f"{module_of(path)} imports {module}"
        for path in FILES
        for module in imports_of(path)
        if ORDER.index(folder_of(module)) < ORDER.index(folder_of(module_of(path)))
    ]
    assert upwards == []


def test_modules_have_no_cycle():
    graph = {}
    for path in FILES:
        if path.stem == "__init__" or "_mst" in path.parts:
            continue
        imported = set(imports_of(path)) - {module_of(path)}
        graph.setdefault(module_of(path), set()).update(imported)
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert order.index("_core/validation") < order.index("report/measure")


def test_the_reader_of_imports_sees_every_form(tmp_path):
    path = tmp_path / "forms.pyx"
    path.write_text(
        "from smartsvm._core cimport threads\n"
        "from smartsvm._core.safe_range import (\n    are_safe,  # why\n    scale,\n)\n"
        "from smartsvm import __version__\n"
        "import smartsvm.held_out.neighbors as near\n"
    )
    assert set(imports_of(path)) == {
        "_core/threads",
        "_core/safe_range",
        "__init__",
        "held_out/neighbors",
    }


def test_kernels_use_only_what_lies_below_scikit_learn():
    for path in FILES:
        if "_mst" in path.parts:
            assert not re.search(r"^\s*(from|import) (sklearn|joblib)", path.read_text(), re.M), (
                path
            )


GPU_LIBRARIES = {"torch", "triton", "cupy"}


def questions_about_tensors(text):
    """Lines of Python that import a library of GPUs, or ask whether something is a tensor."""
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module.partition(".")[0]] + [alias.name for alias in node.names]
        elif isinstance(node, ast.Call):  # isinstance(X, torch.Tensor), import_module("torch")
            called = [part for part in ast.walk(node) if isinstance(part, ast.Attribute)]
            names = [part.attr for part in called if part.attr == "Tensor"]
            names += [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            names += [getattr(node.func, "id", "")]
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute):
            asks = any(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
            names = [node.left.attr] if asks else []
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__dlpack"):
            names = [node.attr]
        asked = GPU_LIBRARIES | {"_is_tensor", "is_tensor", "Tensor", "tensor"}
        asked |= {"__dlpack__", "__dlpack_device__"}
        if not asked.isdisjoint(name for name in names if isinstance(name, str)):
            yield node.lineno


def test_the_reader_of_tensors_sees_every_form():
    for text in (
        "import torch",
        "from torch.nn import functional",
        "def f():\n    import triton.language",
        "import importlib\nimportlib.import_module('torch')",
        "isinstance(X, module.Tensor)",
        "hasattr(X, '__dlpack__')",
        "X.__dlpack_device__()",
        "is_tensor(X)",
        "from smartsvm._core.devices import _is_tensor",
        "points.tensor is not None",
    ):
        assert list(questions_about_tensors(text)), text
    assert not list(questions_about_tensors("points.tensor\nvalues = f(points.tensor, 'tensors')"))


def test_one_module_knows_what_a_tensor_is():
    """Outside of the kernels for a GPU; `Points.device` says whether a GPU computes."""
    knows = {
        module_of(path)
        for path in SOURCES.rglob("*.py")
        if path.parent.name != "gpu" and list(questions_about_tensors(path.read_text()))
    }
    assert knows == {"_core/devices", "_core/points"}
    lines = list(questions_about_tensors((SOURCES / "_core/points.py").read_text()))
    assert len(lines) == 1  # `Points.device`


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


def test_every_folder_says_what_lives_in_it():
    unnamed = []
    for folder in [*LAYERS, *(f"_mst/{room}" for room in ROOMS if room)]:
        docstring = ast.get_docstring(ast.parse((SOURCES / folder / "__init__.py").read_text()))
        assert docstring, folder
        names = set(re.findall(r"\w+", docstring))
        here = {path.stem for path in (SOURCES / folder).glob("*.py") if path.stem[0] != "_"}
        for registry in here & {"registry", "formats"}:  # it names the modules of its entries
            imported = imports_of(SOURCES / folder / f"{registry}.py")
            names |= {module.rpartition("/")[2] for module in imported}
        unnamed += [f"{folder}/{name}" for name in here - names]
    assert not unnamed, "say in __init__.py of their folders what these hold"


def test_the_drawing_is_the_table():
    page = CONTRIBUTING.read_text()
    assert page == drawn(page), "run `python tests/layers.py`"


def test_the_headline_comes_through_the_files_that_are_listed():
    listed = re.findall(r"^\| `([\w/]+\.py)` \|", CONTRIBUTING.read_text("utf-8"), re.MULTILINE)
    assert len(listed) == 12
    X, y = two_gaussians(60, 2, 2.0)
    before, ran = sys.getprofile(), set()
    sys.setprofile(lambda frame, *_: ran.add(frame.f_code.co_filename.replace("\\", "/")))
    try:
        difficulty_report(X, y, classifiers=["linear"])
    finally:
        sys.setprofile(before)
    assert [name for name in listed if not any(f.endswith(f"/smartsvm/{name}") for f in ran)] == []
