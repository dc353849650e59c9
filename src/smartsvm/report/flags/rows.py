"""Warnings about rows: copies, repeated ones, and those that depend on each other."""

from typing import NamedTuple

import numpy as np

from smartsvm.presentation.options import option, spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.flags.flag import BOUNDS, REACHED, Check

# Fraction of repeated rows above which the page says so: fewer change no number that is shown.
_DUPLICATES = 0.01
# Repeated rows hide errors if the error without them is above (error + 0.05) and (1.25 · error).
_POINTS_MORE, _TIMES_MORE = 0.05, 1.25
# Fraction of the samples in cells of ten equal rows or more that makes X a table of cells.
_MOSTLY_CELLS = 0.5
# Fraction of the samples with a near copy above which errors may be too small.
_COPIES = 0.01
# Classifiers count copies once if this fraction of those samples or more is left out.
_LEAST_LEFT_OUT = 0.25
# Fraction of the tree edges between groups below which one group says little about the next.
_LEAST_BETWEEN = 0.5


class DependentRows(Check):
    """Rows of a unit, or rows that follow each other, that are alike."""

    code, title = "dependent_rows", "rows that are not independent"

    def find(self, measured):
        """The units whose rows are alike."""
        if measured.dependence is not None:
            yield measured.dependence

    def message(self, flaw):
        """The error for new units, and the option that measures it."""
        # Of a forest, nearest neighbours and LDA on some of the rows: the report's may be smaller.
        errors = f"the best quick classifier errs {percent(flaw.new_error)}"
        errors += f", not {percent(flaw.error)}"
        if flaw.unit is None:
            return (
                f"Rows that follow each other are alike: with blocks of {flaw.size:.0f} rows held "
                f"out, {errors}. If they belong to one person, place or time, and others will be "
                f"new, name the column that says which as groups ({option('groups')})."
            )
        same, new, come = f"of the same {flaw.unit}", f"a new {flaw.unit}", "come from"
        if isinstance(flaw.unit, int):  # the column of an array has no name
            same, new, come = f"with one value of column {flaw.unit}", "new values of it", "have"
        return (
            f"Rows {same} are alike: with {new} {errors}. If later rows will {come} {new}, run "
            f"the report with it as groups ({_groups_of(flaw.unit)})."
        )

    def step(self, flaw):
        """Groups, unless a number that is no id repeats; the message has the reason."""
        if not flaw.is_named:
            return None
        error = f"quick classifiers then err {percent(flaw.new_error)}, not {percent(flaw.error)}"
        if flaw.unit is None:
            return (
                "Name the column that says which rows belong together as groups "
                f"({option('groups')}), if new rows will come from others: {error}."
            )
        unit = f"column {flaw.unit}" if isinstance(flaw.unit, int) else flaw.unit
        return f"Use {_groups_of(flaw.unit)} if {unit} will be new in later rows: {error}."

    def against(self, flaw):
        """Errors for new units are larger."""
        return (REACHED,)


def _groups_of(unit):
    """The option that makes groups of a column."""
    if isinstance(unit, int):
        return spelled(f"groups=X[:, {unit}]", option("groups"))
    return option("groups", unit)


class NearCopies(NamedTuple):
    """How many samples have a near copy, and how those were read."""

    share: float  # fraction of the samples
    only_once: bool  # whether classifiers saw one of each


class Copies(Check):
    """Samples with a near copy."""

    code, title = "copies", "samples that are nearly copies of each other"

    def find(self, measured):
        """The fraction of samples that have one."""
        near = measured.near
        if near.copies > _COPIES:
            n = len(near.equal)
            kept = n if near.distinct is None else len(near.distinct)
            # One of each leaves at most 1 - share / 2 of the samples.
            yield NearCopies(near.copies, kept <= n * (1 - _LEAST_LEFT_OUT * near.copies))

    def message(self, flaw):
        """Whether the errors count copies once."""
        begin = (
            f"{percent(flaw.share)} of the samples have a near copy: one that is far nearer than "
            "the next, or equal but for a few columns. "
        )
        read = (
            "Held-out errors use one of each, but what comes from the trees is too low."
            if flaw.only_once
            else "Each counts as a case of its own: if they are copies, all errors are too low."
        )
        return f"{begin}{read} Remove copies, or pass groups that hold each case with its copies."

    def against(self, flaw):
        """Nothing about the errors is certain."""
        return (BOUNDS, REACHED)


class FewBetweenGroups(Check):
    """Groups that are far apart."""

    code, title = "few_between_groups", "few tree edges between groups"

    def find(self, measured):
        """The fraction of tree edges between groups."""
        between = measured.trees.counts.share_between_groups
        if between < _LEAST_BETWEEN:
            yield between

    def message(self, flaw):
        """More groups would help."""
        return (
            f"Only {percent(flaw)} of the tree edges join samples of different groups, and no "
            "others count: the groups are far apart, and one says little about the next. Collect "
            "more groups rather than more samples of each."
        )

    def against(self, flaw):
        """Nothing about the errors is certain."""
        return (BOUNDS, REACHED)


class Repeated(NamedTuple):
    """How repeated rows were read, and what k nearest neighbours make of them."""

    share: float  # fraction of the rows that repeat another
    only_once: bool  # whether classifiers saw one of each
    counted_error: float  # error where each row is a case
    once_error: float  # error on one row of each case, or on rows without an equal one
    in_large_cells: float  # fraction of the samples


class RepeatedRows(Check):
    """Rows that equal others."""

    code, title = "duplicates", "repeated rows"

    def find(self, measured):
        """The errors of k nearest neighbours with repeated rows as cases, and as copies."""
        near, share = measured.near, measured.trees.counts.duplicate_share
        in_large_cells = measured.equal_rows.in_large_cells
        if share > _DUPLICATES and in_large_cells < _MOSTLY_CELLS:
            share *= _equal_in_texts(measured.samples, near.equal)
        if share <= _DUPLICATES:
            return
        counted, only_once = float(near.votes.errors.min()), near.distinct is not None
        once = counted
        others = near.votes.wrong[:, ~near.equal]
        if only_once:
            once = min(error for _, error in measured.held_out.once_by_n_neighbors)
        elif others.size:
            once = float(others.mean(axis=1).min())
        yield Repeated(share, only_once, counted, once, in_large_cells)

    def message(self, flaw):
        """Which reading was used, and what the other gives."""
        share, counted, once = map(percent, (flaw.share, flaw.counted_error, flaw.once_error))
        if flaw.in_large_cells >= _MOSTLY_CELLS:
            return (
                f"{share} of the rows equal another one in all columns that are used. The columns "
                "take few values, so this is a table of cells: each row counts as a case of its "
                "own, and the labels within a cell show its error."
            )
        begin = f"{share} of the rows repeat another row exactly. "
        if flaw.only_once:
            other = " either way."
            if once != counted:
                other = f". If they are cases of their own, that is {counted}."
            return begin + (
                "They are read as copies of one case: classifiers see one of each, and k nearest "
                f"neighbours err {once}{other} What comes from the trees counts all of them."
            )
        return begin + (
            f"They are read as cases of their own, and k nearest neighbours err {counted}. If they "
            "are copies of the same case, remove them: among the other rows k nearest neighbours "
            f"err {once}."
        )

    def step(self, flaw):
        """Remove them, if they may be why errors are small."""
        if self.against(flaw):
            return (
                "Remove repeated rows if they are copies of the same case: among the other rows k "
                f"nearest neighbours err {percent(flaw.once_error)}."
            )
        return None

    def against(self, flaw):
        """Errors are larger without copies."""
        many_more = flaw.once_error > flaw.counted_error + _POINTS_MORE
        many_more &= flaw.once_error > _TIMES_MORE * flaw.counted_error
        is_open = not flaw.only_once and flaw.in_large_cells < _MOSTLY_CELLS
        return (REACHED,) if many_more and is_open else ()


def _equal_in_texts(samples, equal):
    """The fraction of equal rows that are equal in all texts, too, such as names left out."""
    if not samples.units:
        return 1.0
    rows = np.flatnonzero(equal)
    columns = [np.unique(samples.X[rows], axis=0, return_inverse=True)[1].ravel()]
    columns += [each.codes[rows] for each in samples.units]
    keys = np.stack(columns, axis=1)
    _, places, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    return float((counts[places.ravel()] > 1).mean())
