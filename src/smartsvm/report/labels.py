"""The labels of a report: which are given, which are suggested, and which are probably wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from smartsvm._core.types import Floats, Integers, Labels
from smartsvm.estimation.results import Interval
from smartsvm.label_errors.suspect_labels import LIKELY, find_label_errors
from smartsvm.report.suspect_rows import MOST_ROWS, SuspectRow, suspect_rows


@dataclass(frozen=True, eq=False)
class LabelResults:
    """The label of every sample: `DifficultyReport.labels`. Arrays have shape (n_samples,).

    Attributes
    ----------
    given : ndarray
        Label of each sample.
    suggested : ndarray
        The most probable label; never the given one for a suspect.
    posterior : ndarray
        Probability of each sample's label by the combined classifiers, without that label; NaN for
        samples that `cv` never holds out.
    margin : ndarray
        Log odds of each sample's label against the most probable other one; NaN for the same.
    error_chance : ndarray
        Probability that a label is wrong, as far as the overlap of the classes is known.
    disagreement : ndarray
        Fraction of a sample's neighbours that have other labels.
    ranking : ndarray
        Positions of all samples, the most suspicious label first.
    n_suspects : int
        How many labels of the ranking are listed, the most probable first; at most as many as the
        high end of the Bayes error allows. With ``overlap="unknown"`` they are wrong with a
        probability of 19% or more, with "rare" or a rate of 58% or more.
    n_likely : int
        How many of them are wrong with a probability of 50% or more: the labels to check.
    error_rate : Interval
        Fraction of wrong labels, from "all disagreement is overlap" to "none is", as far as the
        overlap is unknown. NaN where they cannot be counted: without signal, with no classifier
        that clearly beats the baseline, or with fewer than 12 samples per class.
    supports : str
        What the data support where the overlap is unknown: "wrong labels", "overlap" or "either".
    overlap : str or ndarray
        The overlap that was given: a name, or a rate of disagreement for each class.
    rows : tuple of SuspectRow
        The first five of the listed labels as rows: the columns that speak against the label, and
        the two most similar rows of the class that is suggested.
    """

    given: Labels
    suggested: Labels
    posterior: Floats
    margin: Floats
    error_chance: Floats
    disagreement: Floats
    ranking: Integers
    n_suspects: int
    n_likely: int
    error_rate: Interval
    supports: str
    overlap: Any
    rows: tuple[SuspectRow, ...]

    @classmethod
    def of(cls, problem, neighborhood, held_out, signal, errors, bayes_error, overlap):
        """The labels that the combined classifiers contradict."""
        codes, classes, rows = problem.codes, problem.classes, problem.held_out_rows
        posterior = held_out.posterior.of(rows)
        found = find_label_errors(
            posterior,
            codes[rows],
            problem.z,
            overlap=overlap,
            most_wrong=bayes_error.high,
            signal=signal.significant,
            beats_baseline=errors.held_out.gain > 0,
            cases=neighborhood.distinct,  # where there are folds, all rows count
            n_jobs=problem.n_jobs,
        ).among(rows, len(codes))
        suggested = codes.copy()
        suggested[rows] = posterior.answers()
        suggested[found.suspects] = found.rivals[found.suspects]
        shown = _distinct(problem, found.suspects)[:MOST_ROWS]
        return cls(
            given=classes[codes],
            suggested=classes[suggested],
            posterior=found.posterior,
            margin=found.margin,
            error_chance=found.error_chance,
            disagreement=neighborhood.disagreement,
            ranking=found.ranking,
            n_suspects=len(found.suspects),
            n_likely=int(np.count_nonzero(found.error_chance[found.suspects] >= LIKELY)),
            error_rate=found.error_rate,
            supports=found.supports,
            overlap=found.overlap,
            rows=suspect_rows(problem, shown, suggested[shown]),
        )


def _distinct(problem, rows):
    """The first of all rows that are equal in columns and label."""
    keys = np.column_stack([problem.points.values[rows], problem.codes[rows]])
    return rows[np.sort(np.unique(keys, axis=0, return_index=True)[1])]
