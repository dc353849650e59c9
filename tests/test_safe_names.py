"""Names that the user gives never control the terminal, wherever they are shown."""

import numpy as np

from smartsvm import compare_representations, difficulty_report, two_sample_test

NAME = "m\x1b[31m\nX\u202e"
X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.repeat(["a", "b"], 30)


def assert_safe(text):
    assert text
    assert not any(control in text.replace("\r", "") for control in ("\x1b", "\u202e", "[31m\n"))


def test_models_of_a_report(capsys):
    wrong = np.where(np.arange(60) % 3 == 0, "a", Y)
    models = {NAME: Y, "other " + NAME: wrong}
    report = difficulty_report(X, Y, models=models, verbose=1)
    pages = [str(report), repr(report), report.to_html(), report.to_json()]
    pages += [str(report.headroom(name)) for name in models]
    pages += [repr(report.headroom(name)) for name in models]
    for page in [*pages, capsys.readouterr().err]:
        assert_safe(page)
    assert report.headroom(NAME).model == NAME


def test_representations(capsys):
    for other in (X[:, :1], X + 9 * (Y == "a")[:, None]):
        found = compare_representations({NAME: X, "b": other}, Y, verbose=1)
        for page in (str(found), repr(found), found.sentence(), found.to_html()):
            assert_safe(page)
        assert_safe(capsys.readouterr().err)


def test_samples():
    for factor in (1, 9):
        test = two_sample_test(X, factor * X + 1, names=[NAME, "b"])
        assert_safe(str(test))
        assert_safe(repr(test))
        test = two_sample_test(factor * X + 1, X, names=["b", NAME])
        assert_safe(str(test))
