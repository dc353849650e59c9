"""Series and sounds."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from .building import Generative, named


def chords(random):
    """The energy of the twelve notes, in one or more octaves: major, minor or another chord?"""
    n_classes, octaves = int(random.choice([2, 3, 5])), int(random.choice([1, 2, 5]))
    loud, shape = random.choice([1.5, 3.0, 8.0]), random.choice([0.7, 2.0])
    kinds = [(0, 4, 7), (0, 3, 7), (0, 3, 6), (0, 5, 7), (0, 4, 7, 10)][:n_classes]
    notes = np.zeros((n_classes, 12, 12))
    for k, kind in enumerate(kinds):
        for root in range(12):
            notes[k, root, (np.array(kind) + root) % 12] = 1
    roots = random.dirichlet(np.full(12, random.choice([0.5, 5.0])))
    priors = random.dirichlet(np.full(n_classes, 6.0))

    def sample(generator, n):
        which, root = generator.choice(n_classes, n, p=priors), generator.choice(12, n, p=roots)
        scale = np.tile(1 + (loud - 1) * notes[which, root], octaves)
        return generator.gamma(shape, scale), which

    def scores(X):
        gain = X * (1 - 1 / loud) - shape * np.log(loud)  # of a note that sounds over one that not
        gain = gain.reshape(len(X), octaves, 12).sum(axis=1)
        logs = np.einsum("nj,krj->nkr", gain, notes) + np.log(roots)
        return logsumexp(logs, axis=2) + np.log(priors)

    words = f"K={n_classes} octaves={octaves} loud={loud} shape={shape}"
    return words, Generative(sample, scores)


FAMILIES = named(chords)
