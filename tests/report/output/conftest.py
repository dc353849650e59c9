"""One report that the tests of all outputs share."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from smartsvm import difficulty_report


@pytest.fixture(scope="session")
def report():
    """Iris with the names of its species and a target."""
    iris = load_iris()
    names = np.array(["setosa", "versicolor", "virginica"])[iris.target]
    return difficulty_report(iris.data, names, target_accuracy=0.9)
