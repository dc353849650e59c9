"""Numbers of a legal size, against the plain comparison of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from smartsvm._core.magnitudes import are_within

LIMITS = 2.0**-440, 2.0**500


def one_by_one(values, smallest, largest):
    sizes = np.abs(values)
    return bool(((sizes == 0) | ((sizes >= smallest) & (sizes <= largest))).all())


@given(
    values=arrays.arrays(
        np.float64,
        st.integers(1, 40),
        elements=st.floats(width=64) | st.sampled_from([0.0, -0.0, *LIMITS, -LIMITS[0]]),
    ),
    limits=st.sampled_from([LIMITS, (0.0, np.finfo(float).max), (1.0, 1.0)]),
)
def test_equals_the_plain_comparison(values, limits):
    assert are_within(values, *limits) == one_by_one(values, *limits)


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf, 1e-200, -5e-324, 1e300])
def test_one_bad_number_is_found_wherever_it_is(bad):
    values = np.ones((1000, 701))  # more than one chunk, and an odd number of values in the last
    assert are_within(values, *LIMITS)
    for place in (0, 1, 2**15 - 1, 2**15, 500_001, values.size - 1):
        changed = values.copy()
        changed.flat[place] = bad
        assert not are_within(changed, *LIMITS)
