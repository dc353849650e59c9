"""The preparation as a transformer: what it learnt from one table, it does to new rows."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator
from table_files import passengers

from smartsvm import SmartSVM, TablePreparation, prepare_table
from smartsvm.tables.hints import TableError


def test_the_contract_of_scikit_learn():
    checks = check_estimator(TablePreparation(), on_skip=None, on_fail=None)
    found = {each["check_name"]: each["exception"] for each in checks if each["status"] == "failed"}
    assert not found
    assert sum(each["status"] == "passed" for each in checks) > 30


def mixed(n=60):
    import pandas

    random = np.random.default_rng(0)
    return pandas.DataFrame(
        {
            "size": np.where(np.arange(n) % 7 == 0, np.nan, random.normal(size=n)),
            "color": random.choice(["red", "green", "blue"], n),
            "day": pandas.date_range("2020-01-01", periods=n, freq="11D").astype(str),
            "price": [f"${value:.2f}" for value in random.gamma(2, 10, n)],
        }
    )


def test_the_fitted_table_is_that_of_prepare_table():
    table = passengers()
    found = prepare_table(table, "survived")
    X = table.drop(columns="survived")
    np.testing.assert_array_equal(found.preparation.transform(X), found.X)
    alone = TablePreparation().fit(X)
    np.testing.assert_array_equal(alone.transform(X), found.X)
    assert alone.get_feature_names_out().tolist() == found.X.columns.tolist()
    assert alone.feature_names_in_.tolist() == X.columns.tolist()


def test_names_of_other_columns_are_refused():
    preparation = TablePreparation().fit(mixed())
    names = preparation.feature_names_in_
    known = preparation.get_feature_names_out(names)
    assert known.tolist() == preparation.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        preparation.get_feature_names_out([*names[1:], "weight"])
    unnamed = TablePreparation().fit(np.arange(12.0).reshape(6, 2))
    with pytest.raises(ValueError, match="length equal to number of features"):
        unnamed.get_feature_names_out(["x"])


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="the table has no rows"):
        TablePreparation().fit(mixed().iloc[:0])


@pytest.mark.parametrize("scale", ["none", "standard", "robust", "ranks", "minmax"])
def test_rows_are_prepared_one_by_one(scale):
    table = mixed()
    preparation = TablePreparation(scale=scale).fit(table)
    rows = range(0, len(table), 7)  # the first has a gap
    one_by_one = [preparation.transform(table.iloc[[k]])[0] for k in rows]
    np.testing.assert_array_equal(preparation.transform(table)[rows], one_by_one)


def test_new_values():
    preparation = TablePreparation(scale="none").fit(mixed())
    new = mixed(3)
    new["color"] = ["pink", None, "blue"]
    new["size"] = [None, 1.0, 2.0]
    new["price"] = ["$5", "free", None]
    X = preparation.set_output(transform="pandas").transform(new)
    assert X.filter(like="color=").to_numpy().tolist()[::2] == [[0, 0, 0], [1, 0, 0]]
    assert X["size missing"].tolist() == [1, 0, 0]
    assert X["price"].iloc[0] == 5
    assert X["price"].iloc[1] == X["price"].iloc[2]
    assert np.isfinite(X).all(axis=None)


def test_rare_and_new_texts_share_a_column():
    import pandas

    common = [f"c{k % 50}" for k in range(500)]
    table = pandas.DataFrame({"v": common + [f"rare {k // 2}" for k in range(40)]})
    preparation = TablePreparation(scale="none").fit(table)
    names = preparation.get_feature_names_out().tolist()
    assert len(names) == 51
    new = preparation.transform(pandas.DataFrame({"v": ["rare 1", "never seen", "c3"]}))
    other = names.index("v=(other)")
    assert new[:, other].tolist() == [1, 1, 0]


def test_a_pipeline_on_mixed_columns():
    import pandas

    table = passengers()
    X, y = table.drop(columns="survived"), table["survived"].to_numpy()
    model = make_pipeline(TablePreparation(), SmartSVM())
    assert cross_val_score(model, X, y, cv=3).mean() > max(y.mean(), 1 - y.mean())
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    copied = clone(model).fit(X, y)
    np.testing.assert_array_equal(copied.predict(X), model.predict(X))
    columns = {name: values.tolist() for name, values in X.items()}
    np.testing.assert_array_equal(model.predict(columns), model.predict(pandas.DataFrame(columns)))


def test_tables_of_polars():
    import polars

    table = mixed()
    wanted = TablePreparation().fit(table).transform(table)
    other = polars.from_pandas(table)
    np.testing.assert_array_equal(TablePreparation().fit_transform(other), wanted)


def test_refusals():
    table = mixed()
    with pytest.raises(TableError, match=r"these columns lack values: size\. .* missing='auto'"):
        TablePreparation(missing="refuse").fit(table)
    with pytest.raises(TableError, match="these columns hold text, not numbers: color"):
        TablePreparation(categorical="refuse").fit(table)
    with pytest.raises(TableError, match=r"no column 'colour' to leave out\. Did you mean 'color'"):
        TablePreparation(drop=["colour"]).fit(table)
    with pytest.raises(
        ValueError, match=r"missing must be one of \['auto', 'refuse'\], got 'drop'"
    ):
        TablePreparation(missing="drop").fit(table)
    with pytest.raises(ValueError, match="feature names"):
        TablePreparation().fit(table).transform(table[["color", "size", "day", "price"]])
    with pytest.raises(TableError, match="these columns hold infinite values: size"):
        TablePreparation().fit(table).transform(table.assign(size=np.inf))


@pytest.mark.parametrize(
    "new", ["1,037", "1.037,5", "12,34", "1 037", "5 €", "<3", "50%", "2020-01-05"]
)
def test_a_number_that_is_written_otherwise_is_no_gap(new):
    import pandas

    numbers = 3.5 * np.arange(40) % 19
    preparation = TablePreparation(scale="none").fit(pandas.DataFrame({"v": numbers}))
    with pytest.raises(TableError, match=f"column 'v' holds '{new}', which is written otherwise"):
        preparation.transform(pandas.DataFrame({"v": [new, "2"]}))
    gap = preparation.transform(pandas.DataFrame({"v": ["unknown", "2"]}))
    assert gap.tolist() == [[np.median(numbers)], [2.0]]


def test_words_that_were_gaps_when_fitted_stay_gaps():
    import pandas

    words = [f"{0.5 * k:g}" for k in range(60)]
    words[7] = "3,5"
    table = pandas.DataFrame({"v": words, "x": np.arange(60) % 7})
    preparation = TablePreparation(scale="none")
    X = preparation.fit_transform(table)
    np.testing.assert_array_equal(preparation.transform(table), X)
    with pytest.raises(TableError, match="'4,5'"):
        preparation.transform(table.replace("3,5", "4,5"))


def test_a_code_beside_a_gap_is_the_same_category():
    import pandas

    preparation = TablePreparation(scale="none")
    preparation.fit(pandas.DataFrame({"code": np.resize(["1", "2", "u"], 30)}))
    assert preparation.get_feature_names_out().tolist() == ["code=1", "code=2", "code=u"]
    for new in ([1, 2], [1.0, 2.0], ["1", 2.0], np.array([1, 2], dtype=object)):
        found = preparation.transform(pandas.DataFrame({"code": new}))
        assert found.tolist() == [[1, 0, 0], [0, 1, 0]]
    gap = preparation.transform(pandas.DataFrame({"code": [1, None]}))
    assert gap[0].tolist() == [1, 0, 0]


def in_form(moments, form):
    """Moments as a column: of timestamps, objects or words."""
    if form == "words":
        return [moment.isoformat() for moment in moments]
    return list(moments.to_pydatetime()) if form == "objects" else moments


@pytest.mark.parametrize("fitted", ["timestamps", "objects", "words"])
@pytest.mark.parametrize("new", ["timestamps", "objects", "words"])
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Etc/GMT+5"])
def test_new_rows_of_another_time_zone_are_the_same_moments(fitted, new, zone):
    import pandas

    moments = pandas.date_range("2020-01-05 03:10", periods=40, freq="41h", tz="UTC")
    table = pandas.DataFrame({"when": in_form(moments, fitted)})
    preparation = TablePreparation(scale="none")
    X = preparation.fit_transform(table)
    elsewhere = moments.tz_convert(zone)
    found = preparation.transform(pandas.DataFrame({"when": in_form(elsewhere, new)}))
    np.testing.assert_allclose(found, X, atol=1e-9)
    alone = pandas.DataFrame({"when": in_form(elsewhere[3:4], new)})
    np.testing.assert_allclose(preparation.transform(alone), X[3:4], atol=1e-9)


def test_epochs_are_moments_of_utc():
    import pandas

    moments = pandas.date_range("2020-01-05 03:10", periods=40, freq="41h", tz="Asia/Tokyo")
    seconds = (moments - pandas.Timestamp(0, tz="UTC")) / pandas.Timedelta("1s")
    preparation = TablePreparation(scale="none").fit(pandas.DataFrame({"time": seconds}))
    X = preparation.transform(pandas.DataFrame({"time": seconds}))
    found = preparation.transform(pandas.DataFrame({"time": moments}))
    np.testing.assert_allclose(found, X, atol=1e-9)
