"""Random mixed tables: names, order, types and formats change nothing about what they hold."""

from typing import NamedTuple

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from smartsvm import TablePreparation, difficulty_report, euclidean_mst, prepare_table
from smartsvm.tables.reading import read_table

QUICK = {"n_trees": 1, "classifiers": ("neighbors", "linear")}
WORDS = ("red", "green", "blue", "none at all", "Ünïcode", "a, b", 'a "quote"', "x=1")
# Like names that the library makes, or like its notes; none of the listed hints.
NASTY = (
    *("dropped", "left out", "teeth missing", "shop=distance km", "mean", "nan", "x=1", "(other)"),
    *("encoded", "missing", "a, b missing", "c0 missing", "c1=red", "c2[0]", "c3 (2)", "the y"),
    *("used by boosting", "counted each row", "Größe", " padded", "=1+1", "#", "c1 sin"),
)
COUNTS = ("count", "n", "freq", "N", "Freq")
KINDS = ("number", "whole", "text", "flag", "day", "moment", "many texts", "tick")


class Drawn(NamedTuple):
    """A random table, its labels, and the kind of each column."""

    frame: pandas.DataFrame
    y: np.ndarray
    kinds: tuple


def column(kind, n, random):
    """Values of a kind of column."""
    if kind == "number":
        return np.round(random.normal(size=n), 6)
    if kind == "whole":
        return random.integers(-9, 10, n)
    if kind == "text":
        return random.choice(WORDS, n).astype(object)
    if kind == "flag":
        return random.random(n) < 0.4
    if kind == "many texts":
        return np.array([f"town {k}" for k in random.integers(0, 12, n)], dtype=object)
    if kind == "tick":
        return np.where(random.random(n) < 0.4, "yes, please", None)
    days = np.datetime64("2019-03-01") + random.integers(0, 900, n)
    if kind == "day":
        return days.astype("M8[us]")
    return days.astype("M8[s]").astype("M8[us]") + random.integers(0, 86400, n).astype("m8[s]")


@st.composite
def tables(draw, least=30, most=60, kinds=KINDS):
    """Tables of a few columns, some with gaps, and labels of two or three classes."""
    n = draw(st.integers(least, most))
    chosen = ("number", *draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = {}
    for place, kind in enumerate(chosen):
        values = pandas.Series(column(kind, n, random))
        if kind not in ("whole", "flag", "tick") and draw(st.booleans()):
            values[random.random(n) < 0.15] = None if values.dtype == object else np.nan
        columns[f"c{place}"] = values
    y = random.choice(["ant", "bee", "cat"][: draw(st.integers(2, 3))], n)
    y[:3] = "ant", "bee", "ant"
    return Drawn(pandas.DataFrame(columns), y, chosen)


def facts(prepared, names=None):
    """What was prepared; names of columns of the table are replaced by those of `names`."""
    names = names or {}

    def known(sources):
        return tuple(names.get(source, source) for source in sources)

    return {
        "points": prepared.unscaled.tolist(),
        "classes": np.unique(prepared.y, return_inverse=True)[1].tolist(),
        "columns": [(known(each.sources), each.kind) for each in prepared.columns],
        "units": {names.get(k, k): v.tolist() for k, v in prepared.units.items()},
        "categories": {names.get(k, k): v.tolist() for k, v in prepared.categories.items()},
        "time": None if prepared.time is None else [repr(float(each)) for each in prepared.time],
        "time_source": names.get(prepared.time_source, prepared.time_source),
        "notes": sorted((n.kind, known(n.columns)) for n in prepared.notes if n.kind != "file"),
    }


@examples(50)
@given(tables(), st.data())
def test_names_change_nothing(drawn, data):
    names = data.draw(
        st.lists(
            st.sampled_from(NASTY + COUNTS),
            min_size=len(drawn.kinds),
            max_size=len(drawn.kinds),
            unique=True,
        )
    )
    if data.draw(st.booleans()):
        names[0] = "time month x"  # a hint, but only for whole numbers
    renamed = drawn.frame.set_axis(names, axis=1)
    found = prepare_table(renamed, drawn.y)
    back = dict(zip(names, drawn.frame.columns, strict=True))
    assert facts(found, back) == facts(prepare_table(drawn.frame, drawn.y))
    assert len(set(found.X.columns)) == found.X.shape[1]
    own = [each for each in found.columns if each.kind == "number"]
    assert [each.name for each in own] == [each.sources[0] for each in own]


@examples(20)
@given(tables(), st.data())
def test_the_order_of_columns_changes_no_column(drawn, data):
    order = data.draw(st.permutations(list(drawn.frame.columns)))
    first = prepare_table(drawn.frame, drawn.y)
    second = prepare_table(drawn.frame[order], drawn.y)

    def by_content(prepared):
        made = zip(prepared.columns, prepared.unscaled.T.tolist(), strict=True)
        return sorted((sorted(c.sources), c.kind, values) for c, values in made)

    assert by_content(first) == by_content(second)
    assert first.units.keys() == second.units.keys()
    assert [n.kind for n in first.notes] == [n.kind for n in second.notes]


def as_arrow(frame):
    """A data frame whose columns are those of Arrow."""
    return frame.convert_dtypes(dtype_backend="pyarrow")


def with_categories(frame):
    """A data frame whose texts are categories."""
    texts = [name for name in frame if frame[name].dtype == object]
    return frame.astype(dict.fromkeys(texts, "category"))


def as_polars(frame):
    """The same table of polars."""
    import polars

    return polars.from_pandas(frame)


FORMS = {
    "nullable": lambda frame: frame.convert_dtypes(),
    "arrow": as_arrow,
    "categories": with_categories,
    "polars": as_polars,
    "dictionary": lambda frame: {name: frame[name].tolist() for name in frame},
}


@pytest.mark.parametrize("form", FORMS)
@examples(10)
@given(drawn=tables())
def test_types_change_nothing(form, drawn):
    named = drawn.frame.assign(kind=drawn.y)
    expected = facts(prepare_table(drawn.frame, drawn.y))
    assert facts(prepare_table(named, "kind")) == expected
    assert facts(prepare_table(FORMS[form](named), "kind")) == expected
    assert facts(prepare_table(FORMS[form](drawn.frame), drawn.y.tolist())) == expected


def write(frame, path):
    """Write a table in the format of a suffix."""
    kind = path.suffix
    if kind in (".csv", ".tsv"):
        frame.to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    elif kind == ".parquet":
        frame.to_parquet(path, index=False)
    elif kind == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame = frame.copy()
        for name in frame.columns[frame.dtypes == "datetime64[us]"]:
            frame[name] = frame[name].astype(str).where(frame[name].notna(), None)
        lines = kind == ".jsonl"
        text = frame.to_json(orient="records", lines=lines, double_precision=15)
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".xlsx", ".json", ".jsonl"])
@examples(6)
@given(drawn=tables())
def test_formats_change_nothing(tmp_path_factory, suffix, drawn):
    path = tmp_path_factory.mktemp("table") / f"t{suffix}"
    found = read_table(write(drawn.frame.assign(kind=drawn.y), path), "kind")
    assert facts(found) == facts(prepare_table(drawn.frame, drawn.y))


@examples(20)
@given(tables(), st.sampled_from(["none", "standard", "robust", "ranks", "minmax"]))
def test_new_rows_are_prepared_as_those_that_were_fitted(drawn, scale):
    preparation = TablePreparation(scale=scale)
    X = preparation.fit_transform(drawn.frame)
    np.testing.assert_array_equal(preparation.transform(drawn.frame), X)
    rows = range(0, len(X), 7)
    one_by_one = [preparation.transform(drawn.frame.iloc[[k]])[0] for k in rows]
    np.testing.assert_array_equal(one_by_one, X[rows])


@examples(20)
@given(tables(kinds=("number", "text", "day")), st.integers(-30, 30))
def test_a_power_of_two_changes_no_scaled_point_and_no_tree(drawn, exponent):
    frame = drawn.frame.copy()
    for name, kind in zip(frame, drawn.kinds, strict=True):
        if kind == "number":
            frame[name] = np.ldexp(frame[name], exponent)
    first, second = prepare_table(drawn.frame, drawn.y), prepare_table(frame, drawn.y)
    np.testing.assert_array_equal(first.X, second.X)
    points = drawn.frame[["c0"]].fillna(0.0).to_numpy()
    trees = euclidean_mst(points).edges, euclidean_mst(np.ldexp(points, exponent)).edges
    np.testing.assert_array_equal(*trees)


def content(report, names=None):
    """A report without names of columns."""
    found = report.to_dict(samples=True)
    data = {key: found["data"][key] for key in ("n_samples", "n_features", "signal")}
    flags = [(flag["code"], flag["against_bounds"]) for flag in found["flags"]]
    kept = {key: found[key] for key in ("bayes_error", "errors", "trees", "labels") if key in found}
    return repr((data, flags, kept))


@examples(4)
@given(tables(40, 60), st.permutations(NASTY + COUNTS))
def test_names_change_no_report(drawn, names):
    renamed = drawn.frame.set_axis(names[: len(drawn.kinds)], axis=1)
    reports = [difficulty_report(each, drawn.y, **QUICK) for each in (drawn.frame, renamed)]
    assert content(reports[0]) == content(reports[1])


@examples(3)
@given(tables(40, 60))
def test_labels_may_be_named_given_or_prepared_before(drawn):
    named = drawn.frame.assign(kind=drawn.y)
    reports = (
        difficulty_report(named, "kind", **QUICK),
        difficulty_report(drawn.frame, drawn.y, **QUICK),
        difficulty_report(prepare_table(named, "kind", scale="ranks"), **QUICK),
    )
    pages = [report.to_json(samples=True) for report in reports]
    assert pages[0] == pages[1] == pages[2]


@examples(3)
@given(tables(40, 60), st.permutations(["dropped", "nan missing", "x=1"]))
def test_names_of_classes_in_the_same_order_change_no_report(drawn, names):
    new = dict(zip(["ant", "bee", "cat"], sorted(names), strict=True))
    y = np.array([new[label] for label in drawn.y])
    reports = [difficulty_report(drawn.frame, labels, **QUICK) for labels in (drawn.y, y)]
    assert reports[0].bayes_error == reports[1].bayes_error
    assert reports[0].suspects.tolist() == reports[1].suspects.tolist()
    assert reports[0].errors.held_out == reports[1].errors.held_out
