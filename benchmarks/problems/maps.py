"""Maps: what radar, lasers, foresters and ships report of a place."""

from __future__ import annotations

import numpy as np

from .building import (
    Generative,
    class_scores,
    draw_labels,
    halving_priors,
    normal_scores,
    part_weights,
    slowly_falling_priors,
)


def radar_speckle(random):
    """Radar echoes of a few pixels, as grainy as radar is: water, field, wood or town?"""
    pixels, n_classes = int(random.choice([1, 6, 20])), int(random.choice([2, 3, 5]))
    waves, looks = int(random.choice([1, 2])), random.choice([1.0, 3.0, 8.0])
    apart, unlike = random.uniform(0.2, 1.0), random.uniform(0.1, 0.6)
    d = pixels * waves
    dark = apart * random.normal(size=(n_classes, 1, waves))
    bright = dark + np.abs(random.normal(0, 1.5, (n_classes, 1, 1)))  # roofs, trunks, ridges
    share = random.choice([0.02, 0.15, 0.4], n_classes)
    wet = unlike * np.linspace(-2, 2, 5)[:, None]  # moves all echoes of a place
    means = np.exp(np.stack([dark + wet, bright + wet]))  # kind of pixel, class, wetness, wave
    means = np.tile(means, pixels).reshape(2, -1, d)
    shares = np.repeat(share, 5)
    weights = part_weights(slowly_falling_priors(random, n_classes), [1, 3, 5, 3, 1])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        kind = (generator.random((n, d)) < shares[part, None]).astype(int)
        X = means[kind, part[:, None], np.arange(d)] * generator.gamma(looks, 1 / looks, (n, d))
        return X, part // 5

    def scores(X):
        logs = np.tile(np.log(weights), (len(X), 1))
        for part, (low, high) in enumerate(means.transpose(1, 0, 2)):
            kinds = [
                np.log(often) - looks * (np.log(mean) + X / mean)
                for often, mean in ((1 - shares[part], low), (shares[part], high))
            ]
            logs[:, part] += np.logaddexp(*kinds).sum(axis=1)
        return class_scores(logs, n_classes)

    text = f"pixels={pixels}x{waves} K={n_classes} looks={looks:.0f} apart={apart:.2f}"
    return f"{text} unlike={unlike:.2f}", Generative(sample, scores)


def laser_returns(random):
    """Heights of up to five echoes of a laser from above, -1 for none: grass, shrub, tree, roof?"""
    n_classes, most = int(random.choice([2, 4, 6])), int(random.choice([2, 5]))
    alike, noise = random.uniform(0.3, 1.0), random.uniform(0.1, 0.8)
    # Grass, shrubs, trees, roofs, wires and water: height, depth, echoes, light, seen through.
    kinds = np.array(
        [
            [0.3, 0.2, 0.3, 0.0, 0.9],
            [1.6, 0.8, 0.5, -0.1, 0.4],
            [11, 4.0, 0.8, -0.4, 0.25],
            [8, 1.5, 0.1, 0.5, 0.02],
            [12, 1.0, 0.4, -1.0, 0.3],
            [0.1, 0.1, 0.05, -1.5, 0.9],
        ]
    )[random.permutation(6)[:n_classes]]
    kinds = alike * kinds + (1 - alike) * kinds.mean(axis=0)
    echoes = kinds[:, 2, None] ** np.arange(most)
    echoes /= echoes.sum(axis=1, keepdims=True)
    sizes, often = np.linspace(-1, 1, 5), [1, 2, 3, 2, 1]
    tops = (kinds[:, :1] * np.exp(0.5 * sizes)).ravel()  # low and high plants and houses
    depths, through = np.repeat(np.hypot(kinds[:, 1], noise), 5), np.repeat(kinds[:, 4], 5)
    weights = part_weights(halving_priors(random, n_classes), often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        which, size = part // 5, (n, most)
        number = 1 + draw_labels(generator, echoes[which])
        floor = generator.random(size) < through[part, None]
        heights = np.where(
            floor,
            noise * generator.normal(size=size),
            tops[part, None] + depths[part, None] * generator.normal(size=size),
        )
        heights = np.where(np.arange(most) < number[:, None], heights, -np.inf)
        heights = -np.sort(-heights, axis=1)
        light = np.exp(kinds[which, 3] + 0.6 * generator.normal(size=n))
        X = np.where(np.isneginf(heights), -1, heights + 10 * noise)  # above the lowest ground
        return np.column_stack([number, X, light]), which

    def scores(X):
        number, heights = X[:, 0].astype(int), X[:, 1:-1] - 10 * noise
        seen = np.arange(most) < number[:, None]
        logs = np.tile(np.log(weights), (len(X), 1))
        for part in range(len(weights)):
            low = np.exp(-0.5 * (heights / noise) ** 2) / noise
            high = np.exp(-0.5 * ((heights - tops[part]) / depths[part]) ** 2) / depths[part]
            both = np.log(through[part] * low + (1 - through[part]) * high + 1e-300)
            logs[:, part] += np.where(seen, both, 0).sum(axis=1)
        logs = class_scores(logs, n_classes) + np.log(echoes[:, number - 1]).T
        return logs - 0.5 * ((np.log(X[:, -1:]) - kinds[:, 3]) / 0.6) ** 2

    return f"K={n_classes} most={most} alike={alike:.2f} noise={noise:.2f}", Generative(
        sample, scores
    )


def forest_stands(random):
    """Altitude, slope, exposition, water and soil of a piece of forest: which tree grows there?"""
    n_classes, soils = int(random.choice([3, 7])), int(random.choice([4, 12, 35]))
    apart, wide = random.uniform(0.4, 1.6), random.choice([0.15, 0.6])
    codes = random.random() < 0.5
    priors = 0.55 ** np.arange(n_classes) + 0.02
    priors /= priors.sum()
    means = np.column_stack(
        [2600 + 160 * apart * random.normal(size=n_classes), random.normal(2.5, 0.3, n_classes)]
    )
    spreads = np.column_stack([random.uniform(90, 220, n_classes), np.full(n_classes, 0.5)])
    sectors, sunny = np.arange(36), random.uniform(-np.pi, np.pi, (n_classes, 1))
    sides = np.exp(0.8 * apart * np.cos(2 * np.pi * sectors / 36 - sunny))
    sides /= sides.sum(axis=1, keepdims=True)
    grounds = random.dirichlet(np.full(soils, wide), n_classes) * 0.98 + 0.02 / soils
    wet, far = (
        random.beta(1, 6, n_classes),
        250 * np.exp(0.5 * apart * random.normal(size=n_classes)),
    )

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        measured = means[which] + spreads[which] * generator.normal(size=(n, 2))
        side, soil = draw_labels(generator, sides[which]), draw_labels(generator, grounds[which])
        water = far[which] * generator.exponential(size=n) * (generator.random(n) >= wet[which])
        soil = soil[:, None] if codes else np.eye(soils)[soil]
        return np.column_stack(
            [measured[:, 0], np.exp(measured[:, 1]), 10 * side, water, soil]
        ), which

    def scores(X):
        side = (X[:, 2] / 10).round().astype(int)
        soil = X[:, 4].astype(int) if codes else X[:, 4:].argmax(axis=1)
        logs = normal_scores(np.column_stack([X[:, 0], np.log(X[:, 1])]), means, spreads)
        logs += np.log(priors) + np.log(sides[:, side] * grounds[:, soil]).T
        water = X[:, 3:4]
        return logs + np.where(water > 0, np.log((1 - wet) / far) - water / far, np.log(wet))

    text = f"K={n_classes} soils={soils} apart={apart:.2f} wide={wide} codes={codes}"
    return text, Generative(sample, scores)


def ship_reports(random):
    """Speed, course, heading, draught and length that a ship sends, some unknown: which type?"""
    n_classes, apart = int(random.choice([2, 4, 7])), random.uniform(0.3, 1.2)
    silent, moored = random.uniform(0, 0.5), random.uniform(0.1, 0.6)
    lane = random.uniform(0, 2 * np.pi)
    lengths, deep = (
        4.3 + apart * random.normal(size=n_classes) * 0.8,
        random.normal(-2.9, 0.3, n_classes),
    )
    speeds = 11 + 5 * apart * random.normal(size=n_classes)
    drift = np.exp(2 + apart * random.normal(size=n_classes))  # degrees between course and heading
    bound = np.exp(apart * random.normal(size=n_classes))  # to the lanes
    still = np.clip(moored * np.exp(apart * random.normal(size=n_classes)), 0.03, 0.9)
    mute = np.clip(silent * np.exp(apart * random.normal(size=n_classes)), 0, 0.9)
    priors = slowly_falling_priors(random, n_classes)
    steps = 10.0 * np.arange(36)
    angles = np.cos(2 * (np.radians(steps) - lane))  # both ways along a lane
    courses = np.exp(bound[:, None] * angles)
    courses /= courses.sum(axis=1, keepdims=True)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        length = np.exp(lengths[which] + 0.4 * generator.normal(size=n))
        draught = length * np.exp(deep[which] + 0.25 * generator.normal(size=n))
        stop = generator.random(n) < still[which]
        speed = np.abs(speeds[which] + 3 * generator.normal(size=n)) * ~stop
        course = steps[draw_labels(generator, courses[which])]
        course[stop] = 360  # the code for unknown
        heading = generator.uniform(0, 360, n)
        sails = (course + drift[which] * generator.normal(size=n)) % 360
        heading = np.where(stop, heading, sails)
        heading[generator.random(n) < mute[which]] = 511  # the code for unknown
        draught[generator.random(n) < silent] = 0
        return np.column_stack([speed, course, heading, draught, length]), which

    def scores(X):
        speed, course, heading, draught, length = (each[:, None] for each in X.T)
        stop, off = speed == 0, heading == 511
        logs = np.log(priors) - 0.5 * ((np.log(length) - lengths) / 0.4) ** 2
        bulk = (np.log(np.where(draught > 0, draught, 1) / length) - deep) / 0.25
        logs = logs - np.where(draught > 0, 0.5 * bulk**2, 0)
        knots = [np.exp(-0.5 * ((speed - way * speeds) / 3) ** 2) for way in (-1, 1)]
        runs = np.log1p(-still) + np.log(sum(knots) + 1e-300)
        runs += np.log(courses[:, np.where(stop, 0, course)[:, 0].astype(int) // 10]).T
        turns = heading - course + 360 * np.arange(-4, 5)[:, None, None]  # it may turn right round
        near = np.exp(-0.5 * (turns / drift) ** 2).sum(axis=0) / drift / np.sqrt(2 * np.pi)
        runs += np.where(off, 0, np.log(near + 1e-300))
        said = np.where(off, np.log(np.maximum(mute, 1e-300)), np.log1p(-mute))
        return logs + said + np.where(stop, np.log(still), runs)

    text = f"K={n_classes} apart={apart:.2f} silent={silent:.2f} moored={moored:.2f}"
    return text, Generative(sample, scores)
