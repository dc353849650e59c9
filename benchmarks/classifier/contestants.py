"""Who competes in `evidence`, with settings fixed before any result was seen."""

from __future__ import annotations

from importlib import import_module

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from smartsvm import SmartSVM

from ..paper.quadratic_map import QuadraticMap

PAPER = {"hierarchy": "min-cut", "nodes": "linear", "routing": "hard", "solver": "liblinear"}
RBF_CS = (1.0, 16.0, 256.0)
RBF_TUNING_ROWS = 3000


class TunedRBF(SVC):
    """An RBF machine whose C is chosen on three random thirds of at most 3,000 rows."""

    def fit(self, X, y, sample_weight=None):
        """Choose C, then fit all rows."""
        rows = np.random.RandomState(0).permutation(len(y))[:RBF_TUNING_ROWS]
        folds = StratifiedShuffleSplit(3, test_size=1 / 3, random_state=0)
        if np.unique(y[rows], return_counts=True)[1].min() < 2:
            folds = 3
        search = GridSearchCV(SVC(gamma="scale"), {"C": RBF_CS}, cv=folds)
        self.C = search.fit(X[rows], y[rows]).best_params_["C"]
        return super().fit(X, y, sample_weight)


def boosted(module, name, **options):
    """A boosting library with its own defaults, one thread; ImportError where it is missing."""
    return getattr(import_module(module), name)(random_state=0, **options)


def one_vs_one():
    return OneVsOneClassifier(LinearSVC(dual=False))


# By name, the slowest first.
CONTESTANTS = {
    "CatBoost": lambda: boosted("catboost", "CatBoostClassifier", thread_count=1, verbose=False),
    "LightGBM": lambda: boosted("lightgbm", "LGBMClassifier", n_jobs=1, verbose=-1),
    "XGBoost": lambda: boosted("xgboost", "XGBClassifier", n_jobs=1),
    "RBF": lambda: TunedRBF(gamma="scale"),
    "boosting": lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=0),
    "boosting, early stopping": lambda: HistGradientBoostingClassifier(
        max_iter=1000, early_stopping=True, random_state=0
    ),
    "one-vs-one, quadratic": lambda: make_pipeline(QuadraticMap(), one_vs_one()),
    "one-vs-one, calibrated": lambda: CalibratedClassifierCV(one_vs_one(), cv=5),
    "accurate": lambda: SmartSVM(nodes="forest"),
    "extra trees": lambda: ExtraTreesClassifier(random_state=0),
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "one-vs-one": one_vs_one,
    "paper": lambda: SmartSVM(**PAPER),
    "default": SmartSVM,
    "accurate, centroids": lambda: SmartSVM(nodes="forest", hierarchy="centroids"),
    "default, centroids": lambda: SmartSVM(hierarchy="centroids"),
}
