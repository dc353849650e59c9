"""Orders of tied edges: when to average counts over several of them, and their seeds.

Integer and one-hot data have many minimum spanning trees, and the order of ties picks one at
random. Averaging over a few orders reduces that noise. `_mst/common/edge_order.h` breaks ties
within one order.
"""

import numpy as np

from smartsvm._core.validation import tie_seed

# Orders to average: the variance that the choice of an order adds falls to a third.
N_ORDERS = 3
# Average over orders if more than this fraction of first-tree edges ties with another one.
# Continuous data have none.
TIES_MATTER = 0.05


def tie_share(squared, sizes):
    """Fraction of the edges of the first tree that are as long as another one."""
    first = np.sort(squared[: sizes[0]])
    same = first[1:] == first[:-1]
    return float(np.mean(np.r_[False, same] | np.r_[same, False]))


def other_orders(seed, share):
    """Seeds of the orders beside the first one, whose seed is given; none with few ties."""
    n_orders = N_ORDERS if share > TIES_MATTER else 1
    return [tie_seed(seed ^ order) for order in range(1, n_orders)]
