"""Leave-one-out errors of shrunk linear discriminant analysis (LDA), in closed form.

Leaving out a sample x of class c with residual r = x - mean_c moves that mean along r and
takes n_c / (n_c - 1) r rᵀ from the scatter within classes. By the Sherman–Morrison
formula all n refits together cost about as much as two fits: O(n d² + n K d) time,
O(n + d² + K d) memory, a few rows at a time.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm.held_out.columns import Columns, chunks_of
from smartsvm.held_out.mistakes import Mistakes, wrong_answers

SHRINKAGES = (1e-4, 1e-2, 0.1, 0.5)
MOST_DIRECTIONS = 1000  # columns, or samples where there are fewer: the size of the matrices


def linear_leave_one_out(points, codes, n_classes, shrinkages=SHRINKAGES):
    """Leave-one-out mistakes of LDA for each shrinkage γ, or None where the matrices are too large.

    Columns are standardised first, without the labels. The class of x has the largest
    log n_k - (x - μ_k)ᵀ S⁻¹ (x - μ_k) / 2, with S = (1-γ) W / (n-K) + γ I and W the scatter within
    classes. The only sample of its class is always wrong.
    """
    if min(points.shape) > MOST_DIRECTIONS:
        return None
    with single_blas_thread():  # several threads round in another order
        return _leave_one_out(points, codes, n_classes, np.asarray(shrinkages, dtype=float))


def _leave_one_out(points, codes, n_classes, shrinkages):
    lda = LeaveOneOutLDA(Columns(points), codes, n_classes, shrinkages)
    wrong = np.empty((len(shrinkages), len(codes)), dtype=bool)
    for rows in lda.chunks():
        for answers, scores in zip(wrong, lda.scores(rows), strict=True):
            answers[rows] = wrong_answers(scores, codes[rows])
    return Mistakes(tuple(shrinkages.tolist()), wrong, lda.scores_of)


def linear_predict(points, codes, n_classes, train, shrinkages, **work):
    """Scores of the rows not in `train` by LDA fitted to the others, for each shrinkage."""
    if min(points.shape) > MOST_DIRECTIONS:
        return None
    columns = Columns(points)
    fitted = columns.of(np.flatnonzero(train))
    lda = LeaveOneOutLDA(fitted, codes[train], n_classes, np.array(shrinkages))
    return lda.new_scores(columns.block(~train))


class LeaveOneOutLDA:
    """Means and scatter of the classes, and the scores of every sample without it.

    `columns` has a shape and blocks of rows, standardised, as those of `Columns`.
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
        self._weighted = self._means * self._inverses[:, None]
        inner = self._weighted @ self._means.T
        squares = np.einsum("ijj->ij", inner)
        self._apart = squares[:, :, None] - 2 * inner + squares[:, None]

    def chunks(self, n_rows=None):
        """Slices of rows that fit the cache."""
        n_rows = len(self._codes) if n_rows is None else n_rows
        return chunks_of(n_rows, self._columns.shape[1] + 6 * len(self.counts))

    def scores_of(self, setting, rows=slice(None)):
        """Scores of some rows for one shrinkage."""
        rows = np.arange(len(self._codes))[rows]
        out = np.empty((len(rows), len(self.counts)), dtype=np.float32)
        for chunk in self.chunks(len(rows)):
            (out[chunk],) = self.scores(rows[chunk], slice(setting, setting + 1))
        return out

    def new_scores(self, points):
        """Scores of points that were not fitted to, for every shrinkage."""
        turned, priors = points @ self._directions, np.log(self.counts)
        for scale, weighted in zip(self._scales, self._weighted, strict=True):
            squares = np.einsum("ij,ij->i", weighted, self._means)
            # Up to the length of the point, which all classes share.
            yield (priors + scale * (turned @ weighted.T - squares / 2)).astype(np.float32)

    def scores(self, rows, settings=slice(None)):
        """For every shrinkage, the scores of some rows, each without itself.

        With residual r, h = rᵀA⁻¹r, a = n_c / (n_c - 1) and t_k = rᵀA⁻¹(μ_c - μ_k), the distances
        are D_k = h + 2 t_k + |μ_c - μ_k|²; without the sample, D_k + a (h + t_k)² / (1 - a h) for
        the other classes and a² h / (1 - a h) for its own.
        """
        own = self._codes[rows]
        places = np.arange(len(own)), own
        turned = self._columns.block(rows) @ self._directions
        turned -= self._means[own]
        lengths = turned**2 @ self._inverses[settings].T
        left = self.counts[own] - 1
        factor = self.counts[own] / np.maximum(left, 1)
        priors = np.log(self.counts)
        with np.errstate(divide="ignore"):  # the only sample of its class cannot win
            prior_left = np.log(left)
        ways = self._scales[settings], self._weighted[settings], self._apart[settings], lengths.T
        for scale, weighted, apart, h in zip(*ways, strict=True):
            along = turned @ weighted.T
            towards = along[places][:, None] - along
            towards += h[:, None]
            distances = 2 * towards - h[:, None] + apart[own]
            rest = 1 - factor * h  # at least ridge / (ridge + n d): the columns are scaled
            without = distances + (factor / rest)[:, None] * towards**2
            without = priors - scale / 2 * without
            without[places] = prior_left - scale / 2 * factor**2 * h / rest
            yield without

    def plane(self):
        """Weights of the columns, (d, K), and constants of the scores for the first shrinkage."""
        weighted, scale = self._means * self._inverses[0], self._scales[0]
        squares = np.einsum("ij,ij->i", weighted, self._means)
        return scale * (self._directions @ weighted.T), np.log(self.counts) - scale / 2 * squares
