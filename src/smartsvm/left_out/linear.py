"""Leave-one-out error of a linear rule: discriminant analysis, shrunk, in closed form.

The error of any rule, honestly estimated, bounds the Bayes error from above. In high
dimension every neighbour is far away, but means and one covariance can still be estimated.

Leaving out a sample x of class c with residual r = x - mean_c moves that mean along r and
takes n_c / (n_c - 1) r rᵀ from the scatter within classes. By the formula of Sherman
and Morrison all n refits together cost about as much as two fits: O(n d² + n K d) time,
O(n + d² + K d) memory, a few rows at a time.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy.linalg import eigh
from scipy.sparse import csr_matrix
from scipy.special import ndtr, ndtri

from smartsvm._blas_threads import single_blas_thread

# The set "texture" needs almost none, fifty columns and 300 samples need a lot; nine steps
# instead of four gained little.
SHRINKAGES = (1e-4, 1e-2, 0.1, 0.5)
MOST_DIRECTIONS = 1000  # columns, or samples where there are fewer: the size of the matrices
_REACH = 3.0  # mean absolute deviations: values further out are pulled in to there
_VALUES = 2**16  # numbers in a chunk of rows with all that is computed from it
_CLEAR = 2.0  # standard errors below guessing, from which on a rule has found something


class LinearLeaveOneOut(NamedTuple):
    """Errors of linear rules in which no sample is judged by a rule that has seen its label.

    Attributes
    ----------
    shrinkages : ndarray of shape (m,)
        Shares of the identity in the covariance, rising.
    errors : ndarray of shape (m,)
        Share of the samples whose own class does not come out alone on top.
    fitted_errors : ndarray of shape (m,)
        The same if the rule of all samples judges them, which is too small.
    guess_error : float
        Error of always answering the largest class.
    n_samples : int
        Samples.
    """

    shrinkages: np.ndarray
    errors: np.ndarray
    fitted_errors: np.ndarray
    guess_error: float
    n_samples: int

    @property
    def best(self):
        """Position of the smallest error; the most shrunk among equals, which varies least."""
        return len(self.errors) - 1 - int(np.argmin(self.errors[::-1]))

    @property
    def beats_guessing(self):
        """Whether the smallest error is clearly below that of guessing, by two standard errors."""
        error = self.errors[self.best]
        spread = np.sqrt(error * (1 - error) / self.n_samples)
        return bool(error < self.guess_error - _CLEAR * spread)

    @property
    def limit(self):
        """What the rule would reach with ever more samples, never above its smallest error.

        With n samples of two normal classes Δ apart in d dimensions, the rule errs
        Φ(-Δ²/2b) of the time and Φ(-b/2) on the samples it was made from, b² = Δ² + 4d/n.
        The geometric mean of the two arguments is that of Φ(-Δ/2), the limit. For
        other classes errors are counted in units of twice that of guessing. Where the
        rule does not clearly beat guessing there is nothing to extrapolate.
        """
        error = float(self.errors[self.best])
        # Half a mistake where there is none: no finite sample shows an error of 0.
        fitted = max(float(self.fitted_errors[self.best]), 0.5 / self.n_samples)
        if error <= fitted or not self.beats_guessing:
            return error
        both = ndtri(np.array([error, fitted]) / (2 * self.guess_error))
        return float(2 * self.guess_error * ndtr(-np.sqrt(both.prod())))


def linear_leave_one_out(points, codes, n_classes, shrinkages=SHRINKAGES, *, n_jobs=None):
    """Errors of shrunk linear discriminant analysis, each sample left out in turn.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.
    codes : ndarray of shape (n_samples,)
        Class of each point, 0 to K-1, none empty.
    n_classes : int
        Classes K.
    shrinkages : sequence of float, default=SHRINKAGES
        Shares γ of the identity, between 0 and 1, both excluded.
    n_jobs : int or None, default=None
        With more than one thread, products take as many as the linear algebra likes.

    Returns
    -------
    LinearLeaveOneOut or None
        One error for each shrinkage; None where both the samples and the columns are more
        than 1000, which the matrices would be too large for.

    Notes
    -----
    Columns are first brought to mean 0 and variance 1, values more than three mean
    absolute deviations out pulled in; that looks at no label. The rule gives x the
    class k with the largest log n_k - (x - μ_k)ᵀ S⁻¹ (x - μ_k) / 2, where
    S = (1-γ) W / (n-K) + γ I and W is the scatter within classes. Class sizes, means
    and W are those without the sample. The only sample of its class is always wrong.
    """
    if min(points.shape) > MOST_DIRECTIONS:
        return None
    with single_blas_thread() if effective_n_jobs(n_jobs) == 1 else nullcontext():
        return _leave_one_out(points, codes, n_classes, np.asarray(shrinkages, dtype=float))


def _leave_one_out(points, codes, n_classes, shrinkages):
    rule = _LeaveOneOutRule(_Columns(points), codes, n_classes, shrinkages)
    wrong = np.zeros((2, len(shrinkages)))
    for rows in rule.chunks():
        places = np.arange(len(codes[rows])), codes[rows]
        for step, both in enumerate(rule.scores(rows)):
            for count, scores in zip(wrong, both, strict=True):
                own = scores[places]
                scores[places] = -np.inf
                count[step] += np.count_nonzero(scores.max(axis=1) >= own)
    n = len(codes)
    guess = 1 - rule.counts.max() / n
    return LinearLeaveOneOut(shrinkages, *(wrong / n), float(guess), n)


class _Columns:
    """The columns with mean 0 and variance 1 and without far values, a few rows at a time.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    """

    def __init__(self, points):
        self._points, self._turned = points, None
        n, d = points.shape
        self.shape = n, min(n, d)
        self._middle = sum(self._from_first(rows).sum(axis=0) for rows in self._chunks()) / n
        away = sum(np.abs(self._from_middle(rows)).sum(axis=0) for rows in self._chunks()) / n
        self._unit = _or_infinite(away)
        self._mean, squares = np.zeros(d), np.zeros(d)
        for rows in self._chunks():
            block = self._pulled_in(rows)
            self._mean += block.sum(axis=0) / n
            squares += (block**2).sum(axis=0) / n
        self._scale = _or_infinite(np.sqrt(np.maximum(squares - self._mean**2, 0)))
        if d > n:
            # n samples span at most n directions, and no distance changes by turning them.
            self._turned = np.linalg.qr(self.block(slice(None)).T, mode="r").T

    def _chunks(self):
        return chunks_of(len(self._points), self._points.shape[1])

    def _from_first(self, rows):
        # Values far from 0 and near each other have exact differences and no exact mean.
        return self._points[rows] - self._points[0]

    def _from_middle(self, rows):
        block = self._from_first(rows)
        block -= self._middle
        return block

    def _pulled_in(self, rows):
        block = self._from_middle(rows)
        block /= self._unit
        return np.clip(block, -_REACH, _REACH, out=block)

    def block(self, rows):
        """Some rows as they enter the rule."""
        if self._turned is not None:
            return self._turned[rows]
        block = self._pulled_in(rows)
        block -= self._mean
        block /= self._scale
        return block


def _or_infinite(spreads):
    """Spreads to divide by: infinity for none, so that a constant column becomes 0."""
    return np.where(spreads > 0, spreads, np.inf)


class _LeaveOneOutRule:
    """Means and scatter of the classes, and the scores of all rules without one sample.

    Parameters
    ----------
    columns : _Columns
        The points.
    codes : ndarray of shape (n_samples,)
        Classes.
    n_classes : int
        Classes K.
    shrinkages : ndarray of shape (m,)
        Shares of the identity.
    """

    def __init__(self, columns, codes, n_classes, shrinkages):
        self._columns, self._codes = columns, codes
        self.counts = np.bincount(codes, minlength=n_classes)
        n, d = columns.shape
        means = np.zeros((n_classes, d))
        for rows in self.chunks():
            own = codes[rows]
            shape = len(own), n_classes
            members = csr_matrix((np.ones(len(own)), own, np.arange(len(own) + 1)), shape)
            means += members.T @ columns.block(rows)
        means /= self.counts[:, None]
        scatter = np.zeros((d, d))
        for rows in self.chunks():
            residuals = columns.block(rows) - means[codes[rows]]
            scatter += residuals.T @ residuals
        spread, self._directions = eigh(scatter, overwrite_a=True, check_finite=False)
        self._means = means @ self._directions
        # Without the sample: S = (W + ridge I) / scale.
        freedom = max(n - 1 - n_classes, 1)
        self._scales = freedom / (1 - shrinkages)
        self._inverses = 1 / (np.maximum(spread, 0) + (shrinkages * self._scales)[:, None])

    def chunks(self):
        """Slices of rows."""
        return chunks_of(len(self._codes), self._columns.shape[1] + 6 * len(self.counts))

    def scores(self, rows):
        """For every shrinkage the scores without each sample, and those with all of them.

        With residual r, h = rᵀA⁻¹r, a = n_c / (n_c - 1) and t_k = rᵀA⁻¹(μ_c - μ_k), the
        distances are D_k = h + 2 t_k + |μ_c - μ_k|²; without the sample D_k +
        a (h + t_k)² / (1 - a h) for the other classes and a² h / (1 - a h) for its own.
        """
        own = self._codes[rows]
        places = np.arange(len(own)), own
        turned = self._columns.block(rows) @ self._directions
        turned -= self._means[own]
        lengths = turned**2 @ self._inverses.T
        left = self.counts[own] - 1
        factor = self.counts[own] / np.maximum(left, 1)
        priors = np.log(self.counts)
        with np.errstate(divide="ignore"):  # the only one of its class: no chance
            prior_left = np.log(left)
        for scale, inverse, h in zip(self._scales, self._inverses, lengths.T, strict=True):
            weighted = self._means * inverse
            inner = weighted @ self._means.T
            squares = inner.diagonal()
            apart = squares[:, None] - 2 * inner + squares
            along = turned @ weighted.T
            towards = along[places][:, None] - along
            towards += h[:, None]
            distances = 2 * towards - h[:, None] + apart[own]
            rest = 1 - factor * h  # at least ridge / (ridge + n d): the columns are scaled
            without = distances + (factor / rest)[:, None] * towards**2
            without = priors - scale / 2 * without
            without[places] = prior_left - scale / 2 * factor**2 * h / rest
            yield without, priors - scale / 2 * distances


def chunks_of(n_rows, width):
    """Slices of so many rows that a chunk of this width stays small."""
    size = max(1, _VALUES // width)
    return [slice(start, start + size) for start in range(0, n_rows, size)]
