"""Leave-one-out errors of kernel ridge regression on the classes, in closed form.

The indicator of each class is fitted by ridge regression on Gaussian kernels around a few
landmarks (Nyström's approximation); a sample gets the class with the largest value. The value
without the sample follows from the one with it and from the sample's leverage, so all n refits
cost no more than one fit: O(n m (m + d)) time for m landmarks and each width, O(n m) memory.
"""

import numpy as np
from scipy.linalg.blas import strmm
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri, strtri

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import in_threads
from smartsvm._core.sampling import content_order
from smartsvm._mst.products.projection import squared_distances
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.standardised_columns import Columns

# Landmarks: half of the samples, at most 200.
MOST_LANDMARKS = 200
# Rates w of the kernels exp(-w |x - z|² / median |x - z|²), from nearly linear to as narrow as a
# sixth of the median distance, which checkerboards and spirals need. Each is four times the one
# before, because the fourth power of a kernel is cheaper than a new one.
WIDTHS = (0.5, 2.0, 8.0, 32.0)
# Ridges λ that are tried with each width.
RIDGES = (0.03, 0.3, 3.0)
# The diagonal of the m landmarks' kernel matrix grows by 1e-8 m. Rounding is far smaller, so the
# matrix has a Cholesky factor.
FLAT = 1e-8
# Squared distances below 1e-12 of the largest one are rounding errors: a sample's from itself.
_SAME = 1e-12
# Fitted indicators, and 1 - H_ii, are at least this: their logarithms and quotients stay finite.
_LEAST_VALUE = 0.01
# The median is taken over about so many distances; more hardly change it.
_DISTANCES = 20_000
# Rows that are predicted at once.
_BLOCK = 4096


def kernel_leave_one_out(points, codes, n_classes, widths=WIDTHS, *, seed=0, n_jobs=None):
    """Leave-one-out mistakes of kernel ridge regression, for each width and ridge that is tried."""
    # Widths are tried until one is worse than the best by more than a standard error. With centred
    # features φ and the hat matrix H = 1/n + φ(φᵀφ + λ)⁻¹φᵀ, the value without sample i is
    # y_i - (y_i - ŷ_i) / (1 - H_ii).
    with single_blas_thread():  # several threads round in another order
        columns = Columns(points).block(slice(None))
        chosen = _landmarks(columns, points)
        return _leave_one_out(columns, codes, n_classes, widths, *chosen)


def kernel_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train` by a fit to the others, for each (width, ridge)."""
    columns = Columns(points, n_jobs)
    width = None
    fitted = columns.block(train)
    new = columns.of(np.flatnonzero(~train))
    indicators = _indicators(codes[train], n_classes)
    means = indicators.mean(axis=0)
    (landmarks, unit) = _landmarks(fitted, points[train])
    for setting in settings:
        if setting[0] != width:
            width = setting[0]
            between = _kernel(landmarks, landmarks, width / unit)
            features = _features(_kernel(fitted, landmarks, width / unit, np.float32), between)
            centre = features.mean(axis=0)
            gram, towards = _products(features - centre, indicators)
        slopes = dpotrs(_factor(gram, setting[1]), towards, lower=1)[0].astype(np.float32)
        out = np.empty((new.shape[0], n_classes), dtype=np.float32)

        def fill(rows, rate=width / unit, between=between, centre=centre, slopes=slopes, out=out):
            features = _features(_kernel(new.block(rows), landmarks, rate, np.float32), between)
            out[rows] = _log_values((features - centre) @ slopes + means)

        starts = range(0, len(out), _BLOCK)
        in_threads(fill, [slice(start, start + _BLOCK) for start in starts], n_jobs)
        yield out


def _indicators(codes, n_classes):
    indicators = np.zeros((len(codes), n_classes), dtype=np.float32)
    indicators[np.arange(len(codes)), codes] = 1.0
    return indicators


def _log_values(values):
    """Fitted indicators as log probabilities: negative values count as the least one."""
    return np.log(np.maximum(values, _LEAST_VALUE), dtype=np.float32)


def _landmarks(columns, points):
    """Some of the rows, and the median squared distance of rows to them."""
    # Drawn by content: a seed would move the error by several samples, and cannot matter.
    n_landmarks = min(MOST_LANDMARKS, -(-len(columns) // 2))
    order = content_order(points)
    landmarks = columns[order[:n_landmarks]]
    sampled = columns[order[:: -(-len(columns) * n_landmarks // _DISTANCES)]]
    squared = squared_distances(sampled, landmarks)
    distinct = squared[squared > _SAME * squared.max()]
    return landmarks, float(np.median(distinct)) if distinct.size else 1.0


def _kernel(rows, landmarks, rate, dtype=float):
    """exp(-rate |x - z|²) for all rows x and landmarks z."""
    squared = squared_distances(rows, landmarks)
    squared *= -rate
    squared = squared.astype(dtype, copy=False)
    return np.exp(squared, out=squared)


def _leave_one_out(columns, codes, n_classes, widths, landmarks, unit):
    def kernels(width):
        # Products take half of the time in single precision; the kernels of the landmarks among
        # themselves are nearly dependent and need more digits.
        dtypes = {np.float32: columns, float: landmarks}
        return [_kernel(rows, landmarks, width / unit, dtype) for dtype, rows in dtypes.items()]

    indicators = _indicators(codes, n_classes)
    best = None
    tried = []
    kernel_pair = kernels(widths[0])
    for width in widths:
        if tried:
            kernel_pair = [np.square(np.square(kernel)) for kernel in kernel_pair]
        wrong = np.array(list(_mistakes(_centred(_features(*kernel_pair)), indicators, codes)))
        tried.append(Mistakes(tuple((width, ridge) for ridge in RIDGES), wrong))
        of_ridge = wrong[tried[-1].errors.argmin()]
        if best is not None and _is_clearly_worse(of_ridge, best):
            break
        if best is None or of_ridge.sum() < best.sum():
            best = of_ridge
    settings = tuple(setting for trial in tried for setting in trial.settings)

    def scores(number, rows=slice(None)):
        width, ridge = settings[number]
        features = _centred(_features(*kernels(width)))
        return _left_out_scores(features, indicators, ridge)[rows]

    return Mistakes(settings, np.concatenate([trial.wrong for trial in tried]), scores)


def _left_out_scores(features, indicators, ridge):
    """Scores of every sample without itself, for one ridge."""
    gram, towards = _products(features, indicators)
    factor = _factor(gram, ridge)
    slopes = dpotrs(factor, towards, lower=1)[0].astype(np.float32)
    turned = strmm(1.0, strtri(factor, lower=1)[0], features.T, lower=1)
    slack = 1 - 1 / len(features) - np.einsum("ij,ij->j", turned, turned)
    residuals = indicators - features @ slopes - indicators.mean(axis=0)
    return _log_values(indicators - residuals / np.maximum(slack, _LEAST_VALUE)[:, None])


def _is_clearly_worse(wrong, best):
    """Whether one setting errs more often than another by more than a standard error."""
    return wrong.sum() - best.sum() > np.sqrt(np.count_nonzero(wrong != best))


def _mistakes(features, indicators, codes):
    """Mistakes for each ridge."""
    # A sample is wrong if the lead of its own class is at most its leverage H_ii. Leverages take
    # most of the work: they are computed where the lead is above 0 and below the last leverage.
    n = len(features)
    gram, towards = _products(features, indicators)
    factors = [_factor(gram, ridge) for ridge in RIDGES]
    slopes = np.concatenate([dpotrs(factor, towards, lower=1)[0] for factor in factors], axis=1)
    fitted = features @ slopes.astype(np.float32) + np.tile(indicators.mean(axis=0), len(RIDGES))
    leverages = np.ones(n)
    places = (np.arange(n), codes)
    for factor, values in zip(factors, np.split(fitted, len(RIDGES), axis=1), strict=True):
        own_values = values[places]
        values[places] = -np.inf
        ahead = own_values - values.max(axis=1) - 1 / n  # of the best other class
        doubtful = np.flatnonzero((ahead > 0) & (ahead <= leverages))
        turned = strmm(1.0, strtri(factor, lower=1)[0], features[doubtful].T, lower=1)
        leverages[doubtful] = np.einsum("ij,ij->j", turned, turned)
        yield ahead <= leverages


def _products(features, indicators):
    """Inner products of the features with each other and with the indicators."""
    return ((features.T @ other).astype(float) for other in (features, indicators))


def _features(kernel, between):
    """Features of all samples whose inner products are Nyström's approximation of the kernel."""
    inverse = dtrtri(_factor(between, FLAT * len(between)), lower=1)[0]
    # Transposed: the routine reads column by column.
    return strmm(1.0, inverse.astype(np.float32), kernel.T, lower=1).T


def _centred(features):
    features -= features.mean(axis=0)
    return features


def _factor(matrix, ridge):
    """The lower Cholesky factor of a symmetric matrix with a ridge on its diagonal."""
    ridged = matrix.copy()
    ridged.ravel()[:: len(ridged) + 1] += ridge
    factor, failed = dpotrf(ridged.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError(f"The kernel is not positive definite at row {failed}.")
    return factor
