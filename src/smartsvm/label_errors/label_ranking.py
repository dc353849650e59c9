"""The function `rank_label_errors`: wrong labels by the probabilities of any model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.arithmetic import own_arithmetic
from smartsvm._core.checked_labels import check_labels
from smartsvm._core.types import Floats, Integers, LabelsLike
from smartsvm._core.validation import check_array
from smartsvm.held_out.posterior import Posterior, normalised
from smartsvm.held_out.standardised_columns import chunks_of
from smartsvm.label_errors.suspect_labels import find_label_errors

_LEAST_PROBABILITY = 1e-12  # forests give 0, which would leave no doubt
_POWERS = np.geomspace(0.1, 5, 40)  # neighbours differ by a tenth
_MOST_NUMBERS = 2**18  # samples times classes that the power is fitted to, finer than its steps
_95_PERCENT = 1.96


@own_arithmetic()
def rank_label_errors(y: LabelsLike, pred_probs: ArrayLike) -> tuple[Integers, Floats]:
    """Rank labels by how likely they are wrong, given the probabilities of a model of your own.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels as given, two classes or more.
    pred_probs : array-like of shape (n_samples, K)
        Probability of each class for each sample by a model that was *not* fitted to that sample:
        ``cross_val_predict(model, X, y, method="predict_proba")``. Columns are in the order of
        the sorted labels, as in ``classes_`` of scikit-learn.

    Returns
    -------
    ranking : ndarray of int of shape (n_samples,)
        All rows, the most suspicious first.
    chance : ndarray of shape (n_samples,)
        Probability that each label is wrong, as far as label errors can be told from overlap of
        the classes. Their sum estimates how many labels are wrong; all are 0 with fewer than 12
        samples per class, and where the labels seem clean.

    See Also
    --------
    difficulty_report : Ranks labels by its own classifiers.

    Notes
    -----
    The probabilities are first calibrated: raised to the power that makes the labels most likely.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm import rank_label_errors
    >>> y = np.array([0, 1] * 50)
    >>> probabilities = np.where(y[:, None] == [0, 1], 0.98, 0.02)
    >>> y[7] = 0  # a wrong label
    >>> ranking, chance = rank_label_errors(y, probabilities)
    >>> int(ranking[0])
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
    log_probabilities = _calibrated(probabilities, codes)
    errors = find_label_errors(Posterior(log_probabilities, {}), codes, _95_PERCENT)
    return errors.ranking, errors.error_chance


def _calibrated(probabilities, codes):
    """Log probabilities, raised to the power that makes the labels most likely."""
    n, n_classes = probabilities.shape
    some = np.arange(n)
    if probabilities.size > _MOST_NUMBERS:
        some = np.random.default_rng(0).permutation(n)[: max(_MOST_NUMBERS // n_classes, 1)]
    own, logs = (np.arange(len(some)), codes[some]), _logs(probabilities[some])
    power = max(_POWERS.tolist(), key=lambda each: normalised(each * logs)[own].sum(dtype=float))
    out = np.empty((n, n_classes), dtype=np.float32)
    for rows in chunks_of(n, n_classes):
        out[rows] = normalised(power * _logs(probabilities[rows]))
    return out


def _logs(probabilities):
    """Logarithms in 32 bits, as a posterior holds them: three times as fast."""
    enough = np.maximum(probabilities, _LEAST_PROBABILITY).astype(np.float32)
    return np.log(enough, out=enough)
