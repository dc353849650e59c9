"""What must not change an answer: the order of rows, names of classes, motions, units, memory."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import special_ortho_group
from sklearn.datasets import load_digits, load_iris
from strategies import examples

from smartsvm import (
    ClassForest,
    SmallClassWarning,
    SmartSVM,
    SmartSVMCV,
    bayes_error,
    bayes_error_class_weight,
    ovr_bayes_error,
    sample_difficulty,
)

pytestmark = pytest.mark.filterwarnings("ignore::smartsvm.SmallClassWarning")


@st.composite
def labelled_points(draw, least_classes=2, most_classes=4):
    """Untied points of some overlapping classes, on a grid fine enough to move them exactly."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(least_classes, most_classes))
    d = draw(st.integers(1, 6))
    counts = random.integers(4, 16, size=n_classes)
    y = np.repeat(np.arange(n_classes), counts)
    X = random.normal(size=(len(y), d)) + random.normal(size=(n_classes, d))[y]
    return np.round(X * 2**20) / 2**20, y, random


def counts_of(X, y):
    """The three estimates as numbers, one after the other."""
    forest = ClassForest(X, y, n_trees=3)
    pairs, rest, whole = forest.pairwise(), forest.one_vs_rest(), forest.multiclass()
    return [
        np.array(each)
        for estimate in (pairs, rest, whole)
        for each in (estimate.value, estimate.lower, estimate.upper, estimate.cross_counts)
    ]


def assert_same(first, second):
    for mine, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(labelled_points())
def test_order_of_rows(problem):
    X, y, random = problem
    order = random.permutation(len(X))
    assert_same(counts_of(X, y), counts_of(X[order], y[order]))
    assert np.array_equal(sample_difficulty(X, y)[order], sample_difficulty(X[order], y[order]))
    assert bayes_error_class_weight(X[order], y[order]) == pytest.approx(
        bayes_error_class_weight(X, y)
    )


@given(labelled_points())
def test_motions_and_units(problem):
    X, y, random = problem
    expected = counts_of(X, y)
    assert_same(expected, counts_of(X + random.integers(-1000, 1000, size=X.shape[1]), y))
    assert_same(expected, counts_of(-X, y))
    assert_same(expected, counts_of(X[:, ::-1] * 2.0**37, y))
    assert_same(expected, counts_of(X * 1e-9, y))
    if X.shape[1] > 1:
        turn = special_ortho_group.rvs(X.shape[1], random_state=int(random.integers(2**31)))
        assert_same(expected, counts_of(X @ turn, y))
    assert_same(expected, counts_of(np.column_stack([X, np.full(len(X), 7.0)]), y))


@given(labelled_points())
def test_every_class_against_the_rest_is_a_problem_of_two(problem):
    X, y, _ = problem
    for normalize in (False, True):
        estimate = ovr_bayes_error(X, y, normalize=normalize)
        for k in range(len(estimate.classes)):
            two = bayes_error(X, y == k, normalize=normalize)
            assert estimate.value[k] == pytest.approx(two.value, abs=1e-12)
            assert estimate.lower[k] == pytest.approx(two.lower, abs=1e-12)
            assert estimate.cross_counts[k] == two.cross_counts


@given(labelled_points(least_classes=3))
def test_pairs_and_unions_are_those_of_their_samples_alone(problem):
    X, y, random = problem
    forest = ClassForest(X, y)
    pairs = forest.pairwise()
    assert np.array_equal(pairs.value, pairs.value.T)
    assert not np.diagonal(pairs.value).any()
    n_classes = len(forest.classes)
    for k in range(n_classes):
        for m in range(k):
            both = (y == k) | (y == m)
            alone = bayes_error(X[both], y[both])
            assert pairs.value[k, m] == pytest.approx(alone.value, abs=1e-12)
            assert alone.cross_counts == pairs.cross_counts[k, m]
    classes = random.permutation(n_classes)
    left, right = classes[:1], classes[1 : random.integers(2, n_classes + 1)]
    inside = np.isin(y, [*left, *right])
    # Before and after the trees of all pairs are known: two paths to one answer.
    for known in (ClassForest(X, y), forest):
        split = known.split(left, right)
        alone = bayes_error(X[inside], np.isin(y[inside], left))
        assert split.cross_counts == alone.cross_counts
        assert split.value == pytest.approx(alone.value, abs=1e-12)


@given(labelled_points())
def test_weights_of_classes_go_with_their_names(problem):
    X, y, random = problem
    names = random.permutation(100)[: y.max() + 1]
    weights, named = bayes_error_class_weight(X, y), bayes_error_class_weight(X, names[y])
    assert {names[k]: weight for k, weight in weights.items()} == pytest.approx(named)


def _splits(hierarchy, names):
    """By the classes of a node, by name: its two sides, whichever is left."""
    found = {}
    for side in hierarchy.sides:
        halves = [frozenset(names[side == sign].tolist()) for sign in (-1, 1)]
        found[halves[0] | halves[1]] = frozenset(halves)
    return found


def _is_tied(model, group):
    """Whether two splits of some classes (codes) weigh the same, or only rounding parts them."""
    codes = np.array(sorted(group))
    numbers = np.arange(1, 2 ** (len(codes) - 1))  # the last class is always on the left
    sides = numbers[:, None] >> np.arange(len(codes)) & 1 == 1
    errors = model.pairwise_error_[np.ix_(codes, codes)]
    weights = ((sides @ errors) * ~sides).sum(axis=1)
    return len(weights) > 1 and np.diff(np.sort(weights)).min() < 1e-9


@examples(60)
@given(labelled_points(least_classes=3), st.sampled_from(["centroids", "min-cut", "min-cut-tree"]))
def test_predictions_go_with_the_names_of_classes(problem, hierarchy):
    X, y, random = problem
    names = random.permutation(100)[: y.max() + 1]
    rank = np.argsort(np.argsort(names))
    plain = SmartSVM(hierarchy=hierarchy, nodes="quadratic").fit(X, y)
    named = SmartSVM(hierarchy=hierarchy, nodes="quadratic").fit(X, names[y])
    mine, theirs = _splits(plain.hierarchy_, names), _splits(named.hierarchy_, np.sort(names))
    code = {name: k for k, name in enumerate(names.tolist())}
    for group, halves in mine.items():
        # Of splits that weigh the same, another may come first under other names.
        if group in theirs and theirs[group] != halves:
            assert hierarchy != "centroids"
            assert _is_tied(plain, {code[name] for name in group})
    if mine != theirs:
        return
    new = X + random.normal(size=X.shape)
    expected = plain.predict_proba(new)
    np.testing.assert_allclose(named.predict_proba(new)[:, rank], expected, atol=1e-6)
    clear = np.ptp(np.sort(expected, axis=1)[:, -2:], axis=1) > 1e-5
    assert np.array_equal(named.predict(new)[clear], names[plain.predict(new)][clear])


@pytest.mark.parametrize("seed", [0, 1, 26])
@pytest.mark.parametrize("hierarchy", ["centroids", "min-cut", "min-cut-tree"])
def test_hierarchies_of_many_classes_do_not_know_their_names(seed, hierarchy):
    random = np.random.default_rng(seed)
    d, counts = random.integers(2, 7), random.integers(30, 80, size=8)
    y = np.repeat(np.arange(8), counts)
    X = random.normal(size=(len(y), d)) + 1.2 * random.normal(size=(8, d))[y]
    plain = SmartSVM(hierarchy=hierarchy, nodes="linear").fit(X, y).hierarchy_
    for _ in range(4):
        names = random.permutation(100)[:8]
        named = SmartSVM(hierarchy=hierarchy, nodes="linear").fit(X, names[y]).hierarchy_
        assert _splits(plain, names) == _splits(named, np.sort(names))


def test_a_search_ends_with_the_classifier_of_its_choice():
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    search = SmartSVMCV(Cs=4, cv=3, candidates={"hierarchy": ["centroids", "min-cut"]}).fit(X, y)
    plain = SmartSVM(**search.best_params_).fit(X, y)
    assert np.array_equal(search.predict_proba(X), plain.predict_proba(X))
    assert search.best_estimator_.to_text() == plain.to_text()


@pytest.mark.parametrize("hierarchy", ["min-cut", "min-cut-tree"])
def test_a_memory_limit_changes_no_bit(hierarchy):
    X, y = load_iris(return_X_y=True)
    whole = SmartSVM(hierarchy=hierarchy).fit(X, y)
    limited = SmartSVM(hierarchy=hierarchy, memory_limit=210_000).fit(X, y)
    assert whole.hierarchy_ == limited.hierarchy_
    assert np.array_equal(whole.predict_proba(X), limited.predict_proba(X))


def test_rows_of_any_layout():
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    expected = bayes_error(X, y)
    wide = np.zeros((300, 8))
    wide[::2, ::2] = X
    frozen = X.copy()
    frozen.setflags(write=False)
    for given_rows in (np.asfortranarray(X), wide[::2, ::2], frozen, X.tolist(), X.astype(object)):
        with warnings.catch_warnings():
            warnings.simplefilter("error", SmallClassWarning)
            assert bayes_error(given_rows, y).value == expected.value
