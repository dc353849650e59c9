"""Settings of the whole suite: hypothesis profiles, and pictures without a screen."""

import importlib
import os
import signal
import sys

import matplotlib
import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

# An editable install is rebuilt here, once, before pytest-xdist starts its workers: several builds
# at a time in one folder fail.
importlib.import_module("smartsvm")
matplotlib.use("Agg")
collect_ignore = ["guests"]  # in an environment of its own: `make test-guests`

# A shell without job control starts what runs in its background with Ctrl-C ignored, and so would
# all processes be that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# "ci" repeats itself exactly; "thorough" looks for new counterexamples (make test-slow).
settings.register_profile(
    "ci",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def two_blas_threads():
    """BLAS with two threads, however many the environment sets."""
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.fixture
def no_drawings(monkeypatch):
    """Pages without drawings, as where matplotlib is missing: most of their time goes there."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
