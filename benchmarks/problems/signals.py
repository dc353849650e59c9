"""Pens, wrists, whales, birds and microphones: what a device records of a move or a sound."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp

from .building import (
    Generative,
    class_scores,
    gaussian_scores,
    normal_classes,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    template_scores,
)


def pen_strokes(random):
    """Places of a pen at equal times, slanted and large as the writer likes: which letter?"""
    points, n_classes = int(random.choice([4, 8, 15])), int(random.choice([3, 10, 26]))
    forms, noise = int(random.choice([1, 2])), random.uniform(0.15, 0.7)
    slants = random.uniform(0, 0.8) * np.linspace(-1, 1, 5)
    turn = np.cumsum(random.normal(0, 2.2 / np.sqrt(points), (n_classes, forms, points)), axis=2)
    angle = turn + random.uniform(0, 2 * np.pi, (n_classes, forms, 1))
    path = np.cumsum(np.stack([np.cos(angle), np.sin(angle)], axis=3), axis=2)
    path = (path - path.mean(axis=2, keepdims=True)) / points * 3
    writers = np.array([[[s, 0], [s * lean, s]] for s in (0.8, 1.0, 1.2) for lean in slants])
    letters = (path[:, :, None] @ writers).reshape(-1, 2 * points)
    # Neighbouring places of a shaky hand are off in the same way.
    gaps = np.abs(np.subtract.outer(np.arange(points), np.arange(points)))
    factor = noise * np.kron(np.linalg.cholesky(0.6**gaps), np.eye(2))
    templates = np.linalg.solve(factor, letters.T).T
    back, priors = np.linalg.inv(factor).T, slowly_falling_priors(random, n_classes)
    weights = np.repeat(np.log(priors / (15 * forms)), 15 * forms)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        X = (templates[part] + generator.normal(size=(n, 2 * points))) @ factor.T
        return X, part // (15 * forms)

    def scores(X):
        logs = template_scores(X @ back, templates) + weights
        return logsumexp(logs.reshape(len(X), n_classes, -1), axis=2)

    text = f"points={points} K={n_classes} forms={forms} noise={noise:.2f} slant={slants[-1]:.1f}"
    return text, Generative(sample, scores)


def activity_trackers(random):
    """Pulse, steps, tilt and shaking at a wrist, left or right: what is its owner doing?"""
    n_classes, axes = int(random.choice([2, 4, 8])), int(random.choice([1, 3]))
    apart, unlike = random.uniform(0.4, 1.6), random.uniform(0.2, 1.2)
    # Columns: pulse, and tilt and shaking of each axis; the fitter, the slower the pulse.
    effort = np.sort(random.normal(size=n_classes))
    pulse = effort[:, None] + 0.3 * random.normal(size=(n_classes, 1))
    tilt, shaking = random.normal(size=(2, n_classes, axes))
    centres = apart * np.hstack([pulse, tilt, shaking + effort[:, None]])
    rates = np.exp(2 + apart * effort + 0.5 * random.normal(size=n_classes))
    rates[random.random(n_classes) < 0.4] = 0.3  # no steps, but for some that are counted wrongly
    fit, side = np.meshgrid(np.linspace(-2, 2, 7), [-1, 1])
    fit, side, often = fit.ravel(), side.ravel(), np.exp(-0.5 * fit.ravel() ** 2)
    people = np.tile(centres, (len(fit), 1, 1))
    people[:, :, 0] -= unlike * fit[:, None]
    people[:, :, 1] *= side[:, None]  # the other wrist is a mirror of this one
    people = people.transpose(1, 0, 2).reshape(n_classes * len(fit), -1)
    priors = slowly_falling_priors(random, n_classes)
    weights = (np.log(priors)[:, None] + np.log(often / often.sum())).ravel()

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        which = part // len(fit)
        X = people[part] + generator.normal(size=(n, people.shape[1]))
        X[:, 0] = 90 + 20 * X[:, 0]
        X[:, 1 + axes :] = np.exp(X[:, 1 + axes :])
        return np.column_stack([X, generator.poisson(rates[which])]), which

    def scores(X):
        white = np.column_stack(
            [(X[:, 0] - 90) / 20, X[:, 1 : 1 + axes], np.log(X[:, 1 + axes : -1])]
        )
        logs = template_scores(white, people) + weights
        logs = logsumexp(logs.reshape(len(X), n_classes, -1), axis=2)
        return logs + X[:, -1:] * np.log(rates) - rates

    text = f"K={n_classes} axes={axes} apart={apart:.2f} unlike={unlike:.2f}"
    return text, Generative(sample, scores)


def sound_directions(random):
    """What two microphones record of one noise: which of them does it reach first, and when?"""
    length, n_classes = int(random.choice([6, 12, 25])), int(random.choice([2, 3, 5]))
    noise, smooth = random.uniform(0.2, 1.5), random.choice([0.0, 0.5])
    lags = {2: [-1, 1], 3: [-1, 0, 1], 5: [-2, -1, 0, 1, 2]}[n_classes]
    at, covariances = np.arange(length), []
    for lag in lags:
        heard = np.concatenate([at, at - lag])
        gaps = np.abs(np.subtract.outer(heard, heard))
        covariances.append(1.0 * (gaps == 0) if smooth == 0 else smooth**gaps)
    covariances = np.array(covariances) + noise**2 * np.eye(2 * length)
    text = f"length={length} K={n_classes} noise={noise:.2f} smooth={smooth}"
    priors = priors_to_a_tenth(random, n_classes)
    return text, normal_classes(np.zeros((n_classes, 2 * length)), covariances, priors)


def whale_clicks(random):
    """Seconds between the clicks of a whale, some of which nobody hears: which clan is it?"""
    clicks, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 3, 5]))
    missed, apart = random.uniform(0, 0.4), random.uniform(0.2, 1.0)
    steady = np.exp(random.normal(2, 0.8, (n_classes, 1)))  # shapes of gamma distributions
    tempo = np.log(0.5) + 0.4 * apart * random.normal(size=(n_classes, 1))
    rhythm = random.uniform(0, 0.5) * random.normal(size=(n_classes, 1, clicks))  # of a song
    slow = random.uniform(0.05, 0.4) * np.linspace(-2, 2, 5)
    means = np.exp(tempo[..., None] + slow[:, None] + rhythm).reshape(-1, clicks)
    shapes = np.repeat(steady, 5)
    lost = np.arange(5)  # clicks in a row that nobody hears
    chances = missed**lost / (missed**lost).sum()
    weights = part_weights(priors_to_a_tenth(random, n_classes), [1, 3, 5, 3, 1])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        heard = 1 + generator.choice(5, (n, clicks), p=chances)
        shape = shapes[part, None]
        return generator.gamma(shape * heard, means[part] / shape), part // 5

    def scores(X):
        logs, safe = np.tile(np.log(weights), (len(X), 1)), np.maximum(X, 1e-12)
        for part, (shape, mean) in enumerate(zip(shapes, means, strict=True)):
            near = np.zeros(X.shape)
            ratio = safe * shape / mean
            for times, chance in zip(lost + 1, chances, strict=True):
                most = times * shape
                near += chance * np.exp(most * np.log(ratio) - ratio - gammaln(most))
            logs[:, part] += np.log(np.maximum(near, 1e-300)).sum(axis=1)
        return class_scores(logs, n_classes)

    text = f"clicks={clicks} K={n_classes} missed={missed:.2f} apart={apart:.2f}"
    return text, Generative(sample, scores)


def bird_calls(random):
    """Pitch, length and slope of the syllables of one bird's song: which species sings?"""
    syllables, n_classes = int(random.choice([1, 4, 10])), int(random.choice([2, 5, 12]))
    features = int(random.choice([3, 6, 12]))
    apart = random.uniform(0.4, 1.8) / np.sqrt(features)
    alike, priors = random.uniform(0.2, 0.9), slowly_falling_priors(random, n_classes)
    # A bird has a voice of its own: the syllables of a row share a part of their spread.
    middles = apart * random.normal(size=(n_classes, 1, features))
    along = np.linspace(-1, 1, syllables)[:, None] * random.normal(size=(n_classes, 1, features))
    means = (middles + 0.4 * apart * along).reshape(n_classes, -1)
    factors = []
    for own in np.exp(0.3 * random.normal(size=(n_classes, features))):
        shared = np.full((syllables, syllables), alike) + (1 - alike) * np.eye(syllables)
        factors.append(np.linalg.cholesky(np.kron(shared, np.diag(own**2))))
    factors = np.array(factors)
    pitch = np.arange(means.shape[1]) % features == 0  # in hertz

    def sample(generator, n):
        which, X = generator.choice(n_classes, n, p=priors), generator.normal(size=(n, len(pitch)))
        for k, factor in enumerate(factors):
            X[which == k] = means[k] + X[which == k] @ factor.T
        return np.where(pitch, 3000 * np.exp(0.2 * X), X), which

    def scores(X):
        X = np.where(pitch, np.log(np.where(pitch, X, 1) / 3000) / 0.2, X)
        return gaussian_scores(X, means, factors) + np.log(priors)

    text = f"syllables={syllables} features={features} K={n_classes} apart={apart:.2f}"
    return f"{text} alike={alike:.2f}", Generative(sample, scores)
