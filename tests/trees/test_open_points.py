"""The door: whatever X is, what is behind sees the same points."""

import numpy as np
import pytest

from smartsvm._core.points import Points, scale_points
from smartsvm.trees.open_points import open_points
from smartsvm.trees.tree_plan import TreePlan

X = np.round(np.random.default_rng(0).normal(size=(60, 3)), 3).astype(np.float32).astype(float)


def in_a_file(X, folder):
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def in_a_folder(X, folder):
    np.save(folder / "a.npy", X[:20])
    np.save(folder / "b.npy", X[20:])
    return folder


def in_a_frame(X, folder):
    return pytest.importorskip("pandas").DataFrame(X)


def in_dask(X, folder):
    return pytest.importorskip("dask.array").from_array(X, chunks=(25, 2))


FORMS = {
    "array": lambda X, folder: X,
    "columns": lambda X, folder: np.asfortranarray(X),
    "float32": lambda X, folder: X.astype(np.float32),
    "list": lambda X, folder: X.tolist(),
    "frame": in_a_frame,
    "file": in_a_file,
    "map": lambda X, folder: np.load(in_a_file(X, folder), mmap_mode="r"),
    "folder": in_a_folder,
    "Dask array": in_dask,
}


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_points(form, by_class, tmp_path):
    points = open_points(FORMS[form](X, tmp_path), trees=TreePlan(1, by_class=by_class))
    assert (points.source, points.tensor, points.exponent) == (None, None, 0)
    assert (points.n_rows, points.n_features) == X.shape
    assert points.matrix().dtype == np.float64
    np.testing.assert_array_equal(points.matrix(), X)
    np.testing.assert_array_equal(points.take(np.array([7, 3])), X[[7, 3]])
    np.testing.assert_array_equal(points.of(np.array([7, 3])).values, X[[7, 3]])
    assert open_points(points, trees=TreePlan(1)) is points


@pytest.mark.parametrize("form", FORMS)
def test_points_without_trees_are_read_by_rows(form, tmp_path):
    points = open_points(FORMS[form](X, tmp_path))
    assert points.shape == X.shape
    assert points.values is None
    np.testing.assert_array_equal(points.read(), X)
    np.testing.assert_array_equal(points.read(np.array([3, 7, 59])), X[[3, 7, 59]])


@pytest.mark.parametrize("form", FORMS)
def test_a_limit_or_a_checkpoint_leaves_points_where_they_are(form, tmp_path):
    given = FORMS[form](X, tmp_path)
    for plan in (TreePlan(1, memory_limit=100), TreePlan(1, checkpoint=tmp_path)):
        assert open_points(given, trees=plan).source is not None
    assert open_points(given, trees=TreePlan(1, memory_limit=1 << 30)).source is None


@pytest.mark.parametrize("form", FORMS)
def test_an_error_names_the_parameter(form, tmp_path):
    bad = X.copy()
    bad[41, 2] = np.nan
    given = FORMS[form](bad, tmp_path)
    with pytest.raises(ValueError, match=r"first must be finite, got nan at \[41, 2\]"):
        open_points(given, "first").read()
    with pytest.raises(ValueError, match=r"first must be finite, got nan at \[41, 2\]"):
        open_points(given, "first", trees=TreePlan(1))


def test_large_values_are_scaled_by_a_power_of_two():
    large = np.ldexp(X, 700)
    points = open_points(large, trees=TreePlan(1))
    np.testing.assert_array_equal(np.ldexp(points.values, points.exponent), large)
    assert 0.5 <= np.ptp(points.values, axis=0).max() < 1
    np.testing.assert_array_equal(open_points(large).read(), large)


def test_columns_are_scaled_before_the_power_of_two():
    points = scale_points(np.ldexp(X, [0, 900, -900]), "standard")
    assert points.exponent == 0
    np.testing.assert_allclose(points.values.std(axis=0), 1)
    own = X.copy()
    assert scale_points(own).values is own  # no copy without need


def test_points_keep_what_they_are_given():
    mapped = Points(X, 3)
    assert mapped.values is X
    assert mapped.matrix() is X
    assert mapped.of(np.arange(5)).exponent == 3
