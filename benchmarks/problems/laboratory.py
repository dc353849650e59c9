"""Laboratories: cells in a beam of light, microbes, proteins, small wells and test strips."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, log_ndtr, softmax

from .building import (
    Generative,
    class_scores,
    halving_priors,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    step_logs,
    step_scores,
)


def flow_cytometry(random):
    """Brightness of a cell in each colour, in whole channels up to the last: which cell type?"""
    colours, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 4, 8]))
    steps, apart = int(random.choice([16, 64, 256])), random.uniform(0.3, 1.8)
    unlike, gain = random.uniform(0, 1.2), random.uniform(0.35, 0.8)
    spreads = 0.11 * steps * random.uniform(0.7, 1.4, colours)
    middles = gain * steps + apart * spreads * random.normal(size=(n_classes, 1, colours))
    sizes = np.linspace(-2, 2, 7)  # large cells are brighter in all colours
    middles = (middles + unlike * spreads * sizes[:, None]).reshape(-1, colours)
    weights = part_weights(priors_to_a_tenth(random, n_classes), np.exp(-0.5 * sizes**2))
    logs = step_logs(steps, middles, spreads)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        bright = middles[part] + spreads * generator.normal(size=(n, colours))
        return np.clip(bright.round(), 0, steps - 1), part // len(sizes)

    def scores(X):
        return class_scores(step_scores(X, logs) + np.log(weights), n_classes)

    text = f"colours={colours} K={n_classes} steps={steps} apart={apart:.2f} unlike={unlike:.1f}"
    return text, Generative(sample, scores)


def microbiomes(random):
    """Reads of each of many microbes in a sample, few of them frequent: which illness is it?"""
    d, n_classes = int(random.choice([8, 30, 90])), int(random.choice([2, 3, 4]))
    steady, fold = random.choice([15.0, 60.0, 300.0]), random.uniform(0.4, 2.0)
    moved, shown = max(2, d // 6), random.random() < 0.5
    reads = random.choice([100, 1000, 20000])
    base = random.normal(0, 1.8, (2, d))  # two communities, in all classes
    shifts = np.zeros((n_classes, 1, d))
    for k in range(1, n_classes):
        shifts[k, 0, random.permutation(d)[:moved]] = fold * random.normal(size=moved)
    alphas = np.maximum(steady * softmax(base + shifts, axis=2).reshape(-1, d), 0.01)
    totals = alphas.sum(axis=1)
    weights = part_weights(halving_priors(random, n_classes), [0.65, 0.35])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        shares = generator.gamma(alphas[part]) + 1e-300
        depth = (reads * np.exp(0.5 * generator.normal(size=n))).astype(int) + 5
        counts = generator.multinomial(depth, shares / shares.sum(axis=1, keepdims=True))
        if shown:  # as shares of all reads
            return np.column_stack([depth, counts / depth[:, None]]), part // 2
        return counts * 1.0, part // 2

    def scores(X):
        counts = (X[:, :1] * X[:, 1:]).round() if shown else X
        logs = np.tile(gammaln(totals) + np.log(weights), (len(X), 1))
        logs -= gammaln(totals + counts.sum(axis=1, keepdims=True))
        for part, alpha in enumerate(alphas):
            logs[:, part] += (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=1)
        return class_scores(logs, n_classes)

    text = f"d={d} K={n_classes} steady={steady:.0f} fold={fold:.1f} reads={reads} shares={shown}"
    return text, Generative(sample, scores)


def missing_proteins(random):
    """Amounts of proteins, the scarce ones often not seen and entered as 0: ill or healthy?"""
    d, n_classes = int(random.choice([5, 25, 100])), int(random.choice([2, 3]))
    changed, fold = max(2, d // 8), random.uniform(0.4, 1.8)
    limit, blurred = random.uniform(19, 24), random.uniform(0.3, 2)
    middles = np.tile(random.normal(23.5, 1.8, d), (n_classes, 1))
    for k in range(1, n_classes):
        middles[k, random.permutation(d)[:changed]] += fold * random.choice([-1, 1], changed)
    spreads, loads = random.uniform(0.5, 1.2, d), np.linspace(-1.2, 1.2, 5)
    means = (middles[:, None] + loads[:, None]).reshape(-1, d)  # more or less of the sample is used
    weights = part_weights(halving_priors(random, n_classes), [1, 3, 5, 3, 1])
    unseen = log_ndtr((limit - means) / np.hypot(spreads, blurred))
    white = means / spreads

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        amount = means[part] + spreads * generator.normal(size=(n, d))
        seen = amount + blurred * generator.normal(size=(n, d)) > limit
        return amount * seen, part // len(loads)

    def scores(X):
        seen = (X != 0) * 1.0
        logs = (X / spreads) @ white.T - 0.5 * seen @ (white**2).T + (1 - seen) @ unseen.T
        return class_scores(logs + np.log(weights), n_classes)

    text = f"d={d} K={n_classes} fold={fold:.2f} limit={limit:.1f} blurred={blurred:.1f}"
    return text, Generative(sample, scores)


def plate_wells(random):
    """A well's place, its light and that of the controls of its plate: does the substance act?"""
    n_classes, sharp = int(random.choice([2, 3, 4])), random.uniform(4, 30)
    edge, rare = random.uniform(0, 0.5), random.uniform(0.05, 0.5)
    noise, extra = random.uniform(0.05, 0.3), int(random.choice([0, 3, 12]))
    cuts = np.array([0.5, 0.25, 0.75])[: n_classes - 1]
    cuts.sort()

    def draw(generator, n):
        row, column = generator.integers(1, 9, n), generator.integers(1, 13, n)
        plate = generator.integers(1, 25, n)
        empty, full = np.exp(generator.normal([6, 8.5], [0.3, 0.4], (n, 2))).T
        acts = np.where(
            generator.random(n) < rare, generator.beta(2, 1.2, n), generator.beta(1, 14, n)
        )
        dose = 10.0 ** generator.integers(-2, 3, n)
        outer = (row == 1) | (row == 8) | (column == 1) | (column == 12)  # wells dry at the edge
        light = full - (full - empty) * acts * (1 - edge * outer)
        light = (light * np.exp(noise * generator.normal(size=n))).round()
        empty, full = empty.round(), full.round()
        found = (full - light) / (full - empty) / (1 - edge * outer) - 0.03 * np.log10(dose)
        above = 1 / (1 + np.exp(np.clip(-sharp * (found[:, None] - cuts), -500, 500)))
        chances = -np.diff(above, axis=1, prepend=1, append=0)
        X = [plate, row, column, dose, light, empty, full, generator.normal(size=(n, extra))]
        return np.column_stack(X), chances.clip(0)

    text = f"K={n_classes} sharp={sharp:.0f} edge={edge:.2f} rare={rare:.2f} noise={noise:.2f}"
    return f"{text} extra={extra}", draw


def melting_curves(random):
    """How much of a copied gene is still double at each temperature: which variants has it?"""
    steps, n_classes = int(random.choice([6, 15, 40])), int(random.choice([2, 3, 6]))
    apart, noise = random.uniform(0.4, 2.5), random.uniform(0.01, 0.12)
    heat = np.linspace(70, 90, steps)
    # Two copies melt at places of their own; mixed pairs melt a little earlier.
    places = 80 + apart * random.normal(size=(n_classes, 2))
    same = random.random(n_classes) < 0.5
    places[same, 1] = places[same, 0]
    shifts, starts = np.meshgrid(random.uniform(0.1, 1) * np.linspace(-1, 1, 5), [0.8, 1.0, 1.2])
    melted = 1 / (1 + np.exp(-(heat - places[..., None, None] - shifts.ravel()[:, None]) / 0.8))
    curves = starts.ravel()[:, None] * (1 - melted.mean(axis=1))
    curves = curves.reshape(-1, steps)
    priors = slowly_falling_priors(random, n_classes)
    often = np.exp(-0.5 * (shifts.ravel() / shifts.max() * 1.5) ** 2)
    weights = part_weights(priors, often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = curves[part] + noise * generator.normal(size=(n, steps))
        return 1000 * X, part // len(often)

    def scores(X):
        white = X / (1000 * noise)
        logs = white @ (curves / noise).T - 0.5 * ((curves / noise) ** 2).sum(axis=1)
        return class_scores(logs + np.log(weights), n_classes)

    return f"steps={steps} K={n_classes} apart={apart:.1f} noise={noise:.2f}", Generative(
        sample, scores
    )


def urine_strips(random):
    """Grades of the fields of a test strip, acidity and density: sound, or which disease?"""
    fields, n_classes = int(random.choice([3, 6, 10])), int(random.choice([2, 3, 6]))
    apart, misread = random.uniform(0.5, 2.5), random.choice([0.0, 0.05, 0.2])
    means = -0.6 + 0.5 * random.normal(size=fields) + np.zeros((n_classes, 1, fields))
    means[1:] += apart * np.abs(random.normal(size=(n_classes - 1, 1, fields)))
    means *= random.random((n_classes, 1, fields)) < 0.8
    thin, often = np.linspace(-1.5, 1.5, 5), np.array([1, 3, 5, 3, 1])
    means = (means + 0.5 * thin[:, None]).reshape(-1, fields)  # someone drinks a lot, or little
    noise = random.uniform(0.5, 1.1)
    logs = step_logs(4, means, np.full(fields, noise))
    logs = np.log((1 - misread) * np.exp(logs) + misread / 4)
    acid = 6 + 0.4 * apart * random.normal(size=n_classes)
    density = 1.018 + 0.005 * thin
    priors = np.r_[1, np.full(n_classes - 1, random.choice([0.1, 0.5]))]
    weights = part_weights(priors / priors.sum(), often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        grade = (means[part] + noise * generator.normal(size=(n, fields))).round().clip(0, 3)
        wrong = generator.random((n, fields)) < misread
        grade = np.where(wrong, generator.integers(0, 4, (n, fields)), grade)
        sour = acid[part // 5] + 0.7 * generator.normal(size=n)
        heavy = density[part % 5] + 0.003 * generator.normal(size=n)
        return np.column_stack([grade, sour, heavy]), part // 5

    def scores(X):
        parts = step_scores(X[:, :fields], logs) + np.log(weights)
        parts -= 0.5 * ((X[:, -1:] - np.tile(density, n_classes)) / 0.003) ** 2
        return class_scores(parts, n_classes) - 0.5 * ((X[:, -2:-1] - acid) / 0.7) ** 2

    text = f"fields={fields} K={n_classes} apart={apart:.2f} misread={misread} noise={noise:.2f}"
    return text, Generative(sample, scores)


def inhibition_zones(random):
    """Millimetres around each drug in which bacteria do not grow, 6 for none: which bacteria?"""
    drugs, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 4, 10]))
    apart, noise = random.uniform(0.4, 2.0), random.uniform(1.0, 3.0)
    rings, carried = 3, random.uniform(0.05, 0.5)  # genes that are passed on, each against drugs
    wild = 20 + 3 * random.normal(size=drugs) + 2.5 * apart * random.normal(size=(n_classes, drugs))
    against = 12 * (random.random((rings, drugs)) < 0.35)
    has = np.array(np.meshgrid(*[[0, 1]] * rings)).reshape(rings, -1).T
    means = (wild[:, None] - has @ against).reshape(-1, drugs) - 6
    share = np.clip(carried * random.uniform(0.2, 2, (n_classes, rings)), 0.01, 0.9)
    often = np.exp(np.log(share) @ has.T + np.log1p(-share) @ (1 - has).T)
    weights = (slowly_falling_priors(random, n_classes)[:, None] * often).ravel()
    logs = step_logs(40, means, np.full(drugs, noise))

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights / weights.sum())
        width = (means[part] + noise * generator.normal(size=(n, drugs))).round()
        return 6 + width.clip(0, 39), part // len(has)

    def scores(X):
        return class_scores(step_scores(X - 6, logs) + np.log(weights), n_classes)

    text = f"drugs={drugs} K={n_classes} apart={apart:.2f} noise={noise:.1f} carried={carried:.2f}"
    return text, Generative(sample, scores)
