"""Leave-one-out error of a kernel rule: least squares on Gaussian bumps, in closed form.

The share of each class is fitted by a ridge regression on kernels around a few landmarks
(Nyström's approximation), and a sample gets the class with the largest fitted value. A fitted
value without the sample follows from the one with it and from the sample's leverage, so all n
refits cost no more than one fit: O(n m (m + d)) time for m landmarks and each width of the
kernel, O(n m) memory.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from smartsvm._blas_threads import single_blas_thread
from smartsvm.left_out.columns import Columns
from smartsvm.left_out.rule_errors import RuleErrors, wrong_answers

MOST_LANDMARKS = 200
# In units of the inverse of the median squared distance: from nearly straight lines to bumps of
# a sixth of that distance, which checkerboards and spirals need.
WIDTHS = (0.5, 2.0, 8.0, 32.0)
RIDGES = (0.03, 0.3, 3.0)
_FLAT = 1e-8  # added to the kernel of a landmark with itself, whose rounding is far smaller
_SAME = 1e-12  # of the largest squared distance: less is rounding, between a sample and itself
_LEAST_REST = 1e-9  # 1 - leverage, at least
_FEW_ROWS = 4  # times the landmarks: fewer rows are faster without eigenvectors
_DISTANCES = 20_000  # of which the median is taken, about


def kernel_leave_one_out(points, codes, n_classes, widths=WIDTHS, *, seed=0):
    """Errors of kernel ridge rules, each sample left out in turn.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.
    codes : ndarray of shape (n_samples,)
        Class of each point, 0 to K-1, none empty.
    n_classes : int
        Classes K.
    widths : sequence of float, default=WIDTHS
        Inverse squared widths of the kernel, in units of the inverse of the median squared
        distance between samples.
    seed : int, default=0
        Seed of the draw of landmarks, at most 200 and at most half of the samples.

    Returns
    -------
    RuleErrors
        One rule for each ridge and each width that was tried: the two in the middle, and from
        the better of them on to its side as long as errors fall.

    Notes
    -----
    Columns are first brought to mean 0 and variance 1, values more than three mean absolute
    deviations out pulled in, and landmarks drawn: none of that looks at a label. With features
    φ of the n samples, centred, the fit of the class indicators Y has the hat matrix
    H = 1/n + φ(φᵀφ + λ)⁻¹φᵀ, and the value without sample i is y_i - (y_i - ŷ_i) / (1 - H_ii).
    """
    with single_blas_thread():  # several would round in another order
        columns = Columns(points).block(slice(None))
        return _leave_one_out(columns, codes, n_classes, widths, seed)


def _leave_one_out(columns, codes, n_classes, widths, seed):
    n = len(codes)
    n_landmarks = min(MOST_LANDMARKS, -(-n // 2))
    landmarks = columns[np.sort(np.random.default_rng(seed).permutation(n)[:n_landmarks])]
    squared = _squared_distances(columns, landmarks)
    between = _squared_distances(landmarks, landmarks)
    some = squared[:: -(-squared.size // _DISTANCES)]
    apart = some[some > _SAME * some.max()]
    unit = float(np.median(apart)) if apart.size else 1.0
    indicators = np.zeros((n, n_classes))
    indicators[np.arange(n), codes] = 1.0
    found = {}

    def error(place):
        scale = -widths[place] / unit
        features = _features(squared * scale, between * scale)
        found[place] = np.array(list(_mistakes(features, indicators, codes)))
        return found[place].mean(axis=1).min()

    middle = (len(widths) - 1) // 2
    best, step = error(middle), 1
    if len(widths) > 1:
        after = error(middle + 1)
        best, step = (best, -1) if best <= after else (after, 1)
    place = middle + 2 if step > 0 else middle - 1
    while 0 <= place < len(widths):
        before, best = best, error(place)
        if best >= before:
            break
        place += step
    tried = sorted(found)
    settings = tuple((widths[each], ridge) for each in tried for ridge in RIDGES)
    return RuleErrors(settings, np.concatenate([found[each] for each in tried]))


def _mistakes(features, indicators, codes):
    """Mistakes for each ridge."""
    n, m = features.shape
    solve = _by_factors if n <= _FEW_ROWS * m else _by_eigenvectors
    means = indicators.mean(axis=0)
    for leverages, values in solve(features, features.T @ features, indicators):
        rest = np.maximum(1 - 1 / n - leverages, _LEAST_REST)
        values += means
        values = indicators - (indicators - values) / rest[:, None]
        yield wrong_answers(values, codes)


def _by_eigenvectors(features, gram, indicators):
    """Leverages and fitted values for each ridge, from one decomposition; overwrites features."""
    spread, turn = np.linalg.eigh(gram)
    turned = features @ turn
    inverses = 1 / (np.maximum(spread, 0)[:, None] + RIDGES)
    towards = turned.T @ indicators
    leverages = np.square(turned, out=features) @ inverses
    for place, inverse in enumerate(inverses.T):
        yield leverages[:, place], turned @ (inverse[:, None] * towards)


def _by_factors(features, gram, indicators):
    """The same from one Cholesky factor for each ridge: cheaper for few rows."""
    for ridge in RIDGES:
        ridged = gram.copy()
        ridged.ravel()[:: len(ridged) + 1] += ridge
        inverse = _inverse_factor(ridged)
        turned = dtrmm(1.0, inverse, features.T, lower=1)
        leverages = np.einsum("ij,ij->j", turned, turned)
        yield leverages, turned.T @ (turned @ indicators)


def _squared_distances(rows, columns):
    squared = -2 * rows @ columns.T
    squared += np.einsum("ij,ij->i", rows, rows)[:, None]
    squared += np.einsum("ij,ij->i", columns, columns)
    return np.maximum(squared, 0, out=squared)


def _features(exponents, landmark_exponents):
    """Centred features whose inner products are the kernel, as far as landmarks can tell."""
    between = np.exp(landmark_exponents)
    between.ravel()[:: len(between) + 1] += _FLAT * len(between)
    inverse = _inverse_factor(between)
    # Transposed: the routine reads columns one after the other, and overwrites them.
    features = dtrmm(1.0, inverse, np.exp(exponents, out=exponents).T, lower=1, overwrite_b=1).T
    features -= features.mean(axis=0)
    return features


def _inverse_factor(matrix):
    """The inverse of a symmetric matrix's lower Cholesky factor; overwrites the matrix."""
    factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError(f"The kernel is not positive definite at row {failed}.")
    return dtrtri(factor, lower=1, overwrite_c=1)[0]
