"""The sets of `evidence`: the paper's sixteen, and two groups that no design has looked at.

Ten come from what scikit-learn packages: two small sets as they are, one with its target
cut in three, digits and photographs seen in unusual ways, and three generated problems. The
list was fixed, and the classifier frozen, before any of them was run. Thirty-three real ones
come from the KEEL repository (`benchmarks/keel.py`), under the same rule until the number of trees
for few samples was chosen on seven of them.
"""

from __future__ import annotations

import numpy as np
from sklearn import datasets as packaged
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from .. import keel
from ..paper import datasets

N_SPLITS = 5
MOST_TRAINING_ROWS = 20_000
MOST_TEST_ROWS = 20_000
_PATCHES = 3000


def _diabetes():
    X, y = packaged.load_diabetes(return_X_y=True)
    return X, np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))


def _digits():
    X, y = packaged.load_digits(return_X_y=True)
    return X.reshape(-1, 8, 8), y


def _coarse_digits():
    X, y = _digits()
    return X.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16), y


def _noisy_digits():
    X, y = _digits()
    return (X + np.random.default_rng(0).normal(scale=4, size=X.shape)).reshape(-1, 64), y


def _upper_halves():
    X, y = _digits()
    return X[:, :4].reshape(-1, 32), y


def _patches():
    """Patches of two photographs: which photograph, and which half of it."""
    random = np.random.default_rng(0)
    images = packaged.load_sample_images().images
    which = random.integers(2, size=_PATCHES)
    X, y = [], []
    for number in which:
        image = images[number]
        top, left = (random.integers(size - 8) for size in image.shape[:2])
        cells = image[top : top + 8, left : left + 8].reshape(2, 4, 2, 4, 3)
        X.append(np.concatenate([cells.mean(axis=(1, 3)).ravel(), cells.std(axis=(1, 3)).ravel()]))
        y.append(2 * number + (top + 4 > image.shape[0] / 2))
    return np.array(X), np.array(y)


FRESH = {
    "wine": lambda: packaged.load_wine(return_X_y=True),
    "breast cancer": lambda: packaged.load_breast_cancer(return_X_y=True),
    "diabetes in thirds": _diabetes,
    "coarse digits": _coarse_digits,
    "noisy digits": _noisy_digits,
    "upper halves of digits": _upper_halves,
    "patches of photographs": _patches,
    "shells": lambda: packaged.make_gaussian_quantiles(
        n_samples=2000, n_features=10, n_classes=3, random_state=0
    ),
    "hastie": lambda: packaged.make_hastie_10_2(n_samples=3000, random_state=0),
    "clusters": lambda: packaged.make_classification(
        3000,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_classes=8,
        n_clusters_per_class=3,
        flip_y=0.02,
        class_sep=1.5,
        random_state=0,
    ),
}
KNOWN = datasets.NAMES
KEEL = keel.NAMES


def load(name):
    """All rows and labels of a set."""
    if name in FRESH:
        X, y = FRESH[name]()
        return np.asarray(X, dtype=np.float64), np.unique(y, return_inverse=True)[1]
    if name in KEEL:
        return keel.load(name)
    data = datasets.load(name)
    return data.X, data.y


def split(name, number, most_rows=MOST_TRAINING_ROWS):
    """Training and test part of one split, scaled to [-1, 1] by the training part.

    Four fifths of the rows are for training, but at most `most_rows`; at most 20,000 others for
    the test. Classes keep their shares.
    """
    X, y = load(name)
    n_test = min(MOST_TEST_ROWS, len(y) // 5)
    n_train = min(most_rows, len(y) - n_test)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=n_train, test_size=n_test, random_state=number, stratify=y
    )
    scaler = MinMaxScaler((-1, 1)).fit(X_train)
    return scaler.transform(X_train), y_train, scaler.transform(X_test), y_test
