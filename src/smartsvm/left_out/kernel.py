"""Leave-one-out error of a kernel rule: least squares on Gaussian bumps, in closed form.

The share of each class is fitted by a ridge regression on kernels around a few landmarks
(Nyström's approximation), and a sample gets the class with the largest fitted value. A fitted
value without the sample follows from the one with it and from the sample's leverage, so all n
refits cost no more than one fit: O(n m (m + d)) time for m landmarks and each width of the
kernel, O(n m) memory.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrmm, strmm
from scipy.linalg.lapack import dpotrf, dtrtri

from smartsvm._blas_threads import single_blas_thread
from smartsvm.left_out.columns import Columns
from smartsvm.left_out.rule_errors import RuleErrors, wrong_answers

MOST_LANDMARKS = 200
# In units of the inverse of the median squared distance: from nearly straight lines to bumps of
# a sixth of that distance, which checkerboards and spirals need.
WIDTHS = (0.5, 2.0, 8.0, 32.0)
_STEP = 4.0  # from one of them to the next: the fourth power of a kernel is cheaper than a new one
RIDGES = (0.03, 0.3, 3.0)
_FLAT = 1e-8  # added to the kernel of a landmark with itself, whose rounding is far smaller
_SAME = 1e-12  # of the largest squared distance: less is rounding, between a sample and itself
_LEAST_REST = 1e-9  # 1 - leverage, at least
_FEW_ROWS = 5  # times the landmarks: up to so many rows are faster without eigenvectors
_SMALL_TRIANGLE = 64  # rows
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
        One rule for each ridge and each width that was tried: the two in the middle, and
        outwards from the better of them as long as errors fall.

    Notes
    -----
    Columns are first brought to mean 0 and variance 1, values more than three mean absolute
    deviations out are clipped, and landmarks drawn: all without the labels. With features
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
    found, last = {}, (None, None)

    def error(place):
        nonlocal last
        width, (before, kernels) = widths[place], last
        if before is not None and width == _STEP * before:
            kernels = [np.square(np.square(each)) for each in kernels]
        else:
            kernels = [np.exp(each * (-width / unit)) for each in (squared, between)]
        last = width, kernels
        found[place] = np.array(list(_mistakes(_features(*kernels), indicators, codes)))
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
    leverages, coefficients = solve(features, features.T @ features, features.T @ indicators)
    means = indicators.mean(axis=0)
    fitted = features @ np.concatenate(coefficients, axis=1)  # all ridges at once
    for leverage, values in zip(leverages, np.split(fitted, len(RIDGES), axis=1), strict=True):
        rest = np.maximum(1 - 1 / n - leverage, _LEAST_REST)
        values = indicators - (indicators - (values + means)) / rest[:, None]
        yield wrong_answers(values, codes)


def _by_eigenvectors(features, gram, towards):
    """Leverages and coefficients for each ridge, from one decomposition.

    Leverages, here and in `_by_factors`, come from products in single precision, the most of all
    work: a value without its sample has then six digits.
    """
    spread, turn = np.linalg.eigh(gram)
    inverses = 1 / (np.maximum(spread, 0)[:, None] + RIDGES)
    turned = features.astype(np.float32) @ turn.astype(np.float32)
    leverages = np.square(turned, out=turned) @ inverses.astype(np.float32)
    towards = turn.T @ towards
    return leverages.T, [turn @ (inverse[:, None] * towards) for inverse in inverses.T]


def _by_factors(features, gram, towards):
    """The same from one Cholesky factor for each ridge: cheaper for few rows."""
    single = features.astype(np.float32)
    leverages, coefficients = [], []
    for ridge in RIDGES:
        ridged = gram.copy()
        ridged.ravel()[:: len(ridged) + 1] += ridge
        inverse = _inverse_factor(ridged)
        turned = strmm(1.0, inverse.astype(np.float32), single.T, lower=1).T
        leverages.append(np.einsum("ij,ij->i", turned, turned))
        coefficients.append(inverse.T @ (inverse @ towards))
    return leverages, coefficients


def _squared_distances(rows, columns):
    squared = -2 * rows @ columns.T
    squared += np.einsum("ij,ij->i", rows, rows)[:, None]
    squared += np.einsum("ij,ij->i", columns, columns)
    return np.maximum(squared, 0, out=squared)


def _features(kernel, between):
    """Centred features whose inner products are the kernel, as far as landmarks can tell.

    `kernel` is that of all samples with the landmarks, `between` that of landmarks alone.
    """
    ridged = between.copy()
    ridged.ravel()[:: len(ridged) + 1] += _FLAT * len(ridged)
    # Transposed: the routine reads columns one after the other.
    features = dtrmm(1.0, _inverse_factor(ridged), kernel.T, lower=1).T
    features -= features.mean(axis=0)
    return features


def _inverse_factor(matrix):
    """The inverse of a symmetric matrix's lower Cholesky factor; overwrites the matrix."""
    factor, failed = dpotrf(matrix.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError(f"The kernel is not positive definite at row {failed}.")
    return _inverse_triangle(factor)


def _inverse_triangle(lower):
    """By halves, whose products are twice as fast as the routine is on the whole."""
    if len(lower) <= _SMALL_TRIANGLE:
        return dtrtri(lower, lower=1)[0]
    half = len(lower) // 2
    first, second = _inverse_triangle(lower[:half, :half]), _inverse_triangle(lower[half:, half:])
    inverse = np.zeros_like(lower, order="F")
    inverse[:half, :half], inverse[half:, half:] = first, second
    below = dtrmm(1.0, first, lower[half:, :half], side=1, lower=1)
    inverse[half:, :half] = dtrmm(-1.0, second, below, lower=1)
    return inverse
