"""Texts of sentences, such as comments: each becomes a few columns by the words that are in it.

The words are hashed, weighted by how rare they are, and reduced to their main directions, without
looking at labels. Those who know the labels keep them where they tell something.
"""

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from smartsvm._core.clearly import is_clear

N_COLUMNS = 20
_LEAST_WORDS = 5  # of a sentence, on average: names and titles have fewer
_LOOKED_AT = 1000
_MOST_LETTERS = 4000  # of a text that are read
_MOST_HASHES = 2**14
_MOST_ROWS = 10_000  # to learn from
_LEAST_ROWS = 50
_TRIED_ON = 3000  # rows that show whether words tell the classes
_FOLDS = 3
_MOST_BESIDE = 100  # directions of other columns


def are_sentences(texts):
    """Whether texts of many values are sentences."""
    if len(texts) < _LEAST_ROWS:
        return False
    some = texts[:: max(1, len(texts) // _LOOKED_AT)].tolist()
    return float(np.mean([len(text.split()) for text in some])) >= _LEAST_WORDS


class Words:
    """The main directions of the words of some texts; a gap is a text without words."""

    def __init__(self, texts):
        some = texts[:: -(-len(texts) // _MOST_ROWS)]
        self._weights = TfidfTransformer(sublinear_tf=True).fit(_counts(some))
        weighted = self._weights.transform(_counts(some))
        n_columns = min(N_COLUMNS, len(some) - 1)
        self._directions = TruncatedSVD(n_columns, random_state=0).fit(weighted)

    @property
    def n_columns(self):
        """How many columns they become."""
        return len(self._directions.components_)

    def columns(self, texts):
        """A row for each text; sparse products give the same numbers row by row."""
        return self._directions.transform(self._weights.transform(_counts(texts)))


def _counts(texts):
    words = HashingVectorizer(n_features=_MOST_HASHES, alternate_sign=False, norm=None)
    return words.transform([t[:_MOST_LETTERS] if isinstance(t, str) else "" for t in texts])


def words_tell(texts, labels, beside):
    """Whether a linear model of words and points beside them is clearly better than of points."""
    chosen = np.random.default_rng(0).permutation(len(texts))[:_TRIED_ON]
    _, codes, counts = np.unique(labels[chosen], return_inverse=True, return_counts=True)
    frequent = counts[codes] >= 2 * _FOLDS
    chosen = chosen[frequent]
    kept, codes, counts = np.unique(codes[frequent], return_inverse=True, return_counts=True)
    if len(chosen) < _LEAST_ROWS or len(kept) < 2:
        return False
    words = Words(texts[chosen]).columns(texts[chosen])
    others = _few_columns(beside[chosen])
    with_words = _right(np.hstack([others, words]), codes)
    without = _right(others, codes) if others.shape[1] else 1 / len(kept)
    # All classes count alike: where one is rare, its largest one is right anyway.
    gains = (with_words - without) / (len(kept) * counts[codes])
    return is_clear(gains.sum(), np.sqrt((gains**2).sum()))


def _few_columns(points):
    points = StandardScaler().fit_transform(points) if points.shape[1] else points
    if points.shape[1] <= _MOST_BESIDE:
        return points
    return TruncatedSVD(_MOST_BESIDE, random_state=0).fit_transform(points)


def _right(points, codes):
    """1 for each row that is told right without its label, else 0."""
    equal = np.full(codes.max() + 1, 1 / (codes.max() + 1))
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1, priors=equal)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    points = StandardScaler().fit_transform(points)
    return (cross_val_predict(model, points, codes, cv=folds) == codes).astype(float)
