"""Points belong to a call: what is done to an array meanwhile or later changes no answer."""

import subprocess
import sys

import numpy as np
import pytest
import writer

from smartsvm import BayesErrorSelector, ClassForest, difficulty_report

Y = np.arange(600) % 3


def points(dtype):
    X = 4 * np.random.default_rng(0).normal(size=(600, 4)) + Y[:, None]
    return X.astype(dtype)


def answers(forest):
    return [
        forest.pairwise().value.tolist(),
        forest.multiclass().value,
        forest.split([0], [1, 2]).value,
        forest.one_vs_rest().value.tolist(),
    ]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int16, np.int64, bool])
def test_a_forest_keeps_its_points(dtype, order):
    X = np.array(points(dtype), order=order)
    expected = answers(ClassForest(X.astype(np.float64), Y))
    forest = ClassForest(X, Y)
    X[:] = 0 if np.dtype(dtype).kind != "f" else np.inf
    assert answers(forest) == expected


def test_a_forest_keeps_the_type_of_its_points():
    for dtype in (np.float32, np.uint8):
        X = np.abs(points(float)).astype(dtype)
        kept = ClassForest(X, Y)._counts.forest.points.values
        assert kept.dtype == dtype
        assert not np.shares_memory(kept, X)


def test_scaled_points_that_overflow_later():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(20_000, 3)), random.integers(0, 3, size=20_000)
    forest, expected = ClassForest(X, y), ClassForest(X.copy(), y).pairwise().value
    X *= 1e300
    assert np.array_equal(forest.pairwise().value, expected)


def test_a_mapped_file_is_read_where_it_is(tmp_path):
    for dtype in (np.float64, np.float32):
        np.save(tmp_path / "X.npy", points(dtype))
        X = np.load(tmp_path / "X.npy", mmap_mode="r+")
        forest, expected = ClassForest(X, Y), answers(ClassForest(points(dtype), Y))
        assert np.shares_memory(forest._counts.forest.points.values, X)
        assert answers(forest) == expected
        forest = ClassForest(X, Y)
        for value in (np.nan, np.inf, -np.inf):
            X[7, 1] = value
            with pytest.raises(ValueError, match="X must not change while it is read"):
                forest.pairwise()


def test_labels_of_a_forest_are_its_own():
    y = Y.copy()
    forest, expected = ClassForest(points(float), y), answers(ClassForest(points(float), Y))
    y[:] = 10**9
    assert answers(forest) == expected


def test_results_do_not_change_with_the_points():
    X = points(float)
    report, selector = difficulty_report(X, Y), BayesErrorSelector(2).fit(X, Y)
    text, chosen = str(report), selector.get_support().tolist()
    X[:] = np.nan
    assert str(report) == text
    assert selector.get_support().tolist() == chosen


def run_writer(seconds, seed):
    command = [sys.executable, writer.__file__, "--seconds", str(seconds), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    where = done.stdout.splitlines()[-1:]
    return done.returncode, f"exit code {done.returncode} in {where}\n{done.stderr[:3000]}"


def test_calls_end_while_another_thread_writes_to_their_points():
    code, message = run_writer(4, 0)
    assert code == 0, message


@pytest.mark.slow
def test_many_calls_end_while_their_points_change():
    code, message = run_writer(300, 2)
    assert code == 0, message
