"""No output shows a number outside the bracket behind it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from smartsvm import difficulty_report

_NUMBER = r"(\d[\d,.]*)%"
# A number, at most a few words, and its bracket.
_BRACKET = re.compile(rf"{_NUMBER}[^%()]{{0,12}}\({_NUMBER} to {_NUMBER}\)")
_CELLS = re.compile(rf">{_NUMBER}</td><td[^>]*>{_NUMBER} to {_NUMBER}<")
_COLUMNS = re.compile(rf" {_NUMBER}  {_NUMBER} to {_NUMBER}")  # of a table in the text


def problem(seed):
    """A small problem of a random kind."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(20, 150)), int(random.integers(1, 6))
    n_classes = int(random.integers(2, 6))
    codes = random.choice(n_classes, n, p=random.dirichlet(np.full(n_classes, 2.0)))
    codes[:n_classes] = range(n_classes)
    X = random.normal(size=(n, d)) + random.choice([0, 0.5, 2, 8]) * codes[:, None]
    if random.random() < 0.3:
        X = np.round(X)
    return X, codes


def numbers(found):
    return [float(each.replace(",", "")) for each in found]


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("seed", range(16))
def test_numbers_lie_in_their_brackets(seed):
    report = difficulty_report(*problem(seed), target_accuracy=0.9)
    text = " ".join(str(report).split())
    page = report.to_html()
    assert _CELLS.search(page)
    assert _COLUMNS.search(str(report))
    found_in_text = [*_BRACKET.findall(text), *_COLUMNS.findall(str(report))]
    for found in (*found_in_text, *_CELLS.findall(page)):
        value, low, high = numbers(found)
        assert low <= value <= high
    drawn = [report.bayes_error, report.trees.lower, report.trees.upper, report.errors.baseline]
    drawn += [each.error for each in report.errors.held_out.classifiers]
    drawn += [report.errors.held_out.best, report.errors.balanced]
    drawn += report.errors.learning_curve.errors if report.errors.learning_curve else []
    for value, low, high in drawn:
        assert 0 <= low <= value <= high <= 1


def test_the_pattern_finds_a_number_outside():
    report = difficulty_report(*problem(3))
    best = report.errors.held_out.classifiers[0]
    moved = best._replace(error=best.error._replace(low=0.97, high=0.98))
    held_out = report.errors.held_out._replace(classifiers=(moved,))
    page = str(replace(report, errors=replace(report.errors, held_out=held_out)))
    assert any(numbers(found)[0] < numbers(found)[1] for found in _COLUMNS.findall(page))
