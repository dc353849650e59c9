"""The distribution of the Bayes error: chances, quantiles and limits from given numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.fitted_model import FittedError, read_model
from smartsvm.report.flags import Flag
from smartsvm.report.verdict import Grounds, judge

STORED = read_model()["targets"]["bayes_error"]
LEVELS, RESIDUALS = np.array(STORED["levels"]), np.array(STORED["residuals"][1][1:])
TARGETS = np.linspace(0, 1, 201)
shares = st.floats(0, 1)
nothing = st.just(0.0)
counts = st.floats(8, 1e6)


@st.composite
def errors(draw, proven=nothing):
    """Any distribution: a location and scales anywhere, best errors above the baseline, too."""
    scales = draw(st.floats(1e-6, 1)), draw(st.floats(1e-6, 1))
    fitted = FittedError.from_scales(draw(shares), *scales, RESIDUALS, LEVELS)
    most = 1 - 1 / draw(st.integers(2, 100))
    baseline = draw(st.floats(0.01, most))
    known = [MeasuredError(value, draw(counts)) for value in (draw(shares), baseline, draw(proven))]
    return BayesError(fitted, *known, most)


@given(errors(proven=shares))
def test_a_chance_is_a_probability_that_never_falls(error):
    chances = np.array([error.chance(each) for each in TARGETS])
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (np.diff(chances) >= 0).all()


@given(errors(proven=shares), st.floats(0.8, 0.99))
def test_the_ends_are_quantiles_of_the_chance(error, confidence):
    value, low, high = error.interval(confidence)
    assert 0 <= low <= value <= high <= 1
    for end, level in ((low, (1 - confidence) / 2), (high, (1 + confidence) / 2)):
        # Up to a step of the bisection the chance is below the level before the end, not after it.
        assert error.chance(end + 1e-9) >= level or end == 1
        assert error.chance(end - 1e-9) <= level or end == 0


@given(errors(proven=shares), st.floats(0.001, 0.999))
def test_the_chance_jumps_only_at_the_error_of_guessing(error, level):
    least, most = error.chance(0.0), error.chance(np.nextafter(error.most, 0))
    low, high = 0.0, error.most
    for _ in range(60):  # bisection ends at a jump, if there is one
        middle = (low + high) / 2
        low, high = (low, middle) if error.chance(middle) >= level else (middle, high)
    expected = min(max(level, least), most)
    assert error.chance(low) == pytest.approx(expected, abs=1e-6)
    assert high == error.most or error.chance(high) == pytest.approx(expected, abs=1e-6)


@given(errors(proven=shares))
def test_guessing_errs_on_what_the_baseline_leaves(error):
    before = error.chance(np.nextafter(error.most, 0))
    assert before >= error.baseline.chance(error.most) - 1e-6
    assert error.chance(error.most) == 1


@given(errors(), st.floats(0.5, 0.99))
def test_no_interval_reaches_above_the_limit_of_what_is_known(error, confidence):
    _, _, high = error.interval(confidence)
    level = (1 + confidence) / 2
    assert high <= limit(error.baseline, level) + 1e-9
    if error.weight_of_nothing() == 0:
        assert high <= limit(error.best, level) + 1e-9


def limit(known, level):
    """Clopper and Pearson's upper limit."""
    wrong = known.value * known.n_samples
    return beta.ppf(level, wrong + 1, max(known.n_samples - wrong, 0.5))


def test_a_best_error_approaches_the_baseline_without_a_jump():
    fitted = FittedError.from_scales(0.1, 0.02, 0.02, RESIDUALS, LEVELS)
    baseline, proven = MeasuredError(0.5, 1000), MeasuredError(0.0, 1000)
    best = np.linspace(0.3, 0.5, 2001)
    of_best = [
        BayesError(fitted, MeasuredError(each, 1000), baseline, proven, 0.5) for each in best
    ]
    assert of_best[-1].interval(0.95).high > 0.45 > of_best[0].interval(0.95).high
    weights = np.array([error.weight_of_nothing() for error in of_best])
    assert weights[0] == 0
    assert weights[-1] == 0.5
    assert (np.diff(weights) >= 0).all()
    chances = np.array([error.chance(0.2) for error in of_best])
    assert np.abs(np.diff(chances)).max() < 0.005  # the best error moves by 0.0001


@given(errors(proven=st.floats(0.05, 0.95)))
def test_contradicting_rows_keep_the_high_end_up(error):
    proven, deviation = min(error.proven_error.value, error.most), error.proven_error.deviation()
    assert error.interval(0.95).high >= proven - deviation
    assert error.chance(proven - 3 * deviation) < 0.003


@given(
    errors(proven=shares),
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=3),
    st.floats(0.8, 0.99),
)
def test_verdicts_never_fall_as_targets_get_easier(error, against, confidence):
    flags = tuple(Flag(str(n), "", "", *each) for n, each in enumerate(against))
    grounds = Grounds("accuracy", "kernel", error, confidence, flags)
    words = ["out of reach", "unlikely", "unclear", "likely", "reachable"]
    found = [judge(1 - each, grounds) for each in TARGETS[::20]]
    assert (np.diff([each.chance for each in found]) >= 0).all()
    assert (np.diff([words.index(each.answer) for each in found]) >= 0).all()


def test_a_known_error_has_the_chances_of_clopper_and_pearson():
    known = MeasuredError(0.1, 200)
    for level in (0.025, 0.5, 0.975):
        assert known.chance(limit(known, level)) == pytest.approx(level)
    assert (known.chance(-1.0), known.chance(0.0), known.chance(1.0)) == (0, 0, 1)
    assert known.deviation() == pytest.approx(np.sqrt(0.09 / 200))
    for none in (MeasuredError(0.0, 50), MeasuredError(1.0, 50)):
        assert none.deviation() == pytest.approx(np.sqrt(0.01 * 0.99 / 50))
