"""Linear SVMs end, and err alike, in all units; what cannot be solved is named."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris, load_wine

from smartsvm import SmartSVM, SmartSVMCV
from smartsvm.classifier.nodes.svm_units import units_for

# A solver that does not end stops the run with the stacks of all threads.
pytestmark = pytest.mark.timeout(600)

PAPER = {"hierarchy": "min-cut", "nodes": "linear", "routing": "hard", "solver": "liblinear"}
X, y = load_iris(return_X_y=True)
FEW = 3 / len(y)  # samples that rounding or another penalty may decide


def models():
    return {
        "paper": SmartSVM(**PAPER),
        "newton": SmartSVM(**PAPER | {"solver": "newton"}),
        "evidence": SmartSVM(solver="liblinear"),
        "tuned": SmartSVMCV(Cs=3, cv=3, **PAPER),
    }


@pytest.mark.parametrize("name", models())
@pytest.mark.parametrize("factor", [1e-200, 1e-6, 1e-2, 1e6, 1e60])
def test_units_do_not_matter(name, factor):
    plain = models()[name].fit(X, y)
    scaled = models()[name].fit(factor * X, y)
    assert scaled.score(factor * X, y) >= plain.score(X, y) - FEW


@pytest.mark.parametrize("name", models())
def test_an_offset_does_not_matter(name):
    # Beside 1e15, float64 keeps eighths.
    shifted = X + 1e15
    model = models()[name].fit(shifted, y)
    assert model.score(shifted, y) > 0.9


def test_weights_that_no_float_can_hold_are_refused():
    tiny = X * 1e-310
    with pytest.raises(ValueError, match=r"standard deviation of .*e-311; scale the features"):
        SmartSVM(**PAPER).fit(tiny, y)
    assert SmartSVM(solver="liblinear").fit(tiny, y).score(tiny, y) > 0.95
    for model in (SmartSVM(**PAPER), SmartSVMCV(Cs=2, **PAPER)):
        with pytest.raises(ValueError, match="at most 1e"):
            model.fit(X * 1e200, y)


@pytest.mark.parametrize("C", [1e-320, 1e-200, 1e100, 1e308])
def test_penalties_that_liblinear_cannot_solve_are_refused(C):
    with pytest.raises(ValueError, match=r"C times the weights .* between 1e-30 and 1e\+30"):
        SmartSVM(C, **PAPER).fit(X, y)
    with pytest.raises(ValueError, match="C times the weights"):
        SmartSVM(**PAPER).fit(X, y, sample_weight=np.full(len(y), C))


def test_a_large_penalty_is_solved():
    assert SmartSVM(1e25, **PAPER).fit(X, y).score(X, y) > 0.9


def test_ordinary_features_are_used_as_given():
    wine, _ = load_wine(return_X_y=True)
    for points in (X, wine, 255.0 * (X > 3), csr_matrix(X), np.ones((5, 2))):
        assert units_for(points) is None


def test_coefficients_belong_to_the_features_as_given():
    points = 1e-6 * X + 3
    model = SmartSVM(**PAPER).fit(points, y)
    margins = points @ model.coef_.T + model.intercept_
    assert ((margins > 0) == (model._router.margins(points) > 0)).mean() > 0.99
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(points), model.predict(points))


def test_sparse_zeros_stay_zeros():
    points = csr_matrix(np.where(X > 2, X, 0) * 1e-9)
    units = units_for(points)
    assert units(points).nnz == points.nnz
    np.testing.assert_allclose(np.abs(units(points)).max(axis=0).toarray(), 1)
    model = SmartSVM(hierarchy="centroids", nodes="linear", solver="liblinear").fit(points, y)
    assert model.score(points, y) > 0.9


@pytest.mark.parametrize("factor", [1e-310, 1e-9, 1e300])
def test_units_give_features_of_mean_0_and_variance_1(factor):
    points = factor * np.column_stack([X, np.full(len(X), 0.1)])
    seen = units_for(points)(points)
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(seen.var(axis=0)[:-1], 1, rtol=1e-9)
    assert not seen[:, -1].any()  # a constant feature does not become noise
