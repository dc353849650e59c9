"""An installed wheel works: every compiled module, the report, the classifier, the command.

These tests need pytest and the wheel alone, so that they run where nothing can be compiled.
"""

import importlib.metadata
import json
import pickle
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import smartsvm
from smartsvm.__main__ import main

X, Y = load_iris(return_X_y=True)


def test_version_is_that_of_the_distribution():
    assert importlib.metadata.version("smartsvm2") == smartsvm.__version__


def test_kernels_agree():
    points = np.random.default_rng(0).normal(size=(700, 4))
    trees = [
        smartsvm.euclidean_mst(points, n_trees=2, algorithm=algorithm, n_jobs=n_jobs).edges
        for algorithm in ("prim", "kdtree", "products", "auto")
        for n_jobs in (1, 2)
    ]
    for other in trees[1:]:
        np.testing.assert_array_equal(trees[0], other)


def test_report():
    report = smartsvm.difficulty_report(X, Y, target_accuracy=0.9)
    assert report.verdict.answer == "reachable"
    assert report.hardest_pairs(1) == [(1, 2)]
    assert json.loads(report.to_json())["data"]["n_samples"] == 150
    assert "</html>" in report.to_html()


def test_classifier_and_selection():
    model = pickle.loads(pickle.dumps(smartsvm.SmartSVM().fit(X, Y)))
    assert model.score(X, Y) > 0.9
    wine, label = load_wine(return_X_y=True)
    selector = smartsvm.BayesErrorSelector(n_features_to_select=2).fit(wine / wine.std(0), label)
    assert selector.get_support().sum() == 2


def test_from_a_file(tmp_path):
    np.save(tmp_path / "points.npy", X)
    there = smartsvm.bayes_error(tmp_path / "points.npy", Y)
    assert there.value == smartsvm.bayes_error(X, Y).value


def test_command(tmp_path, capsys):
    lines = ["a,b,c,d,label", *(",".join(map(str, [*row, y])) for row, y in zip(X, Y, strict=True))]
    file = tmp_path / "iris.csv"
    file.write_text("\n".join(lines))
    assert main(["report", str(file), "--target", "label", "--quiet"]) == 0
    assert "150 samples" in capsys.readouterr().out


def test_console_script():
    script = Path(sysconfig.get_path("scripts")) / "smartsvm"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["smartsvm", smartsvm.__version__]


def test_displays():
    pytest.importorskip("matplotlib").use("agg")
    display = smartsvm.PairwiseErrorDisplay(smartsvm.pairwise_bayes_error(X, Y).value).plot()
    assert display.ax_.get_images()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="Python has a lock")
def test_no_module_turns_the_interpreter_lock_on():
    """Python warns and turns it on at the import of a compiled module that needs it."""
    folder = Path(smartsvm.__file__).parent
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    names = [
        ".".join(["smartsvm", *path.relative_to(folder).parts]).removesuffix(suffix)
        for path in folder.rglob(f"*{suffix}")
    ]
    assert len(names) > 30
    code = f"import sys, {', '.join(names)}; print(sys._is_gil_enabled())"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_threads_share_the_work_of_several_callers():
    """Calls from several threads at once give the trees of one call."""
    points = np.random.default_rng(1).normal(size=(400, 3))
    expected = smartsvm.euclidean_mst(points, n_trees=2).edges
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(smartsvm.euclidean_mst, points, n_trees=2) for _ in range(16)]
    for call in calls:
        np.testing.assert_array_equal(call.result().edges, expected)
