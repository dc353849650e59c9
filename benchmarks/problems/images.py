"""Pictures: displays, symmetric patterns and maps of defects."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from .building import Generative, named

_SEGMENTS = np.array(
    [  # of the digits 0 to 9 on a display
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ]
)


def seven_segments(random):
    """The segments of a digit on a poor display, of which one may be dark for good."""
    flips, broken = random.choice([0.0, 0.05, 0.15]), random.choice([0.0, 0.3, 0.8])
    extra, even = int(random.choice([0, 5, 20])), random.random() < 0.5
    rates = flips * random.uniform(0.5, 1.5, 7)
    priors = np.full(10, 0.1) if even else random.dirichlet(np.full(10, 2.0))
    dark = np.append(1 - broken, np.full(7, broken / 7))
    works = np.vstack([np.ones(7), 1 - np.eye(7)])
    lit = (_SEGMENTS * (1 - rates) + (1 - _SEGMENTS) * rates)[:, None] * works  # (10, 8, 7)
    seen = (np.arange(128)[:, None] >> np.arange(7) & 1)[:, None, None]  # every pattern
    fits = (seen * lit + (1 - seen) * (1 - lit)).prod(axis=3) @ dark
    logs = np.log(np.maximum(fits * priors, 1e-300))

    def sample(generator, n):
        which, fault = generator.choice(10, n, p=priors), generator.choice(8, n, p=dark)
        seen = _SEGMENTS[which] ^ (generator.random((n, 7)) < rates)
        seen = seen * works[fault]
        return np.hstack([seen, generator.integers(0, 2, (n, extra))]) * 1.0, which

    def scores(X):
        return logs[X[:, :7].astype(int) @ 2 ** np.arange(7)]

    words = f"flips={flips} broken={broken} extra={extra} even={even}"
    return words, Generative(sample, scores)


def mirrored_patterns(random):
    """Random grey patterns: mirrored left to right, top to bottom, turned round, or not at all."""
    side, n_classes = int(random.choice([3, 5, 8])), int(random.choice([2, 3, 5]))
    alike, smooth = random.uniform(0.3, 0.95), random.choice([0.3, 1.5])
    cells = np.arange(side**2).reshape(side, side)
    orders = [cells, cells[:, ::-1], cells[::-1], cells[::-1, ::-1], cells.T]
    orders = [orders[place].ravel() for place in random.choice(5, n_classes, replace=False)]
    places = np.stack(np.divmod(np.arange(side**2), side), axis=1)
    far = ((places[:, None] - places) ** 2).sum(axis=2)
    grain = np.exp(-far / (2 * smooth**2)) + 0.1 * np.eye(side**2)
    covariances = []
    for order in orders:
        same = (order == np.arange(side**2)).all()
        covariances.append(grain if same else grain + alike * grain[order])
    factors = np.linalg.cholesky(np.array(covariances))
    inverses = np.linalg.inv(factors)
    volumes = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)

    def sample(generator, n):
        which, X = generator.integers(0, n_classes, n), generator.normal(size=(n, side**2))
        for k, factor in enumerate(factors):
            X[which == k] = X[which == k] @ factor.T
        return X, which

    def scores(X):
        squared = [((X @ inverse.T) ** 2).sum(axis=1) for inverse in inverses]
        return -0.5 * np.stack(squared, axis=1) - volumes

    words = f"side={side} K={n_classes} alike={alike:.2f} smooth={smooth}"
    return words, Generative(sample, scores)


def wafer_maps(random):
    """Which chips of a wafer are bad: anywhere, in the centre, at the edge, or along a scratch?"""
    side, n_classes = int(random.choice([4, 7, 10])), int(random.choice([2, 4]))
    base, raised = random.choice([0.02, 0.1]), random.choice([0.15, 0.4, 0.8])
    usual = random.choice([0.25, 0.8])  # how often there is no pattern
    away = np.abs(np.stack(np.meshgrid(range(side), range(side)), axis=2) - (side - 1) / 2)
    radius = np.linalg.norm(away, axis=2) / (side / 2)
    lines = [np.eye(side), np.eye(side)[::-1]]
    for place in range(side):
        row = np.zeros((side, side))
        row[place] = 1
        lines += [row, row.T]
    kinds = [[np.zeros((side, side))], lines, [radius < 0.5], [radius > 0.95]][:n_classes]
    maps = np.array([each for kind in kinds for each in kind], dtype=float).reshape(-1, side**2)
    rates = base + (raised - base) * maps
    sizes = np.array([len(kind) for kind in kinds])
    owners = np.repeat(np.arange(n_classes), sizes)
    priors = np.append(usual, np.full(n_classes - 1, (1 - usual) / (n_classes - 1)))
    weights = (priors / sizes)[owners]

    def sample(generator, n):
        which = generator.choice(len(weights), n, p=weights)
        return (generator.random((n, side**2)) < rates[which]).astype(float), owners[which]

    def scores(X):
        logs = X @ np.log(rates).T + (1 - X) @ np.log1p(-rates).T + np.log(weights)
        return np.stack([logsumexp(logs[:, owners == k], axis=1) for k in range(n_classes)], axis=1)

    words = f"side={side} K={n_classes} base={base} raised={raised} usual={usual}"
    return words, Generative(sample, scores)


FAMILIES = named(seven_segments, mirrored_patterns, wafer_maps)
