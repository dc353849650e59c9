"""The command that measures the headline, and the table of more rows."""

import json
import shutil

import pytest

from benchmarks.report import headline, steps
from benchmarks.report.fingerprint import PAGE, origin_of
from smartsvm.report.fitted_model import read_model


def record(size, best, number=0):
    return {
        "family": "any",
        "number": number,
        "size": size,
        "bayes_error": {"best": best, "n_best": float(size)},
    }


def test_a_clear_rise_counts_and_chance_does_not():
    records = [
        *(record(100, 0.1, number) for number in range(4)),
        *(record(400, best, number) for number, best in enumerate((0.05, 0.11, 0.3, 0.1))),
        record(1600, 0.11, 0),  # from 0.05: clear, and six points
    ]
    lines = steps.table(records)
    assert lines[2:] == [
        "| 100 | 400 | 4 | 0.2500 | 0.2500 |",
        "| 400 | 1,600 | 1 | 1.0000 | 1.0000 |",
        "| all |  | 5 | 0.4000 | 0.4000 |",
    ]


def test_other_measurements_are_refused(tmp_path, monkeypatch, capsys):
    path = tmp_path / "records.jsonl"
    today = read_model()["fingerprint"]
    other = {**today, "classifiers": {}}
    path.write_text(json.dumps({"fingerprint": today}) + "\n")
    monkeypatch.setattr(headline, "fingerprint", lambda: other)
    with pytest.raises(SystemExit):
        headline.main(["--again", "--records", str(path)])
    assert "other measurements" in capsys.readouterr().out


def test_the_page_names_the_model_and_its_commit(tmp_path, monkeypatch):
    page = tmp_path / "README.md"
    shutil.copy(PAGE, page)
    path = tmp_path / "records.jsonl"
    today = read_model()["fingerprint"]
    path.write_text(json.dumps({"fingerprint": today}) + "\n")
    monkeypatch.setattr(headline, "fingerprint", lambda: today)
    monkeypatch.setattr(headline, "tables", lambda records, workers: ({"truth": ["new"]}, 0))
    headline.main(["--again", "--records", str(path), "--page", str(page)])
    text = page.read_text()
    assert origin_of(read_model()) in text
    assert "\n\nnew\n\n" in text
