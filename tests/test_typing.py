"""The types of the public API, as a user's type checker sees them."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import smartsvm

# A user's script: every public name, with the types of the important results.
RIGHT = """
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from smartsvm import (
    BayesErrorSelector, ClassForest,
    ClassHierarchy, DifficultyReport, ErrorEstimate, Headroom, HierarchyDisplay,
    Interval, LabelErrorRanking, Neighbors, PairwiseErrorDisplay, PreparedTable,
    RepresentationComparison, SmallClassWarning, SmartSVM,
    SmartSVMCV, SoftLabelEstimate, SpanningTrees, TablePreparation, TwoSampleTest,
    bayes_error, bayes_error_class_weight, bayes_error_scorer,
    class_hierarchy, compare_representations, confusion_rate, difficulty_report, euclidean_mst,
    nearest_neighbors, ovr_bayes_error,
    pairwise_bayes_error, prepare_table, rank_label_errors, sample_difficulty,
    soft_label_bayes_error, two_sample_test,
)
from smartsvm.tables.records import Note

X: NDArray[np.float64] = np.random.default_rng(0).normal(size=(60, 4))
y: list[str] = ["ant", "bee", "cat"] * 20

# Trees and errors
trees: SpanningTrees = euclidean_mst(X, n_trees=2, n_jobs=2, random_state=np.random.default_rng(1))
assert_type(trees.edges, NDArray[np.intp])
assert_type(trees.linkage(tree=1), NDArray[np.float64])
assert_type(trees.components(0.5), NDArray[np.intp])
near: Neighbors = nearest_neighbors(X, 5)
assert_type(bayes_error(X, y[:60], scale="ranks"), ErrorEstimate)
assert_type(soft_label_bayes_error([[1, 2]]), SoftLabelEstimate)
assert_type(ovr_bayes_error(X, y), ErrorEstimate)
errors: ErrorEstimate = pairwise_bayes_error(X, y)
forest = ClassForest(X, y, n_trees=2, memory_limit="1 GiB")
assert_type(forest.pairwise(), ErrorEstimate)
change = two_sample_test(X, X + 1, names=["before", "after"], n_permutations=19)
assert_type(change, TwoSampleTest)
assert_type(change.p_value, float)
assert_type(change.divergence, Interval)
assert_type(change.least_alike(3), NDArray[np.intp])
versions = compare_representations({"all": X, "half": X[:, :2]}, y)
assert_type(versions, RepresentationComparison)
assert_type(versions.best, list[str])
assert_type(versions.difference("all", "half"), Interval)
assert_type(confusion_rate(y, y), NDArray[np.float64])
assert_type(sample_difficulty(X, y), NDArray[np.float64])
_, posterior = sample_difficulty(X, y, return_posterior=True)

# The report
report = difficulty_report(X, y, target_accuracy=0.9)
assert_type(report, DifficultyReport)
page: str = report.to_html()
assert_type(report.errors.held_out.best, Interval)
assert_type(report.errors.held_out.classifier, str)
assert_type(report.chance(0.8), float)
assert_type(difficulty_report(X, y, models={"mine": y}).headroom("mine"), Headroom)
assert_type(report.models, dict[str, Headroom])
ranked = rank_label_errors(y, np.full((60, 3), 1 / 3), overlap="rare")
assert_type(ranked, LabelErrorRanking)
assert_type(ranked.chance, NDArray[np.float64])
prepared: PreparedTable = prepare_table({"x": [1, 2], "kind": ["a", "b"]}, "kind")
assert_type(prepared.notes, list[Note])
preparation: TablePreparation = prepared.preparation
assert_type(report.judge("95%").chance, float)
interval = Interval(0.1, 0.05, 0.2)
assert_type(interval.low, float)

# Hierarchy and classifiers
tree = class_hierarchy(errors)
assert_type(tree, ClassHierarchy)
assert_type(class_hierarchy([[0, 0.1], [0.1, 0]], classes=["a", "b"]).depth, int)
assert_type(tree.to_text(), str)
assert_type(ClassHierarchy.from_nested([["ant", "bee"], "cat"]).sides, NDArray[np.int8])
model = SmartSVM(C=0.5, hierarchy=tree, class_weight={"ant": 2.0}).fit(X, y)
assert_type(model, SmartSVM)
assert_type(model.hierarchy_, ClassHierarchy)
assert_type(model.predict_proba(X), NDArray[np.float64])
assert_type(model.decision_function(X), NDArray[np.float64])
assert_type(model.nodes_[0].held_out_error, float)
labels: NDArray[Any] = model.predict(X)
search = SmartSVMCV(Cs=[0.1, 1.0], candidates={"routing": ["hard", "soft"]}).fit(X, y)
assert_type(search.best_estimator_, SmartSVM)
assert_type(search.C_, float)

# Selection
selector = BayesErrorSelector(2, criterion="neighbors").fit(X, y)
assert_type(selector.support_, NDArray[np.bool_])
assert_type(selector.path_[0].score, float)
assert_type(bayes_error_class_weight(X, y), dict[Any, float])
assert_type(bayes_error_scorer(selector, X, y), float)

# Displays
assert_type(PairwiseErrorDisplay.from_estimate(errors).alt_text, str)
assert_type(HierarchyDisplay(tree).plot(cuts=False), HierarchyDisplay)
warning: type[UserWarning] = SmallClassWarning
"""

# One mistake a line, with the code of the error that mypy must report there.
WRONG = """
from smartsvm import *
X, y = [[0.0], [1.0]], [0, 1]
SmartSVM(C="large")  # arg-type
SmartSVM(node="linear")  # call-arg
SmartSVM().fit(X)  # call-arg
SmartSVM().fit(X, y, sample_weight=print)  # arg-type
SmartSVMCV(candidates=["hard"])  # arg-type
BayesErrorSelector(random_state="seed")  # arg-type
euclidean_mst(X, n_trees="three")  # arg-type
text: str = difficulty_report(X, y)  # assignment
difficulty_report(X, y, rules=["linear"])  # call-arg
difficulty_report(X, y, classifiers=3)  # arg-type
difficulty_report(X, y).guessing  # attr-defined
number: int = class_hierarchy(X)  # assignment
bayes_error_scorer(X, y)  # call-arg
HierarchyDisplay([["a", "b"], "c"])  # arg-type
bayes_error_class_weight(X, y, strength=None)  # arg-type
ClassHierarchy.from_nested([0, 1]).to_text(notes=3)  # arg-type
"""


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """What one run of mypy reports for both scripts: (script, line) to code of the error."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in (("right", RIGHT), ("wrong", WRONG)):
        (folder / f"{name}.py").write_text(text)
    # mypy does not follow the import hook of an editable install.
    package = Path(smartsvm.__file__).resolve().parent.parent
    environment = dict(os.environ)
    if package.name != "site-packages":
        environment["MYPYPATH"] = str(package)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        str(Path(__file__).resolve().parent.parent / "pyproject.toml"),
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--no-error-summary",
        "--hide-error-context",
        "--cache-dir",
        str(folder / "cache"),
        "right.py",
        "wrong.py",
    ]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert not run.stderr, run.stderr
    found = re.findall(r"^(\w+)\.py:(\d+): error: (.*)  \[([\w-]+)\]$", run.stdout, re.MULTILINE)
    return {(script, int(line)): (code, message) for script, line, message, code in found}


def test_a_users_script_has_the_types_it_says(reported):
    lines = RIGHT.splitlines()
    found = {lines[at[1] - 1]: error for at, error in reported.items() if at[0] == "right"}
    assert found == {}


def test_wrong_types_are_reported(reported):
    lines = enumerate(WRONG.splitlines(), 1)
    expected = {n: line.split("# ")[1] for n, line in lines if "# " in line}
    found = {line: code for (script, line), (code, _) in reported.items() if script == "wrong"}
    assert found == expected


def test_the_script_uses_every_public_name():
    imported, _, used = RIGHT.partition(")\n")
    for name in smartsvm.__all__:
        assert re.search(rf"\b{name}\b", imported), name
        assert re.search(rf"\b{name}\b", used), name


def public_functions():
    """Public functions, and the methods, properties and constructors of public classes."""
    for name in smartsvm.__all__:
        thing = getattr(smartsvm, name)
        if not inspect.isclass(thing):
            yield name, thing
            continue
        for member in dir(thing):
            if member.startswith("_") and member != "__init__":
                continue
            # Properties, class methods and `available_if` wrap what was written.
            found = inspect.getattr_static(thing, member)
            for inner in ("fget", "__func__", "fn"):
                found = getattr(found, inner, found)
            if inspect.isfunction(found) and found.__module__.startswith("smartsvm"):
                yield f"{name}.{member}", found


def test_everything_public_is_annotated():
    for name, function in public_functions():
        signature = inspect.signature(function)
        bare = [p.name for p in signature.parameters.values() if p.annotation is p.empty]
        assert set(bare) <= {"self", "cls"}, name
        assert signature.return_annotation is not signature.empty, name
