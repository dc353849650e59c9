"""Networks and hierarchies: how they grow, and codes that name a place in one."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from .building import Generative, draw_labels, named


def growing_trees(random):
    """To which earlier node each new one is tied: do nodes with many ties attract or repel?"""
    nodes, n_classes = int(random.choice([6, 12, 25])), int(random.choice([2, 3]))
    powers = np.sort(random.uniform(-1.5, 2.0, n_classes))
    pull = np.arange(1, nodes + 1) ** powers[:, None]  # of a node with 1, 2, … ties
    priors = random.dirichlet(np.full(n_classes, 6.0))

    def sample(generator, n):
        which, X = generator.choice(n_classes, n, p=priors), np.zeros((n, nodes - 2))
        ties = np.zeros((n, nodes), dtype=int)
        ties[:, :2] = 1
        for new in range(2, nodes):
            weights = pull[which[:, None], ties[:, :new] - 1]
            old = draw_labels(generator, weights / weights.sum(axis=1, keepdims=True))
            ties[np.arange(n), old] += 1
            ties[:, new] = 1
            X[:, new - 2] = old
        return X, which

    def scores(X):
        n, logs = len(X), np.log(priors) + np.zeros((len(X), n_classes))
        ties = np.zeros((n, nodes), dtype=int)
        ties[:, :2] = 1
        for new, old in enumerate(X.T.astype(int), start=2):
            for k in range(n_classes):
                weights = pull[k, ties[:, :new] - 1]
                logs[:, k] += np.log(weights[np.arange(n), old] / weights.sum(axis=1))
            ties[np.arange(n), old] += 1
            ties[:, new] = 1
        return logs

    return f"nodes={nodes} powers={powers.round(1)}", Generative(sample, scores)


def postal_codes(random):
    """One number whose digits name country, region and town: what do people there buy?"""
    n_classes, split = int(random.choice([2, 3, 8])), random.random() < 0.3
    sizes = [
        random.normal(scale=scale, size=(10**level, n_classes))
        for level, scale in enumerate(random.uniform(0, 1.5, 3), start=1)
    ]
    crowd = random.dirichlet(np.full(1000, random.choice([0.05, 0.5])))
    ages = random.choice([0.0, 0.8]) * random.normal(size=n_classes)
    extra = int(random.choice([0, 0, 3]))

    def draw(generator, n):
        code = generator.choice(1000, n, p=crowd)
        age = generator.integers(18, 90, n)
        scores = sizes[0][code // 100] + sizes[1][code // 10] + sizes[2][code]
        columns = [code // 100, code // 10 % 10, code % 10] if split else [code]
        if ages.any():
            columns.append(age)
        X = np.column_stack([*columns, generator.normal(size=(n, extra))])
        return X * 1.0, softmax(scores + np.outer((age - 54) / 20, ages), axis=1)

    return f"K={n_classes} split={split} ages={ages.any()} extra={extra}", draw


FAMILIES = named(growing_trees, postal_codes)
