"""The Bayes error of a table of cells: few distinct rows, each with many labels.

The fraction of each cell outside its largest class is the plug-in error. It is too low, since the
largest class of a small cell is partly a matter of chance. So the class shares of the cells are
given a Dirichlet prior, whose strength is as likely as it makes the labels of all cells, and the
error is averaged over what remains possible.
"""

import numpy as np
from scipy.special import gammaln

from smartsvm.estimation.results import Interval

# Prior rows in each cell, 17% apart: from a prior that says nothing to one that makes cells equal.
_STRENGTHS = np.geomspace(0.05, 500, 60)
_DRAWS = 1000  # from the posterior: 25 of them are beyond each limit of a 95% interval


def table_of_cells(cells, codes):
    """The Bayes error of labels within cells, both numbered from 0, and its 95% interval.

    Examples
    --------
    >>> import numpy as np
    >>> from smartsvm.estimation.cells import table_of_cells
    >>> cells = np.repeat([0, 1], 500)  # the first cell has 10% of class 1, the second 80%
    >>> codes = np.r_[np.arange(500) % 10 == 0, np.arange(500) % 5 > 0].astype(int)
    >>> round(table_of_cells(cells, codes).value, 2)
    0.15
    """
    n_cells, n_classes = int(cells.max()) + 1, int(codes.max()) + 1
    counts = np.bincount(cells * n_classes + codes, minlength=n_cells * n_classes)
    counts = counts.reshape(n_cells, n_classes)
    sizes = counts.sum(axis=1)
    random = np.random.default_rng(0)
    # Gamma variables divided by their sum are a draw from a Dirichlet distribution.
    errors = np.empty(_DRAWS)
    for draw, prior in enumerate(_priors(counts, random)):
        shares = random.standard_gamma(counts + prior)
        wrong = 1 - shares.max(axis=1) / np.maximum(shares.sum(axis=1), np.finfo(float).tiny)
        weights = random.standard_gamma(sizes)
        errors[draw] = weights @ wrong / weights.sum()
    return Interval(float(errors.mean()), *map(float, np.quantile(errors, [0.025, 0.975])))


def _priors(counts, random):
    """Draws of the prior rows of each class: the class shares times a strength."""
    shares = (counts.sum(axis=0) + 0.5) / (counts.sum() + counts.shape[1] / 2)
    strengths = _STRENGTHS[:, None]
    rows = (strengths * shares)[:, None]
    likelihoods = (gammaln(strengths) - gammaln(counts.sum(axis=1) + strengths)).sum(axis=1)
    likelihoods += (gammaln(counts + rows) - gammaln(rows)).sum(axis=(1, 2))
    chances = np.exp(likelihoods - likelihoods.max())
    return random.choice(_STRENGTHS, _DRAWS, p=chances / chances.sum())[:, None] * shares
