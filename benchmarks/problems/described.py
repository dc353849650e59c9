"""Problems from one description of their columns, which gives both the sampler and the density."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp

from .building import Generative


class Normal:
    """Normal columns; mean and spread of shape (parts, columns)."""

    def __init__(self, mean, spread=1.0):
        self._mean, self._spread = np.broadcast_arrays(np.asarray(mean, dtype=float), spread)
        self.n_columns = self._mean.shape[1]

    def sample(self, generator, part):
        return generator.normal(self._mean[part], self._spread[part])

    def logs(self, X):
        away = (X[:, None] - self._mean) / self._spread
        return (-0.5 * away**2 - np.log(self._spread)).sum(axis=2)


class LogNormal(Normal):
    """Positive columns whose logarithms are normal."""

    def sample(self, generator, part):
        return np.exp(super().sample(generator, part))

    def logs(self, X):
        return super().logs(np.log(X))


class Poisson:
    """Counts; rates of shape (parts, columns)."""

    def __init__(self, rates):
        self._rates = np.asarray(rates, dtype=float)
        self.n_columns = self._rates.shape[1]

    def sample(self, generator, part):
        return generator.poisson(self._rates[part]).astype(float)

    def logs(self, X):
        return X @ np.log(self._rates).T - self._rates.sum(axis=1)


class Gamma:
    """Gamma columns; shapes and scales of shape (parts, columns)."""

    def __init__(self, shapes, scales):
        self._shapes, self._scales = np.broadcast_arrays(np.asarray(shapes, dtype=float), scales)
        self.n_columns = self._shapes.shape[1]

    def sample(self, generator, part):
        return generator.gamma(self._shapes[part], self._scales[part]) + 1e-12

    def logs(self, X):
        constants = gammaln(self._shapes) + self._shapes * np.log(self._scales)
        return np.log(X) @ (self._shapes - 1).T - X @ (1 / self._scales).T - constants.sum(axis=1)


class Levels:
    """One column of numbered values; chances of shape (parts, values)."""

    def __init__(self, chances, *, one_hot=False):
        chances = np.asarray(chances, dtype=float)
        self._chances = chances / chances.sum(axis=1, keepdims=True)
        self._one_hot = one_hot
        self.n_columns = chances.shape[1] if one_hot else 1

    def sample(self, generator, part):
        ends = self._chances.cumsum(axis=1)[part][:, :-1]
        value = (ends < generator.random(len(part))[:, None]).sum(axis=1)
        return np.eye(self.n_columns)[value] if self._one_hot else value[:, None].astype(float)

    def logs(self, X):
        value = X.argmax(axis=1) if self._one_hot else X[:, 0].astype(int)
        return np.log(np.maximum(self._chances, 1e-300)).T[value]


class Flags:
    """Columns of 0 and 1; chances of shape (parts, columns)."""

    def __init__(self, chances):
        self._chances = np.clip(chances, 1e-9, 1 - 1e-9)
        self.n_columns = self._chances.shape[1]

    def sample(self, generator, part):
        return (generator.random((len(part), self.n_columns)) < self._chances[part]) * 1.0

    def logs(self, X):
        return X @ np.log(self._chances).T + (1 - X) @ np.log1p(-self._chances).T


class Gaps:
    """Columns of which a part is missing, read as -1 beside a flag; chances of a gap by part."""

    def __init__(self, columns, chances):
        self._columns, self._chances = columns, np.asarray(chances, dtype=float)
        self.n_columns = columns.n_columns + 1

    def sample(self, generator, part):
        X, gap = self._columns.sample(generator, part), generator.random(len(part))
        gap = gap < self._chances[part]
        X[gap] = -1.0
        return np.column_stack([X, gap])

    def logs(self, X):
        gap = X[:, -1] > 0.5
        inside = self._columns.logs(np.where(gap[:, None], 1.0, X[:, :-1]))
        return np.where(gap[:, None], np.log(self._chances), np.log1p(-self._chances) + inside)


def described(priors, columns, owners=None, finish=lambda X: X, undo=lambda X: X):
    """Classes, or parts of them that `owners` assigns to classes, with independent columns.

    `finish` is a one-to-one map of the columns whose volume is the same in all parts.
    """
    owners = np.arange(len(priors)) if owners is None else np.asarray(owners)
    ends = np.cumsum([each.n_columns for each in columns])

    def sample(generator, n):
        part = generator.choice(len(priors), n, p=priors)
        X = np.hstack([each.sample(generator, part) for each in columns])
        return finish(X), owners[part]

    def scores(X):
        blocks = np.split(undo(X), ends[:-1], axis=1)
        logs = sum(each.logs(block) for each, block in zip(columns, blocks, strict=True))
        logs = logs + np.log(priors)
        of_class = [logsumexp(logs[:, owners == k], axis=1) for k in range(owners.max() + 1)]
        return np.stack(of_class, axis=1)

    return Generative(sample, scores)
