"""The nearest class mean, each sample without its own label, in closed form.

Without sample x, the mean m of its class of n samples is (n m - x) / (n - 1), so that its distance
to that mean grows by the factor n / (n - 1). Other means do not change.
"""

import numpy as np

from smartsvm.held_out.mistakes import Mistakes, wrong_answers


def nearest_mean_leave_one_out(points, codes, n_classes, *, seed=0, n_jobs=None):
    """Mistakes of all samples."""
    counts = np.bincount(codes, minlength=n_classes)
    squared = _squared_distances(points, _means(points, codes, n_classes))
    places = np.arange(len(codes)), codes
    scale = max(float(squared[places].mean()), np.finfo(float).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        squared[places] *= (counts / (counts - 1))[codes] ** 2
    squared[np.isnan(squared)] = np.inf  # the only sample of a class
    scores = (-squared * points.shape[1] / (2 * scale)).astype(np.float32)
    wrong = wrong_answers(scores.copy(), codes)[None]
    return Mistakes((None,), wrong, lambda setting, rows=slice(None): scores[rows])


def nearest_mean_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the samples not in `train` by the means of the others."""
    inside, own = points[train], codes[train]
    means = _means(inside, own, n_classes)
    scale = max(float(((inside - means[own]) ** 2).mean()), np.finfo(float).tiny)
    scores = -_squared_distances(points[~train], means) / (2 * scale)
    return [scores.astype(np.float32)] * len(settings)


def _means(points, codes, n_classes):
    counts = np.bincount(codes, minlength=n_classes)
    return np.stack([points[codes == k].sum(axis=0) for k in range(n_classes)]) / counts[:, None]


def _squared_distances(points, means):
    return np.stack([((points - mean) ** 2).sum(axis=1) for mean in means], axis=1)
