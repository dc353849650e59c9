"""The caller's `np.seterr` is not for our arithmetic: ordinary data raise nothing under it."""

import joblib
import numpy as np
import pytest
from pandas import DataFrame
from sklearn.datasets import load_iris

import smartsvm

Y = np.repeat([0, 1], 40)
RANDOM = np.random.default_rng(0).normal(size=(80, 3))
DATA = {
    "iris": load_iris(return_X_y=True),
    "far apart": (RANDOM + 100 * Y[:, None], Y),
    "tiny": (1e-200 * RANDOM, Y),
    "of very different sizes": (RANDOM * [1e-60, 1, 1e60], Y),
    "equal rows": ((RANDOM > 0).astype(float), Y),
}
CALLS = {
    "two_sample_test": lambda X, y: smartsvm.two_sample_test(X[y == 0], X[y == 1]),
    "compare_representations": lambda X, y: smartsvm.compare_representations(
        {"all": X, "one": X[:, :1]}, y
    ),
    "sample_difficulty": smartsvm.sample_difficulty,
    "BayesErrorSelector": lambda X, y: smartsvm.BayesErrorSelector().fit(X, y).transform(X),
    "SmartSVM": lambda X, y: smartsvm.SmartSVM().fit(X, y).predict(X),
    "bayes_error_class_weight": smartsvm.bayes_error_class_weight,
    "bayes_error": lambda X, y: smartsvm.bayes_error(X, y, scale="auto"),
    "pairwise_bayes_error": smartsvm.pairwise_bayes_error,
    "nearest_neighbors": lambda X, y: smartsvm.nearest_neighbors(X, 3),
    "euclidean_mst": lambda X, y: smartsvm.euclidean_mst(X),
    "rank_label_errors": lambda X, y: smartsvm.rank_label_errors(
        y, np.maximum(np.eye(y.max() + 1)[y], 1e-300)
    ),
    "prepare_table": lambda X, y: smartsvm.prepare_table(DataFrame(X), y),
    "bayes_error_scorer": lambda X, y: smartsvm.bayes_error_scorer(
        smartsvm.TablePreparation().fit(X), X, y
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("call", CALLS)
def test_results_are_the_same_where_errors_are_raised(call, data):
    expected = joblib.hash(CALLS[call](*DATA[data]))
    with np.errstate(all="raise"):
        assert joblib.hash(CALLS[call](*DATA[data])) == expected
