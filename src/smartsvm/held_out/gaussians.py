"""Gaussian classes (QDA) with covariances shrunk to the pooled one, left out in closed form.

Leaving out a sample x of class c with residual r = x - mean_c moves that mean along r and takes
a r rᵀ, a = n_c / (n_c - 1), from the scatter of its class and from the scatter within all classes:
the covariance of *every* class changes by a multiple of r rᵀ. By the Sherman–Morrison formula
and the matrix determinant lemma, all n refits cost about as much as scoring the samples twice:
O(n K m²) time for m directions.
"""

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import in_threads
from smartsvm.held_out._gaussians import SingleScores, left_out_densities
from smartsvm.held_out.mistakes import Mistakes, wrong_answers
from smartsvm.held_out.principal_components import Directions
from smartsvm.held_out.standardised_columns import Columns, chunks_of

# Strengths ν of the shrinkage that are tried, in units of m + 2 for m directions.
STRENGTHS = (1.0, 3.0, 10.0)
# Fraction of the variance of all samples that is added to the pooled covariance, so that it can be
# inverted.
_RIDGE = 1e-3
# Samples whose leave-one-out error chooses the strength, at most: they bound its time.
_MOST_JUDGED = 1000
# Rows that a thread scores at a time.
_ROWS_AT_ONCE = 256
# Principal components m for held-out errors: at most 200, and n K m² at most 10^9, which bounds the
# time.
_MOST_COMPONENTS = 200
_MOST_WORK = 10**9


def gaussians_leave_one_out(points, codes, n_classes, *, seed=0, n_jobs=None):
    """Leave-one-out mistakes of Gaussian classes; None if all points are the same."""
    with single_blas_thread():  # several threads round in another order
        columns = Columns(points).block(slice(None))
        classes = _affordable(columns, codes, n_classes, n_jobs)
        if classes is None:
            return None
        scores = classes.left_out_scores()
        single = scores.astype(np.float32)
        return Mistakes(
            (classes.strength,),
            wrong_answers(scores, codes)[None],
            lambda _, rows=slice(None): single[rows],
        )


def gaussians_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train` by a fit to the others; a strength, or None to choose."""
    columns = Columns(points, n_jobs)
    classes = _affordable(columns.block(train), codes[train], n_classes, n_jobs, *settings)
    if classes is None:
        return None
    return [classes.new_scores(columns.of(np.flatnonzero(~train)))]


def _affordable(columns, codes, n_classes, n_jobs, strength=None):
    """Gaussian classes in as many directions as time allows; None without any."""
    n, d = columns.shape
    most = min(max(int(np.sqrt(_MOST_WORK / (n * n_classes))), 2), _MOST_COMPONENTS)
    if d >= min(most, n):
        # In the last principal components of n samples each lies far from all others, and the size
        # of its class without it gives its label away.
        most = min(most, max(n // 2, 1))
    directions = Directions(columns, most)
    if not directions.n_directions:
        return None
    unit = directions.n_directions + 2
    return Gaussians(
        columns,
        codes,
        n_classes,
        strengths=STRENGTHS if strength is None else (strength / unit,),
        directions=directions,
        n_jobs=n_jobs,
    )


class Gaussians:
    """One Gaussian distribution per class: shrunk quadratic discriminant analysis (QDA)."""

    # The covariance of class k is (S_k + ν P) / (n_k + ν): S_k is its scatter, P the pooled
    # covariance plus a thousandth of the variance of all samples, and ν the strength, in units of
    # two more samples than directions. A class without points has the distribution of all points.
    def __init__(
        self,
        points,
        codes,
        n_classes,
        *,
        weights=None,
        strengths=STRENGTHS,
        directions=None,
        n_jobs=None,
    ):
        self._n_jobs = n_jobs
        self._directions = Directions(points) if directions is None else directions
        self._points = self._directions(points)
        self._codes = codes
        n, m = self._points.shape
        self._weights = np.ones(n) if weights is None else weights * (n / weights.sum())
        self.sizes = np.bincount(codes, self._weights, minlength=n_classes)
        self._means, self._scatters = self._moments()
        self._variances = np.einsum("ij,ij->j", self._points, self._points) / n
        # As many degrees of freedom as are left without one sample.
        self._freedom = max(n - 1 - n_classes, 1)
        self._pooled = self._scatters.sum(axis=0) / self._freedom
        self._pooled[np.diag_indices(m)] += _RIDGE * self._variances
        self._shrink([factor * (m + 2) for factor in strengths])

    def left_out_densities(self, rows=slice(None)):
        """Log densities of training points as of a refit without the point, shape (n_rows, K)."""
        row_codes, weights = self._codes[rows], self._weights[rows]
        order = np.argsort(row_codes, kind="stable")
        points = self._points[rows][order]
        of_points = weights[order]
        classes = row_codes[order]
        by_class = np.empty((len(points), len(self.sizes)))

        def fill(part):
            left_out_densities(
                points[part],
                of_points[part],
                classes[part],
                self._means,
                self._whiteners,
                self._log_determinants,
                self.sizes,
                self.strength,
                self.strength / self._freedom,
                by_class[part],
            )

        in_threads(fill, chunks_of(len(points), 1, _ROWS_AT_ONCE), self._n_jobs)
        out = np.empty_like(by_class)
        out[order] = by_class
        alone = np.flatnonzero(self.sizes[row_codes] - weights <= 1e-9 * self.sizes[row_codes])
        squares = (self._points[rows][alone] ** 2 / self._variances).sum(axis=1)
        out[alone, row_codes[alone]] = -0.5 * (squares + np.log(self._variances).sum())
        return out

    def left_out_scores(self, rows=slice(None)):
        """Scores of training points without the point; -inf for the only one of its class."""
        out = self.left_out_densities(rows) + np.log(self.sizes)
        row_codes, weights = self._codes[rows], self._weights[rows]
        others = self.sizes[row_codes] - weights
        others[others <= 1e-9 * self.sizes[row_codes]] = 0.0
        with np.errstate(divide="ignore"):
            out[np.arange(len(row_codes)), row_codes] += np.log(others) - np.log(
                self.sizes[row_codes]
            )
        return out

    def new_scores(self, columns):
        """Scores of points that were not fitted to, as `Columns` or the like, shape (n, K)."""
        scores = self.single_scores()
        out = np.empty((columns.shape[0], len(self.sizes)), dtype=np.float32)

        def fill(rows):
            by_class = np.empty((len(self.sizes), len(out[rows])))
            scores.scores(self._directions(columns.block(rows)), by_class)
            out[rows] = by_class.T

        in_threads(fill, chunks_of(len(out), len(self.sizes)), self._n_jobs)
        return out

    def single_scores(self):
        """The classes in single precision, which score points; all that prediction needs."""
        samples = self.sizes + self.strength
        units = np.sqrt(self._variances)
        factors = self._whiteners * (np.sqrt(samples)[:, None, None] * units[:, None])
        centres = np.einsum("ki,kij->kj", self._means / units, factors)
        constants = self._log_determinants - len(units) * np.log(samples)
        return SingleScores(1 / units, factors, centres, np.log(self.sizes) - 0.5 * constants)

    def _moments(self):
        n_classes = len(self.sizes)
        m = self._points.shape[1]
        means = np.empty((n_classes, m))
        scatters = np.empty((n_classes, m, m))
        order = np.argsort(self._codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self._codes, minlength=n_classes))])
        for k in range(n_classes):
            rows_of_class = order[starts[k] : starts[k + 1]]
            rows, weights = self._points[rows_of_class], self._weights[rows_of_class]
            means[k] = weights @ rows / self.sizes[k]
            residuals = (rows - means[k]) * np.sqrt(weights)[:, None]
            scatters[k] = residuals.T @ residuals
        return means, scatters

    def _shrink(self, strengths):
        """Take the strength with the smallest leave-one-out error, the largest among equals."""
        tested = slice(None, None, -(-len(self._codes) // _MOST_JUDGED))
        row_codes, weights = self._codes[tested], self._weights[tested]
        errors = []
        for strength in strengths if len(strengths) > 1 else ():
            self._factorise(strength)
            errors.append(weights @ (self.left_out_scores(tested).argmax(axis=1) != row_codes))
        best = len(errors) - 1 - int(np.argmin(errors[::-1])) if errors else 0
        self._factorise(strengths[best])

    def _factorise(self, strength):
        self.strength = float(strength)
        lower = np.linalg.cholesky(self._scatters + strength * self._pooled)
        self._whiteners = np.swapaxes(np.linalg.inv(lower), 1, 2).copy()
        self._log_determinants = 2 * np.log(np.einsum("kii->ki", lower)).sum(axis=1)
