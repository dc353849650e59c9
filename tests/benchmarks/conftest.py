"""A folder of one small data set for the benchmarks of the paper."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from benchmarks.paper import datasets


@pytest.fixture
def iris_folder(tmp_path, monkeypatch):
    """A folder of data sets for the benchmarks that holds only the irises."""
    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "iris.npz", X=X, y=y, classes=np.array(["a", "b", "c"]))
    known = {"iris": {"sha256": datasets.content_hash(X, y), "remark": ""}}
    monkeypatch.setattr(datasets, "expected", lambda: known)
    return tmp_path
