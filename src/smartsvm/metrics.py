"""How badly a prediction treats each class."""

from __future__ import annotations

import numpy as np


def confusion_rate(y_true, y_pred, *, labels=None):
    """Share of all samples that are wrongly given to a class or wrongly kept from it.

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
    This is what `ovr_bayes_error` estimates for the best possible classifier. Over
    all classes the rates sum to twice the error rate.

    Examples
    --------
    >>> from smartsvm import confusion_rate
    >>> confusion_rate(["a", "a", "b", "c"], ["a", "b", "b", "b"]).tolist()
    [0.25, 0.5, 0.25]
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    for name, labels_given in (("y_true", y_true), ("y_pred", y_pred)):
        if labels_given.ndim != 1 or not len(labels_given):
            raise ValueError(
                f"{name} must be one-dimensional and not empty, got shape {labels_given.shape}."
            )
    if len(y_true) != len(y_pred):
        raise ValueError(
            f"y_true and y_pred must have the same length, got {len(y_true)} and {len(y_pred)}."
        )
    present = np.union1d(y_true, y_pred)
    if labels is None:
        labels = present
    labels = np.asarray(labels)
    if labels.ndim != 1 or not np.isin(labels, present).any():
        raise ValueError(
            f"labels must be one-dimensional and hold a label that occurs, got {labels.tolist()}."
        )
    wrong = y_true != y_pred
    codes_true, codes_pred = np.searchsorted(present, y_true), np.searchsorted(present, y_pred)
    mistakes = np.bincount(codes_true[wrong], minlength=len(present)) + np.bincount(
        codes_pred[wrong], minlength=len(present)
    )
    rates = dict(zip(present.tolist(), (mistakes / len(y_true)).tolist(), strict=True))
    return np.array([rates.get(label, 0.0) for label in labels.tolist()])
