"""The problems of known Bayes error: probabilities, samples and roles."""

import argparse

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from benchmarks import problems
from benchmarks.problems.building import Generative, log_between, step_logs
from benchmarks.problems.options import add_families_option


def test_every_family_has_one_role():
    names = problems.families("all")
    assert len(set(problems.ALL.values())) == len(names)
    for role in ("design", "evaluation"):
        assert set(problems.families(role)) < set(names)
    assert not set(problems.families("design")) & set(problems.families("evaluation"))
    assert set(problems.families("retired")) < set(problems.families("design"))
    with pytest.raises(ValueError, match="role must be one of"):
        problems.families("other")


def test_the_option_families_takes_roles_and_names(capsys):
    parser = argparse.ArgumentParser()
    add_families_option(parser)
    design, retired = map(problems.families, ("design", "retired"))
    assert parser.parse_args([]).families == problems.families("evaluation")
    assert parser.parse_args(["--families", "shift", "rings"]).families == ["shift", "rings"]
    both = parser.parse_args(["--families", "retired", "design", retired[0]]).families
    assert both == [*retired, *(name for name in design if name not in retired)]
    with pytest.raises(SystemExit):
        parser.parse_args(["--families", "shift", "other"])
    assert "got 'other'" in capsys.readouterr().err


def _drawn(family, number, n):
    """Points, the classes they were drawn from if the family has them, and their probabilities."""
    draw = problems.problem(family, number, 100).draw
    if isinstance(draw, Generative):
        return draw.labelled(np.random.default_rng(0), n)
    X, chances = draw(np.random.default_rng(0), n)
    return X, None, chances


def _gain(chances):
    """How much less the best classifier errs than guessing the most frequent class, as a share."""
    baseline = 1 - chances.mean(axis=0).max()
    return 1 - np.mean(1 - chances.max(axis=1)) / baseline


def _depends_on_more(X, chances):
    """Whether equal rows have different probabilities: then something tells that is not in X."""
    _, first, row = np.unique(X, axis=0, return_index=True, return_inverse=True)
    return not np.allclose(chances, chances[first][row.ravel()], atol=1e-9)


@pytest.mark.parametrize("kind", sorted({row["kind"] for row in problems.FAMILIES.values()}))
def test_probabilities_are_functions_of_the_points(kind):
    faults = []
    for family in [name for name, row in problems.FAMILIES.items() if row["kind"] == kind]:
        X, _, chances = _drawn(family, 3, 2000)
        if not np.isfinite(X).all() or chances.min() < 0:
            faults.append((family, "values"))
        if not np.allclose(chances.sum(axis=1), 1, rtol=1e-6):
            faults.append((family, "sums"))
        if _depends_on_more(X, chances):
            faults.append((family, "equal rows"))
        if family != "no signal" and _gain(chances) < 0.01 > _gain(_drawn(family, 1, 2000)[2]):
            faults.append((family, "no better than guessing"))
        problem = problems.problem(family, 3, 200)
        first, again = (problem.sample() for _ in range(2))
        if not np.array_equal(first[0], again[0]) or np.bincount(first[1]).min() < 2:
            faults.append((family, "sample"))
    assert faults == []


def test_equal_rows_with_different_probabilities_are_seen():
    X = np.array([[0.0], [1.0], [0.0]])
    assert not _depends_on_more(X, np.array([[0.3, 0.7], [0.2, 0.8], [0.3, 0.7]]))
    assert _depends_on_more(X, np.array([[0.3, 0.7], [0.2, 0.8], [0.4, 0.6]]))


def _largest_deviation(X, classes, chances):
    """Largest deviation, in standard errors, of classes from their probabilities.

    If the probabilities are right, what is left is orthogonal to every function of X: to its
    columns, the probabilities, and the parts of space nearest to each of twenty rows.
    """
    scaled = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    columns = np.tanh(scaled)
    centres = scaled[np.random.default_rng(1).choice(len(X), 20, replace=False)]
    parts = np.eye(20)[cdist(scaled, centres, "sqeuclidean").argmin(axis=1)]
    logs = np.log(np.maximum(chances, 1e-6))
    functions = np.hstack([np.ones((len(X), 1)), columns, np.abs(columns), chances, logs, parts])
    largest = 0
    for k, chance in enumerate(chances.T):
        sums = functions.T @ ((classes == k) - chance)
        variances = (functions**2).T @ (chance * (1 - chance))
        several = variances > 20 * (functions**2).max(axis=0)  # rows decide the sum: it is normal
        ratios = np.abs(sums[several]) / np.sqrt(variances[several])
        largest = max(largest, ratios.max(initial=0))
    return largest


@pytest.mark.parametrize("role", ["design", "evaluation"])
def test_classes_drawn_follow_the_probabilities(role):
    names = problems.families(role)
    names = [name for name in names if isinstance(problems.problem(name, 1, 100).draw, Generative)]
    assert len(names) > 20
    deviations = {name: _largest_deviation(*_drawn(name, 1, 6000)) for name in names}
    assert {name: z for name, z in deviations.items() if z > 5} == {}


def test_probabilities_that_are_even_or_blurred_deviate():
    X, classes, chances = _drawn("bird calls", 1, 6000)
    assert _largest_deviation(X, classes, chances) < 5
    assert _largest_deviation(X, classes, np.full_like(chances, 1 / chances.shape[1])) > 5
    assert _largest_deviation(X, classes, 0.8 * chances + 0.2 / chances.shape[1]) > 5


def test_small_samples_have_two_classes():
    few = {
        family: sum(
            len(np.unique(problems.problem(family, number, 100).sample()[1])) < 2
            for number in range(20)
        )
        for family in problems.families("evaluation")
    }
    assert {family: number for family, number in few.items() if number > 2} == {}


def test_truth_of_two_normal_classes():
    from scipy.special import ndtr

    shifts = [problems.problem("shift", number, 100) for number in range(8)]
    for problem in [each for each in shifts if "K=2" in each.describe][:2]:
        apart = float(problem.describe.split("apart=")[1])
        assert problem.bayes_error() == pytest.approx(ndtr(-apart / 2), abs=0.004)


def test_copies_share_the_label_of_their_original():
    problem = problems.problem("jittered copies", 0, 100)
    times = int(problem.describe.split("times=")[1].split()[0])
    X, y = problem.draw.sample(np.random.default_rng(0), 100 * times)
    nearest = np.argsort(((X[:, None] - X[None]) ** 2).sum(axis=2), axis=1)[:, 1]
    assert np.mean(y[nearest] == y) > 0.95


def test_the_balanced_error_counts_every_class_alike():
    rare = problems.problem("one in twenty", 0, 100)
    assert rare.balanced_error() > 1.5 * rare.bayes_error()


def test_chances_of_steps_keep_their_digits_in_both_tails():
    from scipy.special import log_ndtr

    assert log_between(np.array(20.0), np.inf) == pytest.approx(log_ndtr(-20))
    assert log_between(-np.inf, np.array(-20.0)) == pytest.approx(log_ndtr(-20))
    logs = step_logs(8, np.array([[-3.0, 2.5], [7.4, 30.0]]), np.array([0.4, 3.0]))
    assert logs.shape == (8, 2, 2)
    np.testing.assert_allclose(np.exp(logs).sum(axis=0), 1, rtol=1e-12)
    assert logs[2, 0, 1] == pytest.approx(logs[3, 0, 1])  # the middle lies between two steps
