import numpy as np

def count_joining(
    edges: np.ndarray,
    sizes: np.ndarray,
    parts: np.ndarray,
    degrees: np.ndarray,
    joining: np.ndarray,
    meeting: np.ndarray,
) -> None: ...
def count_crossing(edges: np.ndarray, codes: np.ndarray) -> int: ...
