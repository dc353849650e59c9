"""Pairs of classes that products tell apart have the counts and trees of all pairs."""

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, point_sets, seeds

from smartsvm._core.points import Points
from smartsvm._mst.products import class_pairs
from smartsvm.estimation.cross_edges import count_pairs
from smartsvm.trees.in_memory import class_trees, separated_pairs
from smartsvm.trees.in_memory.class_trees import SpanningForest


@pytest.fixture
def eager(monkeypatch):
    """Products for any number of classes, columns and rows, a few at a time."""
    make_eager(monkeypatch)


def make_eager(monkeypatch):
    for name in ("_LEAST_POINTS", "_LEAST_GATHERED"):
        monkeypatch.setattr(class_trees, name, 1)
    for name in ("_LEAST_SEPARATED", "_LEAST_COLUMNS"):
        monkeypatch.setattr(separated_pairs, name, 1)
    monkeypatch.setattr(class_pairs, "_SIDE", 6)
    monkeypatch.setattr(class_pairs, "_TOO_MANY", 1.1)
    monkeypatch.setattr(class_pairs, "_MOST_SHARE", 0.25)


def forest_of(X, codes, n_trees, seed, **options):
    forest = SpanningForest(Points(X), codes, n_trees=n_trees, seed=seed, **options)
    forest.keeps_pairs = False
    return forest


def check_same_counts(X, codes, n_trees, seed, n_jobs=None):
    """Compare with the trees of every pair; how many pairs were apart."""
    forest = forest_of(X, codes, n_trees, seed, n_jobs=n_jobs)
    apart = forest.apart()
    plain = forest_of(X, codes, n_trees, seed)
    plain.apart = lambda: None
    for found, expected in zip(count_pairs(forest), count_pairs(plain), strict=True):
        assert np.array_equal(found, expected)
    found, expected = forest.whole(), plain.whole()
    assert oracle.edge_sets(found.edges, found.sizes) == oracle.edge_sets(
        expected.edges, expected.sizes
    )
    return 0 if apart is None else len(apart.apart)


@st.composite
def labelled(draw):
    """Hostile points whose classes may be moved apart by steps of their own lattice."""
    X = draw(point_sets(least=6, most=40, most_features=12))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    n_classes = draw(st.integers(3, 6))
    codes = random.permutation(np.arange(len(X)) % n_classes)
    unit = np.ptp(X, axis=0)
    step = draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, 100.0]))
    exponent = draw(st.sampled_from([0, 0, -400, 380]))
    moved = X + step * codes[:, None] * unit
    return (np.ldexp(moved, exponent) if np.abs(moved).max() < 1e10 else moved), codes


@examples(60)
@given(problem=labelled(), seed=seeds, n_trees=st.integers(1, 3), n_jobs=st.integers(1, 2))
def test_counts_are_those_of_all_trees(problem, seed, n_trees, n_jobs):
    with pytest.MonkeyPatch.context() as patch:
        make_eager(patch)
        check_same_counts(*problem, n_trees, seed, n_jobs)


def clusters(random, n_classes=12, size=15, d=40, far=3.0):
    codes = np.repeat(np.arange(n_classes), size)
    return far * random.normal(size=(n_classes, d))[codes] + random.normal(
        size=(len(codes), d)
    ), codes


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("far", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_separated_classes_need_no_trees(eager, n_trees, far, offset):
    X, codes = clusters(np.random.default_rng(1), far=far)
    n_apart = check_same_counts(X + offset, codes, n_trees, 5)
    assert n_apart == (66 if far == 3.0 else n_apart)


def test_a_cross_edge_as_long_as_a_path_is_not_apart(eager):
    # On a line with steps of 1, classes side by side are 1 apart as well: ties decide.
    X = np.zeros((40, 3))
    X[:, 1] = np.arange(40)
    codes = np.arange(40) // 8
    assert check_same_counts(X, codes, 2, 7) == 6
    # With five more the steps within a class are shorter.
    X[:, 1] += 5 * codes
    assert check_same_counts(X, codes, 1, 7) == 10


def test_copies_in_several_classes_need_trees(eager):
    random = np.random.default_rng(3)
    X, codes = clusters(random)
    X[codes == 1] = X[codes == 0]
    X[codes == 2] = X[codes == 2][0]
    assert 0 < check_same_counts(X, codes, 1, 0) < 66
    check_same_counts(X, codes, 3, 0)


def test_many_tied_edges_need_trees(eager, monkeypatch):
    monkeypatch.setattr(class_pairs, "_MOST_TIED", 2)
    X = np.eye(60)
    codes = np.arange(60) // 12
    assert check_same_counts(X, codes, 1, 4) == 0


@pytest.fixture
def peeled(monkeypatch):
    """Whether the trees of each pair that were peeled off a list are certain."""
    seen, forests = [], class_pairs.PairPeeler.forests

    def collected(*given):
        found = forests(*given)
        seen.extend(found[3].tolist())
        return found

    monkeypatch.setattr(class_pairs.PairPeeler, "forests", collected)
    return seen


@pytest.mark.parametrize("n_trees", [1, 3])
def test_trees_of_overlapping_classes_are_peeled_off_lists(eager, peeled, n_trees):
    X, codes = clusters(np.random.default_rng(5), far=0.7)
    n_apart = check_same_counts(X, codes, n_trees, 4)
    # The others have lists of more than a quarter of their edges.
    assert 0.5 * (66 - n_apart) < len(peeled) <= 66 - n_apart
    # With few edges up to the longest one, a third tree may need a longer one.
    assert np.mean(peeled) > 0.5


def test_pairs_whose_lists_are_too_short_get_trees(eager, peeled, monkeypatch):
    join = class_pairs.join_classes
    monkeypatch.setattr(class_pairs, "join_classes", lambda *given: join(*given[:8], -given[8]))
    X, codes = clusters(np.random.default_rng(5), far=0.7)
    check_same_counts(X, codes, 2, 4)
    assert len(peeled) > 10
    assert not any(peeled)


def test_lists_end_where_they_would_take_too_much_memory(eager, peeled, monkeypatch):
    monkeypatch.setattr(class_pairs, "_MOST_LISTED", 0.1)
    X, codes = clusters(np.random.default_rng(5), far=0.7)
    assert check_same_counts(X, codes, 1, 4) + len(peeled) < 66


def test_pairs_with_long_lists_get_trees(eager, peeled, monkeypatch):
    X, codes = clusters(np.random.default_rng(5), far=0.7)
    numbers = []
    for share in (0.05, 0.25):
        monkeypatch.setattr(class_pairs, "_MOST_SHARE", share)
        peeled.clear()
        check_same_counts(X, codes, 1, 4)
        numbers.append(len(peeled))
    assert numbers[0] < numbers[1]


def test_classes_on_top_of_each_other_are_given_up_early(eager, peeled, monkeypatch):
    monkeypatch.setattr(class_pairs, "_TOO_MANY", 0.5)
    X, codes = clusters(np.random.default_rng(5), n_classes=20, d=2, far=0.0)
    X[::15] *= 50  # one long edge in each class reaches nearly all others
    assert check_same_counts(X, codes, 1, 4) == 0
    assert peeled == []


def test_few_classes_few_columns_or_named_kernels_have_all_trees():
    X, codes = clusters(np.random.default_rng(6), n_classes=25, size=90)
    assert forest_of(X, codes, 1, 0)._separated() is not None
    assert forest_of(X, codes, 1, 0, algorithm="prim").apart() is None
    assert forest_of(X[:, :8].copy(), codes, 1, 0).apart() is None
    assert forest_of(X, codes % 10, 1, 0).apart() is None
    assert forest_of(X[:500], codes[:500], 1, 0).apart() is None
