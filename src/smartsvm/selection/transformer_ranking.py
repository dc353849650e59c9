"""What `rank_transformers` returns: a table, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from smartsvm._core.display_names import display_width, one_line, padded, shown
from smartsvm._core.types import Bools, Floats, Integers, Labels


@dataclass(frozen=True, eq=False, repr=False)
class TransformerRanking:
    """Transformers by the error after them, best first; `rank_transformers` says how ties go.

    All sequences have one entry for each transformer, in the order of the ranking.

    Attributes
    ----------
    names : list of str
        Names.
    transformers : list
        The candidates, not fitted; "passthrough" for the points as they are.
    errors : ndarray of shape (n_transformers,)
        Error on held-out samples by `criterion`; NaN if a transformer failed.
    standard_errors : ndarray of shape (n_transformers,)
        Their standard errors, over new samples.
    n_held_out : ndarray of shape (n_transformers,)
        Number of held-out samples. Compare errors of equal numbers only.
    rounds : ndarray of shape (n_transformers,)
        Number of rounds; the finalists have the most.
    fit_seconds : ndarray of shape (n_transformers,)
        Time to fit and to transform in the last round of each.
    estimate_seconds : ndarray of shape (n_transformers,)
        Time to estimate the error in that round.
    transductive : ndarray of shape (n_transformers,)
        Whether it cannot transform new points, and so was fitted on all of them, without labels.
    failures : list of str or None
        Why a transformer has no error.
    classes : ndarray of shape (K,)
        The labels.
    pair_errors : ndarray of shape (n_transformers, K, K) or None
        Normalised errors of the pairs, if ``per_pair=True``.
    pair_standard_errors : ndarray of shape (n_transformers, K, K) or None
        Their standard errors, over new samples.
    criterion : str
        What was minimised.
    interrupted : bool
        Whether Ctrl-C ended the ranking early.
    invertible : ndarray of shape (n_transformers,)
        Whether the held-out points could be restored.
    """

    names: list[str]
    transformers: list[Any]
    errors: Floats
    standard_errors: Floats
    n_held_out: Integers
    rounds: Integers
    fit_seconds: Floats
    estimate_seconds: Floats
    transductive: Bools
    failures: list[str | None]
    classes: Labels
    pair_errors: Floats | None
    pair_standard_errors: Floats | None
    criterion: str
    interrupted: bool
    invertible: Bools

    def best_for_pairs(self) -> Integers:
        """Position of the transformer of each pair in the ranking, (K, K), -1 on the diagonal.

        It is the best one for all classes, unless another is better for the pair by more than
        a standard error of the difference. Only finalists that can transform new points count.
        """
        if self.pair_errors is None or self.pair_standard_errors is None:
            raise ValueError("Errors of pairs were not estimated: use per_pair=True.")
        allowed = self.usable() & (self.rounds == self.rounds[self.usable()].max())
        shared = int(np.flatnonzero(allowed)[0])
        errors = np.where(allowed[:, None, None], self.pair_errors, np.inf)
        best = errors.argmin(axis=0)
        k, m = np.indices(best.shape)
        noise = np.hypot(
            self.pair_standard_errors[best, k, m], self.pair_standard_errors[shared, k, m]
        )
        best[errors[shared] - errors.min(axis=0) <= noise] = shared
        np.fill_diagonal(best, -1)
        return best

    def usable(self) -> Bools:
        """Mask of the transformers that worked and can transform new points."""
        return ~np.isnan(self.errors) & ~self.transductive

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(
            {
                "name": self.names,
                "error": self.errors,
                "standard_error": self.standard_errors,
                "n_held_out": self.n_held_out,
                "rounds": self.rounds,
                "fit_seconds": self.fit_seconds,
                "estimate_seconds": self.estimate_seconds,
                "transductive": self.transductive,
                "invertible": self.invertible,
                "failure": self.failures,
            }
        )

    def __repr__(self):
        return f"TransformerRanking({len(self.names)} transformers, best: {self.names[0]!r})"

    def __str__(self):
        names = [shown(name) for name in self.names]
        width = max(len("transformer"), *(display_width(name) + 2 for name in names))
        lines = [f"{'transformer':<{width}}    error       ±  held out  round    fit s  error s"]
        for i, name in enumerate(names):
            marked = padded(name + (" *" if self.transductive[i] else ""), width)
            if self.failures[i] is not None:
                lines.append(f"{marked}  failed: {one_line(self.failures[i])}")
                continue
            lines.append(
                f"{marked}  {self.errors[i]:7.4f} {self.standard_errors[i]:7.4f}  "
                f"{self.n_held_out[i]:8d}  {self.rounds[i]:5d}  {self.fit_seconds[i]:7.3f}  "
                f"{self.estimate_seconds[i]:7.3f}"
            )
        if self.transductive.any():
            lines.append("* fitted on all points at once: cannot transform new ones")
        return "\n".join(lines)
