"""`drop` and `keep`: names in any form, none of them lost."""

import numpy as np
import pytest
from pandas import DataFrame
from sklearn.base import clone

from smartsvm import TablePreparation, prepare_table

N = 40
Y = np.repeat(["a", "b"], N // 2)
VALUES = np.random.default_rng(0).normal(size=(N, 3))
FRAME = DataFrame(VALUES, columns=["a", "b", "ab"]).assign(id=np.arange(N))
FORMS = {
    "a list": lambda *names: [*names],
    "an array": lambda *names: np.array(names),
    "a set": lambda *names: {*names},
    "a dictionary": lambda *names: dict.fromkeys(names),
}


@pytest.mark.parametrize("form", FORMS)
def test_names_in_any_container(form):
    drop, keep = FORMS[form]("a", "b"), FORMS[form]("id")
    assert prepare_table(FRAME, Y, drop=drop, keep=keep).X.columns.tolist() == ["ab", "id"]
    fitted = TablePreparation(drop=drop, keep=keep).fit(FRAME)
    assert clone(fitted).fit(FRAME).get_feature_names_out().tolist() == ["ab", "id"]


def test_an_iterator_is_read_once():
    prepared = prepare_table(FRAME, Y, drop=iter(["a", "b"]), keep=(n for n in ["id"]))
    assert prepared.X.columns.tolist() == ["ab", "id"]
    for options in ({"drop": iter(["a"])}, {"keep": iter(["id"])}):
        with pytest.raises(TypeError, match=r"(drop|keep) must be .* can be read only once"):
            TablePreparation(**options).fit(FRAME)


def test_a_text_is_one_name():
    assert prepare_table(FRAME, Y, drop="ab", keep="id").X.columns.tolist() == ["a", "b", "id"]
    fitted = TablePreparation(drop="ab", keep="id").fit(FRAME)
    assert fitted.get_feature_names_out().tolist() == ["a", "b", "id"]


def test_none_is_no_name():
    assert prepare_table(FRAME, Y, drop=None, keep=None).X.columns.tolist() == ["a", "b", "ab"]
    fitted = TablePreparation(drop=None, keep=None).fit(FRAME)
    assert fitted.get_feature_names_out().tolist() == ["a", "b", "ab"]


def test_names_that_are_numbers():
    assert prepare_table(DataFrame(VALUES), Y, drop=[0]).X.columns.tolist() == ["1", "2"]
    with pytest.raises(TypeError, match=r"drop must be the name .* or a list of names, got 0"):
        prepare_table(DataFrame(VALUES), Y, drop=0)
    with pytest.raises(TypeError, match=r"keep must be the name .* or a list of names, got b'a'"):
        prepare_table(FRAME, Y, keep=b"a")
