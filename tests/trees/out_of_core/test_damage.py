"""Checkpoints whose files were cut short, altered or swapped; inputs that change meanwhile."""

import json
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import smartsvm.trees.out_of_core.forest as module
from smartsvm import euclidean_mst
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


def cut_short(data):
    return data[: len(data) // 2]


def emptied(data):
    return b""


def flipped(data):
    return data[:-3] + bytes([data[-3] ^ 16]) + data[-2:]


def foreign(data):
    return b'{"rows": 3}'


@pytest.mark.parametrize("damage", [cut_short, emptied, flipped, foreign])
@pytest.mark.parametrize("kind", ["within", "near"])
def test_a_damaged_result_is_an_error_that_says_what_to_do(finished, expected, kind, damage):
    path = next(finished.glob(f"{kind}-*.result"))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=rf"is damaged: '{path.name}' is not as .* Remove this"):
        forest(finished).whole()
    path.unlink()
    again = forest(finished)
    for mine, theirs in zip(again.whole(), expected, strict=True):
        assert_array_equal(mine, theirs)
    assert again.report.n_tasks == 1


def test_any_flipped_byte_is_noticed(tmp_path):
    checkpoint = Checkpoint(tmp_path, {"rows": 3})
    checkpoint.save("near-0-1", RESULT)
    path = tmp_path / "near-0-1.result"
    whole = path.read_bytes()
    for position in range(0, len(whole), 3):
        path.write_bytes(
            whole[:position] + bytes([whole[position] ^ 1 << position % 8]) + whole[position + 1 :]
        )
        with pytest.raises(ValueError, match="is damaged"):
            checkpoint.load("near-0-1", Forests)
    path.write_bytes(whole)
    assert all(map(np.array_equal, checkpoint.load("near-0-1", Forests), RESULT))


@pytest.mark.parametrize("damage", [cut_short, emptied, lambda data: b"[1]"])
def test_a_damaged_problem_is_an_error(finished, damage):
    path = finished / "problem.json"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=r"'problem.json' is not as .* Pass an empty folder"):
        read_problem(finished)
    with pytest.raises(ValueError, match=r"'problem.json' is not as .* Pass an empty folder"):
        euclidean_mst(X, n_trees=2, checkpoint=finished)


def test_a_folder_in_place_of_a_result(finished):
    (finished / "within-1.result").unlink()
    (finished / "within-1.result").mkdir()
    with pytest.raises(ValueError, match=r"'within-1.result' is not as it was written"):
        forest(finished).whole()


def test_an_edited_problem_is_another_one(finished):
    path = finished / "problem.json"
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 7'))
    with pytest.raises(ValueError, match="belongs to another problem: seed was 7 and is 1"):
        forest(finished)


def test_results_under_another_name_are_noticed(finished):
    first, second = (finished / f"within-{k}.result" for k in (0, 1))
    first.write_bytes(second.read_bytes())
    with pytest.raises(ValueError, match=r"'within-0.result' is not as it was written"):
        forest(finished).whole()


def test_results_of_another_problem_are_noticed(finished, tmp_path):
    other = tmp_path / "other"
    forest(other, X[::-1].copy()).whole()
    for path in other.glob("within-*.result"):
        (finished / path.name).write_bytes(path.read_bytes())
    with pytest.raises(ValueError, match=r"within-\d.result' is not as it was written"):
        forest(finished).whole()


def test_an_older_format_is_refused(finished):
    (finished / "problem.json").write_text(json.dumps({"format": 1, "rows": 400}))
    with pytest.raises(ValueError, match="belongs to another problem: format was 1 and is 5"):
        forest(finished)


def test_what_a_killed_run_leaves_is_no_hindrance(tmp_path, expected):
    (tmp_path / "smartsvm-killed").mkdir()
    (tmp_path / "smartsvm-problem.json.abc").write_bytes(b"{")
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
    assert [path.name for path in tmp_path.iterdir()] == ["near-0-1.result"]
