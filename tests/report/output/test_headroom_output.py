"""What text, page, JSON and data frames say about a model."""

import json

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.estimation.results import Interval
from smartsvm.report.headroom import Headroom
from smartsvm.report.output.headroom import COLUMNS, TITLE, headroom_rows


@pytest.fixture(scope="module")
def report():
    """Three classes; the model takes a third of class b for c, which LDA does not."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, 300)
    X = random.normal(size=(300, 2)) + 4 * np.eye(3)[codes][:, :2]
    y = np.array(["a", "b", "c"])[codes]
    right = y.copy()
    b = np.flatnonzero(y == "b")
    right[b[::3]] = "c"
    names = [f"case {i}" for i in range(300)]
    return difficulty_report(
        X, y, models={"mine": right}, row_names=names, target_accuracy=0.9, classifiers=("linear",)
    )


def model(value, low, high, error):
    nothing = np.empty(0, dtype=int)
    gain = Interval(value, low, high)
    return Headroom(
        "mine", Interval(error, 0.0, 1.0), gain, 0.5, True, nothing, nothing, nothing, nothing
    )


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            model(0.03, 0.019, 0.056, 0.124),
            "Your model errs 12.4%. Between 1.9 and 5.6 points of that can be gained; the rest no "
            "classifier can avoid, as far as these rows show.",
        ),
        (
            model(0.01, 0.0, 0.023, 0.124),
            "Your model errs 12.4%. Up to 2.3 points of that can be gained; the rest no "
            "classifier can avoid, as far as these rows show.",
        ),
        (
            model(0.0, 0.0, 0.0, 0.1),
            "Your model errs 10%. No classifier avoids any of that, as far as these rows show.",
        ),
        (
            model(0.09, 0.05, 0.13, 0.1),
            "Your model errs 10%. Between 5 points and all of that can be gained.",
        ),
        (
            model(0.02, 0.0, 0.13, 0.1),
            "Your model errs 10%. Anything from nothing to all of that can be gained.",
        ),
        (model(0.0, 0.0, 0.01, 0.0), "Your model makes no mistake on these rows."),
    ],
)
def test_one_sentence_says_it(found, sentence):
    assert found.sentence() == sentence


def test_text_comes_right_after_the_verdict(report):
    lines = str(report).splitlines()
    verdict = next(i for i, line in enumerate(lines) if line.startswith("Target accuracy"))
    title = lines.index(TITLE)
    assert verdict < title < lines.index("Would more rows help?")
    assert max(map(len, lines)) <= 78
    words = " ".join(str(report).split())
    assert report.headroom("mine").sentence() in words
    assert "as given" in words
    assert "your model mine, must be held out" in words
    assert "this holds only if they are held out" in words
    assert "it loses most in class b" in words
    assert "It takes b and c for each other" in words
    assert "labelled b, predicted c" in words


@pytest.mark.usefixtures("no_drawings")
def test_without_models_nothing_is_said():
    random = np.random.default_rng(0)
    report = difficulty_report(random.normal(size=(40, 2)), random.integers(0, 2, 40))
    assert TITLE not in str(report)
    assert TITLE not in report.to_html()
    assert report.models == {}
    assert report.to_dict()["models"] == {}
    frame = report.to_frame("headroom")
    assert len(frame) == 0
    assert list(frame) == list(COLUMNS)


def test_frame_of_classes_pairs_and_rows(report):
    frame, found = report.to_frame("headroom"), report.headroom("mine")
    parts = dict(iter(frame.groupby("part")))
    classes = parts["class"]
    assert classes["label"].tolist()[0] == "b"
    own = found.confusion
    error = 1 - own[1, 1] / own[1].sum()
    assert classes["model_error"].iloc[0] == pytest.approx(error)
    together = report.classes.confusion[1]
    assert classes["combined_error"].iloc[0] == pytest.approx(1 - together[1] / together.sum())
    wrong, others = (each.sum() - np.trace(each) for each in (own, report.classes.confusion))
    assert classes["lost"].sum() == pytest.approx((wrong - others) / own.sum())
    assert parts["pair"][["label", "predicted"]].iloc[0].tolist() == ["b", "c"]
    rows = parts["row"]
    assert str(frame["row"].dtype) == str(frame["n_samples"].dtype) == "Int64"
    assert rows["row"].tolist() == report.data.rows[found.improvable].tolist()
    assert rows["name"].iloc[0] == f"case {found.improvable[0]}"
    assert (rows["label"] == "b").all()
    assert (rows["predicted"] == "c").all()
    listed = report.to_frame("classifiers").set_index("classifier").loc["mine"]
    assert listed["setting"] == "as given"
    assert listed["error"] == found.error.value


def test_json_and_page(report):
    found = report.headroom("mine")
    stored = json.loads(report.to_json())["models"]["mine"]
    assert stored["gain"] == found.gain._asdict()
    assert stored["n_improvable"] == len(found.improvable)
    assert not stored["cross_validated"]
    assert {row["part"] for row in stored["where"]} >= {"class", "pair", "row"}
    page = report.to_html()
    assert page.index("Target accuracy") < page.index(TITLE) < page.index("What to do next")
    assert 'download="headroom.csv"' in page
    assert found.sentence() in page
    assert TITLE in report._repr_html_()


def test_names_of_models_and_classes_are_escaped():
    random = np.random.default_rng(0)
    y = np.array(["<i>", "b"])[random.integers(0, 2, 60)]
    other = np.where(y == "b", "<i>", "b")
    report = difficulty_report(random.normal(size=(60, 2)), y, models={"<b>": other, "c": y})
    page = report.to_html()
    assert "Your model &lt;b&gt; errs" in page
    assert "odel <b>" not in page
    assert "<i>" not in page
    assert len(headroom_rows(report, "c")) < len(headroom_rows(report))


def test_representations(report):
    found = report.headroom("mine")
    assert repr(found).startswith("Headroom(model='mine', error=")
    assert "The model 'mine' errs" in str(found)
    assert "The chance of a point or more" in str(found)


def test_a_bar_of_three_parts_is_the_error_of_the_model(report):
    figures = pytest.importorskip("matplotlib.figure")
    found = report.headroom("mine")
    ax = figures.Figure().subplots()
    assert report.plot("headroom", ax=ax) is ax.figure
    widths = [bar.get_width() for bar in ax.patches]
    assert sum(widths) == pytest.approx(found.error.value)
    assert widths[0] == pytest.approx(min(found.gain.low, found.error.value))
    assert [each.get_text() for each in ax.get_yticklabels()] == ["mine"]
    assert "can be gained" in report.to_html().partition("</figure>")[0]


def test_the_drawing_of_headroom_needs_models():
    figures = pytest.importorskip("matplotlib.figure")
    random = np.random.default_rng(0)
    report = difficulty_report(random.normal(size=(60, 2)), np.arange(60) % 2)
    with pytest.raises(ValueError, match="which='headroom' needs a report with models"):
        report.plot("headroom", ax=figures.Figure().subplots())


def test_numbers_as_labels_stay_whole_in_the_frame():
    random = np.random.default_rng(0)
    y = random.integers(2, size=60)
    X = random.normal(size=(60, 2)) + y[:, None]
    report = difficulty_report(X, y, models={"mine": 1 - y}, classifiers=["linear"])
    rows = report.to_frame("headroom").query("part == 'row'")
    assert len(rows)
    assert {type(value) for name in ("label", "predicted") for value in rows[name]} == {int}
