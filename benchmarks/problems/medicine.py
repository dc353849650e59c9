"""Patients: tests, vital signs, trials, outbreaks, nerves, and questions nobody likes to answer."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import expit, logsumexp, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    gaussian_scores,
    halving_priors,
    log_between,
    part_weights,
    priors_to_a_tenth,
    two_classes,
    with_noise,
)


def screening_panels(random):
    """Results of several tests, of which the later ones are often not made: who is ill?"""
    tests, n_classes = int(random.choice([3, 6, 10])), int(random.choice([2, 2, 3]))
    ill, staged = random.choice([0.06, 0.15, 0.4]), random.random() < 0.6
    base, rise = random.uniform(-4, -1, tests), random.uniform(0.3, 2.5) * random.random(tests)
    priors = np.append(1 - ill, np.full(n_classes - 1, ill / (n_classes - 1)))
    # How severe: the healthy are mostly at 0, and each illness has a distribution of its own.
    severe = random.dirichlet(np.ones(5), n_classes)
    severe[0] = [0.9, 0.06, 0.02, 0.01, 0.01]
    ages = random.dirichlet(np.full(8, 3.0), n_classes)
    rates, first = expit(base + np.outer(np.arange(5), rise)), tests // 2

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        level = draw_labels(generator, severe[which])
        X = (generator.random((n, tests)) < rates[level]).astype(float)
        if staged:  # the later tests follow if one of the first was positive
            X[~X[:, :first].any(axis=1), first:] = -1
        return np.column_stack([draw_labels(generator, ages[which]), X]), which

    def scores(X):
        age, positive, negative = X[:, 0].astype(int), X[:, 1:] == 1, X[:, 1:] == 0
        of_levels = positive @ np.log(rates).T + negative @ np.log1p(-rates).T
        logs = logsumexp(of_levels[:, None] + np.log(severe), axis=2)
        return logs + np.log(ages[:, age]).T + np.log(priors)

    return f"tests={tests} K={n_classes} ill={ill} staged={staged}", Generative(sample, scores)


def early_warnings(random):
    """Vital signs whose points add up to a low, medium or high alarm; some alarms are wrong."""
    noise, extra = random.choice([0.0, 0.05, 0.2]), int(random.choice([0, 4, 15]))
    sick, reading = random.uniform(0.3, 1.5), random.choice([0.0, 0.4])
    usual = np.array([16.0, 97.0, 36.9, 125.0, 78.0])
    spread = np.array([4.0, 2.0, 0.7, 22.0, 16.0])
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0]) * random.uniform(0.3, 1.0, 5)
    cuts = np.sort(random.uniform(0.8, 3.0, (5, 3)), axis=1)
    alarms = np.sort(random.choice(np.arange(2, 9), 2, replace=False))

    def draw(generator, n):
        away = generator.normal(size=(n, 5)) + sick * generator.exponential(size=(n, 1)) * signs
        X = (usual + spread * away).round(1)
        points = (np.abs(X - usual) / spread > cuts.T[:, None]).sum(axis=(0, 2))
        unwell = generator.random(n) < expit(sick * away @ signs - 2)
        points = points + 3 * unwell
        wrong = noise * (1 + reading * np.tanh((X[:, 0] - usual[0]) / spread[0]))
        sure = with_noise(np.digitize(points, alarms), 3, 0)
        X = np.column_stack([X, unwell, generator.normal(size=(n, extra))])
        return X, (1 - wrong[:, None]) * sure + wrong[:, None] / 3

    return f"alarms={alarms} sick={sick:.1f} noise={noise} extra={extra}", draw


def randomised_answers(random):
    """A coin decides whether people answer truly: who has the secret?"""
    questions, n_classes = int(random.choice([1, 2, 3])), int(random.choice([2, 2, 4]))
    true, towns = random.uniform(0.2, 0.6), int(random.choice([2, 6]))
    even = random.choice([3.0, 20.0])
    priors = random.dirichlet(np.full(n_classes, 6.0))
    living = random.dirichlet(np.full(towns, even), n_classes)
    ages, sexes = random.dirichlet(np.full(6, even), n_classes), random.uniform(0.3, 0.7, n_classes)
    table = true * np.eye(n_classes) + (1 - true) / n_classes

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        said = [draw_labels(generator, table[which]) for _ in range(questions)]
        sex = generator.random(n) < sexes[which]
        lives, age = draw_labels(generator, living[which]), draw_labels(generator, ages[which])
        return np.stack([lives, age, sex, *said], axis=1) * 1.0, which

    def scores(X):
        lives, age, sex, *said = X.T.astype(int)
        logs = np.log(living[:, lives]) + np.log(ages[:, age])
        logs = logs + np.where(sex, np.log(sexes)[:, None], np.log1p(-sexes)[:, None])
        return (logs + sum(np.log(table[:, each]) for each in said)).T + np.log(priors)

    return f"questions={questions} K={n_classes} true={true:.2f}", Generative(sample, scores)


def dose_response(random):
    """Doses of two drugs, age and weight: is a patient cured, not cured, or harmed?"""
    steep, together = random.uniform(0.8, 5.0), random.choice([-1.5, 0.0, 4.0])
    fixed, harm = random.random() < 0.5, random.random() < 0.5
    cured_anyway, extra = random.choice([0.02, 0.25]), int(random.choice([0, 4, 12]))
    halves, slower = np.exp(random.uniform(1.5, 3.5, 2)), random.uniform(0, 1)
    toxic = random.uniform(60, 150)

    def draw(generator, n):
        doses = 10 ** generator.uniform(0, 2, (n, 2))
        if fixed:
            doses = generator.choice([0.0, 1.0, 3.0, 10.0, 30.0, 100.0], (n, 2))
        age, sex = generator.integers(18, 90, n), generator.integers(0, 2, n)
        weight = generator.normal(66 + 14 * sex, 10).clip(40, 140)
        reach = doses / halves * (70 / weight * np.exp(slower * (age - 50) / 30))[:, None]
        effect = reach.sum(axis=1) + together * np.sqrt(reach.prod(axis=1))
        works = 1 - (1 - cured_anyway) / (1 + np.maximum(effect, 0) ** steep)
        X = np.column_stack([doses, age, sex, weight, generator.normal(size=(n, extra))])
        if not harm:
            return X, two_classes(works)
        hurt = expit(2 * steep * np.log((doses.sum(axis=1) + 1) * 70 / weight / toxic))
        return X, np.stack([(1 - hurt) * (1 - works), (1 - hurt) * works, hurt], axis=1)

    return f"steep={steep:.1f} together={together} fixed={fixed} harm={harm} extra={extra}", draw


def competing_risks(random):
    """Age, stage, treatment and markers of patients: what happens first within some years?"""
    causes, markers = int(random.choice([1, 2, 3])), int(random.choice([2, 5, 15]))
    strength, years = random.uniform(0.4, 2.0), random.choice([0.3, 1.0, 3.0])
    helps, extra = random.choice([0.5, 1.5]), int(random.choice([0, 10]))
    ages, stages = random.uniform(0, 1, causes), random.uniform(0, 1, causes)
    slopes = strength * random.normal(size=(markers, causes)) / np.sqrt(markers)

    def draw(generator, n):
        age, stage = generator.integers(30, 85, n), 1 + generator.binomial(3, 0.4, n)
        treated, blood = generator.integers(0, 2, n), generator.normal(size=(n, markers))
        logs = strength * (np.outer((age - 58) / 16, ages) + np.outer(stage - 2.2, stages))
        logs += blood @ slopes - 0.5
        # The treatment works in those whose first marker is high, and harms the others a little.
        logs[:, 0] -= helps * treated * np.where(blood[:, 0] > 0, 1.5, -0.3)
        rates = np.exp(logs)
        total = rates.sum(axis=1, keepdims=True)
        nothing = np.exp(-years * total)
        X = [age, stage, treated, np.exp(0.6 * blood), generator.normal(size=(n, extra))]
        return np.column_stack(X), np.hstack([nothing, (1 - nothing) * rates / total])

    return f"causes={causes} markers={markers} strength={strength:.1f} years={years}", draw


def wards(random):
    """Flags choose the means of measurements: both tell of a condition that is often rare."""
    d, flags = int(random.choice([2, 5, 12])), int(random.choice([1, 2, 4]))
    prior = random.choice([0.5, 0.2, 0.05])
    rates = expit(random.normal(size=(2, flags)) * random.choice([0.3, 1.0]))
    slopes = random.normal(size=(flags, d))
    shifts = random.normal(size=(2**flags, d)) * random.uniform(0.2, 1.2) / np.sqrt(d)

    def draw(generator, n):
        sick = generator.random(n) < prior
        given = (generator.random((n, flags)) < rates[sick.astype(int)]).astype(float)
        group = (given @ 2 ** np.arange(flags)).astype(int)
        X = given @ slopes + sick[:, None] * shifts[group] + generator.normal(size=(n, d))
        away = X - given @ slopes
        score = (away * shifts[group]).sum(axis=1) - 0.5 * (shifts[group] ** 2).sum(axis=1)
        score += given @ np.log(rates[1] / rates[0])
        score += (1 - given) @ np.log((1 - rates[1]) / (1 - rates[0]))
        return np.column_stack([X, given]), two_classes(expit(score + np.log(prior / (1 - prior))))

    return f"d={d} flags={flags} prior={prior}", draw


def sleep_stages(random):
    """Features of the last minutes of a night: which stage is it now?"""
    n_classes, features = int(random.choice([3, 4, 5])), int(random.choice([2, 3, 5]))
    minutes, apart = int(random.choice([1, 4, 10])), random.uniform(0.7, 2.0)
    means = apart * random.normal(size=(n_classes, features))
    spreads = np.exp(0.3 * random.normal(size=(n_classes, features)))
    stay = random.uniform(0.5, 0.95, n_classes)
    others = random.dirichlet(np.ones(n_classes), n_classes) * (1 - np.eye(n_classes))
    steps = (1 - stay[:, None]) * others / others.sum(axis=1, keepdims=True) + np.diag(stay)
    start = np.linalg.matrix_power(steps, 4096)[0]

    def draw(generator, n):
        state, columns = generator.choice(n_classes, n, p=start), []
        chances = np.tile(start, (n, 1))
        for minute in range(minutes):
            if minute:
                state, chances = draw_labels(generator, steps[state]), chances @ steps
            values = means[state] + spreads[state] * generator.normal(size=(n, features))
            logs = -0.5 * ((values[:, None] - means) / spreads) ** 2 - np.log(spreads)
            chances = softmax(logs.sum(axis=2) + np.log(chances + 1e-300), axis=1)
            columns.append(values)
        return np.hstack(columns), chances

    return f"K={n_classes} columns={minutes}x{features} apart={apart:.2f}", draw


def growth_charts(random):
    """Age, sex, height, weight and head of a child: does it grow well, or which way not?"""
    n_classes, strength = int(random.choice([2, 3, 4])), random.uniform(0.8, 3.0)
    ill, together = random.choice([0.1, 0.3, 0.6]), random.uniform(0.2, 0.7)
    priors = np.append(1 - ill, np.full(n_classes - 1, ill / (n_classes - 1)))
    ways = np.array([[0, 0, 0], [-1, -0.4, 0], [0, -1, 0.1], [-0.6, -0.8, -0.8]])[:n_classes]
    factor = np.linalg.cholesky((1 - together) * np.eye(3) + together)
    inverse = np.linalg.inv(factor)

    def curves(age, sex):
        tall = 50 + 24 * np.sqrt(age / 12) + 1.2 * sex
        middle = np.stack([tall, 18 * np.log(tall / 18), 34 + 6 * np.log1p(age / 3)], axis=1)
        return middle, np.stack([0.04 * tall, 2.0 + 0 * age, 1.3 + 0 * age], axis=1)

    def late(age):  # illness shows with time
        return strength * np.sqrt(age / 60)[:, None]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        age, sex = generator.integers(1, 61, n), generator.integers(0, 2, n)
        middle, spread = curves(age, sex)
        away = generator.normal(size=(n, 3)) @ factor.T + late(age) * ways[which]
        return np.column_stack([age, sex, middle + spread * away]), which

    def scores(X):
        middle, spread = curves(X[:, 0], X[:, 1])
        away = (X[:, 2:] - middle) / spread
        means = late(X[:, 0])[:, None] * ways
        white = (away[:, None] - means) @ inverse.T
        return -0.5 * (white**2).sum(axis=2) + np.log(priors)

    text = f"K={n_classes} strength={strength:.1f} ill={ill} together={together:.1f}"
    return text, Generative(sample, scores)


def heartbeats(random):
    """Times between heartbeats: regular, fluttering, every second one early, or a single one?"""
    beats, n_classes = int(random.choice([6, 12, 30])), int(random.choice([2, 3, 4]))
    calm, wild = random.uniform(0.02, 0.06), random.uniform(0.04, 0.2)
    early, keeps = random.uniform(0.03, 0.2), random.uniform(0.3, 0.9)
    priors = random.dirichlet(np.full(n_classes, 4.0))
    lags = np.abs(np.subtract.outer(np.arange(beats), np.arange(beats)))
    rate = 0.12**2  # hearts beat at different rates
    regular = np.linalg.cholesky(calm**2 * keeps**lags + rate + 1e-9 * np.eye(beats))
    flutter = np.linalg.cholesky(wild**2 * np.eye(beats) + rate)
    turns = early * (-1.0) ** np.arange(beats)
    single = early * (np.eye(beats, k=1) - np.eye(beats))[:-1]  # early, then a pause
    shapes = np.vstack([np.zeros((2, beats)), turns, -turns, single])
    owners = np.repeat(np.arange(4), [1, 1, 2, beats - 1])
    sizes = np.repeat([1, 1, 1 / 2, 1 / (beats - 1)], [1, 1, 2, beats - 1])
    used = owners < n_classes
    centres, owners = 0.85 + shapes[used], owners[used]
    weights = priors[owners] * sizes[used]
    factors = np.where((owners == 1)[:, None, None], flutter, regular)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights / weights.sum())
        white = generator.normal(size=(n, beats))
        away = np.where((owners[part] == 1)[:, None], white @ flutter.T, white @ regular.T)
        return centres[part] + away, owners[part]

    def scores(X):
        logs = gaussian_scores(X, centres, factors) + np.log(weights)
        of_class = [logsumexp(logs[:, owners == k], axis=1) for k in range(n_classes)]
        return np.stack(of_class, axis=1)

    text = f"beats={beats} K={n_classes} calm={calm:.2f} wild={wild:.2f} early={early:.2f}"
    return text, Generative(sample, scores)


def outbreaks(random):
    """First cases, contacts, vaccination and so on of a town: does an outbreak end by itself?"""
    uneven, three = random.choice([0.1, 0.5, 5.0]), random.random() < 0.4
    catching, shield = random.uniform(1, 5), random.uniform(0.5, 0.95)
    first, extra = random.choice([0.1, 0.4]), int(random.choice([0, 6, 20]))

    def draw(generator, n):
        cases, contacts = generator.geometric(first, n), generator.gamma(3, 4, n).round(1)
        days, vaccinated = generator.gamma(6, 1, n).round(1), generator.beta(2, 1.5, n).round(2)
        masks, crowd = generator.random(n) < 0.4, np.exp(generator.normal(7, 1.2, n)).round()
        spread = catching * contacts * days / 72 * (1 - shield * vaccinated)
        spread *= np.where(masks, 0.6, 1) * (crowd / 1100) ** 0.15
        # A chain of cases with negative binomial numbers of followers ends with this chance.
        ends = np.zeros(n)
        for _ in range(300):
            ends = (1 + spread * (1 - ends) / uneven) ** -uneven
        stops, wave = ends**cases, expit(3 * (spread - 2))
        X = [cases, contacts, days, vaccinated, masks, crowd, generator.normal(size=(n, extra))]
        X = np.column_stack(X) * 1.0
        if not three:
            return X, two_classes(1 - stops)
        return X, np.stack([stops, (1 - stops) * (1 - wave), (1 - stops) * wave], axis=1)

    return (
        f"uneven={uneven} catching={catching:.1f} first={first} K={2 + three} extra={extra}",
        draw,
    )


def trial_arms(random):
    """Results of patients, of whom few respond to a drug: was it the drug or the placebo?"""
    d, arms = int(random.choice([2, 6, 15])), int(random.choice([2, 3]))
    respond, effect = random.uniform(0.05, 0.5), random.uniform(0.5, 3)
    others, shared = int(random.choice([3, 20])), random.uniform(0, 1)
    priors = np.array([[1, 1, 1], [1, 2, 2]][random.integers(2)][:arms], dtype=float)
    priors /= priors.sum()
    towards = np.abs(random.normal(size=d)) * effect / np.sqrt(d)
    shares = np.array([0.05, 0.05 + respond, 0.05 + respond / 2])[:arms]
    inverse = np.eye(d) - shared**2 / (1 + d * shared**2)

    def sample(generator, n):
        which = generator.choice(arms, n, p=priors)
        responds = generator.random(n) < shares[which]
        values = generator.normal(size=(n, d)) + shared * generator.normal(size=(n, 1))
        values += responds[:, None] * towards
        values[:, ::2] = np.exp(values[:, ::2])
        return np.hstack([values, generator.gamma(4, 12, (n, others)).round()]), which

    def scores(X):
        values = X[:, :d].copy()
        values[:, ::2] = np.log(values[:, ::2])
        ratio = np.exp((values - towards / 2) @ inverse @ towards)  # responders' density
        return np.log((1 - shares) + shares * ratio[:, None]) + np.log(priors)

    text = f"d={d} K={arms} respond={respond:.2f} effect={effect:.1f} others={others}"
    return text, Generative(sample, scores)


def spike_trains(random):
    """How often each of many neurons fires, some of them in groups: what does the animal see?"""
    d, n_classes = int(random.choice([8, 40, 150])), int(random.choice([2, 3, 6]))
    gain, tuned = random.uniform(0.4, 2.5), random.uniform(0, 0.25)
    states = np.arange(8)[:, None] >> np.arange(3) & 1  # which of three groups are active
    members = random.random((3, d)) < min(0.4, 12 / d)
    often = random.dirichlet(np.full(8, random.choice([0.1, 0.5])), n_classes) + 1e-9
    often /= often.sum(axis=1, keepdims=True)
    logs = random.normal(-0.5, 0.8, d) + tuned * random.normal(size=(n_classes, 1, d))
    rates = np.exp(logs + np.log1p(gain * (states @ members)))
    priors = np.full(n_classes, 1 / n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        return generator.poisson(rates[which, draw_labels(generator, often[which])]) * 1.0, which

    def scores(X):
        fits = X @ np.log(rates).reshape(-1, d).T - rates.sum(axis=2).ravel()
        return logsumexp(fits.reshape(len(X), n_classes, 8) + np.log(often), axis=2)

    return f"d={d} K={n_classes} gain={gain:.1f} tuned={tuned:.2f}", Generative(sample, scores)


def medicine_lists(random):
    """Which of many medicines a patient takes, who may be ill in several ways: which ward is it?"""
    d, n_classes = int(random.choice([12, 40, 120])), int(random.choice([2, 4, 8]))
    clear, others = random.uniform(0.25, 0.8), random.uniform(0.05, 0.3)
    illnesses = 4  # beside the one for which the patient has come
    leak = random.beta(1, 30, d)
    treats = clear * (random.random((n_classes + illnesses, d)) < 4 / d + 0.06)
    treats *= random.uniform(0.4, 1.2, treats.shape)
    has = np.array(list(product([0, 1], repeat=illnesses)))
    without = np.log1p(-treats[n_classes:])
    # Each illness brings a medicine in its own way: it is missing if none of them brings it.
    missing = np.log1p(-leak) + np.log1p(-treats[:n_classes])[:, None] + has @ without
    missing = missing.reshape(-1, d)
    taken = np.log(-np.expm1(missing))
    also = np.clip(others * random.uniform(0.3, 1.7, (n_classes, illnesses)), 0.02, 0.9)
    often = np.exp(np.log(also) @ has.T + np.log1p(-also) @ (1 - has).T)
    weights = (priors_to_a_tenth(random, n_classes)[:, None] * often).ravel()

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights / weights.sum())
        return (generator.random((n, d)) < np.exp(taken[part])) * 1.0, part // len(has)

    def scores(X):
        logs = X @ (taken - missing).T + missing.sum(axis=1) + np.log(weights)
        return class_scores(logs, n_classes)

    text = f"d={d} K={n_classes} clear={clear:.2f} others={others:.2f}"
    return text, Generative(sample, scores)


def refill_gaps(random):
    """Days between a patient's visits to the chemist, -1 after the last one: how is it taken?"""
    gaps, n_classes = int(random.choice([2, 6, 15])), int(random.choice([2, 3, 4]))
    apart, unlike = random.uniform(0.5, 2.4), random.uniform(0.02, 0.3)
    packs = np.log([30, 60, 90])
    late = 0.12 * apart * np.array([0, 1.5, 3, -1])[:n_classes]
    spreads = np.array([0.12, 0.25, 0.45, 0.2])[:n_classes] * 0.7
    stops = np.clip(0.06 + 0.12 * apart * np.array([0, 0.2, 1, 1.8])[:n_classes], 0.02, 0.9)
    sizes = random.dirichlet(np.full(3, 2.0), n_classes) * 0.9 + 0.1 / 3
    habits = unlike * np.linspace(-2, 2, 7)
    often = np.exp(-0.5 * np.linspace(-2, 2, 7) ** 2)
    priors = halving_priors(random, n_classes)
    weights = part_weights(priors, often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        which, pack = part // 7, draw_labels(generator, sizes[part // 7])
        days = packs[pack] + late[which] + habits[part % 7]
        X = days[:, None] + spreads[which, None] * generator.normal(size=(n, gaps))
        goes = generator.random((n, gaps)) >= stops[which, None]
        X = np.where(np.cumprod(goes, axis=1), np.exp(X).round(), -1)
        return np.column_stack([np.exp(packs)[pack].round(), X]), which

    def scores(X):
        pack, seen = np.searchsorted(np.exp(packs).round(), X[:, 0]), X[:, 1:] >= 0
        days = np.where(seen, X[:, 1:], 30)
        low = np.log(np.maximum(days - 0.5, 1e-9)) - packs[pack, None]
        high = np.log(days + 0.5) - packs[pack, None]
        logs = np.empty((len(X), n_classes, 7))
        for k, h in np.ndindex(n_classes, 7):
            middle = late[k] + habits[h]
            inside = log_between((low - middle) / spreads[k], (high - middle) / spreads[k])
            logs[:, k, h] = (inside * seen).sum(axis=1)
        number = seen.sum(axis=1, keepdims=True)
        logs = class_scores(logs.reshape(len(X), -1) + np.log(weights), n_classes)
        logs += number * np.log1p(-stops) + (number < gaps) * np.log(stops)
        return logs + np.log(sizes[:, pack]).T

    text = f"gaps={gaps} K={n_classes} apart={apart:.2f} unlike={unlike:.2f}"
    return text, Generative(sample, scores)
