"""Text: counts of words and what they mean together, letters and links."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln, logsumexp, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
)


def negated_reviews(random):
    """Counts of good, bad, not and other words, where "not" turns a word round: which rating?"""
    n_classes, length = int(random.choice([2, 3, 5])), int(random.choice([5, 20, 60]))
    turned, extra = random.choice([0.1, 0.4]), int(random.choice([0, 10, 40]))
    praise = 0.5 + random.uniform(0.1, 0.45) * np.linspace(-1, 1, n_classes)
    strong = random.uniform(0.2, 0.7)  # share of words that judge
    # What is meant is good or bad, said straight or as the opposite after "not".
    units = strong * np.stack(
        [
            praise * (1 - turned),
            (1 - praise) * (1 - turned),
            (1 - praise) * turned,
            praise * turned,
        ],
        axis=1,
    )
    units = np.column_stack([units, np.full(n_classes, 1 - strong)])
    priors = random.dirichlet(np.full(n_classes, 4.0))
    others = random.gamma(0.5, 1.0, extra)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        good, bad, not_good, not_bad, other = generator.multinomial(
            1 + generator.poisson(length, n), units[which]
        ).T
        X = [good + not_good, bad + not_bad, not_good + not_bad, other]
        return np.column_stack([*X, generator.poisson(others, (n, extra))]) * 1.0, which

    def scores(X):
        good, bad, turns, other = X[:, :4].T
        parts, logs = [], np.log(units)
        for not_good in range(int(turns.max()) + 1):  # nobody counted which word "not" goes with
            counts = [
                good - not_good,
                bad - turns + not_good,
                np.full(len(X), not_good * 1.0),
                turns - not_good,
            ]
            counts = np.stack(counts, axis=1)
            possible = (counts >= 0).all(axis=1)
            counts = np.maximum(counts, 0)
            part = counts @ logs[:, :4].T - gammaln(counts + 1).sum(axis=1)[:, None]
            parts.append(np.where(possible[:, None], part, -np.inf))
        return logsumexp(parts, axis=0) + np.outer(other, logs[:, 4]) + np.log(priors)

    words = f"K={n_classes} length={length} turned={turned} extra={extra} strong={strong:.2f}"
    return words, Generative(sample, scores)


def word_counts(random):
    """Documents: counts of words that each class draws by its own chances."""
    d, n_classes = int(random.choice([20, 60, 150])), int(random.choice([2, 4, 8]))
    words = random.dirichlet(np.full(d, 0.3)) + 1e-3
    tilt = random.uniform(0.2, 1.0)
    chances = words * np.exp(random.normal(scale=tilt, size=(n_classes, d)))
    chances /= chances.sum(axis=1, keepdims=True)
    length = int(random.choice([8, 25, 60]))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        lengths = 1 + generator.poisson(length, n)
        X = generator.multinomial(lengths, chances[which]).astype(float)
        return X, softmax(X @ np.log(chances).T, axis=1)

    return f"d={d} K={n_classes} tilt={tilt:.2f} length={length}", draw


def topics(random):
    """Sparse counts: each class mixes a few topics, each topic has rates of its own."""
    d, n_classes = int(random.choice([15, 40, 100])), int(random.choice([2, 3]))
    n_topics = int(random.choice([3, 5]))
    rates = random.gamma(0.4, random.uniform(0.3, 1.5), (n_topics, d)) + 0.02
    mixes = random.dirichlet(np.full(n_topics, 0.4), n_classes)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        topic = draw_labels(generator, mixes[which])
        X = generator.poisson(rates[topic]).astype(float)
        of_topics = softmax(X @ np.log(rates).T - rates.sum(axis=1), axis=1)
        chances = of_topics @ mixes.T
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"d={d} K={n_classes} topics={n_topics}", draw


def mail_templates(random):
    """Which words are in a mail: most mails follow one of many templates, with words changed."""
    words, n_classes = int(random.choice([15, 30, 60])), int(random.choice([2, 2, 4]))
    templates, changed = int(random.choice([4, 15, 40])), random.uniform(0.05, 0.5)
    common = 0.6 / np.arange(1, words + 1) ** 0.4
    tilted = expit(np.log(common / (1 - common)) + 0.5 * random.normal(size=(n_classes, words)))
    priors = priors_to_a_tenth(random, n_classes)
    owners = np.repeat(np.arange(n_classes), templates)
    typical = random.random((len(owners), words)) < tilted[owners]
    rates = np.clip((1 - changed) * typical + changed * tilted[owners], 0.002, 0.998)
    weights = (priors[:, None] * random.dirichlet(np.ones(templates), n_classes)).ravel()

    def draw(generator, n):
        which = generator.choice(len(owners), n, p=weights)
        X = (generator.random((n, words)) < rates[which]) * 1.0
        logs = X @ np.log(rates / (1 - rates)).T + np.log1p(-rates).sum(axis=1) + np.log(weights)
        return X, softmax(logs, axis=1).reshape(n, n_classes, templates).sum(axis=2)

    return f"words={words} K={n_classes} templates={templates} changed={changed:.2f}", draw


def symbol_strings(random):
    """Strings of symbols, one-hot: which symbol follows which differs by class."""
    length, symbols = int(random.choice([4, 8, 15])), int(random.choice([2, 3, 4]))
    n_classes, even = int(random.choice([2, 3, 6])), random.choice([1.0, 3.0, 10.0])
    follow = random.dirichlet(np.full(symbols, even), (n_classes, symbols))
    follow = 0.95 * follow + 0.05 / symbols

    def draw(generator, n):
        which, last = generator.integers(0, n_classes, n), generator.integers(0, symbols, n)
        logs, columns = np.zeros((n, n_classes)), [last]
        for _ in range(length - 1):
            after = draw_labels(generator, follow[which, last])
            logs += np.log(follow[:, last, after]).T
            last = after
            columns.append(last)
        X = np.eye(symbols)[np.array(columns).T].reshape(n, -1)
        return X, softmax(logs, axis=1)

    return f"length={length} symbols={symbols} K={n_classes} even={even:.0f}", draw


def typos(random):
    """Two short codes: at how many places do they differ?"""
    length, letters = int(random.choice([2, 3, 5])), int(random.choice([3, 6, 10]))
    changed, noise = random.choice([0.2, 0.5]), random.choice([0.0, 0.1, 0.3])
    top, shown = int(random.choice([1, 2])), random.random() < 0.4

    def draw(generator, n):
        first = generator.integers(0, letters, (n, length))
        moved = generator.integers(1, letters, (n, length))
        second = (first + moved * (generator.random((n, length)) < changed)) % letters
        sure = np.eye(top + 1)[np.minimum((first != second).sum(axis=1), top)]
        X = np.hstack([first, second])
        X = np.eye(letters)[X].reshape(n, -1) if shown else X.astype(float)
        return X, (1 - noise) * sure + noise / (top + 1)

    return f"length={length} letters={letters} top={top} noise={noise} one-hot={shown}", draw


def click_paths(random):
    """How often a visitor went from one page to another one."""
    pages, length = int(random.choice([3, 5, 7])), int(random.choice([10, 30, 80]))
    n_classes, tilt = int(random.choice([2, 5, 12])), random.uniform(0.2, 0.9)
    scores = random.normal(size=(pages, pages))
    moves = softmax(scores + tilt * random.normal(size=(n_classes, pages, pages)), axis=2)

    def draw(generator, n):
        which, here = generator.integers(0, n_classes, n), generator.integers(0, pages, n)
        X = np.zeros((n, pages, pages))
        for _ in range(length):
            after = draw_labels(generator, moves[which, here])
            X[np.arange(n), here, after] += 1
            here = after
        X = X.reshape(n, -1)
        return X, softmax(X @ np.log(moves).reshape(n_classes, -1).T, axis=1)

    return f"pages={pages} length={length} K={n_classes} tilt={tilt:.2f}", draw


def hashed_titles(random):
    """Words of a product's title, hashed into few columns where they meet: which category?"""
    buckets, n_classes = int(random.choice([16, 64, 256])), int(random.choice([2, 6, 20]))
    length, tilt = random.choice([3.0, 7.0, 15.0]), random.uniform(0.5, 1.8)
    words, brands = 2000, 3
    base = -np.log(np.arange(words) + 5.0)
    special = tilt * random.normal(size=(n_classes, 1, words))
    own = 0.7 * tilt * random.normal(size=(n_classes, brands, words))
    shares = softmax(base + special + own, axis=2).reshape(-1, words)
    bucket = random.integers(0, buckets, words)
    table = np.stack([np.bincount(bucket, each, buckets) for each in shares]) + 1e-9
    table /= table.sum(axis=1, keepdims=True)
    weights = part_weights(priors_to_a_tenth(random, n_classes), [4, 2, 1])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        return generator.multinomial(1 + generator.poisson(length, n), table[part]) * 1.0, (
            part // brands
        )

    def scores(X):
        return class_scores(X @ np.log(table).T + np.log(weights), n_classes)

    text = f"buckets={buckets} K={n_classes} length={length:.0f} tilt={tilt:.1f}"
    return text, Generative(sample, scores)


def surnames(random):
    """Letters of a surname as numbers from 1, with 0 behind its end: from which language is it?"""
    longest, n_classes = int(random.choice([5, 9, 14])), int(random.choice([2, 4, 8]))
    letters, alike = int(random.choice([10, 26])), random.uniform(0.2, 0.95)
    common = random.normal(size=(letters + 1, letters))
    logits = np.sqrt(alike) * common + np.sqrt(1 - alike) * random.normal(
        size=(n_classes, letters + 1, letters)
    )
    moves = softmax(1.5 * logits, axis=2)  # the last row is for the first letter
    ends = expit(random.normal(-1.6, 0.8, (n_classes, letters)))  # some letters end a name
    priors = slowly_falling_priors(random, n_classes)

    def sample(generator, n):
        which, here = generator.choice(n_classes, n, p=priors), np.full(n, letters)
        X, goes_on = np.zeros((n, longest), dtype=int), np.ones(n, dtype=bool)
        for at in range(longest):
            here = draw_labels(generator, moves[which, here])
            X[goes_on, at] = 1 + here[goes_on]
            goes_on &= generator.random(n) >= ends[which, here]
        return X * 1.0, which

    def scores(X):
        codes = X.astype(int) - 1
        logs = np.log(priors) + np.log(moves[:, letters, codes[:, 0]]).T
        for at in range(1, longest):
            here, after = codes[:, at - 1], codes[:, at]
            on = np.log1p(-ends[:, here]) + np.log(moves[:, here, after])
            stop = np.log(ends[:, here])
            logs += np.where(after >= 0, on, np.where(here >= 0, stop, 0)).T
        return logs

    return f"longest={longest} K={n_classes} letters={letters} alike={alike:.2f}", Generative(
        sample, scores
    )


def support_tickets(random):
    """Counts of words in a customer's letter, some said again and again: who has to answer it?"""
    words, n_classes = int(random.choice([15, 50, 150])), int(random.choice([2, 5, 12]))
    long, bursty = random.choice([6, 25, 120]), random.choice([0.1, 0.5, 3.0])
    apart = random.uniform(0.4, 1.7)
    usual = random.normal(0, 1.2, words)
    forms = 0.7 * random.normal(size=(2, words))  # polite people and angry ones
    logits = usual + forms + apart * random.normal(size=(n_classes, 1, words))
    alphas = bursty * words * softmax(logits, axis=2).reshape(-1, words) + 1e-3
    totals = alphas.sum(axis=1)
    weights = part_weights(slowly_falling_priors(random, n_classes), [0.7, 0.3])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        length = generator.negative_binomial(3, 3 / (3 + long), n) + 1
        shares = generator.gamma(alphas[part]) + 1e-300
        counts = generator.multinomial(length, shares / shares.sum(axis=1, keepdims=True))
        return counts * 1.0, part // 2

    def scores(X):
        # A word that was said once is said again: Pólya's urn.
        length = X.sum(axis=1).astype(int)
        logs = np.log(weights) - gammaln(totals + length[:, None]) + gammaln(totals)
        most = X.max(axis=1)
        for number in range(int(most.max())):
            # ln Γ(a + x) - ln Γ(a) is the sum of ln(a + j) over j < x.
            rows = np.flatnonzero(most > number)
            logs[rows] += (X[rows] > number) @ np.log(alphas + number).T
        return class_scores(logs, n_classes)

    text = f"words={words} K={n_classes} long={long} bursty={bursty} apart={apart:.2f}"
    return text, Generative(sample, scores)
