"""The problems of known Bayes error: probabilities, samples and roles."""

import argparse

import numpy as np
import pytest

from benchmarks import problems
from benchmarks.problems.building import Generative, draw_labels, log_between, step_logs
from benchmarks.problems.options import add_families_option


def test_every_family_has_one_role():
    names = problems.families("all")
    assert sorted(names) == sorted(problems.ALL)
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


@pytest.mark.parametrize("family", problems.ALL)
def test_labels_follow_the_probabilities(family):
    problem = problems.problem(family, 3, 200)
    X, chances = problem.draw(np.random.default_rng(0), 4000)
    assert np.isfinite(X).all()
    assert chances.min() >= 0
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-6)
    # Probabilities are calibrated by construction only if points are drawn from their mixture.
    labels = draw_labels(np.random.default_rng(1), chances)
    for k in range(chances.shape[1]):
        assert np.mean(labels == k) == pytest.approx(chances[:, k].mean(), abs=0.04)
    first, again = (problem.sample() for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert np.bincount(first[1]).min() >= 2


def _generative():
    """Families for evaluation that draw the class first, not from its probabilities."""
    names = problems.families("evaluation")
    return [name for name in names if isinstance(problems.problem(name, 1, 100).draw, Generative)]


@pytest.mark.parametrize("family", _generative())
def test_classes_drawn_follow_the_probabilities(family):
    draw = problems.problem(family, 1, 100).draw
    X, which, chances = draw.labelled(np.random.default_rng(0), 20_000)
    # If the probabilities are right, what is left is orthogonal to every function of X.
    columns = np.tanh((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9))
    logs = np.log(np.maximum(chances, 1e-6))
    functions = np.hstack([np.ones((len(X), 1)), columns, np.abs(columns), chances, logs])
    for k, chance in enumerate(chances.T):
        sums = functions.T @ ((which == k) - chance)
        variances = (functions**2).T @ (chance * (1 - chance))
        several = variances > 20 * (functions**2).max(axis=0)  # rows decide the sum: it is normal
        assert (np.abs(sums) < 5 * np.sqrt(variances))[several].all()


@pytest.mark.parametrize("family", problems.families("evaluation"))
def test_small_samples_have_two_classes(family):
    few = sum(
        len(np.unique(problems.problem(family, number, 100).sample()[1])) < 2
        for number in range(20)
    )
    assert few <= 2


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
