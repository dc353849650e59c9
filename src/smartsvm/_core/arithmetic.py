"""The floating-point settings of our own arithmetic."""

from contextlib import contextmanager

import numpy as np


@contextmanager
def own_arithmetic():
    """A context, also a decorator: underflow is expected, and the caller's `np.seterr` not ours."""
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
        yield
