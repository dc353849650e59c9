"""Displays draw what they are given."""

import sys

import numpy as np
import pytest
from layout import assert_readable
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from smartsvm import (
    HierarchyDisplay,
    PairwiseErrorDisplay,
    SmartSVM,
    SmartSVMCV,
    class_hierarchy,
    ovr_bayes_error,
    pairwise_bayes_error,
)
from smartsvm.plotting.axes import runs_of_classes

X, Y = load_iris(return_X_y=True)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_heat_map_shows_every_pair():
    estimate = pairwise_bayes_error(X, Y, normalize=True)
    display = PairwiseErrorDisplay.from_estimate(estimate)
    shown = display.im_.get_array()
    off_diagonal = ~np.eye(3, dtype=bool)
    assert np.array_equal(shown[off_diagonal], estimate.value[off_diagonal])
    assert shown.mask.diagonal().all() or np.isnan(shown.diagonal()).all()
    assert len(display.ax_.texts) == 6
    assert "1 = baseline" in display.figure_.axes[1].get_ylabel()
    plain = PairwiseErrorDisplay.from_data(X, Y)
    assert "baseline" not in plain.figure_.axes[1].get_ylabel()


def test_heat_map_order_and_axes():
    errors = np.array([[0, 0.1, 0.4], [0.1, 0, 0.1], [0.4, 0.1, 0]])
    ax = plt.subplots()[1]
    display = PairwiseErrorDisplay(errors, classes=["a", "b", "c"]).plot(
        ax, order="hierarchy", colorbar=False
    )
    assert display.ax_ is ax
    assert len(display.figure_.axes) == 1
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "c", "b"]
    display.plot(order=[2, 1, 0])
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["c", "b", "a"]
    with pytest.raises(ValueError, match="each of the class indices 0 to 2 once"):
        display.plot(order=[0, 0, 1])
    with pytest.raises(ValueError, match="classes must have 3 labels"):
        PairwiseErrorDisplay(errors, classes=["a"])


def test_large_maps_have_no_numbers_and_zero_errors_draw():
    assert not PairwiseErrorDisplay(np.zeros((20, 20))).plot().ax_.texts


def test_hierarchy_names_every_class_and_cut():
    model = SmartSVM(hierarchy="min-cut").fit(X, Y)
    display = HierarchyDisplay(model.hierarchy_).plot()
    texts = {text.get_text() for text in display.ax_.texts}
    assert {"0", "1", "2"} <= texts
    assert f"{model.hierarchy_.cut_weights[0]:.2g}" in texts
    assert "error across the cut" in display.ax_.get_xlabel()
    assert PairwiseErrorDisplay.from_estimator(model).classes.tolist() == [0, 1, 2]
    bare = HierarchyDisplay(class_hierarchy(np.ones((5, 5)))).plot(cuts=False)
    assert len(bare.ax_.texts) == 5


def test_the_hierarchy_of_a_classifier_shows_errors_and_gains():
    model = SmartSVM(hierarchy="centroids", nodes="quadratic", bayes_error_samples=2000).fit(X, Y)
    assert model.to_gain_.any()
    display = HierarchyDisplay.from_estimator(model)
    texts = {text.get_text() for text in display.ax_.texts}
    assert all(any(t.startswith(f"{n.held_out_error:.2g}") for t in texts) for n in model.nodes_)
    assert "square: could be more accurate" in display.ax_.get_xlabel()
    plain = HierarchyDisplay.from_estimator(
        SmartSVM(hierarchy="centroids", nodes=LinearSVC()).fit(X, Y)
    )
    assert len(plain.ax_.texts) == 3 + 2  # no cuts to write: empty notes
    with pytest.raises(ValueError, match="pairwise_error_, which SmartSVM has with"):
        PairwiseErrorDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="notes must have one entry for each of the 2 nodes"):
        HierarchyDisplay(model.hierarchy_, notes=["one"])


def test_without_matplotlib_the_message_helps(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"install smartsvm2\[plot\]"):
        HierarchyDisplay(class_hierarchy(np.ones((3, 3)))).plot()


def test_searches_show_the_classifier_they_chose():
    searches = (
        SmartSVMCV(Cs=[1.0], hierarchy="min-cut"),
        GridSearchCV(SmartSVM(hierarchy="min-cut"), {"C": [1.0]}),
    )
    for search in searches:
        search.fit(X, Y)
        shown = HierarchyDisplay.from_estimator(search)
        assert shown.hierarchy == search.best_estimator_.hierarchy_
        matrix = PairwiseErrorDisplay.from_estimator(search).error_matrix
        assert np.array_equal(matrix, search.best_estimator_.pairwise_error_)


def test_displays_refuse_what_they_cannot_show():
    for display in (HierarchyDisplay, PairwiseErrorDisplay):
        with pytest.raises(NotFittedError):
            display.from_estimator(SmartSVM())
        with pytest.raises(TypeError, match="must be a fitted SmartSVM"):
            display.from_estimator(LinearSVC().fit(X, Y))
    for estimate in (ovr_bayes_error(X, Y), 3):
        with pytest.raises(TypeError, match="must be a result of pairwise_bayes_error"):
            PairwiseErrorDisplay.from_estimate(estimate)
    display = PairwiseErrorDisplay(np.zeros((3, 3)))
    for order in ([0.0, 1.0, 2.0], 3, [0, 1], [[0, 1, 2]]):
        with pytest.raises(ValueError, match="order must be"):
            display.plot(order=order)


NAMES = {
    "medium": "a name of 21 letters {}",
    "plain": "c{}",
    "long": "a class whose name goes on and on for about sixty letters {}",
    "wide": "東京都千代田区丸の内一丁目九番{}号",
    "formula": r"$x_{{{}}}^2$ \alpha $",
}


def _many(n_classes, kind):
    """Errors of classes that come in groups, and their names."""
    random = np.random.default_rng(0)
    group = np.arange(n_classes) % max(2, n_classes // 8)
    errors = random.uniform(0, 0.1, (n_classes, n_classes)) + 0.5 * np.equal.outer(group, group)
    errors = (errors + errors.T) / 2
    np.fill_diagonal(errors, 0)
    return errors, np.array([NAMES[kind].format(k) for k in range(n_classes)])


@pytest.mark.parametrize(
    ("n_classes", "kind"),
    [
        (2, "long"),
        (2, "medium"),
        (10, "wide"),
        (10, "long"),
        (40, "formula"),
        (100, "long"),
        (150, "plain"),
    ],
)
def test_names_of_a_map_keep_apart(n_classes, kind):
    errors, names = _many(n_classes, kind)
    display = PairwiseErrorDisplay(errors, classes=names).plot()
    assert_readable(display.figure_)
    for axis in (display.ax_.xaxis, display.ax_.yaxis):
        texts = axis.get_ticklabels()
        assert len({text.get_text() for text in texts}) == len(texts)
    if n_classes <= 100:
        assert len(texts) == n_classes
    else:
        assert 6 <= len(texts) <= 24  # runs of classes
        assert all(line.get_color() == "white" for line in display.ax_.lines)


@pytest.mark.parametrize(
    ("n_classes", "kind"), [(2, "wide"), (10, "formula"), (40, "long"), (100, "plain")]
)
def test_names_of_trees_keep_apart(n_classes, kind):
    errors, names = _many(n_classes, kind)
    hierarchy = HierarchyDisplay(class_hierarchy(errors, classes=names)).plot(cuts=False)
    assert_readable(hierarchy.figure_)
    assert len({text.get_text() for text in hierarchy.ax_.texts}) == n_classes


def test_natural_order_and_groups():
    errors, names = _many(12, "plain")
    random = np.random.default_rng(0).permutation(12)
    display = PairwiseErrorDisplay(errors[np.ix_(random, random)], classes=names[random]).plot()
    shown = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert shown == [f"c{k}" for k in range(12)]
    off_diagonal = ~np.eye(12, dtype=bool)
    np.testing.assert_array_equal(display.im_.get_array()[off_diagonal], errors[off_diagonal])


def test_runs_follow_the_hierarchy():
    errors, _ = _many(120, "plain")
    tree = class_hierarchy(errors)
    runs = runs_of_classes(tree, 12)
    assert np.concatenate(runs).tolist() == tree.leaf_order().tolist()
    assert max(map(len, runs)) <= 10
    assert len(runs) <= 24


def test_displays_follow_a_dark_style():
    with plt.style.context("dark_background"):
        display = HierarchyDisplay(class_hierarchy(np.ones((5, 5)))).plot()
        assert {line.get_color() for line in display.ax_.lines} == {"white"}


def test_alternative_texts_name_the_hardest():
    errors = np.array([[0, 0.1, 0.4], [0.1, 0, 0.1], [0.4, 0.1, 0]])
    display = PairwiseErrorDisplay(errors, classes=["a", "b", "c\n"])
    assert "hardest: a and c\\n (0.40)" in display.alt_text
    tree = HierarchyDisplay(class_hierarchy(errors, classes=["a", "b", "c"]))
    assert "Tree of 3 classes, 2 decisions deep" in tree.alt_text
