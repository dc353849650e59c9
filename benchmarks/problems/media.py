"""Films, songs and pictures, by what others say of them or a network makes of them."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import betaln, expit, logsumexp

from .building import Generative, draw_labels, random_centres, slowly_falling_priors


def film_ratings(random):
    """One to five stars for the films someone has seen, else 0: how does the next one please?"""
    films, n_classes = int(random.choice([5, 20, 80])), int(random.choice([2, 3, 5]))
    seen, taste = random.choice([0.15, 0.5, 1.0]), random.uniform(0.6, 2.5)
    places = np.linspace(-2.5, 2.5, 13)
    people = np.stack(np.meshgrid(places, places), axis=2).reshape(-1, 2)  # two unseen tastes
    weights = np.exp(-0.5 * (people**2).sum(axis=1))
    weights /= weights.sum()
    loads, bias = taste * random.normal(size=(films + 1, 2)), random.normal(size=films + 1)
    loads[-1] *= random.uniform(1, 3)

    def levels(cuts, film):
        """Probabilities of the levels of one film for each kind of person."""
        score = people @ loads[film] + bias[film]
        return np.diff(expit(cuts - score[:, None]), axis=1, prepend=0, append=1).clip(1e-12)

    stars = np.array([levels(np.array([-2.5, -1, 0.5, 2]), film) for film in range(films)])
    cuts = {2: [0.0], 3: [-1, 1], 5: [-2.5, -1, 0.5, 2]}[n_classes]
    likes = levels(np.array(cuts), films)
    likes /= likes.sum(axis=1, keepdims=True)

    def sample(generator, n):
        person = generator.choice(len(people), n, p=weights)
        which, X = draw_labels(generator, likes[person]), np.zeros((n, films))
        for film in range(films):
            X[:, film] = 1 + draw_labels(generator, stars[film, person])
        return np.where(generator.random((n, films)) < seen, X, 0), which

    def scores(X):
        logs = np.tile(np.log(weights), (len(X), 1))
        for star in range(5):
            logs += (star + 1 == X) @ np.log(stars[:, :, star])
        parts = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.log(parts @ likes)

    return f"films={films} K={n_classes} seen={seen} taste={taste:.1f}", Generative(sample, scores)


def song_genres(random):
    """Tempo, length, loudness and moods of a song, and what a program hears: which genre?"""
    n_classes, extra = int(random.choice([3, 6, 12])), int(random.choice([0, 10, 60]))
    apart, priors = random.uniform(0.35, 1.1), slowly_falling_priors(random, n_classes)
    mixed = random.choice([0.1, 0.4])  # songs of the second style of each genre
    size = n_classes, 2
    tempo = np.log(115) + 0.25 * apart * random.normal(size=size)
    length = 5.4 + 0.3 * apart * random.normal(size=size)
    moods = expit(apart * random.normal(size=(*size, 4))) * 0.9 + 0.05
    heard = apart * random.normal(size=(*size, extra)) * (random.random(extra) < 0.2)
    firm, styles = 5.0, np.log([1 - mixed, mixed])
    slips = np.log([0.5, 1.0, 2.0]), np.array([0.1, 0.75, 0.15])  # tempo is halved or doubled

    def sample(generator, n):
        which, style = generator.choice(n_classes, n, p=priors), generator.random(n) < mixed
        at = which, style.astype(int)
        beat = tempo[at] + generator.choice(slips[0], n, p=slips[1])
        X = [
            np.exp(beat + 0.12 * generator.normal(size=n)),
            np.exp(length[at] + 0.3 * generator.normal(size=n)),
            generator.beta(firm * moods[at], firm * (1 - moods[at])),
            heard[at] + generator.normal(size=(n, extra)),
        ]
        X = np.column_stack(X)
        X[:, 2:6] = np.clip(X[:, 2:6], 1e-9, 1 - 1e-9)
        return X, which

    def scores(X):
        logs, mood = np.empty((len(X), *size)), X[:, 2:6]
        for at in np.ndindex(size):
            beat = np.log(X[:, :1]) - tempo[at] - slips[0]
            one, other = firm * moods[at], firm * (1 - moods[at])
            feel = (one - 1) * np.log(mood) + (other - 1) * np.log1p(-mood) - betaln(one, other)
            logs[:, *at] = (
                logsumexp(-0.5 * (beat / 0.12) ** 2, b=slips[1], axis=1)
                - 0.5 * ((np.log(X[:, 1]) - length[at]) / 0.3) ** 2
                + feel.sum(axis=1)
                - 0.5 * ((X[:, 6:] - heard[at]) ** 2).sum(axis=1)
            )
        return logsumexp(logs + styles, axis=2) + np.log(priors)

    return f"K={n_classes} extra={extra} apart={apart:.2f} mixed={mixed}", Generative(
        sample, scores
    )


def picture_vectors(random):
    """Long vectors that a network makes of pictures: which thing is shown, in one of its looks?"""
    d, n_classes = int(random.choice([32, 100, 200])), int(random.choice([2, 5, 12]))
    looks, tails = int(random.choice([1, 3, 6])), random.choice([4.0, 30.0])
    apart, shared = random.uniform(2, 7), random.uniform(1, 6)
    centres = random_centres(random, n_classes * looks, d, apart)
    often = np.outer(slowly_falling_priors(random, n_classes), 1 / np.arange(1, looks + 1)).ravel()
    often /= often.sum()
    # A few directions, the same for all classes, vary far more than the others.
    wide = np.linalg.qr(random.normal(size=(d, 3)))[0]
    blur, sharpen = (
        np.eye(d) + factor * wide @ wide.T for factor in (shared, -shared / (1 + shared))
    )

    def sample(generator, n):
        look = generator.choice(len(often), n, p=often)
        far = np.sqrt(tails / generator.chisquare(tails, n))[:, None]
        return (centres[look] + far * generator.normal(size=(n, d))) @ blur, look // looks

    def scores(X):
        gaps = cdist(X @ sharpen, centres, "sqeuclidean")
        logs = -0.5 * (tails + d) * np.log1p(gaps / tails) + np.log(often)
        return logsumexp(logs.reshape(len(X), n_classes, looks), axis=2)

    text = f"d={d} K={n_classes} looks={looks} tails={tails:.0f} apart={apart:.1f}"
    return text, Generative(sample, scores)
