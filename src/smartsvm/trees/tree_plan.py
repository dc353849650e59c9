"""`TreePlan`: the trees that a call wants, and the time, memory and place they may take."""

import math
import os
import re
from typing import NamedTuple

from smartsvm._core.parallel import count_threads
from smartsvm._core.validation import check_choice, check_int, check_jobs, describe
from smartsvm._mst.choice import ALGORITHMS
from smartsvm.trees.in_memory.forests import most_trees
from smartsvm.trees.out_of_core.free_memory import default_limit
from smartsvm.trees.out_of_core.memory_plan import direct_bytes, least_kernel, thread_bytes
from smartsvm.trees.out_of_core.workers import dask_client

# Units of memory limits.
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


class TreePlan(NamedTuple):
    """The trees that a call wants, and what they may take."""

    n_trees: int
    algorithm: str = "auto"
    n_jobs: int | None = None
    memory_limit: int | None = None
    checkpoint: object = None  # path of a folder
    verbose: int = 0
    by_class: bool = False  # trees of classes and pairs, for which the points are kept
    core_neighbors: int = 0

    @classmethod
    def checked(cls, n_trees, algorithm, n_jobs, memory_limit, checkpoint, verbose, **options):
        """The plan of a public call, or an error that names the wrong option."""
        if not isinstance(checkpoint, str | os.PathLike | None):
            raise TypeError(
                f"checkpoint must be the path of a folder or None, got {describe(checkpoint)}."
            )
        return cls(
            check_int(n_trees, "n_trees", least=1),
            check_choice(algorithm, "algorithm", ALGORITHMS),
            check_jobs(n_jobs),
            parse_bytes(memory_limit),
            checkpoint,
            check_int(verbose, "verbose", least=0),
            **options,
        )

    @property
    def has_limit(self):
        """Whether a limit or a checkpoint may cut even an array into blocks."""
        return self.memory_limit is not None or self.checkpoint is not None

    def kernel(self, n_rows, n_features):
        """The kernel for points of a shape: where "auto" may take too much, one that takes less."""
        if self.memory_limit is None or self.algorithm != "auto":
            return self.algorithm
        if self._direct_bytes(n_rows, n_features) <= self.memory_limit:
            return "auto"
        return least_kernel(n_rows, n_features, by_class=self.by_class)

    def needs_blocks(self, source):
        """Whether to cut a source into blocks."""
        if self.checkpoint is not None:
            return True
        if self.memory_limit is None and not source.in_pieces:
            return False
        # A Dask array is worked on where its cluster is.
        if dask_client() is not None and (source.on_dask or self.memory_limit is not None):
            return True
        shape = source.n_rows, source.n_features
        limit = default_limit() if self.memory_limit is None else self.memory_limit
        needed = self._replace(algorithm=self.kernel(*shape))._direct_bytes(*shape)
        return needed + thread_bytes(count_threads(self.n_jobs), source.n_features, limit) > limit

    def check_device(self, device):
        """Raise if a GPU cannot do what the plan says; None is the processor, which can."""
        if device is None:
            return
        if self.algorithm != "auto":
            raise ValueError(
                f'algorithm must be "auto" on a GPU ({device}), got {self.algorithm!r}.'
            )
        if self.checkpoint is not None:
            raise ValueError(
                f"checkpoint must be None on a GPU ({device}), got {str(self.checkpoint)!r}."
            )

    def options(self, seed, n_points):
        """The options of a forest of so many points, in memory or in blocks."""
        return {
            "n_trees": most_trees(n_points, self.n_trees),
            "seed": seed,
            "algorithm": self.algorithm,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }

    def limits(self):
        """The further options of a forest in blocks."""
        return {"memory_limit": self.memory_limit, "checkpoint": self.checkpoint}

    def _direct_bytes(self, n_rows, n_features):
        return direct_bytes(
            n_rows, n_features, self.n_trees, self.algorithm, self.by_class, self.core_neighbors
        )


def parse_bytes(limit):
    """A number of bytes, from an integer or a text such as "4 GiB"; None means no limit."""
    if limit is None:
        return None
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?i?)b?\s*", limit.lower())
        if match and match[2] in _UNITS and math.isfinite(float(match[1])):
            return check_int(int(float(match[1]) * _UNITS[match[2]]), "memory_limit", least=1)
        raise ValueError(
            'memory_limit must be a number of bytes or a text such as "4 GiB" or "500 MB", '
            f"got {describe(limit)}."
        )
    return check_int(limit, "memory_limit", least=1)
