"""scikit-learn's checks of an estimator, one test case each."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator


def contract_cases(*models, expected_failures=lambda model: {}):
    """Parametrise a test by (model, check) for every check of every model.

    `expected_failures` names for each model the checks that it fails, and why; with some versions
    of scikit-learn it may pass them.
    """
    cases = []
    for model in models:
        reasons = expected_failures(model)
        for estimator, check in estimator_checks_generator(model):
            reason = reasons.get(_name(check))
            marks = [] if reason is None else [pytest.mark.xfail(reason=reason, strict=False)]
            cases.append(pytest.param(estimator, check, marks=marks))
    return pytest.mark.parametrize(("model", "check"), cases, ids=_name)


def _name(value):
    return getattr(getattr(value, "func", value), "__name__", "model")


def settings_after(check, model):
    """Settings of a model after a check, which raises if the contract is broken."""
    check(model)
    return model.get_params()
