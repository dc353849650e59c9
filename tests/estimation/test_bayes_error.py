"""The public estimates: counts behind them, options, labels and small classes."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from strategies import examples, point_sets

from smartsvm import (
    ClassForest,
    ErrorEstimate,
    SmallClassWarning,
    bayes_error,
    euclidean_mst,
    ovr_bayes_error,
    pairwise_bayes_error,
)


def blobs(counts, spread=1.0, d=3, seed=0):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(len(counts), d)) * 2
    X = np.concatenate(
        [random.normal(c, spread, size=(m, d)) for c, m in zip(centres, counts, strict=True)]
    )
    y = np.repeat(np.arange(len(counts)), counts)
    order = random.permutation(len(y))
    return X[order], y[order]


def test_results_have_the_documented_types_and_shapes():
    X, y = blobs([20, 20, 20])
    two = y < 2
    for estimate, shape in (
        (bayes_error(X[two], y[two]), ()),
        (bayes_error(X, y), ()),
        (ovr_bayes_error(X, y), (3,)),
        (pairwise_bayes_error(X, y), (3, 3)),
    ):
        assert isinstance(estimate, ErrorEstimate)
        for field in ("value", "lower", "divergence"):
            assert np.shape(getattr(estimate, field)) == shape
        assert np.all(estimate.lower <= estimate.upper)


@st.composite
def problems(draw, kinds=("normal", "lattice", "duplicated", "onehot")):
    X = draw(point_sets(least=40, most=70, most_features=6, kinds=kinds))
    n_classes = draw(st.integers(2, 4))
    y = np.arange(len(X)) % n_classes  # at least ten of each
    return X, np.random.default_rng(draw(st.integers(0, 999))).permutation(y)


def tree_counts(X, y, n_trees):
    """Cross edges by class pair, averaged over trees, straight from the definition."""
    trees = euclidean_mst(X, n_trees=n_trees)
    classes = np.unique(y)
    table = np.zeros((len(classes), len(classes)))
    for i, j in trees.edges.reshape(-1, 2):
        if y[i] != y[j]:
            a, b = np.searchsorted(classes, [y[i], y[j]])
            table[a, b] += 1 / n_trees
            table[b, a] += 1 / n_trees
    return table


@given(problem=problems(kinds=("normal",)), n_trees=st.integers(1, 3))
@examples(25)
def test_counts_are_those_of_the_trees(problem, n_trees):
    X, y = problem
    whole = tree_counts(X, y, n_trees)
    ovr = ovr_bayes_error(X, y, n_trees=n_trees)
    assert ovr.cross_counts == pytest.approx(whole.sum(axis=1))
    everything = bayes_error(X, y, n_trees=n_trees)
    assert everything.cross_counts == pytest.approx(whole.sum() / 2)
    assert ovr.cross_counts.sum() == pytest.approx(2 * everything.cross_counts)
    pairs = pairwise_bayes_error(X, y, n_trees=n_trees)
    for k in range(len(pairs.classes)):
        for m in range(k):
            pick = (y == k) | (y == m)
            # Without ties the trees of a pair do not depend on who else is there.
            expected = tree_counts(X[pick], y[pick], n_trees)[0, 1]
            assert pairs.cross_counts[k, m] == pairs.cross_counts[m, k] == pytest.approx(expected)


@given(
    problem=problems(),
    correction=st.sampled_from([True, False, "prior"]),
    normalize=st.booleans(),
)
def test_bounds_are_ordered(problem, correction, normalize):
    X, y = problem
    options = {"bias_correction": correction, "normalize": normalize}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)  # tied points can run out of trees
        forest = ClassForest(X, y, n_trees=2)
        results = [
            forest.pairwise(**options),
            forest.one_vs_rest(**options),
            *(forest.multiclass(method=m, **options) for m in ("tree", "pairwise", "tightest")),
        ]
    for result in results:
        assert np.all(result.lower >= 0)
        assert np.all(result.lower <= np.asarray(result.value) + 1e-12)
        assert np.all(result.value <= np.asarray(result.upper) + 1e-12)
        assert result.normalized is normalize
    assert np.array_equal(results[0].value, results[0].value.T)
    assert not results[0].value.diagonal().any()
    assert results[4].lower >= results[2].lower - 1e-12
    assert results[4].upper <= results[2].upper + 1e-12


@given(problem=problems(), seed=st.integers(0, 99))
@examples(25)
def test_names_of_classes_do_not_matter(problem, seed):
    X, y = problem
    names = np.random.default_rng(seed).permutation(["p", "q", "r", "s"])[: y.max() + 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)
        before = pairwise_bayes_error(X, y)
        after = pairwise_bayes_error(X, names[y])
    order = np.argsort(names)
    assert np.array_equal(after.classes, names[order])
    assert np.array_equal(after.cross_counts, before.cross_counts[np.ix_(order, order)])
    assert np.array_equal(after.value, before.value[np.ix_(order, order)])


def test_normalisation_is_by_the_smaller_prior_of_the_problem():
    X, y = blobs([60, 20, 40], spread=2.0)
    for function, guess in (
        (
            pairwise_bayes_error,
            [[1, 20 / 80, 40 / 100], [20 / 80, 1, 20 / 60], [40 / 100, 20 / 60, 1]],
        ),
        (ovr_bayes_error, [60 / 120, 20 / 120, 40 / 120]),
        (bayes_error, 60 / 120),
    ):
        plain, normal = function(X, y, normalize=False), function(X, y, normalize=True)
        for field in ("value", "lower", "upper"):
            assert getattr(normal, field) == pytest.approx(getattr(plain, field) / np.array(guess))
        assert np.max(normal.value) <= 1 + 1e-12


def test_upper_bound_of_one_class_is_the_sum_over_its_pairs():
    X, y = blobs([60, 40, 50], spread=1.5)
    pairs = pairwise_bayes_error(X, y, normalize=False)
    share = np.bincount(y) / len(y)
    expected = ((share[:, None] + share) * pairs.upper).sum(axis=1)
    assert ovr_bayes_error(X, y).upper == pytest.approx(expected)


def test_multiclass_methods():
    X, y = blobs([60, 40, 50], spread=1.5)
    pairs = pairwise_bayes_error(X, y, normalize=False)
    share = np.bincount(y) / len(y)
    weights = np.triu(share[:, None] + share, 1)
    by_pairs = ClassForest(X, y).multiclass(method="pairwise")
    assert by_pairs.lower == pytest.approx((weights * pairs.lower).sum() * 2 / 3)
    assert by_pairs.upper == pytest.approx((weights * pairs.upper).sum())
    tree = bayes_error(X, y)
    tightest = ClassForest(X, y).multiclass(method="tightest")
    assert tightest.lower == max(tree.lower, by_pairs.lower)
    assert tightest.upper == min(tree.upper, by_pairs.upper, 1 - share.max())


@pytest.mark.parametrize("kind", ["int", "str", "object", "bool", "float", "category", "list"])
def test_any_type_of_label(kind):
    pandas = pytest.importorskip("pandas")
    X, codes = blobs([30, 30])
    y = {
        "int": codes * 7 - 3,
        "str": np.array(["no", "yes"])[codes],
        "object": np.array(["no", "yes"], dtype=object)[codes],
        "bool": codes == 1,
        "float": codes.astype(float),
        "category": pandas.Series(np.array(["no", "yes"])[codes], dtype="category"),
        "list": codes.tolist(),
    }[kind]
    assert bayes_error(X, y).value == bayes_error(X, codes).value
    assert bayes_error(X, y).class_counts.tolist() == [30, 30]


def test_tiny_classes_count_fewer_trees_with_one_warning():
    X, y = blobs([30, 3, 30], spread=0.01)
    with pytest.warns(SmallClassWarning) as record:
        pairs = pairwise_bayes_error(X, y, n_trees=3, normalize=False)
    assert len(record) == 1
    assert "fewer than 10 samples: 1 (3)" in str(record[0].message)
    assert "n_trees=3 is too many" in str(record[0].message)
    assert pairs.n_trees.tolist() == [[0, 1, 3], [1, 0, 1], [3, 1, 0]]
    # With three trees the separated classes of 3 would look confused.
    assert pairs.cross_counts[0, 1] == 1
    with pytest.warns(SmallClassWarning):
        rest = ovr_bayes_error(X, y, n_trees=3)
    assert rest.n_trees.tolist() == [3, 1, 3]
    assert rest.cross_counts[1] == 1


def test_trees_that_run_out_are_counted_as_far_as_they_go():
    # A centre with all others at the same distance: the first tree is a star.
    d = 25
    X = np.vstack([np.zeros((1, d)), np.eye(d)])
    y = np.arange(len(X)) % 2
    with pytest.warns(SmallClassWarning, match="average as few as 1"):
        estimate = bayes_error(X, y, n_trees=3)
    assert estimate.n_trees == 1
    assert estimate.cross_counts == np.count_nonzero(y[1:] != y[0])


def test_large_classes_do_not_warn():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        ovr_bayes_error(X, y)
        ClassForest(X, y).multiclass(method="tightest")
    assert record == []


def test_threads_change_nothing():
    X, y = blobs([30, 40, 50, 20], spread=2.0)
    one, two = (pairwise_bayes_error(X, y, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.cross_counts, two.cross_counts)
    one, two = (ovr_bayes_error(X, y, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.cross_counts, two.cross_counts)


def test_counts_of_duplicates_have_their_known_expectation():
    # A group of m equal points, m_c of class c, has (m² - Σ m_c²) / m expected cross edges.
    y = np.repeat([0, 1], [12, 8])
    X = np.zeros((20, 2))
    expected = (20**2 - 12**2 - 8**2) / 20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)
        counts = [bayes_error(X, y, n_trees=1, random_state=s).cross_counts for s in range(400)]
    error = np.std(counts) / np.sqrt(len(counts))
    assert abs(np.mean(counts) - expected) < 4 * error
    assert error < 0.2


def test_estimates_do_not_write_to_their_input():
    X, y = blobs([20, 20])
    X *= 1e200
    X.setflags(write=False)
    y.setflags(write=False)
    before = X.copy()
    bayes_error(X, y)
    assert np.array_equal(X, before)


def test_a_matrix_of_labels_is_refused():
    X, y = blobs([60, 25])
    with pytest.raises(ValueError, match=r"y must be one-dimensional.*shape \(85, 1\)"):
        bayes_error(X, y[:, None])


def test_divergence_is_that_of_henze_and_penrose():
    X, y = blobs([60, 25, 35], spread=1.5)
    two = bayes_error(X[y < 2], y[y < 2])
    expected = 1 - 85 * two.cross_counts / (2 * 60 * 25)
    assert two.divergence == pytest.approx(expected)
    assert pairwise_bayes_error(X, y).divergence[0, 1] == pytest.approx(expected)
    rest = bayes_error(X, y == 0).divergence
    assert ovr_bayes_error(X, y).divergence[0] == pytest.approx(rest)


def test_divergence_is_0_where_labels_are_random():
    X = np.random.default_rng(5).normal(size=(60, 2))
    labels = [np.random.default_rng(seed).permutation(60) % 2 for seed in range(20)]
    found = [bayes_error(X, y) for y in labels]
    raw = [1 - 60 * each.cross_counts / (2 * 30 * 30) for each in found]
    assert min(raw) < 0
    assert [each.divergence for each in found] == pytest.approx(np.maximum(raw, 0))


@pytest.mark.parametrize("function", [bayes_error, pairwise_bayes_error, ovr_bayes_error])
def test_scaled_columns_are_those_that_a_user_scales(function):
    X, y = blobs([40, 30, 35], spread=2.0)
    X[:, 0] *= 1000
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    found = function(X, y, scale="standard")
    assert found.cross_counts == pytest.approx(function(scaled, y).cross_counts)
    assert np.any(found.value != function(X, y).value)
    assert ClassForest(X, y, scale="auto").scale != "none"


def test_scales_need_the_points_in_memory(tmp_path):
    X, y = blobs([40, 30])
    with pytest.raises(ValueError, match=r"scale must be one of .* got 'log'"):
        bayes_error(X, y, scale="log")
    for limit in ({"memory_limit": "1 GiB"}, {"checkpoint": tmp_path}):
        with pytest.raises(ValueError, match=r"scale must be .none. with memory_limit or check"):
            bayes_error(X, y, scale="ranks", **limit)
    np.save(tmp_path / "points.npy", X)
    there = bayes_error(tmp_path / "points.npy", y, scale="ranks")
    assert there.value == bayes_error(X, y, scale="ranks").value
