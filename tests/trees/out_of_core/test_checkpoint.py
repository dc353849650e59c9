"""Runs that are stopped, go on, meet a changed input or a full disk."""

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config

from smartsvm import euclidean_mst, pairwise_bayes_error
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core import forest as module
from smartsvm.trees.out_of_core.checkpoint import Checkpoint, read_problem
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.out_of_core.memory_plan import BlockMemory

X = np.random.default_rng(0).random((800, 3))


def forest(folder, points=X, **options):
    settings = {"n_trees": 2, "seed": 1, "n_blocks": 6, "checkpoint": folder} | options
    return BlockForest(open_points(points), **settings)


def test_a_second_run_redoes_nothing(tmp_path):
    first = forest(tmp_path)
    expected = first.whole()
    again = forest(tmp_path)
    found = again.whole()
    assert again.report.n_tasks == 0
    assert again.report.n_resumed == first.report.n_tasks > 6
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_another_number_of_workers_goes_on(tmp_path):
    euclidean_mst(X, checkpoint=tmp_path, n_jobs=2)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.result")}
    trees = euclidean_mst(X, checkpoint=tmp_path, n_jobs=1, memory_limit="1 GB")
    assert files == {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.result")}
    np.testing.assert_array_equal(trees.edges, euclidean_mst(X).edges)


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("*.result")}


def test_other_free_memory_and_more_workers_go_on(tmp_path, monkeypatch):
    """The plan of the first call is used again, whatever the next one would have chosen."""
    np.save(tmp_path / "X.npy", X)
    folder = tmp_path / "run"
    free = BlockMemory(*X.shape, 1).needed(200, 2, 0)
    monkeypatch.setattr(module, "default_limit", lambda: free)
    expected = euclidean_mst(tmp_path / "X.npy", checkpoint=folder, n_jobs=2)
    files = files_in(folder)
    for now, n_jobs in ((free - 1000, 2), (free // 10, 1), (10 * free, 1), (free, 8)):
        monkeypatch.setattr(module, "default_limit", lambda now=now: now)
        trees = euclidean_mst(tmp_path / "X.npy", checkpoint=folder, n_jobs=n_jobs)
        np.testing.assert_array_equal(trees.edges, expected.edges)
        assert files_in(folder) == files


def test_a_limit_that_the_error_names_goes_on(tmp_path):
    points = np.random.default_rng(0).random((1500, 3))
    euclidean_mst(points, checkpoint=tmp_path, memory_limit=2_000_000)
    with pytest.raises(ValueError, match="memory_limit must be at least") as error:
        euclidean_mst(points, checkpoint=tmp_path, memory_limit=300_000)
    named = int(re.search(r"at least ([\d,]+) bytes", str(error.value))[1].replace(",", ""))
    for limit in (named, named + 200_000, 2 * named):
        euclidean_mst(points, checkpoint=tmp_path, memory_limit=limit)


def test_a_limit_that_fits_the_stored_plan_goes_on(tmp_path):
    memory = BlockMemory(*X.shape, 1, "kdtree")
    euclidean_mst(X, checkpoint=tmp_path, memory_limit=memory.needed(200, 4, 0), n_jobs=4)
    files, stored = files_in(tmp_path), read_problem(tmp_path)["most_rows"]
    needed = memory.needed(stored, 1, 0)
    euclidean_mst(X, checkpoint=tmp_path, memory_limit=needed, n_jobs=4)
    assert files_in(tmp_path) == files
    message = (
        rf"memory_limit must be at least {needed:,} bytes .*checkpoint=.* got {needed - 1:,}\."
    )
    with pytest.raises(ValueError, match=message):
        euclidean_mst(X, checkpoint=tmp_path, memory_limit=needed - 1, n_jobs=4)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("values", {"points": X + np.eye(800, 3) * 1e-12}),
        ("n_trees", {"n_trees": 1}),
        ("seed", {"seed": 2}),
        ("rows", {"points": X[:-1]}),
        ("n_blocks", {"n_blocks": 5}),
        ("labels", {"codes": np.arange(800) % 2}),
    ],
)
def test_another_problem_is_refused(tmp_path, what, change):
    forest(tmp_path).whole()
    with pytest.raises(ValueError, match=f"belongs to another problem: .*{what} was"):
        forest(tmp_path, **change)


def test_another_folder_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("not a checkpoint")
    with pytest.raises(ValueError, match="must be an empty folder or one of an earlier"):
        euclidean_mst(X, checkpoint=tmp_path)
    assert (tmp_path / "thesis.txt").exists()


def test_public_functions_take_a_checkpoint(tmp_path):
    y = np.arange(800) % 3
    expected = pairwise_bayes_error(X, y)
    for _ in range(2):
        found = pairwise_bayes_error(X, y, checkpoint=tmp_path / "errors")
        np.testing.assert_array_equal(found.value, expected.value)
    trees = euclidean_mst(X, checkpoint=tmp_path / "trees")
    np.testing.assert_array_equal(trees.edges, euclidean_mst(X).edges)


class DiskFull:
    """A file system that is full after some writes."""

    def __init__(self, monkeypatch, free):
        self.free = free
        monkeypatch.setattr(os, "fsync", self)

    def __call__(self, descriptor):
        self.free -= 1
        if self.free < 0:
            raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_only_whole_results(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        DiskFull(patch, free=5)
        with pytest.raises(OSError, match=r"no space left in .*Free some") as caught:
            forest(tmp_path).whole()
        assert caught.value.errno == errno.ENOSPC
    assert not list(tmp_path.glob("smartsvm-*"))
    resumed = forest(tmp_path)
    resumed.whole()
    assert resumed.report.n_resumed == 4  # five writes, the first of them the problem itself


def test_a_full_disk_under_the_blocks(tmp_path, monkeypatch):
    # A limit on the size of files stands in for the disk: the error has another number.
    import smartsvm.trees.out_of_core.blocks as blocks

    class Full:
        def __init__(self, path, mode):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(blocks, "open", Full, raising=False)
    np.save(tmp_path / "X.npy", X)
    with pytest.raises(OSError, match="TMPDIR"):
        BlockForest(open_points(tmp_path / "X.npy"), n_trees=1, seed=0, n_blocks=3)


def test_a_half_written_result_is_not_taken_for_a_whole_one(tmp_path):
    checkpoint = Checkpoint(tmp_path, {"rows": 3})
    result = Forests(np.zeros((2, 2), dtype=np.uint32), np.zeros(2), np.array([2]))
    checkpoint.save("near-0-1", result)
    whole = (tmp_path / "near-0-1.result").read_bytes()
    (tmp_path / "smartsvm-near-0-2.result.99").write_bytes(whole[: len(whole) // 2])
    assert checkpoint.load("near-0-2", Forests) is None
    np.testing.assert_array_equal(checkpoint.load("near-0-1", Forests).sizes, [2])


INTERRUPTED = """
import gc, os, signal, sys, time, numpy as np
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.out_of_core.checkpoint import Checkpoint
checkpoint = Checkpoint(sys.argv[1], {"rows": 3})
result = Forests(np.zeros((2, 2), dtype=np.uint32), np.zeros(2), np.array([2]))
start = time.perf_counter()
checkpoint.save("near-0-1", result)
most = time.perf_counter() - start
signal.signal(signal.SIGALRM, signal.default_int_handler)
random, n_interrupts = np.random.default_rng(0), 0
while n_interrupts < 150:
    try:
        signal.setitimer(signal.ITIMER_REAL, most * random.random() + 1e-6)
        checkpoint.save("near-0-1", result)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        n_interrupts += 1
signal.setitimer(signal.ITIMER_REAL, 0)
gc.collect()
links = [os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd")]
print(sum("smartsvm-" in os.readlink(link) for link in links if os.path.islink(link)))
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are seen in /proc")
def test_interrupts_leave_no_file_open(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.stdout.strip() == "0", done.stderr


def test_a_cancelled_run_leaves_no_files_of_blocks(tmp_path, monkeypatch):
    import smartsvm.trees.out_of_core.forest as module

    def interrupted(*arguments):
        raise KeyboardInterrupt

    np.save(tmp_path / "X.npy", X)
    monkeypatch.setattr(module, "within", interrupted)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    with pytest.raises(KeyboardInterrupt), parallel_config(n_jobs=1):
        euclidean_mst(tmp_path / "X.npy", memory_limit=170_000)
    assert not list((tmp_path / "scratch").iterdir())


KILLED = """
import os, signal, sys, numpy as np
import smartsvm.trees.out_of_core.forest as module
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest
real, taken = module.Join.take, []
def take(self, result, peel):
    taken.append(result)
    if len(taken) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    real(self, result, peel)
module.Join.take = take
points = open_points(np.load(sys.argv[1]))
BlockForest(points, n_trees=2, seed=1, n_blocks=6, checkpoint=sys.argv[2]).whole()
"""


def test_a_killed_run_goes_on(tmp_path):
    np.save(tmp_path / "X.npy", X)
    folder = tmp_path / "run"
    command = [sys.executable, "-c", KILLED, tmp_path / "X.npy", folder]
    path = os.pathsep.join(p for p in sys.path if p)
    killed = subprocess.run(command, env=os.environ | {"PYTHONPATH": path})
    assert killed.returncode == -signal.SIGKILL
    left = len(list(Path(folder).glob("*.result")))
    resumed = forest(folder)
    found = resumed.whole()
    assert resumed.report.n_resumed == left >= 8  # six blocks and two pairs
    assert resumed.report.n_tasks > 0
    expected = BlockForest(open_points(X), n_trees=2, seed=1, n_blocks=1).whole()
    np.testing.assert_array_equal(np.sort(found.squared), np.sort(expected.squared))
