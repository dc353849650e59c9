"""How a report is computed, and the scaled points that all stages use."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from smartsvm._core.points import Points, scale_points
from smartsvm._core.validation import tie_seed
from smartsvm.estimation.number_of_trees import ReportTrees
from smartsvm.held_out.categories import Categories
from smartsvm.held_out.folds import Folds, folds_of_groups
from smartsvm.held_out.scale_choice import choose_scale


class Settings(NamedTuple):
    """How a report is computed."""

    trees: ReportTrees
    classifiers: tuple
    target_accuracy: float | None
    target_metric: str
    confidence: float
    scale: str
    random_state: int
    n_jobs: int | None
    verbose: int
    device: str  # that computes the trees
    overlap: Any  # of the classes, as `rank_label_errors` takes it


class Problem(NamedTuple):
    """The scaled points with what all stages use."""

    points: Points
    categories: Categories | None
    scale: str  # of the columns
    codes: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None
    folds: Folds | None  # of `cv`, or of whole groups
    z: float  # standard errors to each side of an interval
    confidence: float  # of an interval
    n_independent: float  # samples; those of a group count as one
    seed: int  # of all that is random
    n_jobs: int | None
    verbose: int

    @property
    def threads(self):
        """Seed and threads, as keywords."""
        return {"seed": self.seed, "n_jobs": self.n_jobs}

    @property
    def work(self):
        """Seed, threads and progress, as keywords."""
        return self.threads | {"verbose": self.verbose}

    @property
    def judged(self):
        """Rows of the samples that are held out."""
        return np.arange(len(self.codes)) if self.folds is None else self.folds.judged

    @classmethod
    def of(cls, samples, settings):
        """Scale the points; count the samples of a group as one in the intervals."""
        z, n_independent = float(ndtri(0.5 + settings.confidence / 2)), float(len(samples.codes))
        if samples.groups is not None:
            sizes = np.bincount(samples.groups)
            widening = float(np.sqrt(sizes @ sizes / len(samples.codes)))
            z, n_independent = z * widening, n_independent / widening**2
        seed, n_jobs = tie_seed(settings.random_state), settings.n_jobs
        X, scale = samples.X, settings.scale
        if scale == "auto":
            scale = choose_scale(X, samples.codes, groups=samples.groups, seed=seed, n_jobs=n_jobs)
        points = scale_points(X, scale, device=settings.device, n_jobs=n_jobs)
        folds = None if samples.groups is None else folds_of_groups(samples.groups)
        if samples.splits is not None:
            folds = samples.splits.folds
        return cls(
            points=points,
            categories=samples.categories,
            scale=scale,
            codes=samples.codes,
            classes=samples.classes,
            groups=samples.groups,
            folds=folds,
            z=z,
            confidence=settings.confidence,
            n_independent=n_independent,
            seed=seed,
            n_jobs=n_jobs,
            verbose=settings.verbose,
        )
