"""The machine of a node against LibLinear at a fine tolerance, and left-out margins by refits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import LinearSVC
from strategies import examples

from smartsvm.classifier.node_solver import NodeProblem, train


@st.composite
def problems(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 60)), draw(st.integers(1, 70))
    rows = random.normal(size=(n, p)) * draw(st.sampled_from([1e-3, 1.0, 30.0]))
    if draw(st.booleans()):
        rows = np.round(rows)  # repeated rows and columns of zeros
    rows[:, -1] = 1
    weights = random.uniform(0.2, 3, n) if draw(st.booleans()) else None
    return NodeProblem(rows, draw(st.integers(1, n - 1)), weights)


def objective(problem, C, w):
    short = np.maximum(0, 1 - problem.targets * (problem.rows @ w))
    weights = 1 if problem.weights is None else problem.weights
    return 0.5 * w @ w + C * np.sum(weights * short**2)


def gradient(problem, C, w):
    short = np.maximum(0, 1 - problem.targets * (problem.rows @ w))
    weights = 1 if problem.weights is None else problem.weights
    return w - 2 * C * (weights * short * problem.targets) @ problem.rows


@given(problem=problems(), C=st.sampled_from([1e-4, 0.1, 1.0, 50.0]), gram=st.booleans())
@examples(150)
def test_the_gradient_vanishes(problem, C, gram):
    if gram:
        weighted = problem.rows if problem.weights is None else (
            problem.rows * problem.weights[:, None]
        )  # fmt: skip
        problem = problem._replace(gram=weighted.T @ problem.rows)
    machine = train(problem, C)
    start = np.abs(gradient(problem, C, np.zeros(problem.rows.shape[1]))).max()
    assert np.abs(gradient(problem, C, machine.weights)).max() <= 1e-5 * start
    np.testing.assert_allclose(
        machine.margins, problem.rows @ machine.weights, rtol=1e-6, atol=1e-8
    )


@given(problem=problems(), C=st.sampled_from([0.01, 1.0]))
@examples(30)
def test_no_other_solver_finds_better(problem, C):
    found = objective(problem, C, train(problem, C).weights)
    other = minimize(
        lambda w: objective(problem, C, w),
        np.zeros(problem.rows.shape[1]),
        jac=lambda w: gradient(problem, C, w),
        method="L-BFGS-B",
    )
    assert found <= other.fun * (1 + 1e-9)


@given(problem=problems(), C=st.sampled_from([0.01, 1.0, 50.0]))
@examples(50)
def test_the_start_changes_nothing(problem, C):
    plain = train(problem, C)
    warm = train(problem, C, start=train(problem, C / 16).weights)
    scale = np.abs(plain.weights).max()
    np.testing.assert_allclose(warm.weights, plain.weights, atol=1e-5 * scale)


@pytest.mark.parametrize("weighted", [False, True])
def test_left_out_margins_are_those_of_refits(weighted):
    random = np.random.default_rng(0)
    rows = random.normal(size=(120, 6))
    rows[:40, :2] -= 0.8
    rows[:, -1] = 1
    weights = random.uniform(0.5, 2, 120) if weighted else None
    problem = NodeProblem(rows, 40, weights)
    machine = train(problem, 0.3)
    refits = np.empty(120)
    for i in range(120):
        keep = np.arange(120) != i
        without = NodeProblem(rows[keep], 40 - (i < 40), None if weights is None else weights[keep])
        refits[i] = rows[i] @ train(without, 0.3, leave_one_out=False).weights
    gap = np.abs(refits - machine.left_out)
    assert np.mean(gap) < 0.05 * np.mean(np.abs(refits - machine.margins))
    assert np.median(gap) < 1e-3


@pytest.mark.parametrize("shape", [(1500, 700), (600, 700)])
def test_many_columns_go_to_liblinear(shape):
    random = np.random.default_rng(1)
    rows = random.normal(size=shape)
    rows[:, -1] = 1
    rows[: shape[0] // 2, 0] += 1
    problem = NodeProblem(rows, shape[0] // 2)
    plain = LinearSVC(C=1e-3, dual=False, fit_intercept=False, tol=1e-6)
    plain.fit(rows, problem.targets)
    for kind in (np.asarray, sparse.csr_matrix):
        machine = train(problem._replace(rows=kind(rows)), 1e-3)
        np.testing.assert_allclose(machine.weights, plain.coef_[0], atol=2e-3)
        assert np.all(problem.targets * machine.left_out <= problem.targets * machine.margins)
