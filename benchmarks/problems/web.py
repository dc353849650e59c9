"""The web: advertisements, logins and the stars that buyers give."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln

from .building import (
    Generative,
    class_scores,
    draw_labels,
    part_weights,
    priors_to_a_tenth,
    two_classes,
)


def ad_clicks(random):
    """Page, campaign, device, hour and earlier views of an advertisement: is it clicked, bought?"""
    pages, campaigns = random.choice([[5, 4], [60, 10], [400, 40]])
    n_classes, often = int(random.choice([2, 3])), random.choice([-2.2, -1.0, 0.0])
    strong, tired = random.uniform(0.3, 1.5), random.uniform(0, 0.8)
    popular = 1 / (np.arange(pages) + 2.0)
    page, campaign = strong * random.normal(size=pages), strong * random.normal(size=campaigns)
    topics = random.integers(0, 4, (2, max(pages, campaigns)))
    device, codes = strong * random.normal(size=(3, 2)), random.permutation(pages) + 1000

    def draw(generator, n):
        where = generator.choice(pages, n, p=popular / popular.sum())
        what, screen = generator.integers(0, campaigns, n), generator.integers(0, 3, n)
        hour, seen = generator.integers(0, 24, n), generator.geometric(0.3, n) - 1
        evening = (hour >= 18).astype(int)
        price = np.exp(generator.normal(3, 1, n)).round(2)
        fits = topics[0, where] == topics[1, what]
        score = often + page[where] + campaign[what] + device[screen, evening]
        clicks = expit(score + 1.2 * strong * fits - tired * np.log1p(seen) * 2)
        X = np.column_stack([codes[where], what, screen, hour, seen, price])
        if n_classes == 2:
            return X, two_classes(clicks)
        buys = clicks * expit(1 - 0.5 * np.log(price) + fits)
        return X, np.stack([1 - clicks, clicks - buys, buys], axis=1)

    text = f"pages={pages} campaigns={campaigns} K={n_classes} often={often} strong={strong:.1f}"
    return text, draw


def login_attempts(random):
    """Hour, country, distance, failed tries and typing of a login: owner, family, thief, robot?"""
    n_classes, countries = int(random.choice([2, 3, 4])), int(random.choice([3, 20]))
    alike, rare = random.uniform(0.2, 1.0), random.choice([0.06, 0.15, 0.4])
    order = np.array([0, 2, 3, 1])[:n_classes]  # owner, thief, robot, family
    priors = np.array([1 - rare * (n_classes - 1) / 2, *np.full(n_classes - 1, rare / 2)])
    priors[1:] *= 1 + (n_classes == 2)
    priors /= priors.sum()
    clock = np.arange(24)
    peaks, narrow = np.array([19, 20, 3, 12])[order], np.array([1.0, 1.0, 0.7, 0.0])[order]
    hours = np.exp(alike * narrow[:, None] * np.cos(2 * np.pi * (clock - peaks[:, None]) / 24))
    hours /= hours.sum(axis=1, keepdims=True)
    home = random.dirichlet(np.full(countries, 0.3)) * 0.98 + 0.02 / countries
    world = random.dirichlet(np.full(countries, 1.0)) * 0.9 + 0.1 / countries
    mix = (0.5 + 0.5 * alike * np.array([1, 1, -0.8, -1]))[order, None]
    lands = mix * home + (1 - mix) * world
    here = (0.3 + 0.5 * alike * np.array([1, 0.8, -0.5, -0.55]))[order]  # from the same place
    far = 4 + alike * np.array([-1, -1, 2, 3.0])[order]  # logarithm of kilometres
    tries = np.array([0.4, 0.6, 1.0, 0.7 + 3 * alike])[order]  # failed ones, geometric
    typing = np.array([1.8, 1.8 + 0.5 * alike, 1.8 + 0.7 * alike, 1.8 - 1.5 * alike])[order]
    known = (0.5 + 0.4 * alike * np.array([1, 0.3, -0.9, -1]))[order]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        hour, land = draw_labels(generator, hours[which]), draw_labels(generator, lands[which])
        away = generator.random(n) >= here[which]
        kilometres = np.exp(far[which] + 1.5 * generator.normal(size=n)) * away
        failed = generator.geometric(1 / (1 + tries[which])) - 1
        seconds = np.exp(typing[which] + 0.5 * generator.normal(size=n))
        device = generator.random(n) < known[which]
        return np.column_stack([hour, land, kilometres, failed, seconds, device]), which

    def scores(X):
        hour, land, away = X[:, 0].astype(int), X[:, 1].astype(int), X[:, 2:3] > 0
        gaps = (np.log(np.where(away, X[:, 2:3], 1)) - far) / 1.5
        logs = np.log(priors) + np.log(hours[:, hour] * lands[:, land]).T
        logs += np.where(away, np.log1p(-here) - 0.5 * gaps**2, np.log(here))
        logs += X[:, 3:4] * np.log(tries / (1 + tries)) - np.log1p(tries)
        logs -= 0.5 * ((np.log(X[:, 4:5]) - typing) / 0.5) ** 2
        return logs + np.log(np.where(X[:, 5:], known, 1 - known))

    text = f"K={n_classes} countries={countries} alike={alike:.2f} rare={rare}"
    return text, Generative(sample, scores)


def seller_ratings(random):
    """How many of one to five stars a shop has, few or thousands: honest, poor, or bought stars?"""
    n_classes, most = int(random.choice([2, 3, 4])), int(random.choice([30, 300, 10_000]))
    steady, apart = random.choice([4.0, 15.0, 80.0]), random.uniform(0.4, 1.3)
    # Honest shops, those that buy five stars, poor ones, and those with rivals who give one star.
    logits = np.log([8, 5, 8, 20, 59]) + apart * np.array(
        [[0, 0, 0, 0, 0], [0.5, -0.5, -1, -1, 1], [1, 0.9, 0.5, 0, -0.6], [1.7, 0, 0, 0, 0]]
    )
    shares = np.exp(logits[:n_classes])
    shares /= shares.sum(axis=1, keepdims=True)
    levels = np.array([0.4, 1, 2.5])  # shops of one kind vary little or much
    alphas = (steady * levels[:, None] * shares[:, None]).reshape(-1, 5)
    weights = part_weights(priors_to_a_tenth(random, n_classes), [1, 2, 1])
    young, dated = random.uniform(0.4, 1), random.random() < 0.5
    ages = np.array([30, 30 * young, 30, 30 / young])[:n_classes]

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        number = np.exp(generator.uniform(np.log(3), np.log(most + 1), n)).astype(int)
        chances = generator.gamma(alphas[part]) + 1e-300
        stars = generator.multinomial(number, chances / chances.sum(axis=1, keepdims=True))
        months = generator.exponential(ages[part // 3])
        return np.column_stack([stars, *([months] if dated else [])]) * 1.0, part // 3

    def scores(X):
        counts = X[:, None, :5]
        logs = (gammaln(counts + alphas) - gammaln(alphas)).sum(axis=2) + np.log(weights)
        totals = alphas.sum(axis=1)
        logs += gammaln(totals) - gammaln(totals + counts.sum(axis=2))
        logs = class_scores(logs, n_classes)
        return logs - np.log(ages) - X[:, 5:] / ages if dated else logs

    text = f"K={n_classes} most={most} steady={steady:.0f} apart={apart:.1f} dated={dated}"
    return text, Generative(sample, scores)
