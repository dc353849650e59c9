"""Average fractional ranks with their critical difference (Demšar, 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range


@dataclass(frozen=True)
class Ranking:
    """Mean rank of each method over the sets; 1 is best."""

    methods: tuple
    ranks: np.ndarray
    critical_difference: float
    p_value: float
    n_sets: int

    def groups(self):
        """Largest runs of methods, best first, that the critical difference does not separate."""
        order = np.argsort(self.ranks, kind="stable")
        sorted_ranks = self.ranks[order]
        found = []
        for i in range(len(order)):
            j = int(np.searchsorted(sorted_ranks, sorted_ranks[i] + self.critical_difference)) - 1
            if j > i and (not found or j > found[-1][1]):
                found.append((i, j))
        return [tuple(self.methods[k] for k in order[i : j + 1]) for i, j in found]


def critical_difference(n_methods, n_sets, level=0.05):
    """Nemenyi's: mean ranks further apart than this differ at the level."""
    q = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def rank(table, *, largest_is_best, level=0.05):
    """Rank methods over the sets that all of them have a number for.

    Parameters
    ----------
    table : dict
        Set to {method: number}.
    largest_is_best : bool
        True for scores, False for times.
    level : float, default=0.05
        Of the critical difference.
    """
    methods = tuple(dict.fromkeys(method for row in table.values() for method in row))
    rows = [[row.get(method) for method in methods] for row in table.values()]
    values = np.array([row for row in rows if None not in row], dtype=float)
    if len(methods) < 2 or len(values) < 2:
        raise ValueError(
            f"table must have at least 2 methods and 2 sets that all of them have, got "
            f"{len(methods)} and {len(values)}."
        )
    ranks = rankdata(-values if largest_is_best else values, axis=1).mean(axis=0)
    p_value = friedmanchisquare(*values.T).pvalue if len(methods) > 2 else np.nan
    return Ranking(
        methods,
        ranks,
        critical_difference(len(methods), len(values), level),
        float(p_value),
        len(values),
    )
