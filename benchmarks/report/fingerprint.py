"""What the fitted model reads: classifiers, their settings, and the statistics of fixed problems.

    python -m benchmarks.report.fingerprint

compares today's with those that the stored model was fitted to, and fails where they differ by more
than rounding: then the model reads statistics that it was not fitted to. It fails as well if the
page of the report was not measured with the stored model. Names of functions, files and constants
are not part of it; a gate or a setting that changes a statistic is.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.held_out.registry import REGISTRY
from smartsvm.report.fitted_model import ACCURACY, read_model
from smartsvm.report.statistics import MEANINGS

from ..problems import problem

# Family, number and size: each classifier of the panel leads on one of them, and the rest have many
# classes, many columns, equal rows, skewed columns or next to no signal.
PROBLEMS = (
    ("shift", 0, 200),
    ("covariance", 1, 400),
    ("rings", 0, 400),
    ("short rule lists", 1, 1000),
    ("short rule lists", 3, 400),
    ("bent border", 5, 2000),
    ("heavy tails", 0, 300),
    ("rare texts", 0, 400),
    ("nearly given", 1, 300),
    ("batch effects", 0, 100),
    ("ordered answers", 0, 800),
    ("waiting times", 2, 400),
)
# One sample of 200 more or less, in units of the baseline's error: what other rounding changes.
TOLERANCE = 0.02
_DIGITS = 4
PAGE = Path(__file__).parent / "README.md"


def fingerprint():
    """The classifiers with their settings, and the statistics of the fixed problems, as JSON."""
    classifiers = {
        name: {
            "settings": repr(each.settings),
            "fitted_to": each.fitted_to,
            "variance": each.variance,
        }
        for name, each in REGISTRY.items()
    }
    return {"classifiers": classifiers, "problems": [_measured(*each) for each in PROBLEMS]}


def _measured(family, number, size):
    X, y = problem(family, number, size).sample()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = difficulty_report(X, y, n_jobs=1)
    values = [round(float(v), _DIGITS) for v in report.errors.statistics[ACCURACY].values()]
    return [family, number, size, *values]


def differences(before, after):
    """Lines that name what differs by more than rounding between two fingerprints."""
    lines = []
    names = {**before["classifiers"], **after["classifiers"]}
    for name in names:
        old, new = (each["classifiers"].get(name) for each in (before, after))
        if old != new:
            lines.append(f"classifier {name}: {old} before, {new} now")
    if [each[:3] for each in before["problems"]] != [each[:3] for each in after["problems"]]:
        return [*lines, "other problems"]
    for old, new in zip(before["problems"], after["problems"], strict=True):
        if len(old) != len(new):
            return [*lines, "other statistics"]
        for name, one, other in zip(MEANINGS, old[3:], new[3:], strict=True):
            if abs(one - other) > TOLERANCE:
                lines.append(f"{old[0]} {old[1]}, {old[2]} rows, {name}: {one} before, {other} now")
    return lines


def origin_of(model):
    """How the page of the report names the model that its tables were measured with."""
    date, commit = model["date"], model["commit"]
    return f"the model of {date} with {model['reports']:,} reports at commit {commit}"


def main():
    """Compare the stored fingerprint with today's, and the page's model with the stored one."""
    model = read_model()
    lines = differences(model["fingerprint"], fingerprint())
    origin = origin_of(model)
    if origin not in PAGE.read_text(encoding="utf-8"):
        lines.append(f"{PAGE.name} was not measured with the stored model: {origin!r} is not in it")
    print("\n".join(lines) or "The stored model was fitted to what reports measure today.")
    sys.exit(min(len(lines), 1))


if __name__ == "__main__":
    main()
