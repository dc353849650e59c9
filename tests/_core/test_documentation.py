"""The link from an HTML representation to the reference."""

from email.message import Message

import pytest
from sklearn.utils import estimator_html_repr

from smartsvm import BayesErrorSelector, SmartSVM, SmartSVMCV
from smartsvm._core import documentation


@pytest.fixture
def project(monkeypatch):
    fields = Message()
    monkeypatch.setattr(documentation, "metadata", lambda name: fields)
    return fields


def test_estimators_link_their_page_once_there_is_a_site(project):
    assert "_generated/api" not in estimator_html_repr(SmartSVM())
    assert SmartSVM()._get_doc_link() == ""
    project["Project-URL"] = "Source, https://example.org/code"
    project["Project-URL"] = "Documentation, https://example.org/docs/"
    for model in (SmartSVM(), SmartSVMCV(), BayesErrorSelector()):
        page = f"https://example.org/docs/_generated/api/smartsvm.{type(model).__name__}.html"
        assert page in estimator_html_repr(model)
