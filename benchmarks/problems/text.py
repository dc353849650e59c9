"""Text: counts of words and what they mean together."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp

from .building import Generative, named


def negated_reviews(random):
    """Counts of good, bad, not and other words, where "not" turns a word round: which rating?"""
    n_classes, length = int(random.choice([2, 3, 5])), int(random.choice([5, 20, 60]))
    turned, extra = random.choice([0.1, 0.4]), int(random.choice([0, 10, 40]))
    praise = 0.5 + random.uniform(0.1, 0.45) * np.linspace(-1, 1, n_classes)
    strong = random.uniform(0.2, 0.7)  # share of words that judge
    # What is meant is good or bad, said straight or as the opposite after "not".
    units = strong * np.stack(
        [
            praise * (1 - turned),
            (1 - praise) * (1 - turned),
            (1 - praise) * turned,
            praise * turned,
        ],
        axis=1,
    )
    units = np.column_stack([units, np.full(n_classes, 1 - strong)])
    priors = random.dirichlet(np.full(n_classes, 4.0))
    others = random.gamma(0.5, 1.0, extra)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        good, bad, not_good, not_bad, other = generator.multinomial(
            1 + generator.poisson(length, n), units[which]
        ).T
        X = [good + not_good, bad + not_bad, not_good + not_bad, other]
        return np.column_stack([*X, generator.poisson(others, (n, extra))]) * 1.0, which

    def scores(X):
        good, bad, turns, other = X[:, :4].T
        parts, logs = [], np.log(units)
        for not_good in range(int(turns.max()) + 1):  # nobody counted which word "not" goes with
            counts = [
                good - not_good,
                bad - turns + not_good,
                np.full(len(X), not_good * 1.0),
                turns - not_good,
            ]
            counts = np.stack(counts, axis=1)
            possible = (counts >= 0).all(axis=1)
            counts = np.maximum(counts, 0)
            part = counts @ logs[:, :4].T - gammaln(counts + 1).sum(axis=1)[:, None]
            parts.append(np.where(possible[:, None], part, -np.inf))
        return logsumexp(parts, axis=0) + np.outer(other, logs[:, 4]) + np.log(priors)

    words = f"K={n_classes} length={length} turned={turned} extra={extra} strong={strong:.2f}"
    return words, Generative(sample, scores)


FAMILIES = named(negated_reviews)
