"""How much every row is like the first sample, by the features that the test uses."""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from smartsvm.estimation.energy_features import products_with, sums_over

# A feature whose spread is below 1e-9 of its largest value is constant up to rounding.
_LEAST_SPREAD = 1e-9
# Added to the variances, which are 1, so that features may be multiples of each other.
_RIDGE = 1e-3


def likeness_of_rows(edges, features, codes, n_samples):
    """Probability that a row like each row is of the first sample, if all have the same size."""
    # Three features, as in the test: the samples of neighbours, the difference of mean distances to
    # both samples, and the distance from the centre. None of them uses the row's own label.
    links = _links(edges, len(codes))
    sums = sums_over(features.coordinates, codes[:, None] == np.arange(n_samples)).T
    products, own_products = products_with(features.coordinates, sums)
    out = np.empty(len(codes))
    # Of two samples, one fit serves both.
    for k in range(1 if n_samples == 2 else 0, n_samples):
        others = codes != 0 if k == 0 else codes == k
        used = np.flatnonzero((codes == 0) | others)
        is_first = codes[used] == 0
        neighbor_shares = _neighbor_shares(links, codes == 0, others)[used]
        with_rest = products[:, 1:].sum(axis=1) if k == 0 else products[:, k]
        witness = _witness(is_first, products[used, 0], with_rest[used], own_products[used])
        columns = np.column_stack([neighbor_shares, witness, features.ranks[used]])
        is_answered = is_first if k == 0 else ~is_first | (n_samples == 2)
        out[used[is_answered]] = expit(_log_odds(columns, is_first)[is_answered])
    return out


def _log_odds(columns, is_first):
    """Log odds of the first sample by linear discriminant analysis with equal priors."""
    middles = [columns[inside].mean(axis=0) for inside in (is_first, ~is_first)]
    residuals = columns - np.where(is_first[:, None], *middles)
    spreads = residuals.std(axis=0)
    units = np.where(spreads > _LEAST_SPREAD * np.abs(columns).max(axis=0), spreads, np.inf)
    residuals /= units
    covariance = residuals.T @ residuals / len(columns) + _RIDGE * np.eye(columns.shape[1])
    towards = np.linalg.solve(covariance, (middles[0] - middles[1]) / units) / units
    return (columns - (middles[0] + middles[1]) / 2) @ towards


def _links(edges, n):
    """The graph of the edges."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    return csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))


def _neighbor_shares(links, is_first, others):
    """Fraction of the first sample among the rows that are one or two edges away."""
    counts = []
    for inside in (is_first, others):
        inside = inside.astype(float)
        one_away = links @ inside
        degrees = np.diff(links.indptr)
        counts.append(one_away + links @ one_away - degrees * inside)
    return (counts[0] + 0.5) / (counts[0] + counts[1] + 1.0)


def _witness(is_first, with_first, with_rest, with_itself):
    """Mean kernel with the first sample less that with the others, each without the row itself."""
    n_first = is_first.sum()
    n_rest = (~is_first).sum()
    to_first = (with_first - with_itself * is_first) / np.maximum(n_first - is_first, 1)
    to_rest = (with_rest - with_itself * ~is_first) / np.maximum(n_rest - ~is_first, 1)
    return (to_first - to_rest).astype(np.float64)
