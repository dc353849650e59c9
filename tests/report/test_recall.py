"""Balanced errors and what is found of each class."""

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.left_out.rule_errors import RuleErrors
from smartsvm.report.recall import class_recalls


class _Trials:
    """Mistakes that are known."""

    def __init__(self, **wrong):
        self.found = {
            rule: RuleErrors(tuple(range(len(each))), each) for rule, each in wrong.items()
        }
        self.rows = np.arange(next(iter(wrong.values())).shape[1])

    def on_rows(self, rule):
        return self.found[rule].wrong


def one_in_twenty(n, separation, seed=0):
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.05).astype(int)
    return random.normal(size=(n, 2)) + separation * y[:, None], y


def test_recalls_are_those_of_the_rule_with_the_smallest_balanced_error():
    codes = np.repeat([0, 1], [900, 100])
    largest = (codes == 1).astype(float)[None]  # always answers class 0
    even = (np.arange(1000) % 5 == 0).astype(float)[None]  # errs on every fifth of both
    found = class_recalls(_Trials(neighbors=largest, linear=even), codes, 2, 1.96, 0)
    assert found.rule == "linear"
    assert found.by_class == pytest.approx([0.8, 0.8])
    assert found.balanced_error.value == pytest.approx(0.2)
    assert found.limits[1, 1] - found.limits[1, 0] > 2 * (found.limits[0, 1] - found.limits[0, 0])
    assert (found.limits[:, 0] < found.by_class).all()
    assert (found.limits[:, 1] > found.by_class).all()


def test_the_interval_of_the_balanced_error_covers():
    covered = []
    for seed in range(400):
        random = np.random.default_rng(seed)
        codes = np.repeat([0, 1], [570, 30])
        wrong = random.random((1, 600)) < np.where(codes, 0.3, 0.05)
        found = class_recalls(_Trials(linear=wrong.astype(float)), codes, 2, 1.96, 0)
        covered.append(found.balanced_error.low <= 0.175 <= found.balanced_error.high)
    assert 0.92 <= np.mean(covered) <= 0.99


def test_a_setting_is_picked_without_the_samples_it_is_counted_on():
    random = np.random.default_rng(0)
    codes = np.arange(200) % 2
    noise = (random.random((50, 200)) < 0.5).astype(float)  # none is better than another
    found = class_recalls(_Trials(neighbors=noise), codes, 2, 1.96, 0)
    assert noise.mean(axis=1).min() < 0.45
    assert found.balanced_error.value > 0.45


@pytest.mark.parametrize("separation", [0.0, 1.0, 6.0])
def test_reports_of_rare_classes(separation):
    X, y = one_in_twenty(800, separation)
    report = difficulty_report(X, y)
    recall = report.recall
    assert recall.balanced_error.low <= recall.balanced_error.value < recall.balanced_error.high
    assert recall.balanced_error.value == pytest.approx(1 - recall.by_class.mean())
    if separation == 0:
        assert recall.balanced_error.value > 0.4
    if separation == 6:
        assert recall.by_class.min() > 0.9
    frame = report.to_frame("classes").set_index("class")
    assert frame.loc[1, "recall"] == recall.by_class[1]
    assert frame.loc[1, "recall_low"] == recall.limits[1, 0]
    found = report.to_dict()["reached"]
    assert found["balanced_error"] == recall.balanced_error._asdict()
    for page in (str(report), report.to_html()):
        assert "How much of each class is found?" in page
        assert "guessing has 50 %" in " ".join(page.split())
