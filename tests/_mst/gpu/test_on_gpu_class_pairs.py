"""Trees of pairs of classes by the table of the GPU: the counts of the other kernels."""

import pickle

import numpy as np
import pytest

from smartsvm import ClassForest
from smartsvm._mst.gpu import class_pairs

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.filterwarnings("ignore::smartsvm.SmallClassWarning"),
]


def classes(random, n_classes, spread, d=4, round_to=None):
    sizes = random.integers(2, 15, size=n_classes)
    y = np.repeat(np.arange(n_classes), sizes)
    X = (spread * random.normal(size=(n_classes, d)))[y] + random.normal(size=(len(y), d))
    return X if round_to is None else X.round(round_to), random.permutation(y) if spread == 0 else y


@pytest.fixture
def kinds(monkeypatch):
    """How many pairs were apart, peeled and computed from points in the last call."""
    seen = {}
    result = class_pairs._Pairs.result

    def counted(self):
        found = result(self)
        seen.update(apart=len(found.apart), peeled=0, unknown=0)

        def joined(union):
            def counted_union(pair):
                seen["unknown"] += 1
                return union(pair)

            for batch in found.joined(counted_union):
                seen["peeled"] += len(batch[0])
                yield batch
            seen["peeled"] -= seen["unknown"]

        return found._replace(joined=joined)

    monkeypatch.setattr(class_pairs._Pairs, "result", counted)
    return seen


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize(("spread", "round_to"), [(0, None), (1, 0), (3, None), (20, 0)])
def test_counts_are_those_of_the_processor(n_trees, spread, round_to, gpu, kinds):
    random = np.random.default_rng([n_trees, spread, round_to is None])
    X, y = classes(random, 4, spread, round_to=round_to)
    want = ClassForest(X, y, n_trees=n_trees)._counts.of_pairs
    forest = ClassForest(X, y, n_trees=n_trees, device=gpu)
    for one, other in zip(want, forest._counts.of_pairs, strict=True):
        np.testing.assert_array_equal(one, other)
    assert sum(kinds.values()) == 6


def test_classes_far_apart_need_no_trees(gpu, kinds):
    X, y = classes(np.random.default_rng(0), 5, 1000)
    _ = ClassForest(X, y, n_trees=1, device=gpu)._counts.of_pairs
    assert kinds == {"apart": 10, "peeled": 0, "unknown": 0}


@pytest.fixture
def limits(monkeypatch):
    """Let finite bounds certify nothing; collect the limits of cross edges listed afterwards."""
    join = class_pairs.join_classes
    up_to = class_pairs._Pairs._up_to
    seen = []

    def uncertain(*given):
        bounds = np.where(np.isinf(given[8]), np.inf, -1.0)
        return join(*given[:8], bounds, *given[9:])

    def collected(self, pairs, limits):
        seen.append(np.isinf(limits))
        return up_to(self, pairs, limits)

    monkeypatch.setattr(class_pairs, "join_classes", uncertain)
    monkeypatch.setattr(class_pairs._Pairs, "_up_to", collected)
    return seen


def assert_same_counts(X, y, gpu, n_trees=2):
    want = ClassForest(X, y, n_trees=n_trees)._counts.of_pairs
    got = ClassForest(X, y, n_trees=n_trees, device=gpu)._counts.of_pairs
    for one, other in zip(want, got, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_pair_that_is_not_certain_is_peeled_off_more_edges(gpu, kinds, limits):
    X, y = classes(np.random.default_rng(1), 3, 0)
    assert_same_counts(X, y, gpu)
    assert kinds["unknown"] == 0
    # First all edges up to the longest one of a class, then all.
    assert [each.tolist() for each in limits] == [3 * [False], 3 * [True]]


def test_edges_up_to_the_longest_of_a_class_are_enough(gpu, monkeypatch):
    join = class_pairs.join_classes
    seen = []

    def first_uncertain(*given):
        found = join(*given[:8], given[8] if seen else 0 * given[8], *given[9:])
        seen.append(found[3].tolist())
        return found

    monkeypatch.setattr(class_pairs, "join_classes", first_uncertain)
    X, y = classes(np.random.default_rng(1), 3, 0, d=40)
    assert_same_counts(X, y, gpu, 1)
    assert seen == [3 * [False], 3 * [True]]


def test_a_pair_of_large_classes_is_computed_from_its_points(gpu, kinds, limits, monkeypatch):
    monkeypatch.setattr(class_pairs, "_MOST_CROSS", 0)
    X, y = classes(np.random.default_rng(1), 3, 0)
    assert_same_counts(X, y, gpu)
    assert kinds["unknown"] == 3
    assert limits == []


def test_uncertain_pairs_are_listed_in_parts():
    parts = class_pairs._parts(np.arange(5), np.array([9, 4, 8, 16, 1]) << 20)
    assert [part.tolist() for part in parts] == [[0, 1], [2], [3], [4]]


def test_a_forest_on_a_gpu_can_be_pickled(gpu):
    X, y = classes(np.random.default_rng(2), 3, 2)
    forest = ClassForest(X, y, n_trees=1, device=gpu)
    restored = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(restored.pairwise().value, forest.pairwise().value)
    np.testing.assert_array_equal(
        restored.split([0], [1, 2]).cross_counts, forest.split([0], [1, 2]).cross_counts
    )


def test_too_little_memory_for_the_table_means_the_processor(gpu, kinds):
    X, y = classes(np.random.default_rng(3), 3, 2)
    want = ClassForest(X, y, n_trees=1)._counts.of_pairs
    got = ClassForest(X, y, n_trees=1, device=gpu, memory_limit=100)._counts.of_pairs
    assert not kinds
    for one, other in zip(want, got, strict=True):
        np.testing.assert_array_equal(one, other)
