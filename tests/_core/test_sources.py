"""Points and labels from memory-maps, files, folders and Dask arrays."""

import os
import subprocess
import sys
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from smartsvm import (
    ClassForest,
    SmartSVM,
    SmartSVMCV,
    bayes_error,
    difficulty_report,
    euclidean_mst,
    ovr_bayes_error,
    pairwise_bayes_error,
)
from smartsvm._core.sources import open_source, read_labels
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.memory_plan import merge_bytes

dask_array = pytest.importorskip("dask.array")

N, K = 600, 3


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, size=N)
    return np.round(rng.normal(size=(N, 3)) + y[:, None], 1), np.array(["a", "b", "c"])[y]


@pytest.fixture(params=["memmap", "npy", "folder", "mixed folder", "dask"])
def on_disk(request, problem, tmp_path):
    """(X, y) somewhere else than in memory."""
    X, y = problem
    if request.param == "dask":
        return dask_array.from_array(X, chunks=(70, 2)), dask_array.from_array(y, chunks=99)
    np.save(tmp_path / "y.npy", y)
    if request.param in ("memmap", "npy"):
        np.save(tmp_path / "X.npy", X)
        path = tmp_path / "X.npy"
        X = np.load(path, mmap_mode="r") if request.param == "memmap" else str(path)
        return X, tmp_path / "y.npy"
    for name in ("X", "y"):
        (tmp_path / name).mkdir()
    bounds = [0, 1, 100, 100, 450, N]
    for part, (begin, end) in enumerate(pairwise(bounds)):
        if request.param == "folder" or part % 2:
            np.save(tmp_path / "X" / f"part-{part}.npy", X[begin:end])
            np.save(tmp_path / "y" / f"part-{part}.npy", y[begin:end])
        else:
            frame = pd.DataFrame(X[begin:end], columns=list("abc"))
            frame.to_parquet(tmp_path / "X" / f"part-{part}.parquet")
            labels = pd.DataFrame({"y": y[begin:end].astype(object)})
            labels.to_parquet(tmp_path / "y" / f"part-{part}.parquet")
    return tmp_path / "X", tmp_path / "y"


LIMITS = [None, N * merge_bytes(3, by_class=True) + 50_000]  # all at once, and in blocks


@pytest.mark.parametrize("limit", LIMITS)
def test_trees_are_the_same(on_disk, problem, limit):
    expected = euclidean_mst(problem[0], n_trees=3)
    found = euclidean_mst(on_disk[0], n_trees=3, memory_limit=limit)
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.weights, expected.weights)


@pytest.fixture(scope="module")
def errors(problem):
    functions = (pairwise_bayes_error, ovr_bayes_error, bayes_error)
    return {function: function(*problem) for function in functions}


@pytest.mark.parametrize("limit", LIMITS)
def test_errors_are_the_same(on_disk, problem, errors, limit):
    for function, expected in errors.items():
        found = function(*on_disk, memory_limit=limit)
        np.testing.assert_array_equal(found.value, expected.value)
        np.testing.assert_array_equal(found.upper, expected.upper)
        np.testing.assert_array_equal(found.classes, ["a", "b", "c"])
    split = ClassForest(*on_disk, memory_limit=limit).split(["a"], ["b", "c"])
    assert split.value == ClassForest(*problem).split(["a"], ["b", "c"]).value


@pytest.fixture(params=["memmap", "npy", "folder", "parquet", "dask"])
def large_integers(request, tmp_path):
    """A column of integers that float64 rounds, somewhere else than in memory."""
    X = np.column_stack([2**60 + np.arange(N) % 3, np.arange(N) % 50])
    if request.param == "dask":
        return dask_array.from_array(X, chunks=(70, 2))
    (tmp_path / "X").mkdir()
    if request.param == "parquet":  # the other column is of floats
        frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(float)})
        frame.to_parquet(tmp_path / "X" / "part.parquet")
        return tmp_path / "X"
    path = tmp_path / "X" / "part.npy"
    np.save(path, X)
    if request.param == "memmap":
        return np.load(path, mmap_mode="r")
    return path if request.param == "npy" else tmp_path / "X"


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y, limit: euclidean_mst(X, memory_limit=limit),
        lambda X, y, limit: bayes_error(X, y, memory_limit=limit),
        lambda X, y, limit: difficulty_report(X, y, subsample=100),
        lambda X, y, limit: SmartSVM(memory_limit=limit).fit(X, y),
    ],
    ids=["trees", "errors", "report", "classifier"],
)
@pytest.mark.parametrize("limit", [None, 10**6])
def test_integers_that_are_rounded_are_warned_of(large_integers, call, limit):
    y = np.random.default_rng(0).integers(0, 2, size=N)
    with pytest.warns(RuntimeWarning, match=r"X holds integers beyond 2\^53") as told:
        call(large_integers, y, limit)
    assert len([each for each in told if "2^53" in str(each.message)]) == 1


# Floats may be of any size.
@pytest.mark.parametrize(
    "X",
    [
        np.column_stack([2**53 - 1 - np.arange(N), np.arange(N)]),
        2.0**60 * np.arange(2 * N).reshape(N, 2),
    ],
    ids=["integers", "floats"],
)
def test_integers_that_floats_hold_are_not_warned_of(tmp_path, X):
    np.save(tmp_path / "X.npy", X)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = euclidean_mst(tmp_path / "X.npy", memory_limit=10**6)
    assert told == []
    np.testing.assert_array_equal(found.edges, euclidean_mst(X).edges)


@pytest.fixture(scope="module")
def reports(problem):
    return difficulty_report(*problem), difficulty_report(*problem, subsample=100)


def test_report_is_the_same(on_disk, reports):
    (expected, expected_part) = reports
    found = difficulty_report(*on_disk)
    assert found.bayes_error == expected.bayes_error
    np.testing.assert_array_equal(found.suspects, expected.suspects)
    part = difficulty_report(*on_disk, subsample=100, memory_limit="26 MiB")
    assert part.bayes_error == expected_part.bayes_error
    with pytest.raises(MemoryError, match=r"pass subsample=1\d\d or fewer"):
        difficulty_report(*on_disk, memory_limit=26_600_000)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")
def test_some_rows_of_a_file_take_no_more_than_they_need(tmp_path):
    """What a report on a subsample reads: in a process of its own, for its peak memory."""
    shape = (60_000, 128)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, shape)
    X[:] = np.random.default_rng(0).normal(size=shape)
    script = """
import re, sys
from pathlib import Path
import numpy as np
from smartsvm._core.sources import open_source
X = open_source(sys.argv[1])
rows = np.sort(np.random.default_rng(0).permutation(60_000)[:1500])
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
assert X.gather(rows).shape == (1500, 128)
print(peak() - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "X.npy")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) / 1024 < 24  # MiB; the file has 59


@pytest.mark.parametrize("model", [SmartSVM(hierarchy="min-cut"), SmartSVMCV(Cs=[1.0], cv=2)])
def test_classifiers_are_the_same(on_disk, problem, model):
    there, here = clone(model).fit(*on_disk), clone(model).fit(*problem)
    assert np.array_equal(there.predict_proba(on_disk[0]), here.predict_proba(problem[0]))
    assert np.array_equal(there.predict(on_disk[0]), here.predict(problem[0]))


def test_a_classifier_names_the_node_that_does_not_fit(on_disk, problem):
    enough = SmartSVM(hierarchy="min-cut", memory_limit="2 MiB").fit(*on_disk)
    assert enough.hierarchy_ == SmartSVM(hierarchy="min-cut").fit(*problem).hierarchy_
    with pytest.raises(MemoryError, match=r"node 0 of the hierarchy.*Raise memory_limit to at"):
        SmartSVM(memory_limit=14_000).fit(*on_disk)


def test_two_classes(problem):
    first_two = problem[1] != "c"
    X = dask_array.from_array(problem[0][first_two])
    y = dask_array.from_array(problem[1][first_two])
    expected = bayes_error(problem[0][first_two], problem[1][first_two])
    assert bayes_error(X, y).value == expected.value


def test_rows_are_gathered(on_disk, problem):
    rows = np.sort(np.random.default_rng(1).choice(N, 50, replace=False))
    np.testing.assert_array_equal(open_points(on_disk[0]).read(rows), problem[0][rows])
    np.testing.assert_array_equal(np.asarray(read_labels(on_disk[1])), problem[1])


def test_bad_values_are_named_with_their_row(problem, tmp_path):
    X = problem[0].copy()
    X[417, 1] = np.nan
    for part in range(3):
        np.save(tmp_path / f"{part}.npy", X[200 * part : 200 * part + 200])
    with pytest.raises(ValueError, match=r"X must be finite, got nan at \[417, 1\]"):
        euclidean_mst(tmp_path, memory_limit=N * merge_bytes(1) + 100_000)


def test_wrong_sources_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must name a \.npy file, or a folder"):
        euclidean_mst("nowhere.npy")
    with pytest.raises(ValueError, match=r"must hold \.npy or \.parquet parts, got none"):
        euclidean_mst(tmp_path)
    np.save(tmp_path / "1.npy", np.zeros((3, 2)))
    np.save(tmp_path / "2.npy", np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"same number of columns, got \[2, 3\]"):
        euclidean_mst(tmp_path)
    np.save(tmp_path / "2.npy", np.array([["a", "b"]]))
    with pytest.raises(TypeError, match=r"2\.npy must hold real numbers"):
        euclidean_mst(tmp_path)
    X = dask_array.from_array(np.random.default_rng(0).random((20, 2)))
    with pytest.raises(ValueError, match=r"unknown shape .*compute_chunk_sizes"):
        euclidean_mst(X[X[:, 0] > 0.5])
    with pytest.raises(ValueError, match="2 dimensions"):
        euclidean_mst(X[:, 0])
    with pytest.raises(ValueError, match="one label for each of the 20 rows"):
        pairwise_bayes_error(X, dask_array.zeros(19))
    with pytest.raises(ValueError, match="y is a path"):
        pairwise_bayes_error(X, "labels.csv")


def test_integers_and_single_precision_are_read_exactly(tmp_path):
    X = np.random.default_rng(0).integers(-5, 5, size=(200, 2)).astype(np.int8)
    for dtype in (np.int8, np.float32):
        np.save(tmp_path / "X.npy", X.astype(dtype))
        found = euclidean_mst(tmp_path / "X.npy", memory_limit=200 * merge_bytes(1) + 40_000)
        np.testing.assert_array_equal(found.edges, euclidean_mst(X).edges)


def test_source_is_read_in_chunks(tmp_path):
    X = np.random.default_rng(0).random((20, 200_000))
    np.save(tmp_path / "X.npy", X)
    source = open_source(tmp_path / "X.npy")
    starts = [start for start, _ in source.chunks()]
    assert len(starts) > 3
    np.testing.assert_array_equal(np.concatenate([c for _, c in source.chunks()]), X)


def test_parquet_columns_are_joined_by_name(problem, tmp_path):
    """In whatever order; other names are refused, also where there are as many."""
    X = problem[0]
    frame = pd.DataFrame(problem[0], columns=list("abc"))
    frame[:200].to_parquet(tmp_path / "1.parquet")
    frame.loc[200:399, list("cab")].to_parquet(tmp_path / "2.parquet")
    np.save(tmp_path / "3.npy", X[400:])  # has no names: in the order of the first
    np.testing.assert_array_equal(open_source(tmp_path).whole(), X)
    np.testing.assert_array_equal(euclidean_mst(tmp_path).edges, euclidean_mst(X).edges)
    frame.loc[200:399].rename(columns={"b": "weight"}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"'2.parquet' lacks \['b'\]; it has \['weight'\] besides"):
        euclidean_mst(tmp_path)
    frame.loc[200:399, ["a", "b"]].to_parquet(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"'2.parquet' lacks \['c'\]; it has none besides"):
        euclidean_mst(tmp_path)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "3"], "string"),
        (pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]), "timestamp"),
        (pd.to_timedelta([1, 2, 3], unit="s"), "duration"),
        (pd.Categorical(["1", "2", "1"]), "dictionary"),
        ([[1], [2], [3]], "list"),
    ],
)
def test_parquet_columns_that_are_no_numbers_are_refused(tmp_path, values, kind):
    pd.DataFrame({"a": [1.0, 2.0, 4.0]}).assign(b=values).to_parquet(tmp_path / "1.parquet")
    with pytest.raises(TypeError, match=rf"X in 1.parquet must hold real .*'b' of type .*{kind}"):
        euclidean_mst(tmp_path)


def test_parquet_numbers_of_any_kind(tmp_path):
    """The index of a frame is no feature, as in pandas; what is missing is NaN."""
    frame = pd.DataFrame(
        {
            "a": np.arange(6, dtype=np.int8),
            "b": np.arange(6, dtype=np.float32) / 8,
            "c": [True, False, True, True, False, False],
        },
        index=[9, 2, 4, 5, 1, 0],
    )
    frame.to_parquet(tmp_path / "1.parquet")
    np.testing.assert_array_equal(open_source(tmp_path).whole(), frame.to_numpy(dtype=float))
    for column, values in (("a", [1, None] * 3), ("c", [True, None] * 3)):
        types = {"a": "Int64", "c": "boolean"}
        missing = frame.assign(**{column: pd.array(values, dtype=types[column])})
        missing.to_parquet(tmp_path / "1.parquet")
        place = rf"\[1, {frame.columns.get_loc(column)}\]"
        with pytest.raises(ValueError, match=f"X must be finite, got nan at {place}"):
            euclidean_mst(tmp_path, memory_limit=10**6, checkpoint=tmp_path / "run")


def test_parts_without_columns_are_refused(tmp_path):
    np.save(tmp_path / "part.npy", np.empty((5, 0)))
    with pytest.raises(ValueError, match="X must not be empty, got parts of 5 rows and 0 columns"):
        euclidean_mst(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs")
@pytest.mark.parametrize("name", ["2.npy", "2.parquet"])
def test_a_fifo_among_the_parts_is_refused(tmp_path, name):
    """It is not waited for."""
    np.save(tmp_path / "1.npy", np.eye(3))
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=f"each part must be a regular file, got .*{name}"):
        euclidean_mst(tmp_path)
    with pytest.raises(ValueError, match="y: each part must be a regular file"):
        pairwise_bayes_error(np.eye(3), tmp_path)
