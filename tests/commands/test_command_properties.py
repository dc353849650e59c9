"""The command line on random tables: it says what Python says, whatever columns are called."""

import io
import json
from contextlib import redirect_stdout

import numpy as np
import pandas
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from smartsvm import difficulty_report
from smartsvm.__main__ import main

NAMES = ("dropped", "x missing", "kind=a", "count", "freq", "-", "--drop", "a,b", 'a "b"', "ü")


def printed(*words):
    """What a command prints, read as JSON."""
    output = io.StringIO()
    with redirect_stdout(output):
        assert main(list(words)) == 0
    return json.loads(output.getvalue())


@examples(5)
@given(
    names=st.lists(st.sampled_from(NAMES), min_size=3, max_size=3, unique=True),
    n=st.integers(30, 50),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_report_on_a_file_is_that_on_its_table(tmp_path_factory, names, n, seed):
    random = np.random.default_rng(seed)
    frame = pandas.DataFrame(
        {
            names[0]: np.round(random.normal(size=n), 6),
            names[1]: random.choice(["red", "green"], n),
            names[2]: random.integers(0, 5, n),
            "kind": np.where(np.arange(n) % 2, "ant", "bee"),
        }
    )
    path = tmp_path_factory.mktemp("table") / "t.csv"
    frame.to_csv(path, index=False)
    quick = ("--classifier", "linear", "--trees", "1", "--quiet", "--json")
    said = printed("report", str(path), "--target", "kind", *quick)
    report = difficulty_report(frame, "kind", classifiers=["linear"], n_trees=1)
    expected = json.loads(report.to_json())
    for key in ("bayes_error", "errors", "trees", "classes", "pairs"):
        assert said[key] == expected[key]
    assert [each["code"] for each in said["flags"]] == [each.code for each in report.flags]
    fewer = printed("report", str(path), "--target", "kind", f"--drop={names[1]}", *quick)
    assert fewer["data"]["n_features"] == 2
