"""What several tests of the command line need."""

import pytest
from table_files import iris_columns, write_csv


@pytest.fixture
def iris_csv(tmp_path):
    """The irises in a file."""
    return write_csv(tmp_path / "iris.csv", iris_columns())
