"""`bayes_error_scorer`: minus the error of held-out points after a transformer."""

import warnings
from functools import partial

import numpy as np
import pytest
from problems import trials_of
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from smartsvm import ClassForest, SmallClassWarning, bayes_error_scorer
from smartsvm._core.points import scale_points
from smartsvm.held_out.posterior import combined_posterior

IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)
AS_THEY_ARE = FunctionTransformer()


def test_scorer_is_minus_the_error():
    X, y = IRIS
    scaler = StandardScaler().fit(X[::2])
    Z = scaler.transform(X)
    expected = ClassForest(Z, y, n_trees=3).multiclass(bias_correction=False).value
    assert bayes_error_scorer(scaler, X, y, criterion="tree") == -expected
    pipeline = make_pipeline(StandardScaler(), LinearSVC(dual=False)).fit(X[::2], y[::2])
    assert bayes_error_scorer(pipeline, X, y) == bayes_error_scorer(scaler, X, y)
    with pytest.raises(TypeError, match="estimator must have a method transform"):
        bayes_error_scorer(LinearSVC(), X, y)
    with pytest.raises(ValueError, match="criterion must be one of"):
        bayes_error_scorer(scaler, X, y, criterion="accuracy")


@pytest.mark.parametrize("criterion", ["held_out", "tree", "neighbors"])
def test_a_search_does_not_repeat_a_warning_of_small_classes(criterion):
    X, y = IRIS[0][:105], IRIS[1][:105]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bayes_error_scorer(AS_THEY_ARE, X, y, criterion=criterion)
    with pytest.warns(SmallClassWarning):  # nobody else is spared it
        ClassForest(X, y).multiclass()


def test_scorer_tunes_transformers():
    X, y = WINE
    scoring = partial(bayes_error_scorer, criterion="neighbors")
    pipeline = make_pipeline(StandardScaler(), PCA(), LinearDiscriminantAnalysis())
    grid = {
        "standardscaler": ["passthrough", StandardScaler(), MinMaxScaler()],
        "pca__n_components": [1, 8],
    }
    search = GridSearchCV(pipeline, grid, scoring=scoring, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["standardscaler"] != "passthrough"
    assert search.best_params_["pca__n_components"] == 8


@pytest.mark.parametrize("size", [2.0**660, 2.0**-660])
def test_neighbours_are_sought_among_scaled_points(size):
    X, y = IRIS
    expected = bayes_error_scorer(AS_THEY_ARE, X, y, criterion="neighbors")
    assert bayes_error_scorer(AS_THEY_ARE, X * size, y, criterion="neighbors") == expected


def test_sparse_and_flat_results_are_points():
    X, y = IRIS
    weights = TfidfTransformer().fit(X)
    dense = make_pipeline(weights, FunctionTransformer(lambda Z: Z.toarray()))
    assert bayes_error_scorer(weights, X, y) == bayes_error_scorer(dense, X, y)
    flat = FunctionTransformer(lambda Z: Z[:, 2])
    column = FunctionTransformer(lambda Z: Z[:, [2]])
    assert bayes_error_scorer(flat, X, y) == bayes_error_scorer(column, X, y)


def test_the_error_is_that_of_all_classifiers_together():
    X, y = WINE
    trials = trials_of(scale_points(X).values, y, ("linear", "gaussians", "kernel"))
    combined = combined_posterior(trials, y, 3)
    assert bayes_error_scorer(AS_THEY_ARE, X, y) == -np.mean(combined.answers() != y)
