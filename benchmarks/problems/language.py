"""Language: vowels, spoken words, the gender of nouns, and how people type."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    gaussian_scores,
    slowly_falling_priors,
    template_scores,
)


def vowels(random):
    """Pitch and resonances of a voice, a man's, a woman's or a child's: which vowel is it?"""
    n_classes, spread = int(random.choice([3, 6, 10])), random.uniform(0.05, 0.18)
    told, priors = random.random() < 0.3, slowly_falling_priors(random, n_classes)
    places = np.log([300, 900, 2200]) + random.uniform(0, [1.0, 1.0, 0.4], (n_classes, 3))
    lengths, pitches = np.array([0.0, 0.16, 0.3]), np.log([120, 210, 270])
    shares = random.dirichlet(np.full(3, 4.0))
    centres = np.column_stack(
        [np.tile(pitches, n_classes), (places[:, None] + lengths[:, None]).reshape(-1, 3)]
    )
    # A longer throat lowers all resonances of a voice together.
    joint = np.diag([0.15**2, spread**2, spread**2, spread**2]) + 0.05**2
    factors = np.repeat(np.linalg.cholesky(joint)[None], 3 * n_classes, axis=0)

    def sample(generator, n):
        which, voice = generator.choice(n_classes, n, p=priors), generator.choice(3, n, p=shares)
        X = np.exp(centres[3 * which + voice] + generator.normal(size=(n, 4)) @ factors[0].T)
        return np.column_stack([X, voice]) if told else X, which

    def scores(X):
        logs = gaussian_scores(np.log(X[:, :4]), centres, factors).reshape(len(X), n_classes, 3)
        logs = logs + np.log(shares)
        of_voice = logs[np.arange(len(X)), :, X[:, 4].astype(int)] if told else logsumexp(logs, 2)
        return of_voice + np.log(priors)

    return f"K={n_classes} spread={spread:.2f} told={told}", Generative(sample, scores)


def noun_genders(random):
    """The last letters, length and meaning of a noun: which gender has it?"""
    n_classes, letters = int(random.choice([2, 3])), int(random.choice([8, 26]))
    regular, living = random.choice([0.5, 1.5, 4.0]), random.choice([0.0, 2.0])
    of_last = random.normal(size=(letters, n_classes))
    of_pair = random.normal(size=(letters, letters, n_classes))
    of_meaning, usual = living * random.normal(size=(5, n_classes)), random.normal(size=n_classes)
    shares = random.dirichlet(np.full(letters, 0.6))
    follows = random.dirichlet(np.full(letters, 0.4), letters) + 1e-3
    follows /= follows.sum(axis=1, keepdims=True)

    def draw(generator, n):
        last = generator.choice(letters, n, p=shares)
        before = draw_labels(generator, follows[last])
        meaning = generator.choice(5, n, p=[0.5, 0.2, 0.1, 0.1, 0.1])
        syllables = 1 + generator.poisson(1.2, n)
        ending = of_last[last] + of_pair[last, before] * (syllables > 1)[:, None]
        X = np.column_stack([last, before, syllables, meaning]) * 1.0
        return X, softmax(0.5 * usual + regular * ending + of_meaning[meaning], axis=1)

    return f"K={n_classes} letters={letters} regular={regular} living={living}", draw


def keystrokes(random):
    """How long each key of a password is held, and the pauses between: who types it?"""
    keys, n_classes = int(random.choice([4, 8, 16])), int(random.choice([2, 5, 10]))
    own, noise = random.uniform(0.1, 0.4), random.uniform(0.15, 0.5)
    usual = np.append(np.full(keys, np.log(95)), np.log(150) + 0.3 * random.normal(size=keys - 1))
    means = usual + own * random.normal(size=(n_classes, 2 * keys - 1))
    hurry, steady = random.uniform(0.05, 0.4), np.exp(0.3 * random.normal(size=n_classes))
    white = (noise * steady[:, None, None]) ** 2 * np.eye(2 * keys - 1)
    factors = np.linalg.cholesky(white + hurry**2)  # in a hurry all times are shorter

    def sample(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.normal(size=(n, 2 * keys - 1))
        for k, factor in enumerate(factors):
            X[which == k] = X[which == k] @ factor.T
        return np.exp(means[which] + X), which

    def scores(X):
        return gaussian_scores(np.log(X), means, factors)

    text = f"keys={keys} K={n_classes} own={own:.2f} noise={noise:.2f} hurry={hurry:.2f}"
    return text, Generative(sample, scores)


def spoken_words(random):
    """Sound features, frame by frame, of a word said fast or slowly by one of few: which word?"""
    frames, features = int(random.choice([5, 8, 12])), int(random.choice([2, 5, 12]))
    n_classes, states = int(random.choice([2, 5, 10])), 3
    apart, voices = (
        random.uniform(0.5, 2.0) * (frames * features) ** -0.25,
        int(random.choice([1, 3])),
    )
    sounds = apart * random.normal(size=(n_classes, 1, states, features))
    unlike = 0.5 * random.normal(size=(voices, 1, features))
    means = (sounds + unlike).reshape(-1, features)
    stay = random.uniform(0.4, 0.85, (n_classes, states))
    stay[:, -1] = 1.0  # a word ends in its last sound
    moves = np.log(np.repeat(stay, voices, axis=0)), np.log1p(-np.repeat(stay[:, :-1], voices, 0))
    weights = np.repeat(slowly_falling_priors(random, n_classes) / voices, voices)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        state, heard = np.zeros(n, int), []
        for _ in range(frames):
            heard.append(means[part * states + state])
            state = state + (generator.random(n) >= stay[part // voices, state])
        X = np.concatenate(heard, axis=1)
        return X + generator.normal(size=X.shape), part // voices

    def scores(X):
        each = X.reshape(-1, features)
        seen = template_scores(each, means).reshape(len(X), frames, len(weights), states)
        # The forward algorithm; a path starts in the first sound.
        logs = np.full((len(X), len(weights), states), -1e9)
        logs[..., 0] = seen[:, 0, :, 0]
        for frame in range(1, frames):
            on = logs[..., :-1] + moves[1]
            logs += moves[0]
            logs[..., 1:] = np.logaddexp(logs[..., 1:], on)
            logs += seen[:, frame]
        return class_scores(logsumexp(logs, axis=2) + np.log(weights), n_classes)

    text = f"frames={frames} features={features} K={n_classes} apart={apart:.2f} voices={voices}"
    return text, Generative(sample, scores)
