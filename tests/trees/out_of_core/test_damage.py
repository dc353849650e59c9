"""Checkpoints whose files were cut short, altered or swapped, and inputs that change meanwhile."""

import json
import os
import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import smartsvm.trees.out_of_core.forest as module
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.checkpoint import Checkpoint, read_problem
from smartsvm.trees.out_of_core.forest import BlockForest

X = np.random.default_rng(0).random((400, 3))
RESULT = Forests(np.arange(12, dtype=np.uint32).reshape(6, 2), np.arange(6.0), np.array([6]))


def forest(folder, points=X):
    return BlockForest(open_points(points), n_trees=2, seed=1, n_blocks=4, checkpoint=folder)


@pytest.fixture(scope="module")
def expected():
    return BlockForest(open_points(X), n_trees=2, seed=1, n_blocks=4).whole()


@pytest.fixture
def finished(tmp_path):
    """A checkpoint of a run that is through."""
    forest(tmp_path / "run").whole()
    return tmp_path / "run"


def found_again(folder):
    again = forest(folder)
    return again.whole(), again.report


def assert_redone(folder, expected, n_redone):
    """The next run names what is damaged, does that again, and is right; the one after is quiet."""
    with pytest.warns(RuntimeWarning, match=r"is damaged: .* was renamed to .*\.damaged") as told:
        found, report = found_again(folder)
    for mine, theirs in zip(found, expected, strict=True):
        assert_array_equal(mine, theirs)
    assert report.n_tasks == n_redone
    assert len(list(folder.glob("*.damaged"))) == len(told)
    assert found_again(folder)[1].n_tasks == 0


def cut_short(data):
    return data[: len(data) // 2]


def emptied(data):
    return b""


def flipped(data):
    value = data.index(b"\x93NUMPY") + 128  # the first one of an array, after its header
    return data[:value] + bytes([data[value] ^ 16]) + data[value + 1 :]


def foreign(data):
    return b'{"rows": 3}'


@pytest.mark.parametrize("damage", [cut_short, emptied, flipped, foreign])
@pytest.mark.parametrize("name", ["within-1.npz", "near-*.npz"])
def test_damaged_results_are_set_aside_and_redone(finished, expected, name, damage):
    paths = list(finished.glob(name))
    assert paths
    for path in paths:
        path.write_bytes(damage(path.read_bytes()))
    assert_redone(finished, expected, len(paths))


def test_any_flipped_byte_is_noticed_or_harmless(tmp_path):
    checkpoint = Checkpoint(tmp_path, {"rows": 3})
    checkpoint.save("near-0-1", RESULT)
    path = tmp_path / "near-0-1.npz"
    whole, n_noticed = path.read_bytes(), 0
    for position in range(0, len(whole), 3):
        path.write_bytes(
            whole[:position] + bytes([whole[position] ^ 1 << position % 8]) + whole[position + 1 :]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = checkpoint.load("near-0-1", Forests)
        if found is None:
            n_noticed += 1
            assert not path.exists()
        else:
            assert all(map(np.array_equal, found, RESULT))
    assert n_noticed > len(whole) / 6


@pytest.mark.parametrize(
    "damage", [cut_short, emptied, foreign, lambda data: b"[]", lambda data: 10**5 * b"["]
)
def test_a_damaged_problem_is_written_again(finished, expected, damage):
    path = finished / "problem.json"
    path.write_bytes(damage(path.read_bytes()))
    assert read_problem(finished) == {}
    assert_redone(finished, expected, 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs")
@pytest.mark.parametrize("make", ["mkfifo", "mkdir"])
def test_what_is_not_a_file_is_set_aside(finished, expected, make):
    """A FIFO is not waited for."""
    for name in ("within-1.npz", "problem.json"):
        (finished / name).unlink()
        getattr(os, make)(finished / name)
    assert_redone(finished, expected, 1)


def test_edited_values_are_noticed(finished, expected):
    path = finished / "within-2.npz"
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["squared"] = arrays["squared"] * 1.5
    np.savez(path, **arrays)
    assert_redone(finished, expected, 1)
    path = finished / "problem.json"
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 7'))
    with pytest.warns(RuntimeWarning, match="its values were altered"):
        again = forest(finished)
    assert_array_equal(again.whole().squared, expected.squared)
    assert again.report.n_tasks == 0


def test_results_under_another_name_are_noticed(finished, expected):
    first, second = (finished / f"within-{k}.npz" for k in (0, 1))
    first.write_bytes(second.read_bytes())
    assert_redone(finished, expected, 1)


def test_results_of_another_problem_are_noticed(finished, tmp_path, expected):
    other = tmp_path / "other"
    forest(other, X[::-1].copy()).whole()
    for path in other.glob("within-*.npz"):
        (finished / path.name).write_bytes(path.read_bytes())
    assert_redone(finished, expected, 4)


def test_an_older_format_is_refused(finished):
    (finished / "problem.json").write_text(json.dumps({"format": 1, "rows": 400}))
    with pytest.raises(ValueError, match="belongs to another problem: format was 1 and is 4"):
        forest(finished)


def test_what_a_killed_run_leaves_is_no_hindrance(tmp_path, expected):
    (tmp_path / "smartsvm-killed").mkdir()
    (tmp_path / "problem.json.abc.partial").write_bytes(b"{")
    assert_array_equal(forest(tmp_path).whole().squared, expected.squared)


@pytest.mark.parametrize("new", [0.25, np.nan, np.inf, 1e300])
def test_an_input_that_changes_without_a_checkpoint(tmp_path, monkeypatch, new):
    """Kernels need the ranges that were found in the first pass."""
    np.save(tmp_path / "X.npy", X)
    real = module.summarize

    def summarize_and_change(*arguments, **options):
        summary = real(*arguments, **options)
        np.load(tmp_path / "X.npy", mmap_mode="r+")[17, 1] = new
        return summary

    monkeypatch.setattr(module, "summarize", summarize_and_change)
    with pytest.raises(ValueError, match="X changed while it was being read"):
        BlockForest(open_points(tmp_path / "X.npy"), n_trees=2, seed=1, n_blocks=4)


@pytest.mark.parametrize("kind", ["memory", "file", "writable map"])
def test_an_input_that_changes_between_two_passes(tmp_path, monkeypatch, kind):
    """What would be stored is not what the digest says."""
    points, path = X.copy(), tmp_path / "X.npy"
    np.save(path, points)
    source = {
        "memory": points,
        "file": path,
        "writable map": np.load(path, mmap_mode="r+"),
    }[kind]
    real = module.summarize

    def summarize_and_change(*arguments, **options):
        summary = real(*arguments, **options)
        changed = points if kind == "memory" else np.load(path, mmap_mode="r+")
        changed[17, 1] += 0.25
        return summary

    with monkeypatch.context() as patch:
        patch.setattr(module, "summarize", summarize_and_change)
        with pytest.raises(ValueError, match="X changed while it was being read"):
            forest(tmp_path / "run", source)
    assert not list((tmp_path / "run").glob("*.json"))
    changed = X.copy()
    changed[17, 1] += 0.25
    found = forest(tmp_path / "run", source).whole()
    theirs = BlockForest(open_points(changed), n_trees=2, seed=1, n_blocks=4).whole()
    assert_array_equal(found.squared, theirs.squared)


def test_threads_may_save_the_same_result(tmp_path):
    checkpoint, errors = Checkpoint(tmp_path, {"rows": 3}), []

    def save():
        try:
            for _ in range(30):
                checkpoint.save("near-0-1", RESULT)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert all(map(np.array_equal, checkpoint.load("near-0-1", Forests), RESULT))
    assert [path.name for path in tmp_path.iterdir()] == ["near-0-1.npz"]
