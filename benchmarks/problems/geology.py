"""Stones, sand, boreholes and finds: what lies on a sieve, which rock it is, and how old it is."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, ndtr, softmax

from .building import Generative, draw_labels, halving_priors, normal_scores


def sand_sizes(random):
    """Grains of sand on a row of sieves: from a beach, a dune, a river or a glacier?"""
    n_classes, sieves = int(random.choice([2, 3, 4])), int(random.choice([5, 9, 15]))
    grains, vary = int(random.choice([20, 100, 500])), random.uniform(0.2, 1.0)
    priors = halving_priors(random, n_classes)
    middles, widths = random.uniform(1, 3, n_classes), random.uniform(0.4, 1.4, n_classes)
    edges, shifts = np.linspace(-1, 5, sieves - 1), np.linspace(-2.5, 2.5, 15)
    weights = softmax(-0.5 * shifts**2)  # samples of one origin differ in their middle
    centres = middles[:, None] + vary * shifts
    below = ndtr((edges - centres[..., None]) / widths[:, None, None])
    table = np.diff(below, axis=2, prepend=0, append=1).clip(1e-6)
    table /= table.sum(axis=2, keepdims=True)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        place = generator.choice(len(shifts), n, p=weights)
        return generator.multinomial(grains, table[which, place]) * 1.0, which

    def scores(X):
        logs = X @ np.log(table).reshape(-1, sieves).T
        logs = logs.reshape(len(X), n_classes, -1) + np.log(weights)
        return logsumexp(logs, axis=2) + np.log(priors)

    text = f"K={n_classes} sieves={sieves} grains={grains} vary={vary:.2f}"
    return text, Generative(sample, scores)


def mineral_grains(random):
    """Density, hardness, colour, lustre and so on of a stone: which mineral is it?"""
    n_classes, features = int(random.choice([4, 7, 10])), int(random.choice([1, 3, 6]))
    care, priors = random.uniform(0.3, 2.0), halving_priors(random, n_classes)
    means = np.stack([random.normal(3.2, 0.8, n_classes), random.uniform(1, 9, n_classes)], axis=1)
    spreads = np.tile([0.25, 1.0], (n_classes, 1)) * care
    levels = np.arange(1, 11)
    hard = softmax(-0.5 * ((levels - means[:, 1:]) / spreads[:, 1:]) ** 2, axis=1) + 1e-9
    hard /= hard.sum(axis=1, keepdims=True)
    named_levels = random.integers(2, 8, features)
    tables = [random.dirichlet(np.full(each, 0.6), n_classes) + 0.02 for each in named_levels]
    tables = [table / table.sum(axis=1, keepdims=True) for table in tables]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        dense = generator.normal(means[which, 0], spreads[which, 0])
        codes = [draw_labels(generator, table[which]) for table in tables]
        return np.column_stack([dense, 1 + draw_labels(generator, hard[which]), *codes]), which

    def scores(X):
        hardness, *codes = X[:, 1:].T.astype(int)
        logs = (
            normal_scores(X[:, :1], means[:, :1], spreads[:, :1]) + np.log(hard[:, hardness - 1]).T
        )
        for table, code in zip(tables, codes, strict=True):
            logs = logs + np.log(table[:, code]).T
        return logs + np.log(priors)

    return f"K={n_classes} features={features} care={care:.2f}", Generative(sample, scores)


def carbon_dates(random):
    """The radiocarbon age of a find, its error and perhaps the depth: from which period is it?"""
    n_classes, deep = int(random.choice([3, 5, 8])), random.random() < 0.5
    errors = random.choice([10.0, 30.0, 90.0]) * np.array([0.7, 1, 1.5, 3])
    dates = np.linspace(0, 3000, 301)
    waves, sizes = random.uniform(120, 600, 6), random.uniform(10, 90, 6)
    turns = 2 * np.pi * (dates[:, None] / waves + random.random(6))
    curve = dates + np.sin(turns) @ sizes  # it goes up and down: one age has several dates
    borders = 15 * np.sort(random.choice(np.arange(1, 20), n_classes - 1, replace=False))
    period = np.searchsorted(borders, np.arange(301), side="right")
    often = np.exp(-dates / random.choice([1500, 1e5]))
    often /= often.sum()
    loose = random.uniform(0.15, 0.6)

    def sample(generator, n):
        date, error = generator.choice(301, n, p=often), generator.choice(errors, n)
        columns = [curve[date] + error * generator.normal(size=n), error]
        if deep:
            columns.append((dates[date] + 300) / 1000 * np.exp(loose * generator.normal(size=n)))
        return np.column_stack(columns), period[date]

    def scores(X):
        logs = np.log(often) - 0.5 * ((X[:, :1] - curve) / X[:, 1:2]) ** 2
        if deep:
            logs -= 0.5 * (np.log(X[:, 2:] * 1000 / (dates + 300)) / loose) ** 2
        return np.stack([logsumexp(logs[:, period == k], axis=1) for k in range(n_classes)], axis=1)

    text = f"K={n_classes} deep={deep} error={errors[1]:.0f} loose={loose:.2f}"
    return text, Generative(sample, scores)


def well_logs(random):
    """What probes measure at some depths of a borehole: which rock lies in their middle?"""
    reach, n_classes = int(random.choice([0, 1, 4])), int(random.choice([3, 5, 8]))
    probes, apart = int(random.choice([2, 4])), random.uniform(0.4, 1.6)
    stays, ordered = random.uniform(0.3, 0.92), random.random() < 0.5
    means = apart * random.normal(size=(n_classes, probes))
    spreads = np.exp(0.3 * random.normal(size=(n_classes, probes)))
    next_rocks = random.dirichlet(np.full(n_classes, 0.5 if ordered else 3.0), n_classes) + 0.01
    np.fill_diagonal(next_rocks, 0)
    moves = stays * np.eye(n_classes) + (1 - stays) * next_rocks / next_rocks.sum(axis=1)[:, None]
    start = np.linalg.matrix_power(moves, 500)[0]
    start /= start.sum()
    depths, units = 2 * reach + 1, np.array([30.0, 0.15, 6, 1])[:probes]

    def sample(generator, n):
        rocks = [generator.choice(n_classes, n, p=start)]
        for _ in range(depths - 1):
            rocks.append(draw_labels(generator, moves[rocks[-1]]))
        rocks = np.stack(rocks, axis=1)
        X = means[rocks] + spreads[rocks] * generator.normal(size=(n, depths, probes))
        X *= units
        if probes == 4:
            X[:, :, 3] = np.exp(X[:, :, 3])  # electrical resistance
        return X.reshape(n, -1), rocks[:, reach]

    def scores(X):
        X = X.reshape(len(X), depths, probes).copy()
        if probes == 4:
            X[:, :, 3] = np.log(X[:, :, 3])
        near = [normal_scores(X[:, at] / units, means, spreads) for at in range(depths)]
        near = [np.exp(each - each.max(axis=1, keepdims=True)) for each in near]
        above, below = start * np.ones((len(X), 1)), np.ones((len(X), n_classes))
        for at in range(reach):
            above = (above * near[at]) @ moves
            below = (below * near[-1 - at]) @ moves.T
            below /= below.sum(axis=1, keepdims=True)
            above /= above.sum(axis=1, keepdims=True)
        return np.log(np.maximum(above * below * near[reach], 1e-300))

    text = f"reach={reach} K={n_classes} probes={probes} apart={apart:.2f} stays={stays:.2f}"
    return text, Generative(sample, scores)
