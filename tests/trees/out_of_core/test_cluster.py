"""Real Dask clusters of worker processes on this machine; some of their workers get killed."""

import contextlib
import os
import signal
import threading

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from strategies import examples, point_sets, seeds

from smartsvm import euclidean_mst, pairwise_bayes_error
from smartsvm._mst.kdtree import kdtree
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.blocks import FileRange
from smartsvm.trees.out_of_core.forest import BlockForest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
dask_array = pytest.importorskip("dask.array")

pytestmark = [
    # What the cluster leaves open while it stops is its own.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@contextlib.contextmanager
def cluster_of(n_workers):
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert all("127.0.0.1" in name for name in client.scheduler_info()["workers"])
        yield client


@pytest.fixture(scope="module")
def forked():
    """Workers come from a server that has imported all they need, instead of importing it anew."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = distributed.utils.get_mp_context()
        context.set_forkserver_preload(["distributed", "smartsvm.trees.out_of_core.forest"])
        yield


@pytest.fixture(scope="module")
def client(forked):
    with cluster_of(2) as client:
        yield client


@pytest.fixture
def shrinking(forked):
    """A cluster whose workers may be killed: no test waits for Dask to start others."""
    with cluster_of(3) as shrinking:
        yield shrinking


@pytest.fixture(scope="module")
def points():
    X = np.random.default_rng(0).random((3000, 3))
    return np.concatenate([X, np.round(4 * X[:500])])


@pytest.fixture(scope="module")
def expected(points):
    index = kdtree.index(points, np.arange(len(points), dtype=np.uint32))
    edges, _, sizes = kdtree.forests(index, 3, 2, 1)
    return oracle.edge_sets(edges, sizes)


@pytest.mark.parametrize("lazy", [False, True])
def test_a_cluster_gives_the_same_forests(client, points, expected, lazy):
    X = dask_array.from_array(points, chunks=(700, 2)) if lazy else points
    with (
        parallel_config(backend="dask"),
        BlockForest(open_points(X), n_trees=2, seed=3, n_blocks=6) as forest,
    ):
        kind = distributed.Future if lazy else FileRange
        assert all(isinstance(part.ref, kind) for part in forest.parts)
        edges, _, sizes = forest.whole()
    assert oracle.edge_sets(edges, sizes) == expected


def test_estimates_on_a_cluster(client, points, tmp_path):
    y = np.arange(len(points)) % 3
    np.save(tmp_path / "X.npy", points)
    lazy = dask_array.from_array(points, chunks=(700, 3))
    trees, errors = euclidean_mst(points), pairwise_bayes_error(points, y)
    with parallel_config(backend="dask"):
        for X, limit in ((lazy, None), (points, "1 MB"), (tmp_path / "X.npy", "1 MB")):
            found = euclidean_mst(X, memory_limit=limit)
            np.testing.assert_array_equal(found.edges, trees.edges)
        labels = dask_array.from_array(y, chunks=500)
        found = pairwise_bayes_error(lazy, labels, memory_limit="500 kB")
        np.testing.assert_array_equal(found.value, errors.value)


def test_bad_values_are_named_on_a_cluster(client, points):
    X = points.copy()
    X[1234, 1] = np.inf
    with (
        parallel_config(backend="dask"),
        pytest.raises(ValueError, match=r"X must be finite, got inf at \[1234, 1\]"),
    ):
        euclidean_mst(dask_array.from_array(X, chunks=(700, 3)))


@pytest.mark.parametrize("lazy", [False, True])
def test_a_worker_is_killed_while_blocks_are_joined(shrinking, points, expected, lazy, monkeypatch):
    import smartsvm.trees.out_of_core.forest as module

    killed = []

    def kill_one():
        pid = next(iter(shrinking.run(os.getpid).values()))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    # After the first results of blocks have come, while others are under way.
    real = module.TaskRunner.run

    def run(self, label, kind, tasks):
        for done, result in enumerate(real(self, label, kind, tasks)):
            if label == "blocks" and done == 1:
                thread = threading.Thread(target=kill_one)
                thread.start()
                thread.join()
            yield result

    monkeypatch.setattr(module.TaskRunner, "run", run)
    X = dask_array.from_array(points, chunks=(700, 3)) if lazy else points
    with (
        parallel_config(backend="dask"),
        BlockForest(open_points(X), n_trees=2, seed=3, n_blocks=8) as forest,
    ):
        edges, _, sizes = forest.whole()
    assert killed
    assert oracle.edge_sets(edges, sizes) == expected


def test_workers_that_cannot_read_the_blocks(client, points):
    """As on other machines that share no folder."""
    with (
        parallel_config(backend="dask"),
        BlockForest(open_points(points), n_trees=1, seed=0, n_blocks=3) as forest,
    ):
        forest.close()
        with pytest.raises(FileNotFoundError, match=r"name a folder that all .* pass a Dask array"):
            forest.whole()


@examples(3)
@given(point_sets(least=30, most=80, most_features=3), st.integers(1, 3), st.integers(2, 4), seeds)
def test_any_data_on_a_cluster(client, X, n_trees, n_blocks, seed):
    index = kdtree.index(X, np.arange(len(X), dtype=np.uint32))
    edges, _, sizes = kdtree.forests(index, seed, n_trees, 1)
    with parallel_config(backend="dask"):
        found = BlockForest(open_points(X), n_trees=n_trees, seed=seed, n_blocks=n_blocks).whole()
    assert oracle.edge_sets(found.edges, found.sizes) == oracle.edge_sets(edges, sizes)


def test_the_trees_of_a_block_are_sent_once(client, monkeypatch):
    """All pairs of blocks of many features are compared whole: with the trees of each block."""
    X = np.random.default_rng(0).normal(size=(400, 40))
    sent, real = [], client.submit

    def submit(function, *arguments, **options):
        sent.extend(each for each in arguments if isinstance(each, tuple | np.ndarray))
        return real(function, *arguments, **options)

    monkeypatch.setattr(client, "submit", submit)
    with (
        parallel_config(backend="dask"),
        BlockForest(open_points(X), n_trees=1, seed=0, n_blocks=4) as forest,
    ):
        forest.whole()
        assert forest.report.n_looked == 6
    trees = [each for each in sent if isinstance(each, tuple) and not isinstance(each, FileRange)]
    assert len([each for each in trees if len(each) == 2]) == 4
