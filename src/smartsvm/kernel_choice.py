"""Which kernel builds a tree: by size, dimension and a cheap look at the points."""

from __future__ import annotations

from smartsvm._mst import blocked, boruvka, prim
from smartsvm._validation import check_choice

KERNELS = {"prim": prim, "boruvka": boruvka, "blocked": blocked}
ALGORITHMS = ("auto", *KERNELS)


class KernelChoice:
    """The kernel for every subset of one data set.

    All kernels return the same trees, so the choice is one of speed alone. It is
    made from what the data look like, never from a clock.

    Parameters
    ----------
    algorithm : {"auto", "prim", "boruvka", "blocked"}
        A kernel by name, or "auto".
    points : ndarray of shape (n_samples, n_features)
        The data set.
    """

    def __init__(self, algorithm, points):
        check_choice(algorithm, "algorithm", ALGORITHMS)
        self._named = KERNELS.get(algorithm)
        self._n_features = points.shape[1]

    def for_size(self, n_points):
        """The kernel for a subset of this many points."""
        if self._named is not None:
            return self._named
        return boruvka if self._n_features <= 8 else blocked
