"""Wilson's confidence limits of a share."""

import numpy as np


def wilson_limits(shares, n, z):
    """Wilson's limits of shares of n independent samples; both may be arrays."""
    centre = (shares + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(shares * (1 - shares) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = np.minimum(centre - half, shares), np.maximum(centre + half, shares)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)
