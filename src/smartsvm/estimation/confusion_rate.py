"""The confusion rate of each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.labels import as_labels
from smartsvm._core.types import Floats
from smartsvm._core.validation import check_labels


def confusion_rate(
    y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None
) -> Floats:
    """Compute the fraction of samples wrongly assigned to a class or wrongly kept out of it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : array-like of shape (n_labels,), default=None
        The classes to rate, in this order; by default all that occur, sorted.

    Returns
    -------
    ndarray of shape (n_labels,)
        C_k = (#{ŷ = k, y ≠ k} + #{ŷ ≠ k, y = k}) / n for each class k.

    Notes
    -----
    `ovr_bayes_error` estimates this rate for the best possible classifier. The rates of all
    classes sum to twice the error rate.

    Examples
    --------
    >>> from smartsvm import confusion_rate
    >>> confusion_rate(["a", "a", "b", "c"], ["a", "b", "b", "b"]).tolist()
    [0.25, 0.5, 0.25]
    """
    y_true, y_pred = as_labels(y_true, "y_true"), as_labels(y_pred, "y_pred")
    for name, labels_given in (("y_true", y_true), ("y_pred", y_pred)):
        if labels_given.ndim != 1 or not len(labels_given):
            raise ValueError(
                f"{name} must be one-dimensional and not empty, got shape {labels_given.shape}."
            )
    if len(y_true) != len(y_pred):
        raise ValueError(
            f"y_true and y_pred must have the same length, got {len(y_true)} and {len(y_pred)}."
        )
    if (y_true.dtype.kind in "US") != (y_pred.dtype.kind in "US"):
        y_true = y_true.astype(object)  # numpy would turn numbers beside text into text
    all_labels = np.concatenate([y_true, y_pred])
    present, codes = check_labels(
        all_labels, "y_true and y_pred", n_samples=len(all_labels), least_classes=1
    )
    labels = present if labels is None else np.asarray(labels)
    if labels.ndim != 1 or not set(labels.tolist()) & set(present.tolist()):
        raise ValueError(
            f"labels must be one-dimensional and hold a label that occurs, got {labels.tolist()}."
        )
    ends = codes.reshape(2, -1)
    wrong = ends[:, ends[0] != ends[1]]
    mistakes = np.bincount(wrong.ravel(), minlength=len(present))
    rates = dict(zip(present.tolist(), (mistakes / len(y_true)).tolist(), strict=True))
    return np.array([rates.get(label, 0.0) for label in labels.tolist()])
