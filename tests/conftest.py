"""Settings of the whole suite: hypothesis profiles, pictures without a screen, one small set."""

import os
import signal

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from benchmarks.paper import datasets

matplotlib.use("Agg")

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
def iris_folder(tmp_path, monkeypatch):
    """A folder of data sets for the benchmarks that holds only the irises."""
    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "iris.npz", X=X, y=y, classes=np.array(["a", "b", "c"]))
    known = {"iris": {"sha256": datasets.content_hash(X, y), "remark": ""}}
    monkeypatch.setattr(datasets, "expected", lambda: known)
    return tmp_path
