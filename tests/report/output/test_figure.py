"""The report as a figure."""

import numpy as np
import pytest
from layout import assert_readable
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris

from smartsvm import difficulty_report
from smartsvm.presentation.wording import percent
from smartsvm.report.output.rows import pair_rows

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_figure_shows_the_numbers(report):
    figure = report.plot()
    errors, curve, pairs, classes = figure.axes[:4]
    positions = [line.get_xdata()[0] for line in errors.lines if len(line.get_xdata()) == 1]
    for value in (
        report.trees.lower.value,
        report.trees.upper.value,
        report.bayes_error.value,
        *(each.error.value for each in report.errors.held_out.classifiers),
    ):
        assert any(x == pytest.approx(value) for x in positions)
    dashed = [line for line in errors.lines if line.get_linestyle() == "--"]
    assert dashed[0].get_xdata()[0] == pytest.approx(0.1)
    assert curve.lines[0].get_ydata() == pytest.approx(
        [e.value for e in report.errors.learning_curve.errors]
    )
    order = report.pairs.hierarchy.leaf_order()
    assert [t.get_text() for t in pairs.get_xticklabels()] == report.classes.names[order].tolist()
    # The map has the numbers of the table.
    drawn = pairs.images[0].get_array()
    hardest = pair_rows(report, 1)[0]
    assert drawn.max() == pytest.approx(hardest["confused"])
    expected = sorted(1 - report.classes.recall.value, reverse=True)
    assert [bar.get_width() for bar in classes.patches] == pytest.approx(expected)


def test_figure_says_what_is_not_known():
    random = np.random.default_rng(4)
    nothing = difficulty_report(random.normal(size=(500, 3)), np.arange(500) % 2)
    assert nothing.trees.cross_limit.refused
    errors, curve = nothing.plot().axes[:2]
    assert "None beats the baseline" in curve.get_title(loc="left")
    assert percent(nothing.bayes_error.high) in errors.get_title(loc="left")


def test_figures_of_two_and_of_many_classes():
    two = difficulty_report(X[50:], NAMES[50:]).plot()
    assert "Which samples are hard?" in two.axes[2].get_title(loc="left")
    assert len(two.axes[3].lines[0].get_xdata()) == len(
        difficulty_report(X[50:], NAMES[50:]).errors.by_n_neighbors
    )
    random = np.random.default_rng(0)
    y = np.arange(700) % 70
    many = difficulty_report(random.normal(size=(700, 2)) + y[:, None], y, n_trees=1).plot()
    assert len(many.axes[2].patches) == len(many.axes[3].patches) == 15


@pytest.mark.parametrize("n_classes", [2, 10, 40])
def test_nothing_in_the_figure_overlaps_or_leaves_the_page(n_classes):
    random = np.random.default_rng(0)
    y = np.arange(20 * n_classes) % n_classes
    names = np.array([f"a class with a long name {k:02d}" for k in range(n_classes)])[y]
    report = difficulty_report(
        random.normal(size=(len(y), 2)) + 2 * y[:, None], names, n_trees=1, target_accuracy=0.95
    )
    assert max(map(len, str(report).splitlines())) <= 78
    assert_readable(report.plot())


def test_figure_follows_a_dark_style(report):
    with plt.style.context("dark_background"):
        figure = report.plot()
        lines = [line for ax in figure.axes[:2] for line in ax.lines]
        colours = {to_hex(line.get_color()) for line in lines if line.get_linestyle() != ":"}
        assert colours == {"#ffffff"}
        assert not {to_hex(bar.get_facecolor()) for bar in figure.axes[3].patches} & {"#ffffff"}
