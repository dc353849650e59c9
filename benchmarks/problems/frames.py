"""Data frames with rare texts, gaps and codes, as numbers that tables become."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .building import priors_to_a_tenth, slowly_falling_priors, two_classes
from .described import Flags, Gaps, Levels, LogNormal, Normal, Poisson, described


def _zipf(levels, power):
    shares = (1.0 + np.arange(levels)) ** -power
    return shares / shares.sum()


def _tilted(random, n_classes, levels, power, strength):
    """Chances of the values of a text: rare ones by Zipf's law, tilted by class."""
    return _zipf(levels, power) * np.exp(strength * random.normal(size=(n_classes, levels)))


def rare_texts(random):
    """One to three texts of many values, most of them rare, beside a few numbers."""
    n_classes, texts = int(random.choice([2, 3])), int(random.choice([1, 2, 3]))
    levels, strength = int(random.choice([12, 40, 120])), random.uniform(0.3, 1.5)
    one_hot = random.random() < 0.5
    columns = [
        Levels(_tilted(random, n_classes, levels, 1.0, strength), one_hot=one_hot)
        for _ in range(texts)
    ]
    columns.append(Normal(random.normal(size=(n_classes, 3)) * random.uniform(0, 0.8)))
    text = f"K={n_classes} texts={texts} levels={levels} strength={strength:.1f} one_hot={one_hot}"
    return text, described(slowly_falling_priors(random, n_classes), columns)


def orders_of_customers(random):
    """Counts, amounts, flags and a text, with hidden segments inside of each class."""
    n_classes, segments = int(random.choice([2, 4])), int(random.choice([1, 3]))
    parts, apart = n_classes * segments, random.uniform(0.2, 0.9)
    columns = [
        Poisson(np.exp(apart * random.normal(size=(parts, 4)) + 0.5)),
        LogNormal(apart * random.normal(size=(parts, 2)) + 3, 1.0),
        Flags(expit(apart * random.normal(size=(parts, 5)) - 1)),
        Levels(_tilted(random, parts, 15, 0.7, apart), one_hot=True),
    ]
    priors = np.repeat(priors_to_a_tenth(random, n_classes) / segments, segments)
    owners = np.repeat(np.arange(n_classes), segments)
    text = f"K={n_classes} segments={segments} apart={apart:.1f}"
    return text, described(priors, columns, owners)


def telling_gaps(random):
    """Measurements of which a part is missing, more often in one class than in another."""
    n_classes, measured = int(random.choice([2, 3])), int(random.choice([2, 5]))
    apart, strength = random.uniform(0.1, 0.8), random.uniform(0, 1.5)
    columns = [
        Gaps(
            LogNormal(apart * random.normal(size=(n_classes, 1)), 0.7),
            expit(strength * random.normal(size=n_classes) - 1),
        )
        for _ in range(measured)
    ]
    text = f"K={n_classes} measured={measured} apart={apart:.1f} strength={strength:.1f}"
    return text, described(slowly_falling_priors(random, n_classes), columns)


def crossed_texts(random):
    """Two texts whose pairs matter: who clicks on what."""
    people, things = int(random.choice([5, 12, 30])), int(random.choice([5, 12, 30]))
    rank, sharp = int(random.choice([1, 3])), random.uniform(0.5, 3)
    base, one_hot = random.uniform(-2, 0), random.random() < 0.5
    table = sharp * random.normal(size=(people, rank)) @ random.normal(size=(rank, things))
    table = table / np.sqrt(rank) + base
    shares = _zipf(people, 0.6), _zipf(things, 0.9)

    def draw(generator, n):
        who, what = (generator.choice(len(each), n, p=each) for each in shares)
        hour = generator.integers(0, 24, n)
        chance = expit(table[who, what] + 0.5 * np.sin(hour / 24 * 2 * np.pi))
        if one_hot:
            return np.hstack(
                [np.eye(people)[who], np.eye(things)[what], hour[:, None]]
            ), two_classes(chance)
        return np.column_stack([who, what, hour]) * 1.0, two_classes(chance)

    return f"people={people} things={things} rank={rank} one_hot={one_hot}", draw


# For evaluation.


def shops_and_days(random):
    """A shop of many, each with a rate of its own, the weekday and the price: sold out or not?"""
    shops, spread = int(random.choice([10, 50, 200])), random.uniform(0.3, 2)
    own, days = spread * random.normal(size=shops), random.normal(scale=0.5, size=7)
    falls, one_hot = random.uniform(0, 2), random.random() < 0.5
    often = _zipf(shops, random.choice([0.3, 1.0]))

    def draw(generator, n):
        shop, day = generator.choice(shops, n, p=often), generator.integers(0, 7, n)
        price = generator.lognormal(2, 0.4, n).round(1)
        chance = expit(own[shop] + days[day] - falls * (np.log(price) - 2))
        first = np.eye(shops)[shop] if one_hot else shop[:, None]
        return np.hstack([first, day[:, None], price[:, None]]), two_classes(chance)

    return f"shops={shops} spread={spread:.1f} one_hot={one_hot}", draw


def diagnosis_codes(random):
    """Sets of codes from chapters, most of them rare; hidden conditions bring their chapter."""
    chapters, codes, n_classes = 6, int(random.choice([5, 15])), int(random.choice([2, 4]))
    rates = np.tile(0.3 * _zipf(codes, 1.0), (n_classes, chapters))
    for k in range(n_classes):
        ill = random.permutation(chapters)[:2]
        for each in ill:
            rates[k, each * codes : (each + 1) * codes] *= random.uniform(1.5, 5)
    columns = [Flags(np.minimum(rates, 0.9)), Normal(random.normal(size=(n_classes, 1)), 1.5)]
    text = f"codes={chapters * codes} K={n_classes}"
    return text, described(priors_to_a_tenth(random, n_classes), columns)


def shopping_baskets(random):
    """Baskets of a hundred goods by the household's kind, several kinds to a class."""
    goods, n_classes = int(random.choice([30, 120])), int(random.choice([2, 3]))
    kinds, apart = int(random.choice([1, 4])), random.uniform(0.3, 1.0)
    base = np.log(_zipf(goods, 0.8) * 4)
    chances = expit(base + apart * random.normal(size=(n_classes * kinds, goods)))
    owners = np.repeat(np.arange(n_classes), kinds)
    priors = np.full(len(owners), 1 / len(owners))
    text = f"goods={goods} K={n_classes} kinds={kinds} apart={apart:.1f}"
    return text, described(priors, [Flags(chances)], owners)


def insurance_forms(random):
    """Counts, amounts with gaps, texts in many values, and classes of which one is rare."""
    n_classes, apart = int(random.choice([2, 3])), random.uniform(0.2, 0.8)
    levels = int(random.choice([20, 80]))
    priors = np.r_[random.choice([0.05, 0.02]), np.ones(n_classes - 1)]
    priors[1:] *= (1 - priors[0]) / (n_classes - 1)
    columns = [
        Poisson(np.exp(apart * random.normal(size=(n_classes, 3)))),
        Gaps(
            LogNormal(apart * random.normal(size=(n_classes, 1)) + 5, 1.2),
            expit(apart * random.normal(size=n_classes)),
        ),
        Levels(_tilted(random, n_classes, levels, 1.1, apart)),
        Levels(_tilted(random, n_classes, 6, 0.5, apart)),
        Normal(apart * random.normal(size=(n_classes, 2))),
    ]
    text = f"K={n_classes} apart={apart:.1f} levels={levels} rare={priors[0]}"
    return text, described(priors, columns)
