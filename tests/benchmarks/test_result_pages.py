"""The pages of results show what their records say."""

import json
import re

import pytest

from benchmarks import gpu, page
from benchmarks.classifier import evidence, evidence_table, solvers
from benchmarks.labels import networks
from benchmarks.paper import results
from benchmarks.paper.record_file import read
from benchmarks.paper.run import RECORDS
from benchmarks.paper.summary import Summary
from benchmarks.report import (
    boosting,
    coverage,
    feebee,
    fit_model,
    headroom,
    intervals,
    more_rows,
    real_sets,
    stability,
    truth,
)
from benchmarks.situations import run as situations
from benchmarks.trees import race_tables
from smartsvm.report.fitted_model import read_model

BENCHMARKS = race_tables.HERE.parent
REPORT = BENCHMARKS / "report"


WRITTEN_BY_COMMANDS = {
    "fit",
    "predict",
    "wide",
    "digits",
    "threads",
    "text",
    "many classes",
    "growth",
    "accuracy",
    "speed",
    "sizes",
    "dependence",
    "headline origin",
    "rows needed",
    "more rows of the fit",
    "tables",
    "rates",
}


def json_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def tables():
    """Page, name of a table, and its lines made from the records."""
    race = race_tables.Race(page.read_records(race_tables.RECORDS))
    for name, table in race_tables.TABLES.items():
        yield race_tables.PAGE, name, table(race)
    records = map(evidence.read, (evidence.RECORD, evidence.PEERS))
    for name, lines in evidence_table.tables(*records).items():
        yield evidence.PAGE, name, lines
    yield evidence.PAGE, "solvers", solvers.page_table(evidence.read(solvers.RECORD))
    yield from page.record_tables()
    for name, lines in gpu.tables(page.read_records(gpu.RECORDS)):
        yield gpu.PAGE, name, lines
    readme, records = REPORT / "README.md", REPORT / "records"
    yield readme, "intervals", intervals.page_table(json_lines(records / "intervals.jsonl"))
    yield readme, "feebee", feebee.totals(json_lines(records / "feebee.jsonl"))
    for name, lines in truth.page_tables().items():
        yield readme, name, lines
    for name, lines in headroom.page_tables(truth.read_records(headroom.RECORDS)).items():
        yield readme, name, lines
    yield readme, "coverage", coverage.ranges(page.read_records(coverage.RECORDS))
    for name, module in (("keel", real_sets), ("boosting", boosting)):
        yield readme, name, module.page_table(page.read_records(module.RECORDS))
    for module in (more_rows, stability):
        for name, lines in module.page_tables().items():
            yield readme, name, lines
    labels, found = networks.RECORDS.parents[1] / "README.md", page.read_records(networks.RECORDS)
    yield labels, "networks", networks.page_table(found)
    yield labels, "networks-reliability", networks.reliability_table(found)
    own = situations.RECORDS.parents[1] / "README.md"
    for name, lines in situations.page_tables(page.read_records(situations.RECORDS)).items():
        yield own, name, lines
    yield readme, "statistics", fit_model.explain(read_model())


def test_tables_are_those_of_their_records():
    made = list(tables())
    for path, name, lines in made:
        assert page.read_table(path, name) == lines, f"{path}: {name}"
    names = [name for _, name, _ in made]
    marked = [
        name
        for path in {path for path, *_ in made}
        for name in re.findall(r"<!-- table (.+) -->", path.read_text(encoding="utf-8"))
    ]
    # Those of long runs, whose commands write them and keep no record.
    assert set(marked) - set(names) == WRITTEN_BY_COMMANDS


def test_the_papers_page_is_that_of_its_records():
    summary = Summary(read(RECORDS / "paper.jsonl"))
    studies = {each["study"]: each for each in read(RECORDS / "studies-paper.jsonl")}
    text = (results.HERE.parent / "RESULTS.md").read_text(encoding="utf-8")
    for part in (
        results.in_short(summary, studies),
        results.ari(summary),
        results.all_methods(summary, "paper"),
        results.words(summary),
    ):
        assert part in text


def test_records_replace_rows_of_the_same_key(tmp_path):
    path = tmp_path / "records.csv"
    page.update_records(path, [{"set": "a", "n": 1, "error": 0.5}], n_keys=2)
    rows = [{"set": "a", "n": 1, "error": 0.25}, {"set": "b", "n": 1, "error": 0.125}]
    page.update_records(path, rows, n_keys=2)
    assert [row["error"] for row in page.read_records(path)] == ["0.25", "0.125"]


def test_a_page_is_written_without_git(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert page.commit_of(page.__file__) == "unknown"
    assert "commit unknown, `race`" in page.provenance("race")


def test_a_page_without_a_place_for_the_table_is_refused(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("# Page\n")
    with pytest.raises(ValueError, match="must have the line"):
        page.write_table(path, "race", ["| a |"])
