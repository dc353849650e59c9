"""A few values far outside all others are named; heavy tails are ordinary."""

import numpy as np
import pytest

from smartsvm import prepare_table
from smartsvm.tables.far_values import far_values


def pressure(random, n):
    values = np.round(random.normal(128, 17, n), -1)
    values[:14] = [-150, -120, 240, 309, 401, 509, 701, 906, 1110, 11500, 14020, 16020, 11020, 1]
    return values


def with_ages(random, n):
    ages = np.round(np.clip(random.normal(45, 15, n), 18, 90))
    ages[::30] = 999
    return ages


def spoilt(values, *others):
    values[: len(others)] = others
    return values


FAR = {
    "blood pressure": (pressure, [-150, -120, 11020, 11500, 14020, 16020]),
    "weight": (lambda r, n: spoilt(np.round(r.lognormal(4.3, 0.19, n)), 10, 11), [10, 11]),
    "age": (with_ages, [999]),
    "degrees": (lambda r, n: spoilt(r.normal(15, 8, n), *[-9999] * 400), [-9999]),
    "year": (lambda r, n: spoilt(r.integers(1990, 2015, n), 0), [0]),
    "cost": (lambda r, n: spoilt(r.lognormal(2, 1, n), 5e6), [5e6]),
}
ORDINARY = {
    "normal": lambda r, n: r.normal(size=n),
    "log-normal": lambda r, n: r.lognormal(0, 1.5, n),
    "Pareto": lambda r, n: r.pareto(1, n),
    "infinite mean": lambda r, n: r.pareto(0.7, n) + 1,
    "Student": lambda r, n: r.standard_t(3, n),
    "uniform": lambda r, n: r.random(n),
    "exponential": lambda r, n: r.exponential(size=n),
    "counts": lambda r, n: r.negative_binomial(1, 0.05, n),
    "few counts": lambda r, n: r.poisson(3, n),
    "mostly zero": lambda r, n: np.where(r.random(n) < 0.6, 0, r.lognormal(3, 1, n)),
    "two groups": lambda r, n: np.where(r.random(n) < 0.3, 10, 0) + r.normal(size=n),
    "prices": lambda r, n: np.round(r.lognormal(3, 1, n), -1) + 9.99,
    "profits": lambda r, n: r.normal(3, 1, n) * r.lognormal(2, 1, n),
    "ninety-nine": lambda r, n: r.integers(1, 100, n),
}


@pytest.mark.parametrize("case", FAR)
@pytest.mark.parametrize("n", [6000, 60000])
def test_values_far_outside_are_found(case, n):
    make, expected = FAR[case]
    found = far_values(np.asarray(make(np.random.default_rng(0), n), dtype=float))
    values = sorted(np.concatenate([far for far, *_ in found]).tolist())
    if case == "blood pressure":  # with many rows, larger values are expected
        assert set(values) >= {-150, 16020, 14020, 11500, 11020}
        assert min(value for value in values if value > 0) > 240
    else:
        assert values == expected


@pytest.mark.parametrize("case", ORDINARY)
@pytest.mark.parametrize("n", [150, 1500, 15000])
def test_ordinary_columns_have_none(case, n):
    random = np.random.default_rng(1)
    tables = 40 if n < 15000 else 10
    alarms = [bool(far_values(np.asarray(ORDINARY[case](random, n), float))) for _ in range(tables)]
    assert sum(alarms) <= 1


def test_notes_name_columns_values_and_rows():
    random, n = np.random.default_rng(0), 600
    table = {"height": spoilt(random.normal(170, 9, n), 17000, 18000, -165)}
    table |= {"age": with_ages(random, n), "id": spoilt(random.integers(500, 900, n), 10**9)}
    y = np.arange(n) % 2
    notes = [note for note in prepare_table(table, y).notes if note.kind == "far values"]
    assert [note.columns for note in notes] == [("height",), ("age",)]
    begin = "height holds 17,000 and 18,000 (2 rows), far above all others, which"
    assert notes[0].startswith(begin)
    assert "and -165 (1 row), " in notes[0]
    assert "999 (20 rows), far from all others, which are 18 to " in notes[1]
    wide = {f"c{k}": table["height"] + random.normal(size=n) for k in range(101)}
    assert not any(note.kind == "far values" for note in prepare_table(wide, y).notes)
