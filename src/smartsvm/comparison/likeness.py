"""How much every row is like the first sample, read off what the test itself looks at."""

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from smartsvm._core.blas_threads import single_blas_thread

_LEAST_SPREAD = 1e-9  # of a feature, below which it is constant but for rounding


def likeness_of_rows(edges, features, codes, n_samples):
    """Probability of the first sample for rows like each row, if samples were of one size."""
    # Three features, as in the test: the samples of near rows, the difference of mean distances to
    # both samples, and the distance from the centre. None of them uses the row's own label.
    links = _links(edges, len(codes))
    sums = np.stack([features.coordinates[codes == k].sum(axis=0) for k in range(n_samples)])
    out = np.empty(len(codes))
    for k in range(n_samples):
        others = codes != 0 if k == 0 else codes == k
        used = np.flatnonzero((codes == 0) | others)
        is_first = codes[used] == 0
        near = _near_shares(links, codes == 0, others)[used]
        rest = sums[1:].sum(axis=0) if k == 0 else sums[k]
        apart = _witness(features.coordinates[used], is_first, sums[0], rest)
        columns = np.column_stack([near, apart, features.ranks[used]])
        columns -= columns.mean(axis=0)
        spreads = columns.std(axis=0)
        columns /= np.where(spreads > _LEAST_SPREAD, spreads, np.inf)
        with single_blas_thread():
            model = LogisticRegression(class_weight="balanced").fit(columns, is_first)
        own = (is_first if k == 0 else ~is_first).nonzero()[0]
        out[used[own]] = model.predict_proba(columns[own])[:, 1]
    return out


def _links(edges, n):
    """Numbers of walks of one and of two edges between rows, without those that come back."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    return csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))


def _near_shares(links, is_first, others):
    """Fraction of the first sample among the rows that are one or two edges away."""
    counts = []
    for inside in (is_first, others):
        inside = inside.astype(float)
        near = links @ inside
        degrees = np.diff(links.indptr)
        counts.append(near + links @ near - degrees * inside)
    return (counts[0] + 0.5) / (counts[0] + counts[1] + 1.0)


def _witness(coordinates, is_first, first, rest):
    """Mean kernel with the first sample less that with the others, each without the row itself."""
    own = np.einsum("ij,ij->i", coordinates, coordinates)
    n_first, n_rest = is_first.sum(), (~is_first).sum()
    to_first = (coordinates @ first - own * is_first) / np.maximum(n_first - is_first, 1)
    to_rest = (coordinates @ rest - own * ~is_first) / np.maximum(n_rest - ~is_first, 1)
    return (to_first - to_rest).astype(np.float64)
