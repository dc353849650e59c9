"""scikit-learn's checks of an estimator, one test case each."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator


def contract_cases(*models, expected_failures=lambda model: {}):
    """Parametrise a test by (model, check) for every check of every model.

    `expected_failures` names for each model the checks that it fails, and why.
    """
    return pytest.mark.parametrize(
        ("model", "check"),
        [
            case
            for model in models
            for case in estimator_checks_generator(
                model, expected_failed_checks=expected_failures(model), mark="xfail"
            )
        ],
        ids=lambda value: getattr(getattr(value, "func", value), "__name__", "model"),
    )


def settings_after(check, model):
    """Settings of a model after a check, which raises if the contract is broken."""
    check(model)
    return model.get_params()
