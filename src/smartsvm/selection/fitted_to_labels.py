"""What the estimators share that choose features or transformers."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from smartsvm._core.documentation import DocumentationLink
from smartsvm._core.validation import check_real, check_training_set


class FittedToLabels(DocumentationLink):
    """An estimator that is fitted to dense points and labels by `_fit`."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to points and labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,)
            Labels of any sortable type, two classes or more.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        self._fit(*check_training_set(self, X, y))
        return self

    def _checked(self, X):
        """New points for the fitted estimator."""
        check_is_fitted(self)
        check_real(X, "X")
        return validate_data(self, X, dtype=np.float64, order="C", reset=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        return tags
