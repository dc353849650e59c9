"""`priors`: the shares of the classes at deployment, and how they carry errors over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from smartsvm._core.validation import check_mask, describe

_SUM = 1e-3  # by which priors may miss a sum of 1
_TAIL = 5e-4  # of the normal distribution that widens: 3.3 standard errors


def check_priors(priors, classes):
    """Shares of the classes at deployment as an array that adds up to 1; None without priors."""
    if priors is None:
        return None
    check_mask(priors, "priors")
    names, given = classes.tolist(), priors
    legal = "a share above 0 for each class, by label or in the order of the classes, in sum 1"
    if isinstance(priors, Mapping):
        by_name = {str(name): share for name, share in priors.items()}
        if len(by_name) != len(names) or not all(str(name) in by_name for name in names):
            raise ValueError(
                f"priors must have {legal}; the classes are {describe(names)}, got "
                f"{describe(list(priors))}."
            )
        given = [by_name[str(name)] for name in names]
    try:
        shares = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        shares = np.empty(0)
    if shares.shape != (len(names),) or not (np.isfinite(shares).all() and (shares > 0).all()):
        raise ValueError(f"priors must have {legal}, got {describe(priors)}.")
    if abs(shares.sum() - 1) > _SUM:
        raise ValueError(f"priors must add up to 1, got {describe(priors)}: {shares.sum():g}.")
    return shares / shares.sum()


class Priors(NamedTuple):
    """How errors under the shares of the sample become errors under the priors."""

    shares: np.ndarray  # the priors
    in_sample: Any  # `ErrorResults` under the shares of the sample
    errors: np.ndarray  # errors there, increasing from 0 to the baseline's,
    carried: np.ndarray  # and under the priors
    noise: float  # standard error of the held-out error, beyond that of the one in the sample

    def of(self, errors):
        """Errors under the priors."""
        return np.interp(errors, self.errors, self.carried)

    def widened(self, errors, levels, middle):
        """Errors of these levels of a distribution around `middle`, with the noise."""
        z = ndtri(np.clip(levels, _TAIL, 1 - _TAIL))
        away = np.abs(errors - middle)
        beyond = np.sign(z) * (np.hypot(away, z * self.noise) - away)
        return np.maximum.accumulate(errors + beyond)
