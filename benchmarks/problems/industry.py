"""Factories and stores: charts of a process, the parts that it makes, and welds."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from .building import Generative, normal_scores, slowly_falling_priors, template_scores


def control_charts(random):
    """A measurement of a process, again and again: steady, cyclic, a trend or a jump?"""
    length, n_classes = int(random.choice([8, 25, 60])), int(random.choice([2, 4, 6]))
    size = random.uniform(0.8, 3.0) * np.sqrt(8 / length)
    at, degrees = np.arange(length), size * np.linspace(0.4, 1.6, 4)[:, None]
    turns = [
        np.sin(2 * np.pi * (at / period + phase / 8))
        for period in (4, 6, 9, 13)
        for phase in range(8)
    ]
    jumps = np.array([at >= start for start in range(length // 4, length - 1)]) * 1.0
    trend = at[None] / length * 2
    shapes = [0 * trend, trend, np.array(turns), -trend, jumps, -jumps][:n_classes]
    templates = [(degrees[:, :, None] * each).reshape(-1, length) for each in shapes]
    priors = slowly_falling_priors(random, n_classes)
    sizes = np.array([len(each) for each in templates])
    owners, templates = np.repeat(np.arange(n_classes), sizes), np.concatenate(templates)
    weights, starts = np.log(priors / sizes)[owners], np.cumsum(sizes) - sizes
    level, unit = random.normal(100, 30), random.uniform(0.5, 5)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        return level + unit * (templates[part] + generator.normal(size=(n, length))), owners[part]

    def scores(X):
        logs = template_scores((X - level) / unit, templates) + weights
        highest = logs.max(axis=1, keepdims=True)
        sums = np.add.reduceat(np.exp(logs - highest), starts, axis=1)
        return np.log(np.maximum(sums, 1e-300))

    return f"length={length} K={n_classes} size={size:.2f}", Generative(sample, scores)


def spare_parts(random):
    """Weight, sizes, holes, colour and magnetism of a part: which of up to sixty is it?"""
    n_classes, sizes = int(random.choice([12, 30, 60])), int(random.choice([2, 4]))
    noise, misread = random.uniform(0.05, 0.45), random.choice([0.01, 0.1])
    series = int(random.choice([1, 3, 6]))  # parts of one series differ in their sizes alone
    kind = np.arange(n_classes) // series
    means = random.normal(size=(n_classes, sizes + 1)) * 0.6
    spreads = noise * random.uniform(0.6, 1.4, (n_classes, 1)) * np.ones(sizes + 1)
    numbers = random.integers(0, 5, (n_classes, 2))[kind]  # of holes, and the colour
    steel, priors = (random.random(n_classes) < 0.6)[kind], random.dirichlet(np.full(n_classes, 2))
    units = np.r_[0.2, np.full(sizes, 40)]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        measured = means[which] + spreads[which] * generator.normal(size=(n, sizes + 1))
        wrong = generator.random((n, 2)) < misread
        read = np.where(wrong, generator.integers(0, 5, (n, 2)), numbers[which])
        magnetic = steel[which] ^ (generator.random(n) < misread / 2)
        return np.column_stack([np.exp(measured) * units, read, magnetic]), which

    def scores(X):
        logs = normal_scores(np.log(X[:, : sizes + 1] / units), means, spreads) + np.log(priors)
        for column, number in zip(X[:, -3:-1].T, numbers.T, strict=True):
            same = column[:, None] == number
            logs += np.log(misread / 5 + (1 - misread) * same)
        return logs + np.log(np.where(X[:, -1:] == steel, 1 - misread / 2, misread / 2))

    text = f"K={n_classes} sizes={sizes} noise={noise:.2f} misread={misread} series={series}"
    return text, Generative(sample, scores)


def weld_seams(random):
    """Current, speed, gas, gap and plate of a weld: sound, porous, cracked or not bound?"""
    n_classes, sharp = int(random.choice([2, 3, 4])), random.uniform(0.8, 3.0)
    sound, welders = random.choice([0.5, 2.0, 3.5]), int(random.choice([1, 8, 30]))
    extra, hands = int(random.choice([0, 5, 20])), 0.5 * random.normal(size=welders)

    def draw(generator, n):
        plate = generator.choice([3.0, 5.0, 8.0, 12.0], n)
        current = (90 + 14 * plate + 25 * generator.normal(size=n)).clip(40).round()
        voltage = (15 + 0.04 * current + 1.2 * generator.normal(size=n)).round(1)
        speed, gas = generator.normal(5, 1, n).clip(2).round(1), generator.normal(14, 3, n).round(1)
        gap, wet = generator.gamma(3, 0.3, n).round(1), generator.beta(2, 3, n).round(2)
        who, carbon = generator.integers(0, welders, n), generator.normal(0.2, 0.05, n).round(2)
        heat = np.log(current * voltage / speed / plate) - 4.5
        faults = [
            -0.25 * (gas - 12) + 2 * np.maximum(wet - 0.4, 0) * 3 + 0.4 * (speed - 5),
            -3 * heat + 1.2 * (gap - 0.9) - 0.3,  # too cold
            3 * np.maximum(heat, 0) + 18 * (carbon - 0.22) + 0.15 * (plate - 6) - 0.3,
        ][: n_classes - 1]
        logits = sharp * (np.stack(faults, axis=1) + hands[who, None] - 1)
        logits = np.column_stack([np.full(n, sound), logits])
        X = [current, voltage, speed, gas, gap, wet, plate, carbon, who]
        return np.column_stack([*X, generator.normal(size=(n, extra))]), softmax(logits, axis=1)

    text = f"K={n_classes} sharp={sharp:.1f} sound={sound} welders={welders} extra={extra}"
    return text, draw
