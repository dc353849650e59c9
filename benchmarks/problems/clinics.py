"""Clinics: hearing and sight, teeth, pain, drugs in the blood, symptoms, scans and stays."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, ndtr, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    halving_priors,
    normal_classes,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    step_logs,
    step_scores,
    template_scores,
    two_classes,
)


def audiograms(random):
    """The faintest tone heard at each pitch, in steps of 5 dB: sound ears, or which damage?"""
    pitches, ears = int(random.choice([4, 6, 9])), int(random.choice([1, 2]))
    n_classes, noise = int(random.choice([2, 3, 5])), random.uniform(5, 16)
    at = np.tile(np.linspace(0, 1, pitches), ears)
    # Hearing lost: by nobody, with age at high pitches, by noise at one, all alike, at low ones.
    notch = np.exp(-0.5 * ((at - 0.7) / 0.12) ** 2)
    curves = np.array([0 * at, 60 * at**2, 55 * notch, 0 * at + 35, 45 * (1 - at)])[:n_classes]
    degrees = np.linspace(random.uniform(0, 0.5), 1.3, 8)
    middles = 8 + degrees[:, None] * curves[:, None]  # by class, degree and pitch
    ages = np.array([40, 66, 50, 42, 52])[:n_classes]
    priors, levels = priors_to_a_tenth(random, n_classes), np.arange(-10, 101, 5)
    below = ndtr((levels[:-1, None, None, None] + 2.5 - middles) / noise)
    chances = np.diff(below, axis=0, prepend=0, append=1)  # the outer levels are the limits
    logs = np.log(np.maximum(chances, 1e-300))

    def sample(generator, n):
        which, degree = generator.choice(n_classes, n, p=priors), generator.integers(0, 8, n)
        heard = middles[which, degree] + noise * generator.normal(size=(n, len(at)))
        age = generator.normal(ages[which], 14)
        return np.column_stack([np.clip(5 * (heard / 5).round(), -10, 100), age]), which

    def scores(X):
        level = ((X[:, :-1] + 10) / 5).round().astype(int)
        sums = sum(logs[level[:, each], :, :, each] for each in range(len(at)))
        old = -0.5 * ((X[:, -1:] - ages) / 14) ** 2
        return logsumexp(sums, axis=2) + old + np.log(priors)

    text = f"pitches={pitches} ears={ears} K={n_classes} noise={noise:.0f}"
    return text, Generative(sample, scores)


def drug_levels(random):
    """Dose, weight and what is left of a drug in the blood, hour by hour: how fast is it lost?"""
    times, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3, 4]))
    noise, unlike = random.uniform(0.08, 0.5), random.uniform(0.05, 0.4)
    hours = np.linspace(1, random.choice([8, 24]), times)[:, None]
    rates = 0.08 * np.cumprod(random.uniform(1.4, 2.6, n_classes))
    priors = slowly_falling_priors(random, n_classes)
    # Within a class: how fast the drug is lost, taken up, and how much blood it meets.
    steps = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 5)] * 3), axis=3).reshape(-1, 3)
    often = np.exp(-0.5 * (steps**2).sum(axis=1))
    lost, taken = rates[:, None] * np.exp(unlike * steps[:, 0]), 1.7 * np.exp(0.3 * steps[:, 1])
    curve = np.exp(-lost * hours[:, :, None]) - np.exp(-taken * hours[:, :, None])
    curve = np.log(np.abs(curve * taken / (taken - lost))) - 0.25 * steps[:, 2]
    templates = curve.reshape(times, -1).T / noise
    weights = (np.log(priors)[:, None] + np.log(often / often.sum())).ravel()

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        dose, weight = generator.choice([50.0, 100, 200], n), generator.normal(72, 13, n)
        weight = np.maximum(weight, 35)
        level = noise * (templates[part] + generator.normal(size=(n, times)))
        level += np.log(dose / weight)[:, None]
        return np.column_stack([dose, weight, np.exp(level)]), part // len(often)

    def scores(X):
        white = (np.log(X[:, 2:]) - np.log(X[:, :1] / X[:, 1:2])) / noise
        logs = template_scores(white, templates) + weights
        return logsumexp(logs.reshape(len(X), n_classes, -1), axis=2)

    text = f"times={times} K={n_classes} noise={noise:.2f} unlike={unlike:.2f}"
    return text, Generative(sample, scores)


def symptom_checkers(random):
    """Which of many symptoms a patient has, perhaps of two diseases at once: which is the worse?"""
    d, n_classes = int(random.choice([12, 40, 150])), int(random.choice([3, 10, 35]))
    few, other = int(random.choice([3, 8])), random.choice([0.1, 0.5])
    strong = random.uniform(0.3, 0.9)
    priors = 1 / (np.arange(n_classes) + 2.0)
    priors /= priors.sum()
    typical = np.argsort(random.random((n_classes + 5, d)), axis=1) < few
    has = np.where(typical, strong * random.uniform(0.5, 1, typical.shape), 0.03)
    # Five frequent ailments may come with any disease; each cause alone brings a symptom about.
    none = (1 - has[:n_classes, None]) * np.concatenate([np.ones((1, d)), 1 - has[n_classes:]])
    none = none.reshape(-1, d)
    second = np.log(np.r_[1 - other, np.full(5, other / 5)])

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        part = which * 6 + generator.choice(6, n, p=np.exp(second))
        return (generator.random((n, d)) > none[part]) * 1.0, which

    def scores(X):
        logs = X @ np.log1p(-none).T + (1 - X) @ np.log(none).T
        logs = logs.reshape(len(X), n_classes, 6) + second
        return logsumexp(logs, axis=2) + np.log(priors)

    text = f"d={d} K={n_classes} few={few} strong={strong:.2f} other={other}"
    return text, Generative(sample, scores)


def brain_scans(random):
    """Smooth pictures of activity, a column for each of many places: which task is done?"""
    side, n_classes = int(random.choice([5, 8, 14])), int(random.choice([2, 3, 4]))
    apart, reach = random.uniform(1.0, 4.0), random.uniform(0.5, 2.5)
    place = np.stack(np.meshgrid(*[np.arange(side)] * 2), axis=2).reshape(-1, 2)
    gaps = ((place[:, None] - place) ** 2).sum(axis=2)
    covariance = 0.7 * np.exp(-0.5 * gaps / reach**2) + 0.3 * np.eye(side**2)
    covariance += random.uniform(0, 2)  # of the whole picture
    spots = place[random.integers(0, side**2, n_classes)]
    bumps = np.exp(-0.5 * ((place - spots[:, None]) ** 2).sum(axis=2) / random.uniform(0.8, 2) ** 2)
    bumps *= random.choice([-1, 1], (n_classes, 1))
    lengths = np.sqrt(np.einsum("ki,ij,kj->k", bumps, np.linalg.inv(covariance), bumps))
    means = apart / np.sqrt(2) * bumps / lengths[:, None]
    text = f"d={side**2} K={n_classes} apart={apart:.1f} reach={reach:.1f}"
    priors = priors_to_a_tenth(random, n_classes)
    return text, normal_classes(means, np.tile(covariance, (n_classes, 1, 1)), priors)


def visual_fields(random):
    """The faintest light seen at places of the eye, in dB from 0: sound, or which damage?"""
    side, n_classes = int(random.choice([3, 5, 8])), int(random.choice([2, 3, 5]))
    noise, strong = random.uniform(1, 4), random.uniform(5, 18)  # dB
    across, up = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    far = np.hypot(across, up)
    losses = [
        0 * far,
        0.45 + 0 * far,  # the lens is dim
        np.exp(-(((far - 0.6) / 0.3) ** 2)) * (up > 0),  # an arc
        1.0 * (across > 0.1),  # one half, as the brain sees it
        np.exp(-((far / 0.35) ** 2)),  # the middle
    ][:n_classes]
    severe, general = np.array([0.4, 1.0, 1.8]), np.array([-1.5, 0.0, 1.5])
    healthy = 31 - 4 * far**2
    lost = strong * severe[:, None, None, None] * np.array(losses)[:, None, None, None]
    means = healthy - lost + general[:, None, None]
    means = means.reshape(-1, side**2)
    spreads = noise * np.ones(side**2)
    logs = step_logs(41, means, spreads)
    weights = part_weights(slowly_falling_priors(random, n_classes), np.outer([2, 2, 1], [1, 2, 1]))

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = means[part] + noise * generator.normal(size=(n, side**2))
        return np.clip(X.round(), 0, 40), part // 9

    def scores(X):
        return class_scores(step_scores(X, logs) + np.log(weights), n_classes)

    return f"places={side**2} K={n_classes} noise={noise:.1f} strong={strong:.1f}", Generative(
        sample, scores
    )


def pain_diaries(random):
    """Pain from 0 to 10, day by day, -1 where it was not noted: does a treatment work, and last?"""
    days, n_classes = int(random.choice([4, 10, 28])), int(random.choice([2, 3, 4]))
    fall, noise = random.uniform(1.5, 6.0), random.uniform(0.7, 1.8)
    lost, priors = random.choice([0.0, 0.2, 0.5]), priors_to_a_tenth(random, n_classes)
    at = np.linspace(0, 1, days)
    # No effect, a slow one, one that goes away again, and pain that grows.
    ways = np.array([0 * at, -np.minimum(2 * at, 1), -np.sin(np.pi * at), 0.6 * at])[:n_classes]
    levels = np.linspace(2, 9, 9)  # some people feel, or say, more than others
    means = (levels[:, None] + fall * ways[:, None]).reshape(-1, days)
    logs = step_logs(11, means, np.full(days, noise))
    logs = np.concatenate([logs, np.zeros((1, *logs.shape[1:]))])  # a gap is read as the last
    often = np.exp(-0.5 * ((levels - 5.5) / random.uniform(0.7, 2)) ** 2)
    weights = part_weights(priors, often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = np.clip((means[part] + noise * generator.normal(size=(n, days))).round(), 0, 10)
        return np.where(generator.random((n, days)) < lost, -1, X), part // len(levels)

    def scores(X):
        return class_scores(step_scores(X, logs) + np.log(weights), n_classes)

    text = f"days={days} K={n_classes} fall={fall:.1f} noise={noise:.1f} lost={lost}"
    return text, Generative(sample, scores)


def readmissions(random):
    """Age, diagnosis, days, earlier stays and blood of a patient: who is back within a month?"""
    n_classes, codes = int(random.choice([2, 2, 3])), int(random.choice([10, 100]))
    tests, often = int(random.choice([3, 12, 40])), random.choice([-3.2, -1.5, -0.2])
    strong, asked = random.uniform(0.5, 3), random.choice([0.3, 0.8])
    risk, popular = strong * random.normal(size=codes), random.dirichlet(np.full(codes, 0.5))
    slopes = strong * random.normal(size=tests) * (random.random(tests) < 0.4)
    usual = random.normal(3, 1, tests)

    def draw(generator, n):
        code, age = generator.choice(codes, n, p=popular), generator.normal(66, 16, n)
        age = np.clip(age.round(), 18, 99)
        stays = np.floor(generator.gamma(1.5, 4, n)) + 1
        before = generator.negative_binomial(0.7, 0.35, n)
        home = generator.choice(4, n, p=[0.6, 0.2, 0.12, 0.08])
        values = generator.normal(size=(n, tests)) + 0.3 * generator.normal(size=(n, 1))
        made = (
            generator.random((n, tests))
            < expit(np.log(asked / (1 - asked)) + 0.3 * before)[:, None]
        )
        values = np.where(made, values.round(1), 0)  # what is not measured counts as usual
        extreme = np.maximum(np.abs(values) - 1, 0)
        score = often + risk[code] + strong * (0.5 * np.log1p(before) + 0.02 * (age - 66))
        score += extreme @ slopes + 0.3 * strong * (home == 1) * (age > 75)
        score += 0.3 * strong * np.log(stays / 5)
        back = expit(score)
        X = [code, age, stays, before, home, made.sum(axis=1), (np.exp(0.2 * values + usual))]
        X = np.column_stack(X)
        if n_classes == 2:
            return X, two_classes(back)
        dies = (1 - back) * expit(strong * 0.08 * (age - 90) - 1)
        return X, np.stack([1 - back - dies, back, dies], axis=1)

    text = f"K={n_classes} codes={codes} tests={tests} often={often} strong={strong:.1f}"
    return text, draw


def dental_charts(random):
    """The state of each tooth: sound, filled, bad or gone. How old, and how well, is its owner?"""
    teeth, n_classes = int(random.choice([8, 16, 28])), int(random.choice([2, 3, 5]))
    apart, alike = random.uniform(0.5, 2.2), random.uniform(0, 0.6)
    half = teeth // 2  # the other side of the jaw
    prone = random.normal(0, 1, (half, 1)) * np.array([0, 0.7, 0.7, 0.4])
    ways = np.array([[0, 0, 0, 0], [0, 1.3, 0, 0.5], [0, 0.7, 1.0, 1.8], [0, 0, 1.6, 0.3]])
    ways = np.concatenate([ways, [[0, -0.8, -0.8, 0.2]]])[:n_classes]
    care = np.linspace(-1.5, 1.5, 7)[:, None] * np.array([0, 0.6, 1.0, 0.8])
    logits = np.array([0, -0.7, -1.8, -2.2]) + apart * ways[:, None, None] + prone
    states = softmax(logits + care[:, None], axis=-1).reshape(-1, half, 4)
    weights = part_weights(
        halving_priors(random, n_classes), np.exp(-0.5 * np.linspace(-2, 2, 7) ** 2)
    )

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        sides = [draw_labels(generator, states[part, each]) for each in range(half)]
        other = [draw_labels(generator, states[part, each]) for each in range(half)]
        left, right = np.stack(sides, axis=1), np.stack(other, axis=1)
        right = np.where(generator.random((n, half)) < alike, left, right)
        return np.hstack([left, right]) * 1.0, part // 7

    def scores(X):
        left, right = np.split(X.astype(int), 2, axis=1)
        logs = np.tile(np.log(weights), (len(X), 1))
        for each in range(half):
            one, two = states[:, each, left[:, each]], states[:, each, right[:, each]]
            same = left[:, each] == right[:, each]
            logs += np.log(one * (alike * same + (1 - alike) * two)).T
        return class_scores(logs, n_classes)

    text = f"teeth={2 * half} K={n_classes} apart={apart:.2f} alike={alike:.2f}"
    return text, Generative(sample, scores)
