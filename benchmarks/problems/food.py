"""Food: what stands on a packet, and what a machine sees in honey."""

from __future__ import annotations

import numpy as np

from .building import (
    Generative,
    class_scores,
    halving_priors,
    log_between,
    part_weights,
    slowly_falling_priors,
    template_scores,
)


def nutrition_labels(random):
    """Fat, sugar, salt and so on of a packet, rounded as the law says: which kind of food is it?"""
    n_classes, apart = int(random.choice([2, 4, 8])), random.uniform(0.3, 1.4)
    step, energy = random.choice([0.1, 0.5, 1.0]), random.random() < 0.5
    columns, kinds = int(random.choice([3, 5])), 2  # fat, carbohydrates, protein, salt, fibre
    middles = np.log([6, 14, 5, 0.8, 2])[:columns] + apart * random.normal(
        size=(n_classes, kinds, columns)
    )
    middles = middles.reshape(-1, columns)
    spreads = random.uniform(0.25, 0.8, middles.shape)
    none = random.choice([0.0, 0.05, 0.5], middles.shape)  # foods without any of it
    steps = np.array([step, step, step, 0.01, step])[:columns]
    weights = part_weights(slowly_falling_priors(random, n_classes), [0.6, 0.4])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        grams = np.exp(middles[part] + spreads[part] * generator.normal(size=(n, columns)))
        grams[generator.random((n, columns)) < none[part]] = 0
        X = np.minimum(grams / steps, (100 / steps).round()).round() * steps
        if energy:  # in both units, from the other columns
            X = np.column_stack([X, (X[:, :3] @ [9, 4, 4]).round(), (X[:, :3] @ [37, 17, 17])])
        return X, part // kinds

    def scores(X):
        level = (X[:, None, :columns] / steps).round()
        low = np.log(np.maximum(level - 0.5, 1e-12) * steps)
        high = np.log((level + 0.5) * steps)
        high[level >= (100 / steps).round()] = np.inf
        low[level == 0] = -np.inf
        some = log_between((low - middles) / spreads, (high - middles) / spreads)
        with np.errstate(divide="ignore"):
            empty = np.where(level == 0, np.log(none), -np.inf)
            logs = np.logaddexp(np.log1p(-none) + some, empty).sum(axis=2)
        return class_scores(logs + np.log(weights), n_classes)

    text = f"K={n_classes} columns={columns} step={step} apart={apart:.2f} energy={energy}"
    return text, Generative(sample, scores)


def honey_spectra(random):
    """Infrared light of honey, scattered more or less: pure, from which flower, or stretched?"""
    bands, n_classes = int(random.choice([12, 40, 120])), int(random.choice([2, 3, 5]))
    noise, stretched = random.uniform(0.02, 0.25), random.uniform(0.1, 0.7)
    at = np.linspace(0, 1, bands)

    def curve(peaks):
        places, widths = random.random((peaks, 1)), random.uniform(0.03, 0.15, (peaks, 1))
        return np.exp(-0.5 * ((at - places) / widths) ** 2).sum(axis=0)

    sugar, syrup = curve(4), curve(4)
    flowers = np.array([sugar + 0.3 * curve(3) for _ in range(n_classes - 1)])
    shares = stretched * np.linspace(0.2, 1, 4)
    mixed = flowers[:, None] * (1 - shares[:, None]) + shares[:, None] * syrup
    gains = np.linspace(0.8, 1.2, 5)[:, None]
    parts = [(gains * flower) for flower in flowers]
    parts.append((gains * mixed.reshape(-1, 1, bands)).reshape(-1, bands))
    sizes = np.array([len(each) for each in parts])
    owners = np.repeat(np.arange(n_classes), sizes)
    weights = (halving_priors(random, n_classes) / sizes)[owners]
    # The light drifts: a level and a slope of each sample's own, beside noise that is smooth.
    gaps = np.abs(np.subtract.outer(at, at))
    covariance = noise**2 * (0.8 * np.exp(-gaps / 0.03) + 0.2 * np.eye(bands))
    covariance += random.uniform(0, 0.3) ** 2 * (1 + np.outer(at, at))
    factor = np.linalg.cholesky(covariance)
    back, templates = np.linalg.inv(factor).T, np.linalg.solve(factor, np.concatenate(parts).T).T

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = (templates[part] + generator.normal(size=(n, bands))) @ factor.T
        return X, owners[part]

    def scores(X):
        logs = template_scores(X @ back, templates) + np.log(weights)
        highest = logs.max(axis=1, keepdims=True)
        sums = np.add.reduceat(np.exp(logs - highest), np.cumsum(sizes) - sizes, axis=1)
        return np.log(np.maximum(sums, 1e-300))

    text = f"bands={bands} K={n_classes} noise={noise:.2f} stretched={stretched:.2f}"
    return text, Generative(sample, scores)


def wine_scores(random):
    """Acids, sugar, sulphur, alcohol and density of a wine: how many points do tasters give?"""
    n_classes, sharp = int(random.choice([3, 5, 7])), random.uniform(1.0, 6)
    colours, extra = int(random.choice([1, 2])), int(random.choice([0, 4]))
    tastes = random.normal(size=(2, 5)) * [0.5, 0.3, 0.4, 0.4, 0.6]
    dry = random.uniform(0, 0.6)
    cuts = 0.9 * np.linspace(-1.6, 1.6, n_classes - 1)

    def draw(generator, n):
        red = generator.integers(0, colours, n)
        sour = generator.normal(7 + red, 1.1).round(1)
        vinegar = np.exp(generator.normal(-1.2 + 0.5 * red, 0.35)).round(2)
        sweet = np.exp(generator.normal(1.2 - 0.5 * red, 0.8)).round(1)
        sulphur = generator.gamma(6, 20 - 10 * red).round()
        free = (sulphur * generator.beta(3, 7, n)).round()  # a part of all sulphur
        alcohol = np.clip(generator.normal(10.8 - 0.05 * sweet, 1), 8, 15).round(1)
        density = (1.0045 - 0.00125 * alcohol + 0.0004 * sweet).round(4)  # follows from both
        acid = np.clip(generator.normal(3.9 - 0.09 * sour, 0.1), 2.7, 4.2).round(2)
        columns = [sour - 7, 4 * (vinegar - 0.35), np.log(sweet + 1) - 1.3, free / 20 - 1.5]
        columns = np.column_stack([*columns, alcohol - 10.5])
        liking = np.einsum("ij,ij->i", columns, tastes[red])
        liking -= dry * (alcohol - 10.5 - 0.8 * np.log(sweet + 1)) ** 2 / 2 - dry
        below = 1 / (1 + np.exp(np.clip(sharp * (liking[:, None] - cuts), -500, 500)))
        X = [sour, vinegar, sweet, sulphur, free, alcohol, density, acid]
        X += [red] * (colours == 2) + [generator.normal(size=(n, extra)).round(2)]
        return np.column_stack(X), np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} sharp={sharp:.1f} colours={colours} dry={dry:.2f} extra={extra}", draw
