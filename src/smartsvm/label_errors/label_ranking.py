"""The function `rank_label_errors`: wrong labels by the probabilities of any model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_labels
from smartsvm._core.types import Floats, Integers, LabelsLike
from smartsvm._core.validation import check_array
from smartsvm.estimation.results import Interval
from smartsvm.held_out.posterior import Posterior, normalised
from smartsvm.held_out.standardised_columns import chunks_of
from smartsvm.label_errors.overlap import Overlap, check_overlap
from smartsvm.label_errors.suspect_labels import LIKELY, find_label_errors, is_decisive
from smartsvm.presentation.wording import counted

_LEAST_PROBABILITY = 1e-12  # forests give 0, which would leave no doubt
_POWERS = np.geomspace(0.1, 5, 40)  # neighbours differ by a tenth
_MOST_NUMBERS = 2**18  # samples times classes that the power is fitted to, finer than its steps
_95_PERCENT = 1.96
# The order of labels where contradictions are not decisive: log odds of the squared probabilities,
# and twice the log of the entropy. A sample that the model takes for no class is often mislabelled.
_SQUARE, _ENTROPY = 2.0, 2.0


@dataclass(frozen=True, eq=False)
class LabelErrorRanking:
    """The result of `rank_label_errors`; printed, it says what it found.

    Attributes
    ----------
    ranking : ndarray of int of shape (n_samples,)
        All rows, the most suspicious first.
    chance : ndarray of shape (n_samples,)
        Probability that each label is wrong, as far as the overlap of the classes is known.
    range : Interval
        How many labels are wrong: ``value``, the best guess, and ``low`` and ``high``. NaN with
        fewer than 12 samples per class.
    listed : ndarray of int
        The rows to check, in the order of the ranking.
    supports : str
        What the data support where the overlap is unknown: "wrong labels", "overlap" or "either".
    overlap : object
        The overlap that was given.
    """

    ranking: Integers
    chance: Floats
    range: Interval
    listed: Integers
    supports: str
    overlap: object

    def __str__(self) -> str:
        n, listed = len(self.ranking), len(self.listed)
        if self.range.value != self.range.value:
            return (
                f"Wrong labels among {counted(n, 'label')}: unknown, with fewer than 12 samples "
                "per class. The ranking shows which labels the model contradicts most."
            )
        if isinstance(self.overlap, str) and self.overlap == "all":
            return f"None of {counted(n, 'label')} is wrong: all disagreement is overlap, as given."
        value, low, high = (round(end) for end in self.range)
        text = (
            f"Wrong labels among {counted(n, 'label')}: about {value:,} ({low:,} to {high:,}). "
            + _SUPPORT[self.supports if isinstance(self.overlap, str) else "rate"]
            if not (isinstance(self.overlap, str) and self.overlap == "rare")
            else f"Wrong labels among {counted(n, 'label')}: about {value:,} ({low:,} to {high:,}) "
            "if the classes hardly overlap."
        )
        if not listed:
            return f"{text} No label is listed: none stands out."
        mean = float(self.chance[self.listed].mean())
        first = ", ".join(f"{row:,}" for row in self.listed[:5].tolist())
        return (
            f"{text} {counted(listed, 'label')} {'is' if listed == 1 else 'are'} listed; "
            f"about {round(listed * mean):,} of them should be wrong. The first: {first}."
        )

    __repr__ = __str__


_SUPPORT = {
    "wrong labels": "The labels support wrong ones: overlap explains them less well.",
    "overlap": (
        "The disagreement looks like overlap of the classes; if it is not, pass overlap='rare'."
    ),
    "either": (
        "From labels and probabilities alone, wrong labels and overlap cannot be told apart here: "
        "pass overlap='rare' if the classes hardly overlap, or how often experts disagree."
    ),
    "rate": "This holds if experts disagree as often as given.",
}


@own_arithmetic()
def rank_label_errors(
    y: LabelsLike, pred_probs: ArrayLike, *, overlap: Overlap = "unknown"
) -> LabelErrorRanking:
    """Rank labels by how likely they are wrong, given the probabilities of a model of your own.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels as given, two classes or more.
    pred_probs : array-like of shape (n_samples, K)
        Probability of each class for each sample by a model that was *not* fitted to that sample:
        ``cross_val_predict(model, X, y, method="predict_proba")``. Columns are in the order of
        the sorted labels, as in ``classes_`` of scikit-learn.
    overlap : {"unknown", "rare", "all"}, float, or rates by class, default="unknown"
        What is known of the overlap of the classes:

        - "unknown": the range of wrong labels goes from "all disagreement is overlap" to "none is".
          Labels are listed where the data themselves support that they are wrong;
        - "rare", for photographs, digits and the like, of which experts name nearly all alike: most
          labels that the model contradicts firmly are wrong;
        - a number from 0 to 1: the fraction of samples on which two experts would disagree; a
          dictionary or a sequence of such numbers has one for each class;
        - "all", for facts of record (bought, left, died): all disagreement is overlap.

    Returns
    -------
    LabelErrorRanking
        ``ranking``, ``chance``, ``range`` and ``listed``; printed, it says what it found.

    See Also
    --------
    difficulty_report : Ranks labels by its own classifiers.

    Notes
    -----
    The probabilities are first calibrated: raised to the power that makes the labels most likely.
    The true classes are taken to have probabilities q ∝ p^a. With "rare", a = 1.5; with a rate D, a
    is such that the mean of 1 - Σ q² is D; with "all", a = 1 and no label is wrong. Labels are
    wrong at a rate ρ of the largest likelihood, so that a label has the odds
    ρ / (1 - ρ) · q(rival) / q(label) to be wrong.

    A million labels of 100 classes take 9 seconds of processor time and 2.3 GB, ten million of 10
    classes 45 seconds and 4.7 GB; the probabilities themselves are 0.8 GB of each.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import rank_label_errors
    >>> y = np.array([0, 1] * 50)
    >>> probabilities = np.where(y[:, None] == [0, 1], 0.98, 0.02)
    >>> y[7] = 0  # a wrong label
    >>> found = rank_label_errors(y, probabilities, overlap="rare")
    >>> int(found.ranking[0])
    7
    """
    probabilities = check_array(pred_probs, "pred_probs")
    classes, codes = check_labels(y, n_samples=np.size(y))
    shape = (len(codes), len(classes))
    if probabilities.shape != shape:
        raise ValueError(
            f"pred_probs must have shape {shape}, a column for each of the {shape[1]} classes in "
            f"y, got {probabilities.shape}."
        )
    off = np.abs(probabilities.sum(axis=1) - 1).max()
    if probabilities.min() < 0 or off > 0.01:
        raise ValueError(
            "pred_probs must hold probabilities that add up to 1 in each row, got "
            f"{probabilities.min():.3g} as the smallest and a sum that is {off:.3g} off."
        )
    checked = check_overlap(overlap, classes)
    logs = _calibrated(probabilities, codes)
    errors = find_label_errors(Posterior(logs, {}), codes, _95_PERCENT, overlap=checked)
    n, chance = len(codes), errors.error_chance
    if is_decisive(errors.margin):
        by_chance = chance if errors.chance_if_rare is None else errors.chance_if_rare
        ranking = np.lexsort((errors.margin, -by_chance))
    else:
        ranking = np.argsort(-_score(logs, codes), kind="stable")
    listed = np.zeros(n, dtype=bool)
    listed[errors.suspects] = True
    if isinstance(checked, str) and checked == "unknown":
        listed &= chance >= LIKELY
    return LabelErrorRanking(
        ranking=ranking,
        chance=chance,
        range=Interval(*(end * n for end in errors.error_rate)),
        listed=ranking[listed[ranking]],
        supports=errors.supports,
        overlap=overlap,
    )


def _calibrated(probabilities, codes):
    """Log probabilities, raised to the power that makes the labels most likely."""
    n, n_classes = probabilities.shape
    fitted = _fitted_rows(n, n_classes)
    labels, logs = (np.arange(len(fitted)), codes[fitted]), _logs(probabilities[fitted])

    def likelihood(power):
        return normalised(power * logs)[labels].sum(dtype=float)

    power = max(_POWERS.tolist(), key=likelihood)
    out = np.empty((n, n_classes), dtype=np.float32)
    for rows in chunks_of(n, n_classes):
        out[rows] = normalised(power * _logs(probabilities[rows]))
    return out


def _fitted_rows(n, n_classes):
    """The rows that the calibration is fitted to."""
    if n * n_classes <= _MOST_NUMBERS:
        return np.arange(n)
    return np.random.default_rng(0).permutation(n)[: max(_MOST_NUMBERS // n_classes, 1)]


def _logs(probabilities):
    """Logarithms in 32 bits, as a posterior holds them: three times as fast."""
    enough = np.maximum(probabilities, _LEAST_PROBABILITY).astype(np.float32)
    return np.log(enough, out=enough)


def _score(logs, codes):
    """How suspicious each label is, by probabilities that are calibrated for each class, too."""
    shift, out = _class_shifts(logs, codes), np.empty(len(codes))
    for rows in chunks_of(*logs.shape):
        shifted = normalised(logs[rows] + shift)
        entropy = -(np.exp(shifted) * shifted).sum(axis=1, dtype=float)
        labels = np.arange(len(shifted)), codes[rows]
        right = normalised(_SQUARE * shifted)[labels].astype(float)
        odds = np.log1p(-np.minimum(np.exp(right), 1 - 1e-9)) - right
        out[rows] = odds + _ENTROPY * np.log(np.maximum(entropy, 1e-12))
    return out


def _class_shifts(logs, codes):
    """Shifts of the log probabilities of the classes that make the labels most likely."""
    fitted = _fitted_rows(*logs.shape)
    logs, codes = logs[fitted], codes[fitted]
    labels = np.arange(len(codes)), codes

    def loss(shift):
        shifted = normalised(logs + shift.astype(np.float32))
        slope = np.exp(shifted).mean(axis=0, dtype=float)
        slope -= np.bincount(codes, minlength=len(shift)) / len(codes)
        return -float(shifted[labels].mean(dtype=float)), slope

    start = np.zeros(logs.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B").x.astype(np.float32)
