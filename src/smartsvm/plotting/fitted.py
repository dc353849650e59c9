"""The classifier that a display draws."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from smartsvm._core.validation import describe


def fitted_classifier(estimator):
    """The fitted classifier with a hierarchy, or the best one of a search over it."""
    check_is_fitted(estimator)
    chosen = getattr(estimator, "best_estimator_", estimator)
    if not hasattr(chosen, "hierarchy_"):
        raise TypeError(
            f"estimator must be a fitted SmartSVM or a search over it, got {describe(estimator)}."
        )
    return chosen
