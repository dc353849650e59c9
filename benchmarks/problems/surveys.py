"""People: answers, exams, votes, where they live and what they do all day."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, softmax

from .building import (
    Generative,
    draw_labels,
    priors_to_a_tenth,
    slowly_falling_priors,
    two_classes,
)


def survey(random):
    """Normal columns that go together, many seen in a few steps only; the label by a score."""
    d, n_classes = int(random.choice([4, 8, 20])), int(random.choice([2, 3]))
    mixed = random.normal(size=(d, d)) * 0.6 + np.eye(d)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    steps = [random.choice([1, 2, 4, 0]) for _ in range(d)]  # 0: seen as it is
    cuts = [np.sort(random.normal(scale=0.8, size=each)) for each in steps]
    slopes = random.normal(scale=random.uniform(0.4, 1.5), size=(d, n_classes))
    pairs = random.normal(scale=random.choice([0.0, 0.7]), size=(3, 3, n_classes))
    centre = np.array(steps) / 2

    def draw(generator, n):
        X = generator.normal(size=(n, d)) @ mixed.T
        for column, each in enumerate(cuts):
            if len(each):
                X[:, column] = np.searchsorted(each, X[:, column])
        scores = (X - centre) @ slopes / np.sqrt(d)
        first = X[:, :3]
        scores += np.einsum("ni,nj,ijk->nk", first, first, pairs) / 3
        return X, softmax(2 * scores, axis=1)

    return f"d={d} K={n_classes} seen={sum(each == 0 for each in steps)}", draw


def questionnaires(random):
    """A logistic curve in the sum of some of twenty answers from 1 to 5."""
    used, steep = int(random.choice([3, 10, 20])), random.choice([0.5, 1.0, 3.0])
    weights = np.zeros(20)
    weights[:used] = random.normal(size=used)
    weights /= np.linalg.norm(weights)

    def draw(generator, n):
        mood = generator.normal(size=(n, 1))
        X = np.clip(np.round(3 + 0.6 * mood + generator.normal(size=(n, 20))), 1, 5)
        return X, two_classes(expit(steep * (X - 3) @ weights))

    return f"used={used} steep={steep}", draw


def exams(random):
    """Right and wrong answers of pupils of several grades, whose abilities overlap."""
    items, n_classes = int(random.choice([10, 30, 80])), int(random.choice([2, 3, 5]))
    gap, guessed = random.uniform(0.5, 2), random.choice([0.0, 0.25])
    slopes, places = np.exp(0.4 * random.normal(size=items)), 1.2 * random.normal(size=items)
    levels = np.linspace(-6, 6, 41)  # an ability is one of these
    middles = gap * (np.arange(n_classes) - (n_classes - 1) / 2)
    weights = softmax(-0.5 * ((levels - middles[:, None]) / 0.7) ** 2, axis=1)
    right = guessed + (1 - guessed) * expit(slopes * (levels[:, None] - places))
    right = np.clip(right, 1e-6, 1 - 1e-6)

    def draw(generator, n):
        counts = np.bincount(generator.integers(0, n_classes, n), minlength=n_classes)
        ability = np.concatenate(
            [
                generator.choice(len(levels), count, p=each)
                for count, each in zip(counts, weights, strict=True)
            ]
        )
        ability = generator.permutation(ability)
        X = (generator.random((n, items)) < right[ability]).astype(float)
        logs = X @ (np.log(right) - np.log1p(-right)).T + np.log1p(-right).sum(axis=1)
        chances = softmax(logs, axis=1) @ weights.T
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"items={items} K={n_classes} gap={gap:.2f} guessed={guessed}", draw


def personality_scales(random):
    """Answers on several scales, some items reversed: which type of person is it?"""
    scales, items = int(random.choice([1, 2, 5])), int(random.choice([3, 6, 12]))
    n_classes, steps = int(random.choice([2, 3, 6])), int(random.choice([5, 7]))
    apart, priors = random.uniform(0.7, 2.5), priors_to_a_tenth(random, n_classes)
    grid = np.linspace(-5, 5, 25)
    means = apart * random.normal(size=(n_classes, scales))
    traits = softmax(-0.5 * (grid - means[..., None]) ** 2, axis=2)
    slopes = random.uniform(0.6, 2.0, (scales, items)) * random.choice([-1, 1], (scales, items))
    cuts = np.sort(1.7 * random.normal(size=(scales, items, steps - 1)), axis=2)
    below = expit(cuts[:, None] - (grid[:, None] * slopes[:, None])[..., None])
    tables = np.diff(below, axis=3, prepend=0, append=1) + 1e-12
    tables /= tables.sum(axis=3, keepdims=True)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        chances, columns = np.tile(priors, (n, 1)), []
        for scale in range(scales):
            trait = draw_labels(generator, traits[which, scale])
            answers = [draw_labels(generator, tables[scale, trait, j]) for j in range(items)]
            chosen = np.eye(steps)[np.stack(answers, axis=1)].reshape(n, -1)
            logs = chosen @ np.log(tables[scale]).reshape(len(grid), -1).T
            chances *= np.exp(logs - logs.max(axis=1, keepdims=True)) @ traits[:, scale].T
            columns.extend(answers)
        return 1.0 + np.stack(columns, axis=1), chances / chances.sum(axis=1, keepdims=True)

    return f"scales={scales}x{items} K={n_classes} steps={steps} apart={apart:.2f}", draw


def party_votes(random):
    """Age, income, schooling, region and so on of voters: for which party do they vote?"""
    n_classes, regions = int(random.choice([2, 4, 7])), int(random.choice([5, 16]))
    sharp, extra = random.uniform(0.3, 3.0), int(random.choice([0, 6]))
    strongholds, shown = random.choice([0.3, 1.2]), random.random() < 0.4
    parties, appeal = random.normal(size=(n_classes, 2)), 0.7 * random.normal(size=n_classes)
    local = strongholds * random.normal(size=(regions, n_classes))
    living, rural = random.dirichlet(np.full(regions, 2.0)), random.uniform(0.2, 0.8, regions)

    def draw(generator, n):
        region, age = generator.choice(regions, n, p=living), generator.integers(18, 95, n)
        village, school = generator.random(n) < rural[region], generator.binomial(4, 0.5, n)
        income = np.exp(7.4 + 0.2 * (school - 2) + 0.5 * generator.normal(size=n))
        faith = generator.binomial(10, expit((age - 65) / 25 + 0.8 * village))
        rich, old = (np.log(income) - 7.4) / 0.55, (age - 55) / 20
        economy = 0.9 * rich - 0.4 * (school - 2) * (old < 0) - 0.5
        values = 0.25 * (faith - 5) + 0.4 * old * village - 0.4 * (school - 2)
        place = np.stack([economy, values], axis=1)
        far = ((place[:, None] - parties) ** 2).sum(axis=2)
        scores = appeal + local[region] - 0.5 * sharp * far
        where = np.eye(regions)[region] if shown else region
        X = [age, income, school, faith, village, where, generator.integers(0, 5, (n, extra))]
        return np.column_stack(X) * 1.0, softmax(scores, axis=1)

    return f"K={n_classes} regions={regions} sharp={sharp:.1f} strongholds={strongholds}", draw


def dialects(random):
    """Where people live and how old they are: which dialect do they speak?"""
    n_classes, near = int(random.choice([3, 6, 12])), random.choice([0.15, 0.4, 1.0])
    moving, ridge = random.choice([0.0, 0.3, 0.6]), random.choice([0.0, 1.5])
    towns = np.stack([random.uniform(5, 15, 30), random.uniform(45, 55, 30)], axis=1)
    people, seats = random.dirichlet(np.full(30, 0.7)), random.choice(30, n_classes, replace=False)
    sizes = random.dirichlet(np.full(n_classes, 3.0))
    middle, slope = towns.mean(axis=0), random.normal(size=2)

    def draw(generator, n):
        home = towns[generator.choice(30, n, p=people)] + 0.4 * generator.normal(size=(n, 2))
        age = generator.integers(16, 95, n)
        far = np.linalg.norm(home[:, None] - towns[seats], axis=2)
        sides = (home - middle) @ slope > 0, (towns[seats] - middle) @ slope > 0
        far += ridge * (sides[0][:, None] != sides[1])  # the way over the mountains
        local = softmax(np.log(sizes) - far / near, axis=1)
        moved = (moving * (95 - age) / 79)[:, None]
        return np.column_stack([home, age]), (1 - moved) * local + moved * sizes

    return f"K={n_classes} near={near} moving={moving} ridge={ridge}", draw


def course_dropouts(random):
    """Weekly logins, first test and age in an online course: who ends it, fades out or crams?"""
    weeks, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 3]))
    keen, busy = random.choice([0.7, 2.0, 8.0]), random.uniform(0.5, 5)
    fade, apart = random.uniform(0.2, 2.0), random.uniform(0, 1)
    priors, time = random.dirichlet(np.full(n_classes, 5.0)), np.linspace(0, 1, weeks)
    rates = busy * np.exp(np.stack([0 * time, -fade * time, fade * (time - 0.7)])[:n_classes])
    means = 60 + 12 * apart * random.normal(size=n_classes)
    ages = random.dirichlet(np.full(6, 5.0), n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        active = generator.gamma(keen, 1 / keen, (n, 1))  # some do much, some little
        logins, test = generator.poisson(active * rates[which]), generator.normal(means[which], 12)
        return np.column_stack([logins, test, draw_labels(generator, ages[which])]), which

    def scores(X):
        logins, test, age = X[:, :weeks], X[:, weeks], X[:, -1].astype(int)
        total = logins.sum(axis=1, keepdims=True)
        logs = logins @ np.log(rates).T - (keen + total) * np.log(keen + rates.sum(axis=1))
        logs -= 0.5 * ((test[:, None] - means) / 12) ** 2
        return logs + np.log(ages[:, age]).T + np.log(priors)

    text = f"weeks={weeks} K={n_classes} keen={keen} busy={busy:.1f} fade={fade:.1f}"
    return text, Generative(sample, scores)


def taste_tests(random):
    """Tasters say which of a few cups is the odd one; most of them guess. Which cup is it?"""
    cups, tasters = int(random.choice([2, 3, 4])), int(random.choice([1, 4, 12, 40]))
    best = random.uniform(0.2, 0.9)
    skills = best * random.beta(0.5, 1.5, tasters)
    skills[0] = best
    habits = random.dirichlet(np.full(cups, 6.0), tasters)  # those who guess prefer a cup
    tables = skills[:, None, None] * np.eye(cups) + (1 - skills[:, None, None]) * habits[:, None]

    def sample(generator, n):
        which = generator.integers(0, cups, n)
        return np.stack([draw_labels(generator, each[which]) for each in tables], 1) * 1.0, which

    def scores(X):
        said = X.T.astype(int)
        return sum(np.log(each[:, code]) for each, code in zip(tables, said, strict=True)).T

    return f"cups={cups} tasters={tasters} best={best:.2f}", Generative(sample, scores)


def careless_answers(random):
    """Answers from 1 to 5, some items reversed: careful, all alike, extreme or at random?"""
    items, n_classes = int(random.choice([6, 15, 40])), int(random.choice([2, 4]))
    firm, careful = random.uniform(0.4, 2), random.choice([0.5, 0.8, 0.93])
    alike, ends = random.uniform(0.5, 0.95), random.uniform(0.3, 0.48)
    loads = firm * random.uniform(0.4, 1.2, items) * random.choice([-1, 1], items, p=[0.4, 0.6])
    places = random.normal(size=(items, 1, 1)) + np.array([-2.2, -0.7, 0.7, 2.2])
    traits = np.linspace(-2.4, 2.4, 11)
    weights = np.exp(-0.5 * traits**2)
    score = loads[:, None, None] * traits[:, None]
    honest = np.diff(expit(places - score), axis=2, prepend=0, append=1)  # by item, trait, level
    ticks = np.where(np.eye(5, dtype=bool), alike, (1 - alike) / 4)
    ways = [
        honest.transpose(1, 0, 2),
        np.tile(ticks[:, None], (1, items, 1)),
        np.tile([ends, *np.full(3, (1 - 2 * ends) / 3), ends], (1, items, 1)),
        np.full((1, items, 5), 0.2),
    ]
    shares = [careful, *((1 - careful) * np.array([0.5, 0.3, 0.2]))]
    often = [weights / weights.sum(), np.array([0.1, 0.2, 0.4, 0.2, 0.1]), np.ones(1), np.ones(1)]
    often = np.concatenate([share * each for share, each in zip(shares, often, strict=True)])
    owners = np.repeat(np.arange(4), [len(each) for each in ways])
    owners = np.minimum(owners, n_classes - 1)
    ways = np.concatenate(ways)

    def sample(generator, n):
        way = generator.choice(len(often), n, p=often)
        X = [1 + draw_labels(generator, ways[way, item]) for item in range(items)]
        return np.column_stack(X) * 1.0, owners[way]

    def scores(X):
        logs = np.tile(np.log(often), (len(X), 1))
        for level in range(5):
            logs += (level + 1 == X) @ np.log(ways[:, :, level]).T
        parts = [logsumexp(logs[:, owners == k], axis=1) for k in range(n_classes)]
        return np.stack(parts, axis=1)

    text = f"items={items} K={n_classes} firm={firm:.1f} careful={careful} alike={alike:.2f}"
    return text, Generative(sample, scores)


def census_incomes(random):
    """Age, schooling, work, hours and gains of people, -1 if unknown: in which income bracket?"""
    n_classes, jobs = int(random.choice([2, 3, 5])), int(random.choice([5, 14]))
    sharp, silent = random.uniform(0.8, 4), random.choice([0.0, 0.06, 0.25])
    pays, fair = 0.5 * random.normal(size=jobs), random.random() < 0.3
    regions, worth = int(random.choice([4, 40])), random.uniform(0, 0.4)
    local, popular = worth * random.normal(size=regions), random.dirichlet(np.full(regions, 1.0))
    cuts = np.array([[1.2], [0.3, 1.6], [-0.8, 0.2, 1.1, 2.2]][[2, 3, 5].index(n_classes)])

    def draw(generator, n):
        age = np.minimum(17 + generator.gamma(2.5, 9, n), 90).round()  # 90 stands for more
        school = generator.choice(9, n, p=[0.02, 0.04, 0.08, 0.3, 0.2, 0.1, 0.16, 0.07, 0.03])
        woman, region = generator.random(n) < 0.5, generator.choice(regions, n, p=popular)
        job = (generator.integers(0, jobs, n) + school * jobs // 9) // 2
        hours = generator.normal(40 - 4 * woman, 9, n)
        hours = np.where(generator.random(n) < 0.45, 40, np.clip(hours, 1, 99)).round()
        married = generator.random(n) < expit((age - 30) / 8)
        gains = np.exp(generator.normal(7.5, 1.3, n)).round() * (generator.random(n) < 0.08)
        gains = np.minimum(gains, 99_999)
        losses = generator.normal(1900, 300, n).round() * (generator.random(n) < 0.04)
        said = generator.random(n) >= silent
        score = -0.0012 * (age - 50) ** 2 + 0.35 * (school - 4) + 0.03 * (hours - 40)
        score += 0.8 * married + pays[job] * np.where(said, 1, 0) + local[region]
        score += 0.6 * (gains > 5000) + 0.3 * (losses > 1800) - 0.4 * woman * married * (not fair)
        below = expit(sharp * (cuts - score[:, None]))
        code = np.where(said, job, -1)
        X = [age, school, code, hours, married, woman, gains, losses, region]
        return np.column_stack(X) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} jobs={jobs} sharp={sharp:.1f} silent={silent} regions={regions}", draw


def time_diaries(random):
    """What someone does in each part of a day, as a code: at work, at school, retired, at home?"""
    slots, n_classes = int(random.choice([8, 24, 48])), int(random.choice([2, 3, 5]))
    apart, stay = random.uniform(0.8, 3.0), random.uniform(0.2, 0.8) ** (12 / slots)
    at, activities = 2 * np.pi * np.arange(slots) / slots, 6
    waves = np.stack([np.cos(at), np.sin(at), np.cos(2 * at), np.sin(2 * at)])
    usual = random.normal(size=(activities, 4))
    usual[0] = [2.5, 0.5, 0, 0]  # sleep
    own = 0.5 * apart * random.normal(size=(n_classes, activities, 4))
    chances = softmax((usual + own) @ waves, axis=1).transpose(0, 2, 1)  # class, slot, activity
    priors = slowly_falling_priors(random, n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = np.stack([draw_labels(generator, chances[which, slot]) for slot in range(slots)], 1)
        goes_on = generator.random((n, slots)) < stay
        for slot in range(1, slots):  # many go on with what they do
            X[goes_on[:, slot], slot] = X[goes_on[:, slot], slot - 1]
        return X * 1.0, which

    def scores(X):
        X = X.astype(int)
        logs = np.log(priors) + np.log(chances[:, 0, X[:, 0]]).T
        for slot in range(1, slots):
            same = stay * (X[:, slot] == X[:, slot - 1])
            logs += np.log(same + (1 - stay) * chances[:, slot, X[:, slot]]).T
        return logs

    return f"slots={slots} K={n_classes} apart={apart:.2f} stay={stay:.2f}", Generative(
        sample, scores
    )
