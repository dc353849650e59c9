"""Athletes: shots, races, bodies and birthdays, and bets on matches."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln, logsumexp, softmax

from .building import (
    Generative,
    draw_labels,
    gaussian_scores,
    halving_priors,
    slowly_falling_priors,
    template_scores,
    two_classes,
)


def shots_at_goal(random):
    """Where and how a ball is shot, and who stands in the way: goal, saved or wide?"""
    sharp, extra = random.uniform(0.5, 2.5), int(random.choice([0, 3, 12]))
    skill, three = random.uniform(0, 1), random.random() < 0.6
    header, crowd = random.uniform(0.3, 1.5), random.uniform(0.1, 0.6)

    def draw(generator, n):
        far, aside = generator.gamma(3, 5, n) + 1, generator.normal(0, 9, n)
        head = generator.random(n) < np.exp(-far / 12)
        others, minute = generator.poisson(far / 6), generator.integers(1, 95, n)
        form = generator.normal(size=n)
        angle = np.arctan2(7.32 * far, far**2 + aside**2 - 3.66**2) % np.pi
        hits = 3 * np.log(angle) + 2.5 - header * head + skill * form
        scores = np.stack([hits - crowd * others, 0.4 * hits + 0.2 * others, 0 * hits], axis=1)
        chances = softmax(sharp * scores, axis=1)
        if not three:
            chances = two_classes(chances[:, 0])
        X = [far, aside, head, others, minute, form, generator.normal(size=(n, extra))]
        return np.column_stack(X), chances

    return f"sharp={sharp:.1f} K={2 + three} skill={skill:.1f} extra={extra}", draw


def race_splits(random):
    """Minutes for each part of a long race: does a runner fade, keep the pace or speed up?"""
    parts, n_classes = int(random.choice([4, 8, 42])), int(random.choice([2, 3, 4]))
    uneven, strength = random.uniform(0.02, 0.12), random.uniform(0.02, 0.12)
    place, priors = np.linspace(-1, 1, parts), slowly_falling_priors(random, n_classes)
    shapes = np.stack([0 * place, place, -place, np.maximum(place - 0.4, 0) * 3])[:n_classes]
    means = np.log(5.2) + strength * shapes
    lower = np.tril(np.ones((parts, parts))) / np.sqrt(parts)  # pace wanders
    joint = uneven**2 * (np.eye(parts) + lower @ lower.T) + 0.15**2  # each runner has a speed
    factors = np.repeat(np.linalg.cholesky(joint)[None], n_classes, axis=0)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        return np.exp(means[which] + generator.normal(size=(n, parts)) @ factors[0].T), which

    def scores(X):
        return gaussian_scores(np.log(X), means, factors) + np.log(priors)

    text = f"parts={parts} K={n_classes} uneven={uneven:.2f} strength={strength:.2f}"
    return text, Generative(sample, scores)


def athlete_builds(random):
    """Height, weight, reach, pulse and age of men and women: which sport do they do?"""
    n_classes, told = int(random.choice([2, 5, 10])), random.random() < 0.5
    apart, priors = random.uniform(0.4, 1.6), halving_priors(random, n_classes)
    usual, sexes = np.array([176.0, 72.0, 178.0, 55.0, 24.0]), random.uniform(0.2, 0.8, n_classes)
    spread, step = np.array([6.0, 8.0, 7.0, 6.0, 4.0]), np.array([-12.0, -13.0, -13.0, 4.0, 0.0])
    means = usual + apart * spread * random.normal(size=(n_classes, 5))
    centres = np.stack([means, means + step], axis=1).reshape(-1, 5)
    bound = np.eye(5)
    bound[1, 0], bound[2, 0] = 0.7, 0.9
    factors = np.repeat((spread[:, None] * bound)[None], 2 * n_classes, axis=0)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        woman = generator.random(n) < sexes[which]
        X = centres[2 * which + woman] + generator.normal(size=(n, 5)) @ factors[0].T
        return np.column_stack([X, woman]) if told else X, which

    def scores(X):
        logs = gaussian_scores(X[:, :5], centres, factors).reshape(len(X), n_classes, 2)
        logs = logs + np.log(np.stack([1 - sexes, sexes], axis=1))
        of_sex = logs[np.arange(len(X)), :, X[:, 5].astype(int)] if told else logsumexp(logs, 2)
        return of_sex + np.log(priors)

    return f"K={n_classes} apart={apart:.2f} told={told}", Generative(sample, scores)


def birth_months(random):
    """Birthday, club and height of a child: is it chosen for the team? Little of it matters."""
    effect, clubs = random.uniform(0.1, 0.9), int(random.choice([3, 12]))
    share, tall = random.uniform(-0.6, 0.3), random.choice([0.0, 0.3])
    luck, cut = 0.2 * random.normal(size=clubs), int(random.choice([1, 9]))

    def draw(generator, n):
        month, day = generator.integers(1, 13, n), generator.integers(1, 29, n)
        year, club = generator.integers(0, 6, n), generator.integers(0, clubs, n)
        ahead = 0.5 - ((month - cut) % 12 + day / 28) / 12  # years before the middle of the class
        height = 130 + 5.5 * (year + ahead) + 6 * generator.normal(size=n)
        above = (height - 130 - 5.5 * (year + ahead)) / 6
        logits = share + 2 * effect * ahead * (1 - year / 8) + luck[club] + tall * above
        X = np.column_stack([month, day, year, club, height]) * 1.0
        return X, two_classes(expit(logits))

    return f"effect={effect:.2f} clubs={clubs} tall={tall} cut={cut}", draw


def betting_odds(random):
    """What bookmakers pay for a win, a draw and a defeat, rounded: how does the match end?"""
    bookmakers, unlike = int(random.choice([1, 3, 10])), random.uniform(0.1, 1.3)
    error, margin = random.uniform(0.02, 0.3), random.uniform(1.02, 1.12)
    goals, way = random.choice([1.4, 3.0, 12.0]), np.linspace(-2.2, 2.2, 25)
    home = random.uniform(0, 0.25)
    # Chances of win, draw and defeat by how much better one side is; goals are Poisson.
    first, second = goals * np.exp(unlike * way + home), goals * np.exp(-unlike * way)
    number = np.arange(int(goals * 30 + 30))
    logs = [
        number * np.log(rate)[:, None] - rate[:, None] - gammaln(number + 1)
        for rate in (first, second)
    ]
    one, two = np.exp(logs)
    draws, below = (one * two).sum(axis=1), two.cumsum(axis=1) - two
    wins = (one * below).sum(axis=1)
    results = np.stack([wins, draws, np.maximum(1 - wins - draws, 1e-9)], axis=1)
    results = np.maximum(results, 1e-9)
    results /= results.sum(axis=1, keepdims=True)
    often, quoted = np.exp(-0.5 * way**2), np.tile(np.log(results * margin), bookmakers)
    often /= often.sum()

    def sample(generator, n):
        part = generator.choice(len(way), n, p=often)
        off = error * generator.normal(size=(n, 3 * bookmakers))
        return np.exp(-quoted[part] - off), draw_labels(generator, results[part])

    def scores(X):
        logs = template_scores(-np.log(X) / error, quoted / error) + np.log(often)
        known = softmax(logs, axis=1) @ results
        return np.log(known)

    text = f"bookmakers={bookmakers} unlike={unlike:.2f} error={error:.2f} goals={goals}"
    return text, Generative(sample, scores)
