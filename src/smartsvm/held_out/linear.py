"""Leave-one-out errors of shrunk linear discriminant analysis (LDA), in closed form.

Leaving out a sample x of class c with residual r = x - mean_c moves that mean along r and
takes n_c / (n_c - 1) r rᵀ from the scatter within classes. By the Sherman–Morrison
formula all n refits together cost about as much as two fits: O(n d² + n K d) time,
O(n + d² + K d) memory, a few rows at a time.
"""

from copy import copy

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.devices import beside, on_host
from smartsvm._core.parallel import in_threads, parallel_results
from smartsvm.held_out.mistakes import Mistakes, wrong_answers
from smartsvm.held_out.standardised_columns import Columns, chunks_of

# Shrinkages γ that are tried, in S = (1 - γ) W / (n - K) + γ I.
SHRINKAGES = (1e-4, 1e-2, 0.1, 0.5)
# LDA is skipped where min(n, d) is larger: its matrices have min(n, d)² entries.
MOST_DIMENSIONS = 1000
# Numbers in a chunk of rows whose sums are added up.
_SUMMED = 2**16
# Numbers in a chunk of rows on a GPU, with all that is computed from it.
_CHUNK_ON_DEVICE = 2**26


def covariance_bytes(n, d, n_classes):
    """Bytes of the covariances and their factors: a dozen matrices in 64 bits."""
    return 100 * min(d, MOST_DIMENSIONS) ** 2


def linear_leave_one_out(points, codes, n_classes, *, seed=0, n_jobs=None, on_device=None):
    """Leave-one-out mistakes of LDA for each shrinkage γ; None where matrices are too large."""
    # The class of x has the largest log n_k - (x - μ_k)ᵀ S⁻¹ (x - μ_k) / 2, with W the scatter
    # within classes and S = (1-γ) W / (n-K) + γ I. The only sample of its class is always wrong.
    if min(points.shape) > MOST_DIMENSIONS:
        return None
    shrinkages = np.array(SHRINKAGES)
    with single_blas_thread():  # the threads are ours: those of BLAS round in another order
        lda = LeaveOneOutLDA(Columns(points, n_jobs), codes, n_classes, shrinkages, n_jobs=n_jobs)
        if on_device is not None and points.shape[1] <= len(points):
            lda = lda.on(on_device)
        wrong = np.empty((len(shrinkages), len(codes)), dtype=bool)

        def judge(rows):
            for answers, scores in zip(wrong, lda.scores(rows), strict=True):
                answers[rows] = on_host(wrong_answers(scores, codes[rows]))

        in_threads(judge, lda.chunks(), lda.n_jobs)
    return Mistakes(SHRINKAGES, wrong, lda.scores_of)


def linear_predict(points, codes, n_classes, train, shrinkages, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train` by LDA fitted to the others, for each shrinkage."""
    if min(points.shape) > MOST_DIMENSIONS:
        return None
    columns = Columns(points, n_jobs)
    shrinkages = np.array(shrinkages)
    fitted, others = (columns.of(np.flatnonzero(chosen)) for chosen in (train, ~train))
    lda = LeaveOneOutLDA(fitted, codes[train], n_classes, shrinkages, n_jobs=n_jobs)
    return (lda.new_scores(others, setting) for setting in range(len(shrinkages)))


class LeaveOneOutLDA:
    """Means and scatter of the classes, and the scores of every sample without it."""

    def __init__(self, columns, codes, n_classes, shrinkages, *, n_jobs=None):
        self._columns = columns
        self._codes = codes
        self.n_jobs = n_jobs
        self._most = None
        self.counts = np.bincount(codes, minlength=n_classes)
        others = self.counts - 1
        self._factors = self.counts / np.maximum(others, 1)
        with np.errstate(divide="ignore", invalid="ignore"):  # an only sample cannot win
            self._log_left = np.log(others)
        n, d = columns.shape

        def sums(rows):
            row_codes = codes[rows]
            members = np.ones(len(row_codes)), row_codes, np.arange(len(row_codes) + 1)
            return csr_matrix(members, (len(row_codes), n_classes)).T @ columns.block(rows)

        def scatters(rows):
            residuals = columns.block(rows) - means[codes[rows]]
            return residuals.T @ residuals

        means = self._total(sums, n_classes) / self.counts[:, None]
        spread, self._directions = eigh(
            self._total(scatters, d), overwrite_a=True, check_finite=False
        )
        self._means = means @ self._directions
        # Without the sample: S = (W + ridge I) / scale.
        freedom = max(n - 1 - n_classes, 1)
        self._scales = freedom / (1 - shrinkages)
        self._inverses = 1 / (np.maximum(spread, 0) + (shrinkages * self._scales)[:, None])
        self._weighted = self._means * self._inverses[:, None]
        inner = self._weighted @ self._means.T
        squares = np.einsum("ijj->ij", inner)
        distances = squares[:, :, None] - 2 * inner + squares[:, None]
        # The scores of the class means.
        self._of_means = np.log(self.counts) - (self._scales / 2)[:, None, None] * distances

    def on(self, points):
        """The same with the points as a tensor, whose device computes the scores."""
        there = copy(self)
        there._columns = self._columns.on(points)
        there.n_jobs = 1
        there._most = _CHUNK_ON_DEVICE
        for name in (
            "_codes",
            "_factors",
            "_log_left",
            "_directions",
            "_means",
            "_inverses",
            "_weighted",
            "_of_means",
        ):
            setattr(there, name, beside(getattr(self, name), points))
        return there

    def _total(self, function, height):
        """The sum of a function of chunks of rows, which has this many rows, in their order."""
        n, d = self._columns.shape
        size = max(_SUMMED // d, height)
        chunks = ((slice(start, start + size),) for start in range(0, n, size))
        total = np.zeros((height, d))
        with parallel_results(function, chunks, self.n_jobs, in_process=True) as parts:
            for part in parts:  # whatever the number of threads, the rounding is the same
                total += part
        return total

    def chunks(self, n_rows=None):
        """Slices of rows that fit the cache."""
        n_rows = len(self._codes) if n_rows is None else n_rows
        return chunks_of(n_rows, self._columns.shape[1] + 6 * len(self.counts), self._most)

    def scores_of(self, setting, rows=slice(None)):
        """Scores of some rows for one shrinkage."""
        rows = np.arange(len(self._codes))[rows]
        return self._filled(
            len(rows), lambda chunk: next(self.scores(rows[chunk], slice(setting, setting + 1)))
        )

    def new_scores(self, columns, setting):
        """Scores of points that were not fitted to, as `Columns` or the like."""
        weights, constants = self.plane(setting)
        return self._filled(
            columns.shape[0], lambda chunk: columns.block(chunk) @ weights + constants
        )

    def _filled(self, n_rows, scores):
        """The scores of all rows in single precision, by chunks."""
        out = np.empty((n_rows, len(self.counts)), dtype=np.float32)

        def fill(chunk):
            part = scores(chunk)
            out[chunk] = on_host(part if self._most is None else part.float())

        with single_blas_thread():
            in_threads(fill, self.chunks(n_rows), self.n_jobs)
        return out

    def scores(self, rows, settings=slice(None)):
        """For every shrinkage, the scores of some rows, each without itself."""
        # With residual r, h = rᵀA⁻¹r, a = n_c / (n_c - 1) and t_k = rᵀA⁻¹(μ_c - μ_k), the distances
        # are D_k = h + 2 t_k + |μ_c - μ_k|²; without the sample, D_k + a (h + t_k)² / (1 - a h) for
        # the other classes and a² h / (1 - a h) for its own. Tensors have these operations, too.
        row_codes = self._codes[rows]
        places = np.arange(len(row_codes)), row_codes
        rotated = self._columns.block(rows) @ self._directions
        rotated -= self._means[row_codes]
        lengths = rotated**2 @ self._inverses[settings].T
        factor = self._factors[row_codes]
        scales = self._scales[settings].tolist()
        by_shrinkage = scales, self._weighted[settings], self._of_means[settings], lengths.T
        for scale, weighted, of_means, h in zip(*by_shrinkage, strict=True):
            towards = rotated @ weighted.T
            nearest = towards[places] + h
            towards *= -1
            towards += nearest[:, None]  # h + t_k
            denominators = 1 - factor * h  # at least ridge / (ridge + n d): the columns are scaled
            without = towards * (factor / denominators)[:, None]
            without += 2
            without *= towards
            without -= h[:, None]
            without *= -scale / 2
            without += of_means[row_codes]
            without[places] = self._log_left[row_codes] - scale / 2 * factor**2 * h / denominators
            yield without

    def plane(self, setting=0):
        """Weights of the columns, (d, K), and constants of the scores for one shrinkage."""
        weighted, scale = self._weighted[setting], self._scales[setting]
        squares = np.einsum("ij,ij->i", weighted, self._means)
        return scale * (self._directions @ weighted.T), np.log(self.counts) - scale / 2 * squares
