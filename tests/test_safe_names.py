"""Names that the user gives never control the terminal, wherever they are shown."""

import matplotlib
import numpy as np
import pandas
import pytest
from matplotlib import pyplot as plt

from smartsvm import (
    HierarchyDisplay,
    PairwiseErrorDisplay,
    TablePreparation,
    class_hierarchy,
    compare_representations,
    difficulty_report,
    pairwise_bayes_error,
    prepare_table,
    rank_label_errors,
    two_sample_test,
)
from smartsvm.__main__ import main
from smartsvm.presentation.options import in_shell

CONTROLS = "\x1b[31m\n\u2028\u202e\x07\x85\r"
NAME = f"m{CONTROLS}X"
X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.repeat(["a", "b"], 30)


def assert_safe(text):
    assert text
    text = text.replace("\r\n", "\n")  # in CSV
    found = {control for control in (*CONTROLS.replace("\n", ""), "[31m\n") if control in text}
    assert found <= set("[31m")


def test_models_of_a_report(capsys):
    wrong = np.where(np.arange(60) % 3 == 0, "a", Y)
    models = {NAME: Y, "other " + NAME: wrong}
    report = difficulty_report(X, Y, models=models, verbose=1)
    pages = [str(report), repr(report), report.to_html(), report.to_json()]
    pages += [str(report.headroom(name)) for name in models]
    pages += [repr(report.headroom(name)) for name in models]
    for page in [*pages, capsys.readouterr().err]:
        assert_safe(page)
    assert report.headroom(NAME).model == NAME


def test_representations(capsys):
    for other in (X[:, :1], X + 9 * (Y == "a")[:, None]):
        found = compare_representations({NAME: X, "b": other}, Y, verbose=1)
        for page in (str(found), repr(found), found.sentence(), found.to_html()):
            assert_safe(page)
        assert_safe(capsys.readouterr().err)


def test_samples():
    for factor in (1, 9):
        test = two_sample_test(X, factor * X + 1, names=[NAME, "b"])
        assert_safe(str(test))
        assert_safe(repr(test))
        test = two_sample_test(factor * X + 1, X, names=["b", NAME])
        assert_safe(str(test))


def named(stem):
    return f"{stem}{CONTROLS}X"


def table():
    """A table whose columns, classes, units and categories have such names, and its target."""
    random, n = np.random.default_rng(0), 140
    yes = random.random(n) < 0.5
    y = np.where(yes, named("yes"), named("no")).astype(object)
    y[:30] = named("may")
    columns = {
        "number": random.normal(size=n) + 2 * yes,
        "town": [named(f"town {k}") for k in random.integers(0, 14, n)],
        "gap": np.where(random.random(n) < 0.3, np.nan, random.normal(size=n)),
        "day": pandas.date_range("2020-01-01", periods=n).astype(str),
        "leak": (y == named("no")).astype(int),
        "constant": 1.5,
        "words": [["1,5", "2.5", named("3"), "7"][k % 4] for k in range(n)],
        "unit id": [named(f"p{k // 4}") for k in range(n)],
        "kind": y,
    }
    frame = pandas.DataFrame(columns).rename(columns=named)
    return pandas.concat([frame, frame[:20]], ignore_index=True)


TABLE, KIND = table(), named("kind")


@pytest.mark.parametrize("groups", [None, named("unit id")])
def test_every_output_of_a_table(groups, tmp_path, capsys):
    options = {"classifiers": ["linear"], "n_trees": 1, "target_accuracy": 0.9}
    right = TABLE[KIND].to_numpy()
    models = {NAME: np.where(np.arange(160) % 9, right, named("no"))}
    report = difficulty_report(TABLE, KIND, groups=groups, models=models, verbose=1, **options)
    for suffix in (".html", ".json", ".csv", ".txt", ".md", ".svg"):
        report.save(tmp_path / f"r{suffix}")
        assert_safe((tmp_path / f"r{suffix}").read_bytes().decode())
    for part in (report, report.judge(0.9), report.headroom(NAME), report.merge_advice()):
        assert_safe(str(part))
        assert_safe(repr(part))
    assert_safe(capsys.readouterr().err)
    plt.close("all")


@pytest.mark.parametrize(
    "call",
    [
        lambda: prepare_table(TABLE, named("kinds")),
        lambda: prepare_table(TABLE, KIND, drop=[named("nothing")]),
        lambda: prepare_table(TABLE, KIND, groups=named("nothing")),
        lambda: prepare_table(TABLE, KIND, time=named("town")),
        lambda: prepare_table(TABLE, KIND, categorical="refuse"),
        lambda: prepare_table(TABLE, KIND, missing="refuse"),
        lambda: prepare_table(TABLE.assign(**{named("q"): [{1}] * 160}), KIND),
        lambda: prepare_table(TABLE.assign(**{named("q"): np.inf}), KIND, keep=[named("q")]),
        lambda: TablePreparation().fit(TABLE).transform(TABLE.iloc[:, 1:]),
    ],
)
def test_errors_about_a_table(call):
    with pytest.raises(ValueError) as error:  # noqa: PT011 the message is what is tested
        call()
    assert_safe(str(error.value).replace("\n", ""))


def test_plots_and_results():
    X, y = TABLE[[named("number")]].to_numpy(), TABLE[KIND].to_numpy()
    errors = pairwise_bayes_error(X, y)
    hierarchy = class_hierarchy(errors)
    probabilities = (np.ones((160, 3)) + np.eye(3)[np.arange(160) % 3]) / 4
    for found in (errors, hierarchy, rank_label_errors(y, probabilities)):
        assert_safe(str(found))
        assert_safe(repr(found))
    for display in (HierarchyDisplay(hierarchy), PairwiseErrorDisplay.from_estimate(errors)):
        figure = display.plot().figure_
        for text in figure.findobj(matplotlib.text.Text):
            assert_safe(f"text: {text.get_text()}")
        assert_safe(display.alt_text)
    plt.close("all")


def test_command_line(tmp_path, capsys):
    file = tmp_path / "t.csv"
    TABLE.to_csv(file, index=False)
    page = tmp_path / "r.md"
    quick = ["--trees", "1", "--classifier", "linear", "--verbose", "--output", str(page)]
    assert main(["report", str(file), "--target", KIND, *quick]) == 0
    assert main(["report", str(file), "--target", named("kinds")]) == 1
    assert main(["compare", str(file), str(file), "--target", KIND]) == 0
    said = capsys.readouterr()
    for text in (said.out, said.err, page.read_text()):
        assert_safe(text)


def test_a_shell_reads_what_stands_for_a_name():
    assert in_shell("two words") == "'two words'"
    assert in_shell("it's \x1b\n\\ \u2028") == r"$'it\'s \x1b\x0a\\ \U00002028'"
