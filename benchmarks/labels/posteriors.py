"""Held-out posteriors of the report's classifiers, kept in a folder.

A posterior depends on the table and its labels alone. Everything that reads it (ranking, chances,
counts) is measured again in seconds.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import PreparedTable, difficulty_report
from smartsvm.report import labels as module


class _Seen(Exception):
    """The posterior is there: the rest of the report is not computed."""


def kept_posterior(folder, key, draw=None):
    """The arguments of `find_label_errors`, and which labels are wrong; None if refused.

    `draw()` gives points, labels, and which of these are wrong; without it, only a posterior that
    is kept is returned.
    """
    digest = hashlib.sha256("|".join(map(str, key)).encode()).hexdigest()[:20]
    path = Path(folder) / f"{digest}.npz"
    if not path.exists():
        if draw is None:
            return None
        found = posterior(*draw())
        with path.open("wb") as file:
            np.savez(file, key=np.array(list(map(str, key))), **(found or {"refused": True}))
    with np.load(path) as found:
        return None if "refused" in found else {name: found[name] for name in found.files}


def posterior(X, y, wrong):
    """What `find_label_errors` gets in a report; None if the table is refused."""
    seen, now = {}, module.find_label_errors

    def keep(posterior, codes, z, **limits):
        seen.update(logs=posterior.log_probabilities, codes=codes, **limits)
        raise _Seen

    module.find_label_errors = keep
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Rows of a larger table are drawn before, so that `wrong` is about the same ones.
            if isinstance(X, PreparedTable):
                difficulty_report(replace(X, y=y), subsample=None)
            else:
                difficulty_report(X, y, subsample=None)
    except _Seen:
        rows = np.arange(len(y)) if seen["cases"] is None else seen["cases"]
        return {**seen, "cases": rows, "wrong": wrong}
    except ValueError:  # a refused table
        return None
    finally:
        module.find_label_errors = now
