"""What a GPU computes for a report beside trees, as on the processor."""

import numpy as np
import pytest
import torch
from fuzz_gpu import DEVICE

from smartsvm._core.points import Points, scale_points
from smartsvm.estimation import extrapolation
from smartsvm.held_out.linear import linear_leave_one_out
from smartsvm.trees.in_memory.class_trees import SpanningForest

pytestmark = pytest.mark.gpu


def problem(n, d, n_classes, seed):
    random = np.random.default_rng(seed)
    y = np.append(np.arange(n_classes), random.integers(0, n_classes - 1, n - n_classes))
    return random.normal(size=(n_classes, d))[y] + random.normal(size=(n, d)), y


@pytest.mark.parametrize("d", [5, 90])
def test_linear_classifiers_make_the_same_mistakes(d):
    # The last class has one sample; with 90 columns there are more of them than samples.
    X, y = problem(80, d, 6, 0)
    want = linear_leave_one_out(X, y, 6, n_jobs=1)
    got = linear_leave_one_out(X, y, 6, n_jobs=1, on_device=torch.from_numpy(X).to(DEVICE))
    np.testing.assert_array_equal(got.wrong, want.wrong)
    for rows in (slice(None), np.array([3, 70])):
        np.testing.assert_allclose(got.scores(1, rows), want.scores(1, rows), rtol=1e-4)


def test_trees_of_parts(gpu):
    X, y = problem(70, 5, 3, 2)
    whole = SpanningForest(Points(X), y, n_trees=1, seed=0).whole()
    want = extrapolation.trees_of_parts(Points(X), y, whole)
    got = extrapolation.trees_of_parts(scale_points(X, device=gpu), y, whole)
    assert len(want.edges) > 1
    for one, other in zip(want.edges, got.edges, strict=True):
        assert set(map(frozenset, one.tolist())) == set(map(frozenset, other.tolist()))
    np.testing.assert_allclose(got.mean_lengths, want.mean_lengths)
