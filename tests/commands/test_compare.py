"""Two versions of a data set side by side."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from smartsvm import Interval, difficulty_report
from smartsvm.__main__ import main
from smartsvm.commands.compare import comparison


def blobs(distance, n=400, wrong=0.0):
    random = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = random.normal(size=(n, 2)) + distance * np.column_stack([y, y**2])
    flipped = random.random(n) < wrong
    y = np.where(flipped, (y + 1) % 3, y)
    return X, np.array(["a", "b", "c"])[y]


def write(file, X, y):
    with file.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["first", "second", "label"])
        writer.writerows([*row, label] for row, label in zip(X, y, strict=True))
    return str(file)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [(0.25, 0.0, "is easier, by more"), (0.0, 0.25, "is harder, by more"), (0, 0, "overlap")],
)
def test_judgement(before, after, said):
    first, second = (difficulty_report(*blobs(4, wrong=share)) for share in (before, after))
    assert said in comparison(first, second)


def test_what_is_reached_decides_where_the_best_error_is_uncertain():
    first, second = (
        replace(difficulty_report(*blobs(4, wrong=share)), bayes_error=Interval(0.1, 0.0, 0.5))
        for share in (0.25, 0.0)
    )
    assert "By the held-out error, the second is easier" in comparison(first, second)
    assert "By the held-out error, the second is harder" in comparison(second, first)
    assert "overlap" in comparison(first, first)


def test_command(tmp_path, capsys):
    files = [
        write(tmp_path / "before.csv", *blobs(3, wrong=0.3)),
        write(tmp_path / "after.csv", *blobs(3)),
    ]
    options = ["--target", "label", "--target-accuracy", "0.9", "--quiet"]
    assert main(["compare", *files, *options]) == 0
    page = capsys.readouterr().out
    for part in ("before.csv", "after.csv", "target 90%", "easier", "Pairs that changed most"):
        assert part in page
    assert main(["compare", *files, *options, "--json"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert both["first"]["data"]["n_samples"] == both["second"]["data"]["n_samples"] == 400
    assert main(["compare", files[0], str(tmp_path / "none.csv"), *options]) == 1


def test_other_classes_are_no_error():
    X, y = blobs(3)
    other = np.char.add("new ", y)
    page = comparison(difficulty_report(X, y), difficulty_report(X, other))
    assert "fewer than two classes in common" in page
