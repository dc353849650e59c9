"""Sources that are not what they say: files that shrink, blocks of another shape."""

import os
import subprocess
import sys

import numpy as np
import pytest

from smartsvm import euclidean_mst, pairwise_bayes_error
from smartsvm._core import sources
from smartsvm._core.npy_files import NpyFile, open_npy
from smartsvm._core.sources import open_source

dask_array = pytest.importorskip("dask.array")


@pytest.fixture
def problem():
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 3))
    return X, np.arange(2000) // 1000


def with_block(X, change):
    """X in blocks of 500 rows, of which one is changed, without Dask's knowledge."""
    lazy = dask_array.from_array(X, chunks=(500, -1))
    parts = [lazy.blocks[k] for k in range(4)]
    parts[1] = parts[1].map_blocks(change, meta=lazy._meta)
    return dask_array.concatenate(parts)


@pytest.mark.parametrize("change", [lambda b: b[:-7], lambda b: np.vstack([b, b[:7]])])
@pytest.mark.parametrize("way", ["checkpoint", "memory_limit", "neither"])
def test_blocks_of_another_shape_are_refused(change, way, problem, tmp_path):
    X, y = problem
    lazy = with_block(X, change)
    options = {
        "checkpoint": {"checkpoint": tmp_path / "c"},
        "memory_limit": {"memory_limit": "1 MB"},
        "neither": {},
    }[way]
    with pytest.raises(ValueError, match=r"block \(1, 0\) must have the shape \(500, 3\)"):
        pairwise_bayes_error(lazy, y, n_trees=1, **options)
    for read in (lambda s: list(s.chunks()), lambda s: s.whole(), lambda s: s.gather([600, 1999])):
        with pytest.raises(ValueError, match=r"must have the shape \(500, 3\)"):
            read(open_source(lazy))


SHRINKING = """
import os, sys
import numpy as np
from smartsvm import euclidean_mst
from smartsvm._core import sources

path, way = sys.argv[1:]
X = np.load(path, mmap_mode="r") if way == "map" else path
chunks = sources._Array.chunks

def shrink(self, *arguments):
    for number, chunk in enumerate(chunks(self, *arguments)):
        yield chunk
        os.truncate(path, 1000)

sources._Array.chunks = shrink
try:
    euclidean_mst(X, memory_limit=6 * 10**7)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("way", ["path", "map"])
def test_a_file_that_shrinks_is_an_error(way, tmp_path):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(200_000, 8)))
    done = subprocess.run(
        [sys.executable, "-c", SHRINKING, tmp_path / "X.npy", way],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "has 1,000 bytes, its array needs 12,800,128" in done.stdout


def test_an_incomplete_file_is_refused_at_the_door(problem, tmp_path):
    np.save(tmp_path / "X.npy", problem[0])
    os.truncate(tmp_path / "X.npy", 1000)
    with pytest.raises(ValueError, match=r"X: the file .*X\.npy' has 1,000 bytes, .* 48,128"):
        euclidean_mst(tmp_path / "X.npy")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8", np.int64, bool, np.uint8])
def test_rows_of_a_file_are_those_of_the_array(dtype, problem, tmp_path):
    X = (10 * problem[0]).astype(dtype)
    np.save(tmp_path / "X.npy", X)
    array = open_npy(tmp_path / "X.npy", "X")
    assert isinstance(array, NpyFile)
    rows = np.array([0, 1, 2, 7, 5, 1999, 1998])
    assert np.array_equal(array[rows], X[rows])
    assert np.array_equal(array[100:300], X[100:300])
    assert np.array_equal(array[rows[:0]], X[:0])
    source = open_source(tmp_path / "X.npy")
    assert np.array_equal(np.vstack([c for _, c in source.chunks(1 << 12)]), X.astype(float))
    assert np.array_equal(source.whole(), X.astype(float))
    assert np.array_equal(source.gather(np.array([3, 9])), X[[3, 9]].astype(float))


def test_columns_in_a_row_are_mapped(problem, tmp_path):
    np.save(tmp_path / "X.npy", np.asfortranarray(problem[0]))
    assert isinstance(open_npy(tmp_path / "X.npy", "X"), np.memmap)
    assert np.array_equal(sources.open_source(tmp_path / "X.npy").whole(), problem[0])
