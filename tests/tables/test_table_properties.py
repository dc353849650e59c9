"""Random mixed tables: names, order, types and formats change nothing about what they hold."""

from typing import NamedTuple

import numpy as np
import pandas
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from smartsvm import TablePreparation, difficulty_report, euclidean_mst, prepare_table
from smartsvm.tables.reading import read_table

WORDS = ("red", "green", "blue", "none at all", "Ünïcode", "a, b", 'a "quote"', "x=1")
# Like names that the library makes, or like its notes; none of the listed hints.
NASTY = (
    *("dropped", "left out", "teeth missing", "shop=distance km", "mean", "nan", "x=1", "(other)"),
    *("encoded", "missing", "a, b missing", "c0 missing", "c1=red", "c2[0]", "c3 (2)", "the y"),
    *("used by boosting", "counted each row", "Größe", " padded", "=1+1", "#", "c1 sin"),
)
COUNTS = ("count", "n", "freq", "N", "Freq")
CLASSES = ("dropped", "nan missing", "x=1", "count", "c0")
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


@examples(50)
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


SUFFIXES = (".csv", ".tsv", ".parquet", ".xlsx", ".json", ".jsonl")


@examples(50)
@given(drawn=tables(), data=st.data())
def test_types_and_formats_change_nothing(tmp_path_factory, drawn, data):
    named = drawn.frame.assign(kind=drawn.y)
    expected = facts(prepare_table(drawn.frame, drawn.y))
    assert facts(prepare_table(named, "kind")) == expected
    for form, made in FORMS.items():
        by_name = data.draw(st.booleans(), label=f"{form} by the name of the target")
        given = (made(named), "kind") if by_name else (made(drawn.frame), drawn.y.tolist())
        assert facts(prepare_table(*given)) == expected, form
    folder = tmp_path_factory.mktemp("table")
    for suffix in SUFFIXES:
        found = read_table(write(named, folder / f"t{suffix}"), "kind")
        assert facts(found) == expected, suffix


@examples(50)
@given(tables(), st.sampled_from(["none", "standard", "robust", "ranks", "minmax"]))
def test_new_rows_are_prepared_as_those_that_were_fitted(drawn, scale):
    preparation = TablePreparation(scale=scale)
    X = preparation.fit_transform(drawn.frame)
    np.testing.assert_array_equal(preparation.transform(drawn.frame), X)
    rows = range(0, len(X), 7)
    one_by_one = [preparation.transform(drawn.frame.iloc[[k]])[0] for k in rows]
    np.testing.assert_array_equal(one_by_one, X[rows])


@examples(50)
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


def content(report):
    """A report without the names of columns and classes."""
    found = report.to_dict(samples=True)
    data = {key: found["data"][key] for key in ("n_samples", "n_features", "signal")}
    kept = {key: found[key] for key in ("bayes_error", "errors", "trees")}
    return repr((data, codes(found), kept, report.suspects.tolist()))


def codes(found):
    """The flags of a report in a dictionary."""
    return [(flag["code"], flag["against_bounds"]) for flag in found["flags"]]


def intervals(found):
    """The errors of a report in a dictionary."""
    held_out = found["errors"]["held_out"]
    singles = [each["error"] for each in held_out["classifiers"]]
    return [found["bayes_error"], held_out["best"], *singles]


def report_on(*table):
    """A quick report."""
    return difficulty_report(*table, n_trees=1, classifiers=("neighbors",))


@examples(50)
@given(tables(24, 40), st.permutations(NASTY + COUNTS), st.permutations(CLASSES), st.data())
def test_names_change_no_report_and_order_hardly_any(drawn, names, classes, data):
    named = drawn.frame.assign(kind=drawn.y)
    expected = report_on(drawn.frame, drawn.y)
    assert report_on(named, "kind").to_json(samples=True) == expected.to_json(samples=True)
    renamed = named.set_axis([*names[: len(drawn.kinds)], "kind"], axis=1)
    in_order = dict(zip(["ant", "bee", "cat"], sorted(classes[:3]), strict=True))
    renamed["kind"] = renamed["kind"].map(in_order)
    assert content(report_on(renamed, "kind")) == content(expected)

    order = data.draw(st.permutations([*named.columns]))
    first, second = expected.to_dict(), report_on(named[order], "kind").to_dict()
    for key in ("n_samples", "n_features", "signal_columns"):
        assert first["data"][key] == second["data"][key]
    assert codes(first) == codes(second)
    for before, after in zip(intervals(first), intervals(second), strict=True):
        two_errors = max(each["high"] - each["low"] for each in (before, after)) / 2
        assert abs(before["value"] - after["value"]) <= two_errors
