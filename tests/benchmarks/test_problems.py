"""The problems of known Bayes error: probabilities, samples and roles."""

import numpy as np
import pytest

from benchmarks import problems
from benchmarks.problems.building import Generative


def test_every_family_has_one_role():
    names = problems.families("all")
    assert sorted(names) == sorted(problems.ALL)
    for role in ("design", "evaluation"):
        assert set(problems.families(role)) < set(names)
    assert not set(problems.families("design")) & set(problems.families("evaluation"))
    assert set(problems.families("retired")) < set(problems.families("design"))
    with pytest.raises(ValueError, match="role must be one of"):
        problems.families("other")


def _generative():
    """Families that draw the class first; all others draw it from the probabilities."""
    names = problems.families("all")
    return [name for name in names if isinstance(problems.problem(name, 1, 100).draw, Generative)]


@pytest.mark.parametrize("family", _generative())
def test_classes_drawn_follow_the_probabilities(family):
    draw = problems.problem(family, 1, 100).draw
    X, which, chances = draw.labelled(np.random.default_rng(0), 4000)
    # If the probabilities are right, what is left is orthogonal to every function of X.
    columns = np.tanh((X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9))
    functions = np.hstack([np.ones((len(X), 1)), columns, np.abs(columns), chances])
    for k, chance in enumerate(chances.T):
        variances = functions.T**2 @ (chance * (1 - chance))
        sums = functions.T @ ((which == k) - chance)
        assert (np.abs(sums) <= 5.5 * np.sqrt(variances) + 5).all()


@pytest.mark.parametrize("family", problems.families("evaluation"))
def test_small_samples_have_two_classes(family):
    few = sum(
        len(np.unique(problems.problem(family, number, 100).sample()[1])) < 2
        for number in range(20)
    )
    assert few <= 2
