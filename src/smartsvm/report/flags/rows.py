"""Warnings about rows: copies, repeated ones, and those that depend on each other."""

from smartsvm.presentation.options import option, spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.flags.flag import BOUNDS, REACHED, Check

# Fraction of the rows that are left out above which a warning says so.
_MANY_LEFT_OUT = 0.05
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
        dependence = report.data.dependence
        if dependence is None:
            return
        # Of a forest, nearest neighbours and LDA on some of the rows: the report's may be smaller.
        new, error = percent(dependence.new_error), percent(dependence.error)
        errors = f"the best quick classifier errs {new}, not {error}"
        then = f"quick classifiers then err {new}, not {error}."
        if dependence.unit is None:
            message = (
                f"Rows that follow each other are alike: with blocks of {dependence.size:.0f} rows "
                f"held out, {errors}. If they belong to one person, place or time, and others will "
                f"be new, name the column that says which as groups ({option('groups')})."
            )
            step = (
                "Name the column that says which rows belong together as groups "
                f"({option('groups')}), if new rows will come from others: {then}"
            )
        else:
            unit, groups = dependence.unit, option("groups", dependence.unit)
            same, of_new, come = f"of the same {unit}", f"a new {unit}", "come from"
            if isinstance(unit, int):  # the column of an array has no name
                groups = spelled(f"groups=X[:, {unit}]", option("groups"))
                same, of_new, come = f"with one value of column {unit}", "new values of it", "have"
                unit = f"column {unit}"
            message, step = f"Rows {same} are alike: with {of_new} {errors}.", None
            # A number that is no id, or a text that classifiers use, is no reason to do something.
            if _names_units(dependence, problem):
                message += (
                    f" If later rows will {come} {of_new}, run the report with it as groups "
                    f"({groups})."
                )
                step = f"Use {groups} if {unit} will be new in later rows: {then}"
                step = step if dependence.is_named else None
        yield self.flag(message, against=(REACHED,), step=step)


def _names_units(found, problem):
    """Whether a column may name the units: by its name, or since nothing else uses its values."""
    columns = problem.columns
    if found.is_unit or columns is None:
        return True
    used = {source for column in columns for source in column.sources}
    by_value = {text.name for text in problem.units if text.is_category}
    return found.unit not in used | by_value


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
    """Rows that equal earlier ones."""

    code, title = "duplicates", "repeated rows"

    def flags(self, report, problem):
        """Which reading was used, and what the other gives."""
        repeats = report.data.repeats
        if repeats is None:
            return
        begin, how = repeats.sentences()
        if repeats.is_table_of_cells:
            yield self.flag(f"{begin} {how}")
            return
        if repeats.as_copies:
            yield self.flag(
                f"{begin} They are read as copies of one case. What comes from the trees counts "
                "all of them."
            )
            return
        hides = repeats.hides_errors
        remove = (
            "emove repeated rows if they are copies of the same case: the smallest held-out error "
            f"is then {percent(repeats.other_error)}."
        )
        yield self.flag(
            f"{begin} R{remove}",
            against=(REACHED,) if hides else (),
            step=f"R{remove}" if hides else None,
        )


class RowsLeftOut(Check):
    """Many rows of a table that lack a label, or a value where such rows are left out."""

    code, title = "rows_left_out", "many rows are left out"

    def flags(self, report, problem):
        """Every number is about the other rows alone."""
        left_out = report.data.rows_left_out
        if left_out is None or left_out.share <= _MANY_LEFT_OUT:
            return
        share, lack = percent(left_out.share), left_out.lack
        yield self.flag(
            f"{left_out.n_left_out:,} of {left_out.n_rows:,} rows ({share}) are left out: they "
            f"lack {lack}. Every number here is about the others alone.",
            step=f"Ask why {share} of the rows lack {lack}: if they differ from the others, no "
            "number here is about them.",
        )
