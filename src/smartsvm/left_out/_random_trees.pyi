import numpy as np

def grow(
    columns: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    rows: np.ndarray,
    n_seen: int,
    n_classes: int,
    n_tried: int,
    seed: int,
    leaves: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...
