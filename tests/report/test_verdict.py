"""Verdicts from given numbers."""

import numpy as np
import pytest

from smartsvm import Interval
from smartsvm.report.flags import Flag
from smartsvm.report.held_out_errors import ClassifierError, HeldOutErrors
from smartsvm.report.verdict import Grounds, judge, rows_needed

HELD_OUT = HeldOutErrors(
    classifiers=(ClassifierError("kernel", Interval(0.1, 0.08, 0.12), (2.0, 0.3)),),
    classifier="kernel",
    best=Interval(0.1, 0.08, 0.12),
    excess=0.02,
    limit=0.08,
    limit_error=0.02,
    gain=0.8,
    known=1.0,
    n_independent=900.0,
)
BASELINE = Interval(0.5, 0.47, 0.53)


def grounds(flags=(), dimension=5.0):
    return Grounds(HELD_OUT, BASELINE, Interval(0.08, 0.05, 0.12), flags, 1000, dimension)


def test_three_answers():
    assert judge(0.88, grounds()).answer == "reachable"
    assert judge(0.89, grounds()).answer == "cannot tell"
    assert judge(0.96, grounds()).answer == "out of reach"


def test_what_it_rests_on():
    found = judge(0.88, grounds())
    assert (found.classifier, found.reached_high, found.bayes_error_low) == ("kernel", 0.12, 0.05)
    assert found.reason == (
        "The best classifier is likely to err at most 12% of the time; the target allows 12%. "
        "The held-out error with a kernel ridge classifier is already 10%."
    )
    assert found.rows_needed is None
    # The interval for the truth ends below that of the classifier's own error.
    assert judge(0.885, grounds()).answer == "cannot tell"
    narrower = grounds()._replace(bayes_error=Interval(0.08, 0.05, 0.11))
    assert judge(0.885, narrower).answer == "reachable"
    forbidden = judge(0.96, grounds())
    assert "is likely to err at least 5% of the time" in forbidden.reason


def test_the_baseline_has_its_own_sentence():
    found = judge(0.45, grounds())
    assert (found.answer, found.classifier, found.reached_high) == ("reachable", "baseline", 0.53)
    assert found.reason == (
        "Always answering the largest class is enough: it errs at most 53% of the time; the target "
        "allows 55%."
    )


def test_doubts_about_the_low_end():
    doubt = Flag("feature_scales", "", "", against_bounds=True)
    doubted = judge(0.96, grounds((doubt,)))
    assert doubted.answer == "cannot tell"
    assert doubted.objections == ("feature_scales",)
    assert "in doubt" in doubted.reason
    assert judge(0.88, grounds((doubt,))).answer == "reachable"
    harmless = Flag("ties", "", "", against_bounds=False)
    assert judge(0.96, grounds((harmless,))).answer == "out of reach"


def test_doubts_about_held_out_errors():
    copies = Flag("near_copies", "", "", against_bounds=False, against_reached=True)
    doubted = judge(0.88, grounds((copies,)))
    assert doubted.answer == "cannot tell"
    assert doubted.objections == ("near_copies",)
    assert "depend on each other" in doubted.reason
    assert judge(0.96, grounds((copies,))).answer == "out of reach"
    assert judge(0.45, grounds((copies,))).answer == "reachable"  # the baseline needs no classifier


def test_rows_that_would_settle_it():
    near, far = judge(0.89, grounds()), judge(0.905, grounds())
    assert 1000 < near.rows_needed < far.rows_needed
    assert f"About {near.rows_needed:,} samples would settle it" in near.reason
    hopeless = judge(0.9199, grounds())
    assert hopeless.rows_needed is None
    assert "More samples of this kind would hardly settle it" in hopeless.reason


def test_rows_for_the_low_end_grow_with_the_dimension():
    flat, deep = (rows_needed(0.055, grounds(dimension=d)) for d in (3.0, 12.0))
    assert 1000 < flat < deep


@pytest.mark.parametrize("allowed", np.linspace(0.05, 0.1199, 9))
def test_rows_are_rounded_up(allowed):
    rows = rows_needed(float(allowed), grounds())
    if rows is not None:
        assert rows >= 1000
        assert len(str(rows).rstrip("0")) <= 2
