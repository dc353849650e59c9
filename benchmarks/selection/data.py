"""Real data sets of the benchmarks of selection: a folder of .npz files with X and y."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

DATA_VARIABLE = "SMARTSVM_DATA"


def load(name):
    """Points as floats and labels of one data set."""
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        raise SystemExit(f"Set {DATA_VARIABLE} to the folder of the data sets (.npz with X and y).")
    with np.load(Path(folder) / f"{name}.npz") as file:
        return file["X"].astype(np.float64), file["y"].astype(np.intp)
