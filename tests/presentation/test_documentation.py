"""The link from an HTML representation to the reference."""

from email.message import Message
from html import escape

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr

from smartsvm import BayesErrorSelector, SmartSVM, SmartSVMCV
from smartsvm.presentation import documentation


@pytest.fixture
def project(monkeypatch):
    fields = Message()
    monkeypatch.setattr(documentation, "metadata", lambda name: fields)
    return fields


@pytest.mark.skipif(not hasattr(BaseEstimator, "_html_repr"), reason="since scikit-learn 1.7")
def test_without_a_site_the_documentation_unfolds(project):
    for model in (SmartSVM(), SmartSVMCV(), BayesErrorSelector()):
        shown = model._repr_mimebundle_()["text/html"]
        assert shown.count("<summary>Documentation</summary>") == 1
        assert escape(type(model).__doc__.splitlines()[0]) in shown
    project["Project-URL"] = "Documentation, https://example.org/docs/"
    assert "<summary>Documentation" not in SmartSVM()._repr_mimebundle_()["text/html"]


def test_estimators_link_their_page_once_there_is_a_site(project):
    assert "_generated/api" not in estimator_html_repr(SmartSVM())
    assert SmartSVM()._get_doc_link() == ""
    project["Project-URL"] = "Source, https://example.org/code"
    project["Project-URL"] = "Documentation, https://example.org/docs/"
    for model in (SmartSVM(), SmartSVMCV(), BayesErrorSelector()):
        page = f"https://example.org/docs/_generated/api/smartsvm.{type(model).__name__}.html"
        assert page in estimator_html_repr(model)


def test_a_placeholder_is_no_site(project):
    project["Project-URL"] = "Documentation, https://documentation.invalid"
    assert SmartSVM()._get_doc_link() == ""
