"""Rows that repeat earlier ones, and the error under the other reading of them."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.clearly import POINT
from smartsvm.held_out.registry import REGISTRY
from smartsvm.held_out.trials import Trials
from smartsvm.presentation.wording import listed, percent
from smartsvm.report.coincidence import LEAST_REPEATED
from smartsvm.report.equal_rows import MANY_EQUAL
from smartsvm.tables.records import LEFT_OUT, in_note

# Rows that the other reading is measured on, at most: all rows of some distinct ones.
_MOST_ROWS = 20_000
# Repeated rows hide errors if the error without them is above (error + 0.05) and (1.25 · error).
_POINTS_MORE, _TIMES_MORE = 0.05, 1.25


class Repeats(NamedTuple):
    """Rows that equal an earlier one in all columns that are used and in the label."""

    n_repeats: int
    n_distinct: int  # rows that are left without them
    as_copies: bool  # whether the errors of the report count every distinct row once
    error: float  # the smallest held-out error of the report
    other_error: float | None  # under the other reading; None for a table of cells
    left_out: tuple[str, ...] = ()  # columns that were not compared
    baseline: float = 1.0  # the error of the baseline, under either reading
    other_baseline: float = 1.0

    @property
    def share(self) -> float:
        """The fraction of the rows that repeat an earlier one."""
        return self.n_repeats / self.n_rows

    @property
    def hides_errors(self) -> bool:
        """Whether the other reading has clearly more errors, also beside those of the baseline."""
        if self.as_copies or self.other_error is None:
            return False
        more = self.other_error > max(self.error + _POINTS_MORE, _TIMES_MORE * self.error)
        harder = self.other_error * self.baseline > self.error * self.other_baseline
        return more and harder

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.n_repeats + self.n_distinct

    @property
    def is_table_of_cells(self) -> bool:
        """Whether most rows have the values of many others: no other reading makes sense."""
        return self.other_error is None

    def sentences(self) -> tuple[str, str]:
        """How many rows repeat others, and how they are read with the error of either reading."""
        where = "all columns and the label"
        if self.left_out:
            names = listed([in_note(name) for name in self.left_out], 3)
            where = f"all columns that are used ({names} left out) and the label"
        begin = (
            f"{self.n_repeats:,} of {self.n_rows:,} rows ({percent(self.share)}) equal an earlier "
            f"one in {where}."
        )
        if self.is_table_of_cells:
            return begin, (
                "The columns take few values, so this is a table of cells: each row counts as a "
                "case of its own, and the labels within a cell show its error."
            )
        error, other = percent(self.error), percent(self.other_error)
        if abs(self.other_baseline - self.baseline) > POINT:  # then both are said
            error += f" (baseline: {percent(self.baseline)})"
            other += f" (baseline: {percent(self.other_baseline)})"
        if self.as_copies:
            how = (
                "They are read as copies of one case, since so many are hardly equal by chance: "
                f"each of the {self.n_distinct:,} distinct rows counts once"
            )
            end = f", and the smallest held-out error is {error}; on all rows it would be {other}."
        else:
            how = "They are read as cases of their own, since such rows may be equal by chance"
            end = (
                f": the smallest held-out error is {error}; on the {self.n_distinct:,} distinct "
                f"rows it would be {other}."
            )
        return begin, how + end


def find_repeats(problem, neighborhood, errors, equal):
    """`Repeats`, or None where hardly any row repeats another one."""
    n = len(problem.codes)
    once = _distinct_rows(problem, neighborhood)
    n_repeats = n - len(once)
    if n_repeats < LEAST_REPEATED * n:
        return None
    as_copies = (
        neighborhood.distinct is not None and n - len(neighborhood.distinct) >= n_repeats / 2
    )
    other, other_baseline = None, 1.0
    if as_copies or equal.in_large_cells < MANY_EQUAL:
        rows = np.arange(n) if as_copies else once
        other, other_baseline = _least_error(problem, rows, once, errors.held_out)
    left_out = [note.columns for note in problem.preparation if note.kind == LEFT_OUT]
    return Repeats(
        n_repeats=n_repeats,
        n_distinct=len(once),
        as_copies=as_copies,
        error=errors.held_out.best.value,
        other_error=other,
        left_out=sum(left_out, ()),
        baseline=errors.baseline.value,
        other_baseline=other_baseline,
    )


def _distinct_rows(problem, neighborhood):
    """The first of all rows with the same values and label."""
    rows = np.flatnonzero(neighborhood.equal)
    parts = [problem.points.values[rows], problem.codes[rows]]
    if problem.categories is not None:
        parts.append(problem.categories.values[rows])
    first = np.unique(np.column_stack(parts), axis=0, return_index=True)[1] if len(rows) else rows
    return np.sort(np.concatenate([np.flatnonzero(~neighborhood.equal), rows[first]]))


def _least_error(problem, rows, once, errors):
    """The smallest held-out error on some rows, of the best classifier or quick ones; baseline."""
    if len(rows) > _MOST_ROWS:
        rows = _some_cases(problem, rows, once)
    single = [each for each in errors.classifiers if each.classifier in REGISTRY]
    best = min(single, key=lambda each: each.error.value).classifier
    trials = Trials(
        problem.points.of(rows),
        problem.codes[rows],
        None,
        (best, "linear"),
        categories=None if problem.categories is None else problem.categories.of(rows),
        folds=None if problem.folds is None else problem.folds.of(rows),
        **problem.threads,
    )
    smallest = [float(each.errors.min()) for each in trials.mistakes.values()]
    baseline = float(trials.baseline_mistakes().mean())
    return min([*smallest, baseline]), baseline


def _some_cases(problem, rows, once):
    """Rows of some distinct ones, with all that repeat these."""
    if len(rows) == len(once):
        return np.sort(np.random.default_rng(problem.seed).permutation(rows)[:_MOST_ROWS])
    parts = [problem.points.values, problem.codes]
    cases = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].ravel()
    order = np.random.default_rng(problem.seed).permutation(int(cases.max()) + 1)[cases]
    return np.sort(rows[np.argsort(order[rows], kind="stable")[:_MOST_ROWS]])
