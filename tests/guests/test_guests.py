"""The recipes of docs/guide/pipelines.md with the packages themselves (`make test-guests`)."""

import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "pipelines.md"


def code_of(heading):
    """The Python blocks below a heading of the page, as one program."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def test_skore_shows_the_best_possible_error(tmp_path, monkeypatch):
    from skore import configuration

    monkeypatch.chdir(tmp_path)
    names = {}
    own = [f"SKD{number:03}" for number in range(1, 100)]  # some of skore's own take minutes
    with configuration(ignore_checks=own):
        exec(code_of("skore"), names)
        summary = names["checked"].checks.summarize()
    frame = summary.frame()
    (words,) = frame[frame["code"] == "SMARTSVM"]["explanation"]
    shares = [float(number) for number in re.findall(r"([\d.]+)%", words)]
    error, best, _, low, high = shares
    assert words.startswith("Your model errs ")
    assert low <= best <= high
    assert best <= error
    assert "SMARTSVM" in summary._repr_html_()


def test_mlflow_keeps_numbers_page_and_figure(tmp_path, monkeypatch):
    import mlflow
    from sklearn.datasets import load_iris

    from smartsvm import difficulty_report

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database wants all of MLflow
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    X, y = load_iris(return_X_y=True)
    names = {"X": X, "y": y, "difficulty_report": difficulty_report}
    exec(code_of("MLflow"), names)
    run = mlflow.last_active_run()
    report = names["report"]
    assert run.data.metrics["best_possible_error"] == pytest.approx(report.bayes_error.value)
    artifacts = {each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)}
    assert artifacts == {"difficulty.json", "difficulty.html", "difficulty.png"}


def test_the_assertion_on_data_holds_and_fails():
    from sklearn.datasets import load_iris

    from smartsvm import difficulty_report

    X, y = load_iris(return_X_y=True)
    names = {"X": X, "y": y, "difficulty_report": difficulty_report}
    exec(code_of("A test of the data"), names)
    names["test_the_labels_can_be_learned"]()
    names["y"] = y[::-1].copy()
    names["y"][::2] = 0
    with pytest.raises(AssertionError):
        names["test_the_labels_can_be_learned"]()
