"""A direct test of two classes that the trees do not separate, before they are called alike.

A classifier of these two classes alone may find what trees and classifiers of all classes miss: the
area under the ROC curve of held-out scores is compared with 1/2.
"""

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.clearly import CLEAR
from smartsvm._core.points import Points
from smartsvm._core.sampling import stratified_rows
from smartsvm.estimation.friedman_rafsky import INSEPARABLE
from smartsvm.held_out.registry import QUICK_CLASSIFIERS
from smartsvm.held_out.trials import Trials

# Pairs that are tested, at most, the least separable first; the others count as separated.
_MOST_PAIRS = 20
# Samples of a pair that classifiers are fitted to, at most.
_ROWS = 1000


def pair_separation(points, codes, pair_scores, posterior, folds=None, *, seed, n_jobs):
    """z of the largest area under the ROC curve of each pair, shape (K, K)."""
    # Pairs that the trees separate, and pairs beyond the first 20, have an infinite z.
    n_classes = len(pair_scores)
    z_of_pairs = np.full((n_classes, n_classes), np.inf)
    firsts, seconds = np.nonzero(np.triu(pair_scores > INSEPARABLE, 1))
    order = np.argsort(-pair_scores[firsts, seconds], kind="stable")[:_MOST_PAIRS]
    for one, other in zip(firsts[order], seconds[order], strict=True):
        rows = np.flatnonzero((codes == one) | (codes == other))
        held_out_rows = rows if folds is None else rows[folds.numbers[rows] >= 0]
        logs = posterior.log_probabilities[held_out_rows]
        z = area_score(logs[:, other] - logs[:, one], codes[held_out_rows] == other)
        if z < CLEAR:
            own = points, codes, rows, other, folds
            z = max(z, _score_of_two_classes(*own, seed=seed, n_jobs=n_jobs))
        z_of_pairs[one, other] = z_of_pairs[other, one] = z
    return z_of_pairs


def _score_of_two_classes(points, codes, rows, second, folds, *, seed, n_jobs):
    """z of the best of the quick classifiers, fitted to the rows of two classes alone."""
    is_second = (codes[rows] == second).astype(np.intp)
    row_numbers = stratified_rows(is_second, _ROWS, seed)
    rows, is_second = rows[row_numbers], is_second[row_numbers]
    trials = Trials(
        Points(np.ascontiguousarray(points[rows])),
        is_second,
        None,
        QUICK_CLASSIFIERS,
        folds=None if folds is None else folds.of(rows),
        seed=seed,
        n_jobs=n_jobs,
    )
    scores = map(trials.scores, trials.scored())
    return max(area_score(s[:, 1] - s[:, 0], is_second[trials.rows] == 1) for s in scores)


def area_score(scores, is_second):
    """z of the area under the ROC curve against 1/2, from the ranks of the scores."""
    n, m = len(scores), np.count_nonzero(is_second)
    ranks = rankdata(np.nan_to_num(scores))
    spread = ranks.std(ddof=1) if n > 1 else 0.0  # less where scores are tied
    if not spread or m in (0, n):
        return 0.0
    mean = ranks[is_second].mean() - (n + 1) / 2
    return float(mean / (spread * np.sqrt((n - m) / (n * m))))
