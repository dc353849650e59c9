"""The problem of a report: the rows that are used, scaled, with all that its stages share."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from smartsvm._core.points import Points, scale_points
from smartsvm._core.validation import tie_seed
from smartsvm.held_out.categories import Categories
from smartsvm.held_out.folds import Folds, folds_of_groups, renumbered
from smartsvm.held_out.scale_choice import choose_scale
from smartsvm.presentation.progress import within_a_stage
from smartsvm.report.data import ReportSettings
from smartsvm.report.splits import Splits
from smartsvm.tables.name_hints import hints_of_numbers, notes_on_hints
from smartsvm.tables.records import RowsLeftOut
from smartsvm.tables.time_column import Times


class Problem(NamedTuple):
    """The samples of a report and how it is computed."""

    X: np.ndarray  # as passed
    points: Points  # the same, scaled
    categories: Categories | None  # texts that are read by value
    codes: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None  # numbered from 0
    splits: Splits | None  # of `cv`
    folds: Folds | None  # of `cv`, or of whole groups
    rows: np.ndarray  # among all samples
    n_given: int  # all samples
    row_names: np.ndarray
    columns: tuple | None  # `Column` of each column of X; None where they have no names
    preparation: tuple  # `Note` on what was done to the columns of a table
    units: tuple  # `Units` that are no columns
    times: Times
    models: tuple  # `Model` of the user
    table: object  # the rows as these models see them
    settings: ReportSettings
    z: float  # standard errors to each side of an interval
    n_independent: float  # samples; those of a group count as one
    seed: int  # of all that is random
    n_jobs: int | None
    verbose: int
    sources: tuple  # of each column of the points, and of the categories behind them
    set_aside: tuple  # `SetAside` columns that are no features
    rows_left_out: RowsLeftOut | None

    @property
    def priors(self):
        """Shares of the classes at deployment, None where they are those of the sample."""
        given = self.settings.priors
        return None if given is None else np.array([*given.values()])

    @property
    def names(self):
        """The names of the columns, None where they have none."""
        return None if self.columns is None else tuple(column.name for column in self.columns)

    @property
    def class_counts(self):
        """Samples of each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    @property
    def threads(self):
        """Seed and threads, as keywords."""
        return {"seed": self.seed, "n_jobs": self.n_jobs}

    @property
    def work(self):
        """Seed, threads and progress, as keywords."""
        return self.threads | {"verbose": within_a_stage(self.verbose)}

    @property
    def held_out_rows(self):
        """Rows of the samples that are held out."""
        return np.arange(len(self.codes)) if self.folds is None else self.folds.held_out_rows

    @classmethod
    def of(cls, samples, rows, *, cv, models, settings, device, n_jobs, verbose):
        """Read some rows of the `Samples` into memory, and scale them."""
        n_given, X, codes = len(samples.codes), samples.points.read(rows), samples.codes[rows]
        groups, splits, folds = samples.groups, None, None
        if groups is not None:
            groups = renumbered(groups[rows])
            folds = folds_of_groups(groups)
        if cv is not None:
            of_rows = X, samples.classes[codes], codes, groups
            splits = Splits.of(cv, *of_rows, rows=rows, n_given=n_given)
            folds = splits.folds
        opened, table = samples.open_models(models, rows, X)
        columns, notes = samples.columns, samples.notes
        if not samples.is_table and columns is not None:
            columns = tuple(
                replace(column, hints=hints_of_numbers(column.name, values))
                for column, values in zip(columns, X.T, strict=True)
            )
            notes = tuple(notes_on_hints(columns))
        units = tuple(each._replace(codes=renumbered(each.codes[rows])) for each in samples.units)
        seed, scale = tie_seed(settings.random_state), settings.scale
        if scale == "auto":
            scale = choose_scale(X, codes, groups=groups, seed=seed, n_jobs=n_jobs)
        z, n_independent = float(ndtri(0.5 + settings.confidence / 2)), float(len(codes))
        if groups is not None:  # a group counts as one sample in the intervals
            sizes = np.bincount(groups)
            widening = float(np.sqrt(sizes @ sizes / len(codes)))
            z, n_independent = z * widening, n_independent / widening**2
        return cls(
            X=X,
            points=scale_points(X, scale, device=device, n_jobs=n_jobs),
            categories=samples.categories(units),
            codes=codes,
            classes=samples.classes,
            groups=groups,
            splits=splits,
            folds=folds,
            rows=rows,
            n_given=n_given,
            row_names=samples.names_of_rows(rows),
            columns=columns,
            preparation=notes,
            units=units,
            times=samples.times.of(rows),
            models=opened,
            table=table,
            settings=replace(settings, scale=scale),
            z=z,
            n_independent=n_independent,
            seed=seed,
            n_jobs=n_jobs,
            verbose=verbose,
            sources=_sources(columns, units, X.shape[1]),
            set_aside=tuple(e._replace(values=e.values[rows]) for e in samples.set_aside),
            rows_left_out=samples.rows_left_out,
        )


def _sources(columns, units, n_columns):
    if columns is None:
        return tuple(range(n_columns))
    texts = [each.name for each in units if each.is_category]
    return (*(column.sources for column in columns), *((name,) for name in texts))
