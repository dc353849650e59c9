"""Every table of the headline, measured on one commit with the stored model.

    python -m benchmarks.report.headline [--draws 3] [--workers 16] [--seconds 500]
        [--records FILE] [--again]

It refuses to run if the stored model was not fitted to what reports measure today. Reports on the
families for evaluation give the tables of their intervals, verdicts and numbers of rows, those on
the families of the fit the table of more rows; ``--again`` makes the tables from records that are
there, of this command or of ``fit_model --collect``. The page names the model, by which
``python -m benchmarks.report.fingerprint`` knows whether it is today's. `docs/refresh_readme.py`
then copies the table to the README.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date
from pathlib import Path

from smartsvm.report.fitted_model import read_model

from ..page import commit_of, write_table
from ..problems import families
from . import rows_needed, steps, truth
from .fingerprint import PAGE, differences, fingerprint, origin_of
from .fit_records import collect, fingerprint_of, read

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "build" / "headline.jsonl"


def tables(records, workers=1):
    """The tables of the page, and the number of reports on families for evaluation behind them."""
    evaluation = set(families("evaluation"))
    design = [each for each in records if each["family"] not in evaluation]
    records = [each for each in records if each["family"] in evaluation]
    on_sizes = [each for each in records if each["size"] in truth.SIZES]
    truth.write_records(truth.RECORDS, truth.run(truth.look_again, on_sizes, workers))
    return {
        **truth.page_tables(),
        "rows needed": rows_needed.table(rows_needed.answers(records)),
        "more rows of the fit": steps.table(design or records),
    }, len(on_sizes)


def origin(measured):
    """The line that says when, at which commit and with which model the tables were made."""
    at = f"Tables: {date.today().isoformat()}, commit {commit_of(ROOT / 'src')}"
    return f"{at}, {origin_of(read_model())}, {measured:,} reports on the families for evaluation."


def main(arguments=None):
    """Measure, or read records, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3, help="problems of each family")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, help="begin no report after this")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--again", action="store_true", help="no new reports, only the tables")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    if not options.again:
        collect(options.records, options.draws, options.workers, options.seconds)
    changed = differences(read_model()["fingerprint"], fingerprint())
    changed += differences(read_model()["fingerprint"], fingerprint_of(options.records))
    if changed:
        print("The stored model was fitted to other measurements:", *changed, sep="\n  ")
        sys.exit(1)
    found, measured = tables(read(options.records), options.workers)
    for name, lines in {**found, "headline origin": [origin(measured)]}.items():
        print("\n".join(lines), end="\n\n")
        write_table(options.page, name, lines)


if __name__ == "__main__":
    main()
