"""Settings of the whole suite: hypothesis profiles, and pictures without a screen."""

import os

import matplotlib
from hypothesis import HealthCheck, settings

matplotlib.use("Agg")

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
