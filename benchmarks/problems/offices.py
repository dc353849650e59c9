"""Offices: applicants, callers, forms and grants."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, pdtr, softmax

from .building import (
    Generative,
    draw_labels,
    step_logs,
)


def hiring_stages(random):
    """Years, degree, tests, wishes and so on of an applicant: at which stage does it end?"""
    stages, extra = int(random.choice([2, 3, 4])), int(random.choice([0, 10, 50]))
    sharp, fields = random.uniform(0.8, 5), int(random.choice([3, 9]))
    fit, ease = 0.6 * random.normal(size=fields), random.uniform(-0.5, 0.8, 4)

    def draw(generator, n):
        skill, field = generator.normal(size=n), generator.integers(0, fields, n)
        years = generator.gamma(1.5, 5, n).round()
        degree = np.clip((1.5 + 0.6 * skill + generator.normal(size=n)).round(), 0, 4)
        test = np.clip((60 + 12 * skill + 10 * generator.normal(size=n)).round(), 0, 100)
        gaps, words = generator.poisson(0.7, n), generator.poisson(5 + fit[field] * 2)
        wish = np.exp(10.6 + 0.1 * degree + 0.3 * generator.normal(size=n)).round(-2)
        talk = np.clip((3 + generator.normal(size=n)).round(), 1, 5)
        passes = [
            0.3 * (words - 5) + 0.6 * np.minimum(years / 4, 1.5) - 0.5 * gaps + fit[field],
            (test - 58) / 12 + 0.4 * (degree >= 2),
            0.8 * (talk - 3) - 0.5 * (years > 15) * (degree < 2),  # too long without a degree
            4 * (10.9 - np.log(wish)) + 0.3 * (degree - 2),
        ]
        chances, left = [], np.ones(n)
        for score, easy in zip(passes[:stages], ease[:stages], strict=True):
            on = expit(sharp * (score + easy))
            chances.append(left * (1 - on))
            left = left * on
        X = [field, years, degree, test, gaps, words, wish, talk]
        X = np.column_stack([*X, generator.normal(size=(n, extra)).round(1)])
        return X, np.stack([*chances, left], axis=1)

    return f"K={stages + 1} sharp={sharp:.1f} fields={fields} extra={extra}", draw


def call_centres(random):
    """Calls, staff, hour and length of the talks: is a call taken at once, late or given up?"""
    patience, rushed = random.choice([0.5, 3.0, 15.0]), random.uniform(0.2, 1.5)  # minutes
    soon, shown = random.choice([0.1, 0.5, 2.0]), random.random() < 0.5
    extra, tight = int(random.choice([0, 4, 20])), random.uniform(0.7, 1.15)
    slow = random.uniform(0.7, 1.5, 7)

    def draw(generator, n):
        hour, day = generator.integers(8, 20, n), generator.integers(0, 7, n)
        talk = generator.gamma(9, 0.5, n).round(1) + 0.5
        calls = generator.poisson(60 * np.exp(rushed * np.sin((hour - 8) / 12 * 2 * np.pi)))
        offered = calls / 60 * talk * slow[day]
        staff = 1 + generator.poisson(np.maximum(offered / tight + 1, 1))
        load = np.minimum(offered + 1e-6, 0.98 * staff)  # who waits gives up before it grows
        # Erlang's formulas: the chances that all lines are busy, and that one waits so long.
        lost = (pdtr(staff, load) - pdtr(staff - 1, load)) / pdtr(staff, load)
        busy = lost / (1 - load / staff * (1 - lost))
        rate = (staff - load) / (talk * slow[day])
        late = busy * np.exp(-rate * soon)
        gives_up = late / (1 + rate * patience)
        X = [hour, day, talk, calls, staff, *([offered / staff] if shown else [])]
        X = np.column_stack([*X, generator.exponential(size=(n, extra))]) * 1.0
        return X, np.stack([1 - late, late - gives_up, gives_up], axis=1).clip(0)

    return f"patience={patience} soon={soon} tight={tight:.2f} shown={shown} extra={extra}", draw


def default_forms(random):
    """Forms of which many are sent as they come, with a default in every field: who is granted?"""
    numbers, lists = random.choice([[2, 1], [4, 4], [10, 10]])
    n_classes, untouched = int(random.choice([2, 3])), random.choice([0.1, 0.3, 0.6])
    left, sharp = random.choice([0.0, 0.3]), random.uniform(0.4, 2.5)
    slopes = sharp * random.normal(size=(numbers, n_classes)) / np.sqrt(numbers)
    effects = sharp * random.normal(size=(lists, 4, n_classes)) / np.sqrt(lists)
    default, base = random.normal(0, 0.5, numbers).round(1), 0.4 * random.normal(size=n_classes)

    def draw(generator, n):
        filled = (generator.random(n) >= untouched)[:, None]
        kept = ~filled | (generator.random((n, numbers)) < left)
        amount = np.where(kept, default, generator.normal(size=(n, numbers)))
        picked = generator.integers(0, 4, (n, lists))
        picked[~filled | (generator.random((n, lists)) < left)] = 0
        logits = base + amount @ slopes
        logits += sum(effects[each, picked[:, each]] for each in range(lists))
        return np.column_stack([amount, picked]), softmax(logits, axis=1)

    text = f"numbers={numbers} lists={lists} K={n_classes} untouched={untouched} left={left}"
    return f"{text} sharp={sharp:.1f}", draw


def grant_reviews(random):
    """What reviewers, some of them mild, give an application, and its sum: refused or granted?"""
    reviewers, n_classes = int(random.choice([2, 4, 8])), int(random.choice([2, 3]))
    noise, mild = random.uniform(0.5, 2.0), random.uniform(0.2, 1.2)
    luck, strict = random.uniform(0.05, 0.6), random.uniform(-0.6, 0.6)
    extra, quality = int(random.choice([0, 4, 15])), np.linspace(-3.2, 3.2, 41)
    often = np.exp(-0.5 * quality**2)
    cuts = np.array([strict, strict + 0.7])[: n_classes - 1]
    decided = np.diff(ndtr((cuts - quality[:, None]) / luck), axis=1, prepend=0, append=1)
    # A score of 1 to 9 for each quality, whether its reviewer is strict, usual or mild.
    means = 4 + 1.5 * quality[:, None] + mild * np.array([-1.5, 0, 1.5])
    levels = np.exp(step_logs(9, means, np.full(3, noise))) @ np.array([0.25, 0.5, 0.25])
    fees = 11 + 0.3 * quality  # good applicants ask for more

    def sample(generator, n):
        part = generator.choice(len(quality), n, p=often / often.sum())
        bias = generator.choice(3, (n, reviewers), p=[0.25, 0.5, 0.25])
        score = means[part[:, None], bias] + noise * generator.normal(size=(n, reviewers))
        fee = np.exp(fees[part] + 0.5 * generator.normal(size=n))
        other = generator.poisson(3, (n, extra))
        X = np.column_stack([score.round().clip(0, 8) + 1, fee, other])
        return X, draw_labels(generator, decided[part].clip(0))

    def scores(X):
        given = X[:, :reviewers].astype(int) - 1
        logs = np.log(often) + sum(np.log(levels[each]) for each in given.T)
        logs -= 0.5 * ((np.log(X[:, reviewers, None]) - fees) / 0.5) ** 2
        return np.log(np.maximum(softmax(logs, axis=1) @ decided, 1e-300))

    text = f"reviewers={reviewers} K={n_classes} noise={noise:.1f} mild={mild:.1f} luck={luck:.2f}"
    return text, Generative(sample, scores)
