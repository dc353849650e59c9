"""Software: bugs, changes of the code, logs of machines, and visitors that fill in a form."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .building import Generative, priors_to_a_tenth, two_classes


def bug_reports(random):
    """Words, part, reporter and talk of a bug report: mended, rejected, a copy, or unclear?"""
    words, parts = random.choice([[10, 4], [40, 12], [120, 30]])
    n_classes, strong = int(random.choice([2, 3, 4])), random.uniform(0.8, 4.0)
    usual = 0.8 / (1 + np.arange(words)) ** 0.6
    topics = usual * np.exp(1.2 * random.normal(size=(parts, words)))
    slopes = strong * random.normal(size=(words, n_classes))
    slopes *= random.random((words, 1)) < min(0.4, 8 / words)
    area, base = strong * random.normal(size=(parts, n_classes)), random.normal(size=n_classes)
    habit, heat = 0.4 * random.normal(size=(2, n_classes))
    popular = random.dirichlet(np.full(parts, 1.5))

    def draw(generator, n):
        part = generator.choice(parts, n, p=popular)
        counts = generator.poisson(topics[part])
        earlier = generator.negative_binomial(0.5, 0.05, n)
        comments, steps = generator.geometric(0.25, n) - 1, generator.random(n) < 0.6
        logits = base + np.log1p(counts) @ slopes + 0.6 * area[part]
        logits += np.log1p(earlier)[:, None] * habit + np.log1p(comments)[:, None] * heat
        logits[:, -1] -= 1.2 * strong * (steps - 0.6)  # what can be repeated is not unclear
        return np.column_stack([part, earlier, comments, steps, counts]) * 1.0, softmax(
            logits, axis=1
        )

    return f"words={words} parts={parts} K={n_classes} strong={strong:.1f}", draw


def event_logs(random):
    """How often each kind of message stands in an hour's log of a server: what is wrong with it?"""
    d, n_classes = int(random.choice([8, 30, 100])), int(random.choice([2, 4, 8]))
    busy, faults = random.choice([0.3, 2.0, 15.0]), random.uniform(0.5, 2.2)
    uneven = random.choice([1.5, 6.0])  # the load: its spread is one over the root of this
    base = busy * random.gamma(0.6, 1.5, d) + 0.01
    moved = random.random((n_classes, d)) < min(0.5, 5 / d)
    moved[0] = False  # nothing is wrong
    rates = base * np.exp(faults * moved * random.normal(0.6, 1, (n_classes, d)))
    totals = rates.sum(axis=1)
    priors = np.r_[1.0, np.full(n_classes - 1, random.choice([1.0, 0.3, 1 / 15]))]
    priors /= priors.sum()

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        load = generator.gamma(uneven, 1 / uneven, (n, 1))
        return generator.poisson(load * rates[which]) * 1.0, which

    def scores(X):
        # One load for all columns of a row, summed out: a negative multinomial distribution.
        spread = (uneven + X.sum(axis=1, keepdims=True)) * np.log(uneven + totals)
        return X @ np.log(rates).T - spread + np.log(priors)

    text = f"d={d} K={n_classes} busy={busy} faults={faults:.2f} uneven={uneven}"
    return text, Generative(sample, scores)


def code_changes(random):
    """Lines, files, author, hour and tests of a change of a program: does it break something?"""
    n_classes, often = int(random.choice([2, 2, 3])), random.choice([-3.2, -1.8, -0.6])
    strong, files = random.uniform(0.5, 2.2), int(random.choice([5, 50]))
    extra, tired = int(random.choice([0, 6, 30])), random.uniform(0, 1.5)
    fragile = strong * random.gumbel(-0.58, 0.7, files)

    def draw(generator, n):
        which = (files * generator.beta(0.7, 2, n)).astype(int)
        added = np.floor(np.exp(generator.normal(2.5, 1.5, n)))
        removed = generator.binomial((added + 4).astype(int), generator.beta(1, 2, n))
        touched = 1 + generator.poisson(np.sqrt(added) / 5)
        known = generator.geometric(0.02, n) - 1  # earlier changes of the author
        hour = np.clip((14.5 + 3.5 * generator.normal(size=n)).astype(int), 0, 23)
        day = generator.choice(7, n, p=[0.18, 0.19, 0.19, 0.18, 0.16, 0.05, 0.05])
        tests = generator.random(n) < expit(0.6 * np.log1p(known) - 2)
        score = often + fragile[which] + strong * 0.45 * (np.log1p(added + removed) - 3)
        score += 0.5 * strong * (touched > 3) - 0.3 * strong * (np.log1p(known) - 3)
        score += tired * ((hour >= 18) | ((day == 4) & (hour >= 15))) - strong * tests
        breaks = expit(score)
        X = [which, added, removed, touched, known, hour, day, tests]
        X = np.column_stack([*X, generator.negative_binomial(1, 0.2, (n, extra))]) * 1.0
        if n_classes == 2:
            return X, two_classes(breaks)
        badly = breaks * expit(strong * (0.5 * fragile[which] + 0.6 * (touched > 3) - 0.5))
        return X, np.stack([1 - breaks, breaks - badly, badly], axis=1)

    text = f"K={n_classes} often={often} strong={strong:.1f} files={files} extra={extra}"
    return text, draw


def sign_up_funnels(random):
    """Seconds on each page of a form, 0 behind the last one: who is it, and in a hurry or lost?"""
    pages, n_classes = int(random.choice([3, 6, 15])), int(random.choice([2, 3, 5]))
    apart, unlike = random.uniform(0.5, 2.0), random.uniform(0.2, 0.8)
    means = random.normal(2.5, 0.5, pages) + apart * random.normal(0, 0.6, (n_classes, pages))
    means += apart * random.normal(0, 0.6, (n_classes, 1))
    stays = expit(random.normal(2.2, 0.8 * apart, (n_classes, pages)))
    paces = unlike * np.linspace(-1.6, 1.6, 7)
    often = np.exp(-0.5 * (paces / unlike) ** 2)
    often /= often.sum()
    priors, spread = priors_to_a_tenth(random, n_classes), random.uniform(0.4, 0.9)

    def sample(generator, n):
        which, pace = generator.choice(n_classes, n, p=priors), generator.choice(paces, n, p=often)
        seconds = np.exp(means[which] + pace[:, None] + spread * generator.normal(size=(n, pages)))
        on = np.cumprod(generator.random((n, pages)) < stays[which], axis=1)
        return seconds * np.column_stack([np.ones(n), on[:, :-1]]), which

    def scores(X):
        seen = X > 0
        after = np.column_stack([seen[:, 1:], np.zeros(len(X), bool)])
        logs = np.log(np.where(seen, X, 1))
        result = np.log(priors) + after[:, :-1] @ np.log(stays[:, :-1]).T
        result += (seen[:, :-1] & ~after[:, :-1]) @ np.log1p(-stays[:, :-1]).T
        parts = np.empty((len(X), n_classes, len(paces)))
        for k, mean in enumerate(means):
            gaps = np.where(seen, logs - mean, 0)
            # The sum of squares around every pace, from its first two moments.
            first, second = gaps.sum(axis=1), (gaps**2).sum(axis=1)
            squares = second[:, None] - 2 * np.outer(first, paces)
            squares += np.outer(seen.sum(axis=1), paces**2)
            parts[:, k] = -0.5 * squares / spread**2 + np.log(often)
        highest = parts.max(axis=2)
        return result + highest + np.log(np.exp(parts - highest[..., None]).sum(axis=2))

    text = f"pages={pages} K={n_classes} apart={apart:.2f} unlike={unlike:.2f} spread={spread:.2f}"
    return text, Generative(sample, scores)
