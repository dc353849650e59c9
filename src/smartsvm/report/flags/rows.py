"""Warnings about rows: copies, repeated ones, and those that depend on each other."""

from smartsvm.presentation.options import option, spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.flags.flag import BOUNDS, REACHED, Check

# Fraction of repeated rows above which the page says so: fewer change no number that is shown.
_DUPLICATES = 0.01
# Repeated rows hide errors if the error without them is above (error + 0.05) and (1.25 · error).
_POINTS_MORE, _TIMES_MORE = 0.05, 1.25
# Fraction of the samples with a near copy above which errors may be too small.
_COPIES = 0.01
# Classifiers count copies once if this fraction of those samples or more is left out.
_LEAST_LEFT_OUT = 0.25
# Fraction of the tree edges between groups below which one group says little about the next.
_LEAST_BETWEEN = 0.5


class DependentRows(Check):
    """Rows of a unit, or rows that follow each other, that are alike."""

    code, title = "dependent_rows", "rows that are not independent"

    def flags(self, report, problem):
        """The error for new units, and the option that measures it."""
        found = report.data.dependence
        if found is None:
            return
        # Of a forest, nearest neighbours and LDA on some of the rows: the report's may be smaller.
        new, error = percent(found.new_error), percent(found.error)
        errors = f"the best quick classifier errs {new}, not {error}"
        then = f"quick classifiers then err {new}, not {error}."
        if found.unit is None:
            message = (
                f"Rows that follow each other are alike: with blocks of {found.size:.0f} rows held "
                f"out, {errors}. If they belong to one person, place or time, and others will be "
                f"new, name the column that says which as groups ({option('groups')})."
            )
            step = (
                "Name the column that says which rows belong together as groups "
                f"({option('groups')}), if new rows will come from others: {then}"
            )
        else:
            unit, groups = found.unit, option("groups", found.unit)
            same, of_new, come = f"of the same {unit}", f"a new {unit}", "come from"
            if isinstance(unit, int):  # the column of an array has no name
                groups = spelled(f"groups=X[:, {unit}]", option("groups"))
                same, of_new, come = f"with one value of column {unit}", "new values of it", "have"
                unit = f"column {unit}"
            message = (
                f"Rows {same} are alike: with {of_new} {errors}. If later rows will {come} "
                f"{of_new}, run the report with it as groups ({groups})."
            )
            step = f"Use {groups} if {unit} will be new in later rows: {then}"
        # A number that is no id, and repeats, is no reason to do something.
        yield self.flag(message, against=(REACHED,), step=step if found.is_named else None)


class Copies(Check):
    """Samples with a near copy."""

    code, title = "copies", "samples that are nearly copies of each other"

    def flags(self, report, problem):
        """Whether the errors count copies once."""
        repeated, n = report.data.repeated_rows, report.data.n_samples
        if repeated.copies <= _COPIES:
            return
        # One of each leaves at most 1 - share / 2 of the samples.
        only_once = repeated.n_cases <= n * (1 - _LEAST_LEFT_OUT * repeated.copies)
        read = (
            "Held-out errors use one of each, but what comes from the trees is too low."
            if only_once
            else "Each counts as a case of its own: if they are copies, all errors are too low."
        )
        yield self.flag(
            f"{percent(repeated.copies)} of the samples have a near copy: one that is far nearer "
            f"than the next, or equal but for a few columns. {read} Remove copies, or pass groups "
            "that hold each case with its copies.",
            against=(BOUNDS, REACHED),
        )


class FewBetweenGroups(Check):
    """Groups that are far apart."""

    code, title = "few_between_groups", "few tree edges between groups"

    def flags(self, report, problem):
        """More groups would help."""
        between = report.trees.between_groups
        if between < _LEAST_BETWEEN:
            yield self.flag(
                f"Only {percent(between)} of the tree edges join samples of different groups, and "
                "no others count: the groups are far apart, and one says little about the next. "
                "Collect more groups rather than more samples of each.",
                against=(BOUNDS, REACHED),
            )


class RepeatedRows(Check):
    """Rows that equal others."""

    code, title = "duplicates", "repeated rows"

    def flags(self, report, problem):
        """Which reading was used, and what the other gives."""
        repeated = report.data.repeated_rows
        if repeated.share <= _DUPLICATES:
            return
        share = percent(repeated.share)
        if repeated.are_cells:
            yield self.flag(
                f"{share} of the rows equal another one in all columns that are used. The "
                "columns take few values, so this is a table of cells: each row counts as a case "
                "of its own, and the labels within a cell show its error."
            )
            return
        as_cases, as_copies = repeated.error_of_rows, repeated.error_of_cases
        counted, once = percent(as_cases), percent(as_copies)
        begin = f"{share} of the rows repeat another row exactly. "
        if repeated.are_copies:
            other = f". If they are cases of their own, that is {counted}."
            if once == counted:
                other = " either way."
            yield self.flag(
                f"{begin}They are read as copies of one case: classifiers see one of each, and k "
                f"nearest neighbours err {once}{other} What comes from the trees counts all of "
                "them."
            )
            return
        many_more = as_copies > max(as_cases + _POINTS_MORE, _TIMES_MORE * as_cases)
        among = f"among the other rows k nearest neighbours err {once}."
        yield self.flag(
            f"{begin}They are read as cases of their own, and k nearest neighbours err {counted}. "
            f"If they are copies of the same case, remove them: {among}",
            against=(REACHED,) if many_more else (),
            step=f"Remove repeated rows if they are copies of the same case: {among}"
            if many_more
            else None,
        )
