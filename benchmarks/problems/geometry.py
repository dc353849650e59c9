"""Shapes and places: rings, spirals, shells, angles and distances."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .building import noise_columns, two_classes


def rings(random):
    """Noisy rings around one centre, perhaps with columns of noise."""
    n_classes, extra = int(random.choice([2, 3])), int(random.choice([0, 0, 2, 6]))
    width = random.uniform(0.1, 0.5)
    add = noise_columns(extra)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        angle = generator.uniform(0, 2 * np.pi, n)
        radius = np.abs(1 + which + width * generator.normal(size=n))
        # The density of a radius is folded at 0; that of the plane divides all classes alike.
        gaps = radius[:, None] - 1 - np.arange(n_classes)
        folded = -radius[:, None] - 1 - np.arange(n_classes)
        chances = np.exp(-0.5 * (gaps / width) ** 2) + np.exp(-0.5 * (folded / width) ** 2)
        chances += 1e-300
        X = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return add(X, generator), chances / chances.sum(axis=1, keepdims=True)

    return f"K={n_classes} extra={extra} width={width:.2f}", draw


def spirals(random):
    """Noisy spirals that wind around each other."""
    arms, extra = int(random.choice([2, 3])), int(random.choice([0, 0, 2, 6]))
    width, turns = random.uniform(0.1, 0.6), random.choice([1.0, 1.5])
    grid = np.linspace(0.25, 1, 400)  # along an arm
    add = noise_columns(extra)

    def arm(place, which):
        angle = 2 * np.pi * (turns * place + which / arms)
        return 4 * place[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    paths = [arm(grid, np.full(len(grid), k)) for k in range(arms)]

    def draw(generator, n):
        which, step = generator.integers(0, arms, n), generator.integers(0, len(grid), n)
        X = np.stack(paths)[which, step] + width * generator.normal(size=(n, 2))
        chances = np.empty((n, arms))
        for k, path in enumerate(paths):
            squares = ((X[:, None] - path[None]) ** 2).sum(axis=2)
            chances[:, k] = np.exp(-squares / (2 * width**2)).sum(axis=1) + 1e-300
        return add(X, generator), chances / chances.sum(axis=1, keepdims=True)

    return f"arms={arms} extra={extra} width={width:.2f} turns={turns}", draw


def shells(random):
    """Shells within shells around one centre, each of a thickness of its own."""
    d, n_classes = int(random.choice([2, 3, 6, 12])), int(random.choice([2, 3, 4]))
    thickness, extra = random.uniform(0.1, 0.5, n_classes), int(random.choice([0, 0, 3]))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        directions = generator.normal(size=(n, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radius = 1 + which + thickness[which] * generator.normal(size=n)
        # A negative radius is on the other side: the density of its size is folded.
        size = np.abs(radius)[:, None]
        folded = [
            -0.5 * ((sign * size - 1 - np.arange(n_classes)) / thickness) ** 2 - np.log(thickness)
            for sign in (1, -1)
        ]
        X = np.hstack([directions * radius[:, None], generator.normal(size=(n, extra))])
        return X, softmax(np.logaddexp(*folded), axis=1)

    return f"d={d} K={n_classes} extra={extra}", draw


def moons(random):
    """Two half circles that reach into each other, with noise, and perhaps other columns."""
    width, extra = random.uniform(0.1, 0.45), int(random.choice([0, 0, 2, 8]))
    angle = np.linspace(0, np.pi, 300)
    paths = np.stack(
        [
            np.column_stack([np.cos(angle), np.sin(angle)]),
            np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)]),
        ]
    )
    share = random.choice([0.5, 0.5, 0.2])

    def draw(generator, n):
        which, place = generator.random(n) < share, generator.integers(0, len(angle), n)
        X = paths[which.astype(int), place] + width * generator.normal(size=(n, 2))
        near = [
            np.exp(-((X[:, None] - path) ** 2).sum(axis=2) / (2 * width**2)).sum(axis=1) + 1e-300
            for path in paths
        ]
        second = share * near[1]
        X = np.hstack([X, generator.normal(size=(n, extra))])
        return X, two_classes(second / (second + (1 - share) * near[0]))

    return f"width={width:.2f} extra={extra} share={share}", draw


def sheet(random):
    """A bent sheet in many columns; the class is a smooth function of the place on it."""
    wide, waves = int(random.choice([10, 50, 200])), random.uniform(1, 3)
    strength = random.uniform(1, 6)
    turn = random.normal(size=(6, wide)) / np.sqrt(wide)

    def draw(generator, n):
        place = generator.uniform(-1, 1, (n, 2))
        bent = np.hstack([place, place**2, np.sin(3 * place)])
        X = bent @ turn + 0.01 * generator.normal(size=(n, wide))
        return X, two_classes(expit(strength * np.sin(waves * place).sum(axis=1)))

    return f"d={wide} waves={waves:.2f} strength={strength:.2f}", draw


def loop(random):
    """A closed curve in many columns; the class goes up and down along it."""
    wide, speed = int(random.choice([3, 10, 40])), int(random.choice([1, 2, 4, 8]))
    height, extra = random.uniform(1, 6), int(random.choice([0, 1, 3]))
    turn = random.normal(size=(6, wide)) / np.sqrt(3)

    def draw(generator, n):
        angle = generator.uniform(0, 2 * np.pi, n)
        bent = np.column_stack([f(k * angle) for k in (1, 2, 3) for f in (np.cos, np.sin)])
        X = np.hstack([bent @ turn, 0.3 * generator.normal(size=(n, extra))])
        return X, two_classes(expit(height * np.sin(speed * angle)))

    return f"d={wide} extra={extra} speed={speed} height={height:.1f}", draw


def tori(random):
    """Places on a torus, turned into many columns; the class goes round with both angles."""
    wide, turns = int(random.choice([3, 10, 40])), random.integers(1, 4, 2)
    n_classes, steep = int(random.choice([2, 3])), random.choice([1.0, 3.0, 10.0])
    turn = np.linalg.qr(random.normal(size=(max(wide, 3), 3)))[0]
    noise = random.choice([0.0, 0.02])

    def draw(generator, n):
        angles = generator.uniform(0, 2 * np.pi, (n, 2))
        ring = 2 + 0.8 * np.cos(angles[:, 1])
        place = np.column_stack(
            [ring * np.cos(angles[:, 0]), ring * np.sin(angles[:, 0]), 0.8 * np.sin(angles[:, 1])]
        )
        phases = (angles @ turns)[:, None] + 2 * np.pi * np.arange(n_classes) / n_classes
        X = place @ turn.T + noise * generator.normal(size=(n, len(turn)))
        return X, softmax(steep * np.cos(phases), axis=1)

    return f"d={wide} K={n_classes} turns={turns.tolist()} steep={steep:.0f} noise={noise}", draw


def directions(random):
    """Angles around that of each class, as sines and cosines."""
    d, n_classes = int(random.choice([1, 3])), int(random.choice([2, 4]))
    means, strength = random.uniform(0, 2 * np.pi, (n_classes, d)), random.uniform(0.5, 6)

    def draw(generator, n):
        angles = generator.vonmises(means[generator.integers(0, n_classes, n)], strength)
        scores = strength * np.cos(angles[:, None] - means).sum(axis=2)
        return np.column_stack([np.sin(angles), np.cos(angles)]), softmax(scores, axis=1)

    return f"d={d} K={n_classes} strength={strength:.1f}", draw


def phases(random):
    """How far two angles are apart, given by sines and cosines beside columns of noise."""
    others, steep = int(random.choice([0, 2, 6])), random.choice([1.0, 3.0, 8.0])
    turns = int(random.choice([1, 2]))

    def draw(generator, n):
        angles = generator.uniform(0, 2 * np.pi, (n, 2))
        X = [np.cos(angles), np.sin(angles), 0.7 * generator.normal(size=(n, others))]
        return np.concatenate(X, axis=1), two_classes(
            expit(steep * np.cos(turns * (angles[:, 0] - angles[:, 1])))
        )

    return f"others={others} steep={steep:.0f} turns={turns}", draw


def pairs_of_places(random):
    """Whether two places, three coordinates each, are far from each other."""
    steep, spread = random.choice([1.0, 3.0, 8.0]), random.uniform(0.5, 2.0)

    def draw(generator, n):
        X = generator.normal(size=(n, 6)) * np.repeat([1, spread], 3)
        apart = np.linalg.norm(X[:, :3] - X[:, 3:], axis=1)
        return X, two_classes(expit(steep * (apart - 1.6 * np.hypot(1, spread))))

    return f"steep={steep:.0f} spread={spread:.2f}", draw


def triangles(random):
    """Three corners in the plane: is the triangle acute, or which way round does it go?"""
    question, noise = int(random.integers(3)), random.choice([0.0, 0.1, 0.3])
    spread, extra = random.choice([0.0, 2.0]), int(random.choice([0, 4]))

    def draw(generator, n):
        corners = generator.normal(size=(n, 3, 2))
        sides = corners - np.roll(corners, 1, axis=1)
        angles = -(sides * np.roll(sides, -1, axis=1)).sum(axis=2)  # cosines times lengths
        turn = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
        longest = (sides**2).sum(axis=2).argmax(axis=1)
        sure = [
            np.eye(2)[(angles > 0).all(axis=1) * 1],
            np.eye(2)[(turn > 0) * 1],
            np.eye(3)[longest],
        ][question]
        X = (corners + spread * generator.normal(size=(n, 1, 2))).reshape(n, 6)
        X = np.column_stack([X, generator.normal(size=(n, extra))])
        return X, (1 - noise) * sure + noise / sure.shape[1]

    return f"question={question} noise={noise} spread={spread:.0f} extra={extra}", draw


def beacons(random):
    """How far it is to each of several beacons, and what grows at the place."""
    d, n_beacons = int(random.choice([2, 3])), int(random.choice([4, 8, 20]))
    n_classes, steep = int(random.choice([2, 3, 6])), random.choice([1.0, 3.0, 8.0])
    places, squared = random.uniform(-1, 1, (n_beacons, d)), random.random() < 0.5
    hills, heights = random.uniform(-1, 1, (12, d)), random.normal(size=(12, n_classes))

    def draw(generator, n):
        here = generator.uniform(-1, 1, (n, d))
        far = ((here[:, None] - places) ** 2).sum(axis=2)
        near = np.exp(-4 * ((here[:, None] - hills) ** 2).sum(axis=2))
        return far if squared else np.sqrt(far), softmax(steep * near @ heights, axis=1)

    return f"d={d} beacons={n_beacons} K={n_classes} steep={steep:.0f} squared={squared}", draw


def voronoi(random):
    """Cells of a plane, each with its class, and wrong labels."""
    n_cells, n_classes = int(random.choice([10, 40, 150])), int(random.choice([2, 3, 5]))
    centres, owners = random.random((n_cells, 2)), random.integers(0, n_classes, n_cells)
    owners[:n_classes] = np.arange(n_classes)
    noise = random.choice([0, 0.1, 0.3])

    def draw(generator, n):
        X = generator.random((n, 2))
        nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        chances = np.full((n, n_classes), noise / (n_classes - 1))
        chances[np.arange(n), owners[nearest]] = 1 - noise
        return X, chances

    return f"cells={n_cells} K={n_classes} noise={noise}", draw


def ellipsoids(random):
    """Two shells around one centre, stretched and turned."""
    d, prior = int(random.choice([3, 5, 8])), random.choice([0.5, 0.2])
    radii, thick = np.array([1, random.uniform(1.3, 2.2)]), random.uniform(0.08, 0.3)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    stretch = np.diag(np.exp(0.7 * random.normal(size=d))) @ turn

    def draw(generator, n):
        which = (generator.random(n) < prior).astype(int)
        directions = generator.normal(size=(n, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radius = radii[which] * np.exp(thick * generator.normal(size=n))
        away = (np.log(radius)[:, None] - np.log(radii)) / thick
        X = (directions * radius[:, None]) @ stretch.T
        return X, softmax(np.log([1 - prior, prior]) - away**2 / 2, axis=1)

    return f"d={d} prior={prior} thick={thick:.2f}", draw
