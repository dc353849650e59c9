"""Every public callable that takes data: a masked value is refused or missing, never data."""

import inspect

import numpy as np
import pytest
from pandas import DataFrame
from sklearn.base import BaseEstimator

import smartsvm

N = 48
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N, 3))
Y = np.repeat([0, 1], N // 2)
X[:, 0] += 2 * Y
FRAME = DataFrame(X, columns=list("abc"))
QUICK = {"n_trees": 1, "classifiers": ("neighbors",)}
DATA = {
    "X": X,
    "y": Y,
    "y_true": Y,
    "y_pred": Y[::-1].copy(),
    "table": X,
    "groups": np.arange(N) % 12,
    "time": np.arange(N) / 2,
    "ids": np.arange(N),
    "models": Y,
    "row_names": np.arange(N),
    "pred_probs": np.full((N, 2), 0.5),
    "soft_labels": np.full((N, 2), 0.5),
    "samples": X,
    "error_matrix": np.array([[0, 0.1], [0.1, 0]]),
    "sample_weight": np.ones(N),
    "priors": np.array([0.5, 0.5]),
}
# What holds no values of samples, among the parameters of public callables.
SETTINGS = {
    *("n_trees", "scale", "bias_correction", "normalize", "algorithm", "n_jobs", "random_state"),
    *("verbose", "memory_limit", "checkpoint", "device", "strength", "base", "estimator"),
    *("criterion", "groups_of_columns", "classifiers", "confidence", "labels", "target_accuracy"),
    *("target_metric", "subsample", "cv", "feature_names", "overlap", "core_neighbors", "metric"),
    *("n_neighbors", "drop", "keep", "counts", "missing", "categorical", "decimal", "names"),
    *("return_posterior", "n_permutations", "classes", "ax", "order", "cmap", "colorbar"),
    *("options", "fit_params", "params", "deep", "transform", "input_features", "indices"),
}
# Results and settings, which hold what the library has made.
MADE = {
    *("ClassHierarchy", "DifficultyReport", "ErrorEstimate", "Headroom", "Interval", "Neighbors"),
    *("LabelErrorRanking", "PreparedTable", "RepresentationComparison", "SmallClassWarning"),
    *("SoftLabelEstimate", "SpanningTrees", "TwoSampleTest", "HierarchyDisplay"),
}
# A masked value is one that is missing there: `test_masked_values` says what becomes of it.
MISSING = {
    "prepare_table(table)",
    "prepare_table(y)",
    "prepare_table(time)",
    "difficulty_report(time)",
    "TablePreparation.fit(X)",
    "TablePreparation.fit_transform(X)",
    "TablePreparation.transform(X)",
    "TablePreparation.fit(y)",
    "TablePreparation.fit_transform(y)",
}


def takers():
    """Public functions, and the methods of estimators and displays that take data, by name."""
    for name in smartsvm.__all__:
        public = getattr(smartsvm, name)
        if inspect.isfunction(public):
            yield name, public
        elif issubclass(public, BaseEstimator):
            for method, function in inspect.getmembers(public, inspect.isfunction):
                if method[0] != "_" and not method.startswith("set_"):
                    yield f"{name}.{method}", function
        elif name == "PairwiseErrorDisplay":
            yield f"{name}.from_data", public.from_data
        elif name not in MADE:
            yield name, public


TAKERS = dict(takers())
CASES = [
    (name, parameter)
    for name, function in TAKERS.items()
    for parameter in inspect.signature(function).parameters
    if parameter in DATA
]


def test_each_parameter_is_data_or_a_setting():
    for name, function in TAKERS.items():
        unknown = set(inspect.signature(function).parameters) - {*DATA, *SETTINGS, "self"}
        assert not unknown, f"say whether they hold values of samples: {name} {unknown}"
    assert set(smartsvm.__all__) > MADE
    assert {f"{name}({parameter})" for name, parameter in CASES} > MISSING


def masked(values):
    hidden = np.zeros(values.shape, dtype=bool)
    hidden.flat[::7] = True
    return np.ma.array(values, mask=hidden)


def arguments_of(name, function, parameter):
    """The arguments of a call, of which one is masked."""
    parameters = inspect.signature(function).parameters.values()
    needed = {each.name for each in parameters if each.default is each.empty} - {"self", "options"}
    given = {each: DATA[each] for each in (needed | {parameter}) & set(DATA)}
    given[parameter] = masked(DATA[parameter])
    if name == "bayes_error_scorer":
        given["estimator"] = fitted("BayesErrorSelector")
    if name == "difficulty_report":
        given = {"y": Y} | given | QUICK
    if name == "two_sample_test":
        given["samples"] = [given["samples"], X + 1]
        if parameter == "groups":
            given["groups"] = [given["groups"], DATA["groups"] + N]
    if name == "compare_representations":
        given["X"] = {"p": given["X"], "q": X}
        if parameter == "ids":
            given["ids"] = {"p": given["ids"], "q": DATA["ids"]}
    if name.endswith("inverse_transform"):
        given["X"] = given["X"][:, [0]]
    if parameter == "models":
        given["models"] = {"mine": given["models"]}
    return given


def fitted(name):
    public = getattr(smartsvm, name)
    options = {"n_features_to_select": 1} if name == "BayesErrorSelector" else {}
    return public(**options).fit(X, Y)


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_masked_values_are_no_data(name, parameter):
    function = TAKERS[name]
    given = arguments_of(name, function, parameter)
    if "." in name and not name.endswith("from_data"):
        function = getattr(fitted(name.split(".")[0]), name.split(".")[1])
    if f"{name}({parameter})" in MISSING:
        function(**given)
        return
    samples = given.pop("samples", ())
    with pytest.raises((ValueError, TypeError), match=r"(?i)missing|mask|NaN|must name the group"):
        function(*samples, **given)
