"""Insurance: reported damage, the cost of a claim, and who is well enough to be insured."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln, logsumexp, softmax, stdtr

from .building import Generative, draw_labels, log_between


def damage_reports(random):
    """Rounded amount, delay, cause, receipts and earlier claims: honest, padded or invented?"""
    n_classes, causes = int(random.choice([2, 3])), int(random.choice([4, 12]))
    rare, apart = random.choice([1 / 30, 0.15, 0.6]), random.uniform(0.3, 1.6)
    priors = np.r_[1.0, np.full(n_classes - 1, rare)]
    priors /= priors.sum()
    steps = np.array([1, 10, 100, 500])  # to which people round
    rounds = softmax(np.log([4, 2, 1, 0.3]) + apart * np.outer(np.arange(3), [-1, 0, 0.6, 0.9]), 1)
    rounds = rounds[[0, 2, 1][:n_classes]]
    middles = 6.3 + apart * np.array([0, 0.5, 0.7])[:n_classes]
    spread, delays = 1.0, np.array([4, 4 * np.exp(apart), 6.0])[:n_classes]
    kinds = random.dirichlet(np.full(causes, 3 / apart), n_classes) * 0.9 + 0.1 / causes
    papers = expit(np.array([[1.0, 0.5], [1 - 1.5 * apart, 0.5 - apart], [1, 0.5 - apart]]))
    papers, earlier = papers[:n_classes], np.array([0.5, 0.5 + 0.7 * apart, 1.0])[:n_classes]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        step = steps[draw_labels(generator, rounds[which])]
        amount = np.exp(middles[which] + spread * generator.normal(size=n))
        days = generator.geometric(1 / (1 + delays[which])) - 1
        cause = draw_labels(generator, kinds[which])
        claims = generator.poisson(earlier[which])
        shown = generator.random((n, 2)) < papers[which]
        return np.column_stack([(amount / step).round() * step, days, cause, claims, shown]), which

    def scores(X):
        amount, days, cause, claims = (X[:, each : each + 1] for each in range(4))
        parts = np.empty((len(X), n_classes, len(steps)))
        for place, step in enumerate(steps):
            with np.errstate(divide="ignore"):
                low = np.log(np.maximum(amount - step / 2, 0))
            high = np.log(amount + step / 2)
            chance = log_between((low - middles) / spread, (high - middles) / spread)
            parts[:, :, place] = np.where(amount % step == 0, chance, -np.inf)
        logs = logsumexp(parts + np.log(rounds), axis=2) + np.log(priors)
        logs += days * np.log(delays / (1 + delays)) - np.log1p(delays)
        logs += np.log(kinds[:, cause[:, 0].astype(int)]).T
        logs += claims * np.log(earlier) - earlier
        return logs + X[:, 4:] @ np.log(papers).T + (1 - X[:, 4:]) @ np.log1p(-papers).T

    text = f"K={n_classes} causes={causes} rare={rare:.2f} apart={apart:.2f}"
    return text, Generative(sample, scores)


def claim_costs(random):
    """Injury, age, lawyer, delay and first estimate of a claim: how much will it cost at last?"""
    n_classes, noise = int(random.choice([2, 3, 5])), random.uniform(0.08, 0.7)
    injuries, extra = int(random.choice([6, 60])), int(random.choice([0, 12]))
    trust, freedom = random.uniform(0.3, 0.95), random.choice([3.0, 10.0])
    harm = random.normal(0, 0.8, injuries)
    cuts = 8.2 + np.linspace(-1, 1.6, n_classes + 1)[1:-1]
    common = random.dirichlet(np.full(injuries, 0.8))

    def draw(generator, n):
        injury, age = generator.choice(injuries, n, p=common), generator.integers(16, 90, n)
        lawyer, delay = generator.random(n) < 0.25, generator.negative_binomial(0.8, 0.03, n)
        fault = generator.choice([0, 25, 50, 75, 100], n, p=[0.5, 0.1, 0.2, 0.1, 0.1])
        real = 8 + harm[injury] + 0.9 * generator.normal(size=n)
        first = np.exp(real)
        scale = 10.0 ** np.floor(np.log10(first))
        first = (first / scale * 2).round() / 2 * scale  # in one and a half digits
        middle = 8 + trust * (np.log(first) - 8) + (1 - trust) * harm[injury]
        middle += 0.6 * lawyer + 0.1 * np.log1p(delay) - 0.004 * fault
        middle += 0.3 * (age > 70) * (harm[injury] > 0)
        below = stdtr(freedom, (cuts - middle[:, None]) / noise)
        X = [injury, age, lawyer, delay, fault, first, generator.pareto(2, (n, extra)).round(2)]
        return np.column_stack(X) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    text = f"K={n_classes} noise={noise:.2f} injuries={injuries} trust={trust:.2f} extra={extra}"
    return text, draw


def life_applications(random):
    """Age, body, smoking, illnesses and wages of an applicant: normal terms, dearer or refused?"""
    n_classes, strict = int(random.choice([2, 3, 4])), random.uniform(1, 9)
    illnesses, honest = int(random.choice([3, 15, 60])), random.choice([0.6, 0.9, 1.0])
    weights = random.gamma(1, 0.6, illnesses)
    common = random.beta(0.6, 8, illnesses) * min(1, 15 / illnesses)
    cuts = np.array([1.3, 2.1, 2.9])[: n_classes - 1]

    def draw(generator, n):
        age, woman = generator.integers(18, 71, n), generator.random(n) < 0.5
        height = (176 - 12 * woman + 7 * generator.normal(size=n)).round()
        weight = (24.5 * (height / 100) ** 2 * np.exp(0.16 * generator.normal(size=n))).round()
        smokes, told = generator.random(n) < 0.25, generator.random((n, illnesses))
        told = told < common * honest * np.exp(0.02 * (age[:, None] - 44))
        sum_insured = np.exp(generator.normal(11.5, 0.7, n)).round(-3)
        wages = np.exp(generator.normal(10.4, 0.5, n)).round(-2)
        body = weight / (height / 100) ** 2
        risk = 0.03 * (age - 20) + 0.08 * np.maximum(body - 28, 0) + 0.1 * np.maximum(19 - body, 0)
        risk = risk + told @ weights + smokes * (0.5 + 0.015 * (age - 30))
        risk += 0.8 * (sum_insured > 12 * wages)
        below = expit(strict * (cuts - risk[:, None]))
        X = [age, woman, height, weight, smokes, sum_insured, wages, told]
        return np.column_stack(X) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    text = f"K={n_classes} strict={strict:.1f} illnesses={illnesses} honest={honest}"
    return text, draw


def sick_leaves(random):
    """Lengths of someone's last times of illness, in days, and the gaps: why are they ill?"""
    times, n_classes = int(random.choice([1, 3, 8])), int(random.choice([2, 3, 5]))
    apart, uneven = random.uniform(0.4, 1.6), random.choice([1.0, 3.0])
    means = np.exp(1.4 + apart * random.normal(size=n_classes))  # days
    shapes = np.exp(0.4 * random.normal(size=n_classes)) * 1.2
    mondays = expit(random.normal(-1.2, 0.7 * apart, n_classes))
    rates = np.exp(4.5 + 0.6 * apart * random.normal(size=n_classes))  # days between them
    priors = random.dirichlet(np.full(n_classes, 3.0))

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        frail = generator.gamma(uneven, 1 / uneven, (n, 1))  # of this person, for the gaps
        shape = np.broadcast_to(shapes[which][:, None], (n, times))
        ill = means[which][:, None] / shape
        length = generator.negative_binomial(shape, 1 / (1 + ill))
        gaps = rates[which][:, None] * generator.exponential(size=(n, times)) / frail
        monday = generator.binomial(times, mondays[which])
        return np.column_stack([length + 1, gaps, monday]) * 1.0, which

    def scores(X):
        length, gaps, monday = X[:, :times] - 1, X[:, times:-1].sum(axis=1), X[:, -1:]
        logs = np.log(priors) + monday * np.log(mondays) + (times - monday) * np.log1p(-mondays)
        # The gaps' frailty is gamma distributed, so it can be summed out.
        logs -= times * np.log(rates)
        logs -= (uneven + times) * np.log(uneven + gaps[:, None] / rates)
        odds = means / shapes
        for k, shape in enumerate(shapes):
            one = gammaln(length + shape) - gammaln(shape) - shape * np.log1p(odds[k])
            logs[:, k] += (one + length * np.log(odds[k] / (1 + odds[k]))).sum(axis=1)
        return logs

    text = f"times={times} K={n_classes} apart={apart:.2f} uneven={uneven:.0f}"
    return text, Generative(sample, scores)
