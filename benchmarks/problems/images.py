"""Pictures: displays, symmetric patterns, outlines and maps of defects."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.datasets import load_digits

from .building import (
    Generative,
    class_scores,
    part_weights,
    slowly_falling_priors,
    step_logs,
    step_scores,
    template_scores,
)
from .mixtures import fitted_draw

_SIDE = 8  # pixels of the edge of a picture
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


def pictures(random):
    """A pattern for each class, shifted at random in a noisy picture of 8 by 8 pixels."""
    n_classes, noise = int(random.choice([2, 3, 6])), random.uniform(0.3, 1.5)
    patterns = random.normal(size=(n_classes, 3, 3))
    n_shifts = int(random.choice([2, 4, 6]))
    places = [(k, i, j) for k in range(n_classes) for i in range(n_shifts) for j in range(n_shifts)]
    centres = np.zeros((len(places), _SIDE, _SIDE))
    for centre, (k, i, j) in zip(centres, places, strict=True):
        centre[i : i + 3, j : j + 3] = patterns[k]
    centres = centres.reshape(len(places), -1)
    owners = np.array([k for k, _, _ in places])

    def draw(generator, n):
        which = generator.integers(0, len(places), n)
        X = centres[which] + noise * generator.normal(size=(n, _SIDE**2))
        squared = (centres**2).sum(axis=1) - 2 * X @ centres.T
        parts = softmax(-squared / (2 * noise**2), axis=1)
        return X, np.stack([parts[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return f"K={n_classes} shifts={n_shifts} noise={noise:.2f}", draw


def shapes_anywhere(random):
    """Pictures of a short line, upright or flat, at any place."""
    height, side = random.uniform(1.5, 4), int(random.choice([5, 8]))
    lines = np.zeros((2, side - 2, side - 2, side, side))
    for i, j in product(range(side - 2), repeat=2):
        lines[0, i, j, i + 1, j : j + 3] = lines[1, i, j, i : i + 3, j + 1] = height
    lines = lines.reshape(2, -1, side * side)

    def draw(generator, n):
        which, place = generator.integers(0, 2, n), generator.integers(0, lines.shape[1], n)
        X = lines[which, place] + generator.normal(size=(n, side * side))
        scores = [logsumexp(X @ each.T - (each**2).sum(axis=1) / 2, axis=1) for each in lines]
        return X, softmax(np.column_stack(scores), axis=1)

    return f"height={height:.1f} side={side}", draw


def occluded_digits(random):
    """Written digits with noise, of which a square is hidden somewhere."""
    noise, side = random.choice([3.0, 6.0, 10.0]), int(random.choice([0, 3, 4]))
    chosen = np.sort(random.choice(10, int(random.choice([2, 5, 10])), replace=False))
    images, labels = load_digits(return_X_y=True)
    rows = [random.choice(np.flatnonzero(labels == k), 8) for k in chosen]
    shown = images[np.concatenate(rows)]
    masks = np.ones((9 if side else 1, 8, 8))
    for place in range(9 if side else 0):
        row, column = (8 - side) * (place // 3) // 2, (8 - side) * (place % 3) // 2
        masks[place, row : row + side, column : column + side] = 0
    centres = (shown[:, None] * masks.reshape(-1, 64)).reshape(-1, 64)
    power = 0.5 * (centres**2).sum(axis=1)

    def draw(generator, n):
        X = centres[generator.integers(0, len(centres), n)] + noise * generator.normal(size=(n, 64))
        parts = softmax((X @ centres.T - power) / noise**2, axis=1)
        return X, parts.reshape(n, len(chosen), -1).sum(axis=2)

    return f"digits={chosen.tolist()} noise={noise:.0f} hidden={side}", draw


def texture_patches(random):
    """Small grey patches: classes differ in the direction and fineness of their grain."""
    side, n_classes = int(random.choice([3, 5, 7])), int(random.choice([2, 3, 4]))
    freedom, grain = random.choice([4.0, 50.0]), random.choice([0.05, 0.3])
    fine, long = random.uniform(0.7, 2.0), random.uniform(1.5, 5.0)
    places = np.array(list(product(range(side), repeat=2)), dtype=float)
    gaps, d = places[:, None] - places, side**2
    covariances = []
    for angle in random.uniform(0, np.pi) + np.pi * np.arange(n_classes) / n_classes:
        along = gaps @ [np.cos(angle), np.sin(angle)] / (fine * long)
        across = gaps @ [-np.sin(angle), np.cos(angle)] / fine
        covariances.append(np.exp(-np.hypot(along, across)) + grain * np.eye(d) + 0.3)
    covariances = np.array(covariances)
    factors, inverses = np.linalg.cholesky(covariances), np.linalg.inv(covariances)
    volumes = np.linalg.slogdet(covariances)[1]

    def draw(generator, n):
        which, X = generator.integers(0, n_classes, n), generator.normal(size=(n, d))
        for k in range(n_classes):
            X[which == k] = X[which == k] @ factors[k].T
        X *= np.sqrt(freedom / generator.chisquare(freedom, (n, 1)))  # its contrast
        sizes = np.stack([((X @ inverse) * X).sum(axis=1) for inverse in inverses], axis=1)
        logs = -0.5 * (freedom + d) * np.log1p(sizes / freedom) - 0.5 * volumes
        return X, softmax(logs, axis=1)

    return f"side={side} K={n_classes} fine={fine:.1f} long={long:.1f} grain={grain}", draw


def noisy_images(random):
    """Digits in fifty principal components, by a fitted mixture; 20 to 60% random labels."""
    noise, parts = random.uniform(0.2, 0.6), int(random.choice([1, 3]))
    clean = fitted_draw("digits", 50, parts, random.choice([0.8, 1.0, 1.5]))

    def draw(generator, n):
        X, chances = clean(generator, n)
        return X, (1 - noise) * chances + noise / 10

    return f"noise={noise:.2f} parts={parts}", draw


def spin_grids(random):
    """Spins on a small grid, up or down: classes differ in coupling and field (Ising)."""
    shape = [(3, 3), (2, 6), (3, 4)][random.integers(3)]
    n_classes = int(random.choice([2, 3]))
    couplings = random.uniform(-0.6, 0.9, n_classes)
    fields = random.normal(size=n_classes) * random.choice([0.0, 0.15, 0.4])
    states = np.array(list(product([-1, 1], repeat=shape[0] * shape[1])))
    grids = states.reshape(-1, *shape)
    bonds = (grids[:, 1:] * grids[:, :-1]).sum((1, 2)) + (grids[:, :, 1:] * grids[:, :, :-1]).sum(
        (1, 2)
    )
    logs = np.outer(couplings, bonds) + np.outer(fields, states.sum(axis=1))
    chances = softmax(logs, axis=1)

    def draw(generator, n):
        which = np.bincount(generator.integers(0, n_classes, n), minlength=n_classes)
        places = np.concatenate(
            [
                generator.choice(len(states), count, p=each)
                for count, each in zip(which, chances, strict=True)
            ]
        )
        places = generator.permutation(places)
        return states[places].astype(float), (chances[:, places] / chances[:, places].sum(axis=0)).T

    return f"grid={shape} K={n_classes} couplings={couplings.round(2)}", draw


def colour_names(random):
    """Red, green and blue from 0 to 255: what do people call the colour?"""
    n_classes, steep = int(random.choice([3, 7, 12])), random.choice([4.0, 12.0, 40.0])
    slips, natural = random.choice([0.0, 0.05, 0.2]), random.random() < 0.5
    named = np.array(
        [
            [0, 0, 0],
            [255, 255, 255],
            [128, 128, 128],
            [220, 20, 20],
            [30, 160, 30],
            [30, 60, 220],
            [250, 230, 40],
            [250, 140, 20],
            [130, 40, 160],
            [250, 150, 190],
            [120, 70, 30],
            [40, 200, 210],
        ]
    )[random.choice(12, n_classes, replace=False)]
    common, darker = random.dirichlet(np.full(n_classes, 3.0)), random.uniform(0.5, 1.0, 3)

    def draw(generator, n):
        X = generator.integers(0, 256, (n, 3))
        if natural:  # dull colours, which light makes brighter or darker together
            light = generator.beta(2, 2, (n, 1))
            X = 255 * light * darker + 45 * generator.normal(size=(n, 3))
            X = X.round().clip(0, 255)
        far = ((_cone(X)[:, None] - _cone(named)) ** 2).sum(axis=2)
        chances = softmax(np.log(common) - steep * far, axis=1)
        return X * 1.0, (1 - slips) * chances + slips / n_classes

    return f"K={n_classes} steep={steep:.0f} slips={slips} natural={natural}", draw


def _cone(colours):
    """Hue as an angle, strength of the colour as a radius, and lightness."""
    red, green, blue = colours.T / 255
    hue = np.arctan2(np.sqrt(3) * (green - blue), 2 * red - green - blue)
    top, bottom = colours.max(axis=1) / 255, colours.min(axis=1) / 255
    radius = np.sqrt(top - bottom)
    return np.stack([radius * np.cos(hue), radius * np.sin(hue), (top + bottom) / 2], axis=1)


def gauge_dials(random):
    """A small noisy picture of a gauge: in which sector of the dial is its needle?"""
    side, n_classes = int(random.choice([5, 7])), int(random.choice([2, 4, 6, 10]))
    noise, faint = random.uniform(0.2, 0.8), random.choice([0.0, 0.6])
    angles = np.linspace(0, 1.5 * np.pi, 60)
    sizes = random.multinomial(60 - 2 * n_classes, random.dirichlet(np.full(n_classes, 3.0))) + 2
    owners = np.repeat(np.arange(n_classes), sizes)
    place = np.stack(np.meshgrid(*[np.linspace(-1, 1, side)] * 2), axis=2).reshape(-1, 2)
    ends = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    along = np.clip(place @ ends.T, 0, 1)
    off = np.linalg.norm(place[:, None] - along[..., None] * ends, axis=2)
    needles = np.exp(-0.5 * (off / 0.2) ** 2).T
    darker = 1 - faint * np.linspace(0, 1, 5)  # the light differs from picture to picture

    def sample(generator, n):
        angle, light = generator.integers(0, 60, n), darker[generator.integers(0, 5, n)]
        X = light[:, None] * needles[angle] + noise * generator.normal(size=(n, side**2))
        return X, owners[angle]

    def scores(X):
        products, squares = X @ needles.T, (needles**2).sum(axis=1)
        each = [(light * products - 0.5 * light**2 * squares) / noise**2 for light in darker]
        logs = logsumexp(each, axis=0)
        of_class = [logsumexp(logs[:, owners == k], axis=1) for k in range(n_classes)]
        return np.stack(of_class, axis=1)

    text = f"pixels={side}x{side} K={n_classes} noise={noise:.2f} faint={faint}"
    return text, Generative(sample, scores)


def leaf_outlines(random):
    """How far the edge of a leaf is in each direction, turned any way: from which tree is it?"""
    angles, n_classes = int(random.choice([8, 16, 32])), int(random.choice([2, 4, 8]))
    noise, lobes = random.uniform(0.15, 0.8), int(random.choice([3, 6]))
    fixed = random.random() < 0.4  # the stalk is always below
    at = 2 * np.pi * np.arange(angles) / angles
    waves = np.array([np.cos(each * at) for each in range(1, lobes + 1)])
    sizes = 0.5 / np.arange(1, lobes + 1)
    shapes = (sizes * random.normal(size=(n_classes, lobes))) @ waves
    turns = np.array([0] if fixed else range(angles))
    turned = np.stack([np.roll(shapes, each, axis=1) for each in turns], axis=1)
    growth = np.linspace(-0.6, 0.6, 5)
    templates = (turned[:, :, None] + growth[:, None]).reshape(-1, angles) / noise
    often = np.outer(np.ones(len(turns)), np.exp(-0.5 * (growth / 0.3) ** 2)).ravel()
    weights = part_weights(slowly_falling_priors(random, n_classes), often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        edge = noise * (templates[part] + generator.normal(size=(n, angles)))
        return 50 * np.exp(edge), part // len(often)

    def scores(X):
        logs = template_scores(np.log(X / 50) / noise, templates)
        return class_scores(logs + np.log(weights), n_classes)

    text = f"angles={angles} K={n_classes} noise={noise:.2f} lobes={lobes} fixed={fixed}"
    return text, Generative(sample, scores)


def overexposed_photos(random):
    """Small photographs in 16 or 64 greys, too dark or too bright in part: what do they show?"""
    side, n_classes = int(random.choice([3, 6, 9])), int(random.choice([3, 5, 8]))
    greys, noise = int(random.choice([16, 64])), random.uniform(0.06, 0.35)
    apart, looks = random.uniform(0.1, 0.35), int(random.choice([1, 3]))
    place = np.stack(np.meshgrid(*[np.arange(side)] * 2), axis=2).reshape(-1, 2)
    gaps = ((place[:, None] - place) ** 2).sum(axis=2)
    smooth = np.linalg.cholesky(np.exp(-gaps / 4) + 1e-6 * np.eye(side**2))
    scene = 0.2 * random.normal(size=side**2)
    things = scene + apart * random.normal(size=(n_classes, looks, 1, side**2)) @ smooth.T
    light = np.geomspace(0.4, 2.2, 6)[:, None]
    means = (greys - 1) * (light * (0.5 + things)).reshape(-1, side**2)
    logs = step_logs(greys, means, noise * (greys - 1))
    weights = part_weights(slowly_falling_priors(random, n_classes), np.ones(6 * looks))

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = means[part] + noise * (greys - 1) * generator.normal(size=(n, side**2))
        return np.clip(X.round(), 0, greys - 1), part // (6 * looks)

    def scores(X):
        return class_scores(step_scores(X, logs) + np.log(weights), n_classes)

    text = f"side={side} K={n_classes} greys={greys} noise={noise:.2f} apart={apart:.2f}"
    return f"{text} looks={looks}", Generative(sample, scores)
