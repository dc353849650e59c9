"""The svm of a node: its optimum by both solvers, and left-out margins against refits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from strategies import examples

from smartsvm.classifier.nodes import solver as node_solver
from smartsvm.classifier.nodes.solver import NodeProblem, train


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


@given(problem=problems(), C=st.sampled_from([1e-4, 0.1, 1.0, 50.0]))
@examples(150)
def test_the_gradient_vanishes(problem, C):
    svm = train(problem, C)
    start = np.abs(gradient(problem, C, np.zeros(problem.rows.shape[1]))).max()
    weights = np.ones(len(problem.rows)) if problem.weights is None else problem.weights
    parts = 2 * C * (weights @ np.abs(problem.rows)).max()  # they may cancel: rounding is of these
    assert np.abs(gradient(problem, C, svm.weights)).max() <= 1e-5 * start + 1e-13 * parts
    np.testing.assert_allclose(svm.margins, problem.rows @ svm.weights, rtol=1e-6, atol=1e-8)


@given(problem=problems(), C=st.sampled_from([0.01, 1.0]))
@examples(30)
def test_no_other_solver_finds_better(problem, C):
    found = objective(problem, C, train(problem, C).weights)
    other = minimize(
        lambda w: objective(problem, C, w),
        np.zeros(problem.rows.shape[1]),
        jac=lambda w: gradient(problem, C, w),
        method="L-BFGS-B",
        options={"maxiter": 1000},  # a few problems would go on and hardly improve
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
def test_held_out_margins_are_those_of_refits(weighted):
    random = np.random.default_rng(0)
    rows = random.normal(size=(120, 6))
    rows[:40, :2] -= 0.8
    rows[:, -1] = 1
    weights = random.uniform(0.5, 2, 120) if weighted else None
    problem = NodeProblem(rows, 40, weights)
    svm = train(problem, 0.3)
    refits = np.empty(120)
    for i in range(120):
        keep = np.arange(120) != i
        without = NodeProblem(rows[keep], 40 - (i < 40), None if weights is None else weights[keep])
        refits[i] = rows[i] @ train(without, 0.3).weights
    gap = np.abs(refits - svm.held_out)
    assert np.mean(gap) < 0.05 * np.mean(np.abs(refits - svm.margins))
    assert np.median(gap) < 1e-3


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(300, 20), (60, 200), (700, 90)])
def test_both_solvers_have_the_same_optimum_and_margins(shape, weighted):
    random = np.random.default_rng(1)
    rows = random.normal(size=shape)
    rows[:, -1] = 1
    rows[: shape[0] // 2, 0] += 1
    weights = random.uniform(0.5, 2, shape[0]) if weighted else None
    problem = NodeProblem(rows, shape[0] // 2, weights)
    newton, liblinear = (train(problem, 0.1, solver=name) for name in ("newton", "liblinear"))
    best = objective(problem, 0.1, newton.weights)
    assert best <= objective(problem, 0.1, liblinear.weights) <= best * (1 + 1e-4)
    scale = np.abs(newton.weights).max()
    np.testing.assert_allclose(liblinear.weights, newton.weights, atol=0.01 * scale)
    np.testing.assert_allclose(liblinear.held_out, newton.held_out, atol=0.03)
    sparse_rows = problem._replace(rows=sparse.csr_matrix(rows))
    again = train(sparse_rows, 0.1)
    np.testing.assert_allclose(again.weights, newton.weights, atol=0.01 * scale)
    np.testing.assert_allclose(again.held_out, newton.held_out, atol=0.03)


@pytest.mark.parametrize(
    ("shape", "kind", "used"),
    [
        ((1200, 8), np.asarray, "newton"),
        ((8, 1200), np.asarray, "newton"),
        ((1100, 1100), np.asarray, "liblinear"),
        ((50, 8), sparse.csr_matrix, "liblinear"),
    ],
)
def test_which_solver_auto_takes(shape, kind, used):
    rows = np.random.default_rng(0).normal(size=shape)
    problem = NodeProblem(kind(rows), shape[0] // 2)
    mine, its_own = (train(problem, 1e-3, solver=solver) for solver in ("auto", used))
    assert np.array_equal(mine.weights, its_own.weights)  # the other solver rounds differently


@pytest.mark.parametrize("weighted", [False, True])
def test_liblinear_without_and_with_scikit_learn_around_it(monkeypatch, weighted):
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 7))
    rows[:80] += 0.4
    problem = NodeProblem(rows, 80, random.uniform(0.5, 2, 200) if weighted else None)
    assert node_solver.train_wrap is not None
    plain = train(problem, 0.5, solver="liblinear")
    monkeypatch.setattr(node_solver, "train_wrap", None)
    around = train(problem, 0.5, solver="liblinear")
    np.testing.assert_allclose(plain.weights, around.weights, rtol=1e-12)


def test_held_out_margins_of_many_sparse_rows_come_from_folds():
    random = np.random.default_rng(0)
    rows = random.normal(size=(900, 1100)) * (random.uniform(size=(900, 1100)) < 0.1) / 4
    rows[:450, 0] += 0.3
    rows[:, -1] = 1
    problem = NodeProblem(sparse.csr_matrix(rows), 450)
    folds = train(problem, 0.01)
    exact = train(problem._replace(rows=rows), 0.01)
    np.testing.assert_allclose(folds.weights, exact.weights, atol=5e-3)
    assert np.corrcoef(folds.held_out, exact.held_out)[0, 1] > 0.9
    wrong = [
        np.mean(problem.targets * values < 0)
        for values in (exact.margins, exact.held_out, folds.held_out)
    ]
    assert wrong[0] < wrong[1]
    assert abs(wrong[2] - wrong[1]) < 0.05
    # A row that is alone on its side is judged by SVMs that know one side only.
    lonely = train(NodeProblem(sparse.csr_matrix(rows), 1), 0.01)
    assert np.isfinite(lonely.held_out).all()
    assert lonely.held_out[0] > 0


def test_a_solver_that_stops_at_its_limit_warns(monkeypatch):
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 5))
    problem = NodeProblem(rows, 100)
    monkeypatch.setattr(node_solver, "_MOST_STEPS", 1)
    monkeypatch.setattr(node_solver, "_LIBLINEAR_STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="Newton's method stopped after 1 steps"):
        train(problem, 10.0, solver="newton")
    with pytest.warns(ConvergenceWarning, match="Liblinear failed to converge"):
        train(problem, 10.0, solver="liblinear")


@pytest.mark.parametrize("n", [400, 100])
def test_columns_of_zeros_change_nothing(n):
    random = np.random.default_rng(0)
    rows = random.normal(size=(n, 140))
    rows[:, -1] = 1.0
    wide = np.zeros((n, 200))
    columns = np.sort(random.permutation(199)[:139])
    wide[:, [*columns, 199]] = rows
    start = random.normal(size=200)
    few = train(NodeProblem(rows, n // 2), 1.0)
    many = train(NodeProblem(wide, n // 2), 1.0)
    np.testing.assert_allclose(many.weights[[*columns, 199]], few.weights, atol=1e-9)
    assert np.count_nonzero(many.weights) == 140
    for name in ("margins", "held_out"):
        np.testing.assert_allclose(getattr(many, name), getattr(few, name), atol=1e-8)
    again = train(NodeProblem(wide, n // 2), 1.0, start=start)
    np.testing.assert_allclose(again.weights, many.weights, atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [900, 420])
def test_where_newton_starts_changes_nothing(monkeypatch, n, weighted):
    random = np.random.default_rng(0)
    rows = random.normal(size=(n, 500))
    rows[: n // 3, 0] += 1
    rows[:, -1] = 1.0
    problem = NodeProblem(rows, n // 3, random.uniform(0.5, 2, n) if weighted else None)
    near = train(problem, 0.1)
    monkeypatch.setattr(node_solver, "_rough_start", lambda problem, C: None)
    far = train(problem, 0.1)
    for mine, other in zip(near, far, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)


def test_squares_that_overflow_get_no_start_from_liblinear():
    rows = np.random.default_rng(0).normal(size=(600, 500))
    heavy = np.full(600, 1e200)
    assert node_solver._rough_start(NodeProblem(rows, 300), 1.0) is not None
    assert node_solver._rough_start(NodeProblem(rows * 1e200, 300), 1.0) is None
    assert node_solver._rough_start(NodeProblem(rows, 300), 1e200) is None
    assert node_solver._rough_start(NodeProblem(rows, 300, heavy), 1.0) is None
    assert node_solver._rough_start(NodeProblem(rows, 600), 1.0) is None  # all on one side
