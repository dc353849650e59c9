"""Whether to cut points into blocks, and how: from a limit of memory and what one point costs."""

import math
import os
from typing import NamedTuple

from smartsvm._core.byte_sizes import parse_bytes
from smartsvm._core.parallel import count_threads
from smartsvm._core.sources import CHUNK_BYTES
from smartsvm._core.validation import check_choice, check_int, check_jobs, describe
from smartsvm._mst.choice import ALGORITHMS
from smartsvm.trees.in_memory.forests import most_trees
from smartsvm.trees.out_of_core.cluster import dask_client
from smartsvm.trees.out_of_core.free_memory import default_limit

# Blocks for each worker: with fewer, most workers would wait for the last one.
_TASKS_FOR_A_WORKER = 4
# Use fewer workers rather than more blocks than this,
_MANY_BLOCKS = 64
# and refuse a limit that needs more blocks than this: pairs of blocks grow as their square.
_MOST_BLOCKS = 256
# Rows that decide where blocks are cut: max(2^16, 256 · blocks).
_SAMPLED = 1 << 16
_SAMPLED_FOR_A_BLOCK = 256
# Up to this many features a kd-tree prunes well for any data.
MOST_KD_FEATURES = 6
# From 4 features on kd-trees list the distances of neighbours (KEEPS_DISTANCES of kdtree/graph.h).
_LISTS_DISTANCES = 4
# Up to this many rows Prim's algorithm takes less time than blocks.
_MOST_PRIM_ROWS = 1 << 12


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
        if n_features <= MOST_KD_FEATURES:
            return "kdtree"
        return "prim" if n_rows <= _MOST_PRIM_ROWS and not self.by_class else "auto"

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
        """Raise if a GPU cannot do what the plan says."""
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


class BlockPlan(NamedTuple):
    """How rows are cut into blocks; a checkpoint stores it, and later calls use it again."""

    n_blocks: int
    most_rows: int  # of a block; larger ones are divided
    n_sampled: int  # rows that decide where blocks are cut
    chunk_bytes: int  # of the source, read at a time

    @classmethod
    def read(cls, stored):
        """The plan among the values that a checkpoint stores, or None."""
        if all(isinstance(stored.get(name), int) for name in cls._fields):
            return cls(*(stored[name] for name in cls._fields))
        return None

    @classmethod
    def of_blocks(cls, n_blocks, n_rows):
        """A plan for any number of blocks, with no limit."""
        return cls(n_blocks, n_rows, max(_SAMPLED, _SAMPLED_FOR_A_BLOCK * n_blocks), CHUNK_BYTES)


class BlockMemory(NamedTuple):
    """What work in blocks takes, for data of this shape."""

    n_rows: int
    n_features: int
    n_trees: int
    algorithm: str = "auto"
    by_class: bool = False
    remote: bool = False  # workers have memory of their own, and the limit is that of each
    in_memory: bool = False  # blocks are arrays in this process, not files

    def row_bytes(self):
        """Bytes of a task for each row of a block; the most that it holds are two blocks."""
        d, t = self.n_features, self.n_trees
        return 2 * (task_bytes(d, t, self.algorithm) + 8 * d + 16 * t)

    def caller_bytes(self):
        """Bytes of the caller beside its tasks; a merge counts too: threads keep freed memory."""
        merge = merge_bytes(self.n_trees, self.n_features, self.by_class)
        # Boxes of blocks, two copies of a sample, and its forests: much, if rows are.
        boxes = 6 * _MANY_BLOCKS
        sampled = sample_size(self.n_rows) + (2 * self.n_trees + 2) * _MANY_BLOCKS
        of_features = (8 * boxes + 36 * min(self.n_rows, sampled)) * max(0, self.n_features - 32)
        return self.block_bytes() + self.n_rows * merge + of_features

    def block_bytes(self):
        """Bytes of blocks that are in memory."""
        return self.n_rows * (8 * self.n_features + 4) if self.in_memory else 0

    def needed(self, most_rows, n_workers, limit):
        """Bytes of a call with blocks of this size and this many tasks at a time."""
        if self.remote:
            return most_rows * self.row_bytes()
        tasks = n_workers * most_rows * self.row_bytes()
        return self.caller_bytes() + tasks + thread_bytes(n_workers, self.n_features, limit)

    def most_rows(self, n_workers, limit):
        """Rows of a block that fit a limit; fewer than 2 if none do."""
        left = limit - self.needed(0, n_workers, limit)
        return int(left // (self.row_bytes() * (1 if self.remote else n_workers)))

    def has_room(self, n_workers, limit):
        """Whether this many workers can be used without very many blocks."""
        return self.most_rows(n_workers, limit) >= self._least_rows(_MANY_BLOCKS)

    def _least_rows(self, n_blocks):
        return 2 if self.remote else max(2, -(-self.n_rows // n_blocks))

    def workers_for(self, most_rows, n_workers, limit):
        """How many of the workers can be used with blocks of this size; 0 if none can."""
        fitting = range(n_workers, 0, -1)
        return next((w for w in fitting if self.needed(most_rows, w, limit) <= limit), 0)

    def plan(self, limit, n_workers):
        """The plan for a limit, or None, and how many of the workers it can use."""
        if limit is None:
            return BlockPlan.of_blocks(self._fewest_blocks(n_workers), self.n_rows), n_workers
        workers = next((w for w in range(n_workers, 1, -1) if self.has_room(w, limit)), 1)
        rows = self.most_rows(workers, limit)
        least = self._least_rows(_MOST_BLOCKS)
        if rows < least:
            raise ValueError(
                f"memory_limit must be at least {self.needed(least, 1, limit):,} bytes for "
                f"{self.n_rows} rows of {self.n_features} features and {self.n_trees} trees, got "
                f"{limit:,}."
            )
        # Blocks come out a little unequal; the limit holds for the largest.
        n_blocks = max(self._fewest_blocks(workers), math.ceil(1.1 * self.n_rows / rows))
        n_blocks = min(n_blocks, self.n_rows)
        # A sample and chunks that take a small part of it; the ranges of chunks are kept, too.
        spare = max(0, limit - self.block_bytes())
        plan = BlockPlan.of_blocks(n_blocks, min(rows, self.n_rows))
        n_sampled = max(4 * n_blocks, spare // (160 * self.n_features))
        chunk_bytes = max(1 << 16, 64 * self.n_features, spare // (16 * workers))
        return plan._replace(
            n_sampled=min(plan.n_sampled, n_sampled), chunk_bytes=min(plan.chunk_bytes, chunk_bytes)
        ), workers

    def _fewest_blocks(self, n_workers):
        # Fewer would leave workers idle; a block of one point helps no one.
        if n_workers == 1:
            return 2
        return min(_TASKS_FOR_A_WORKER * n_workers, max(1, self.n_rows // 2))


def thread_bytes(n_threads, n_features, limit):
    """Bytes of the buffers of threads beyond what a limit tolerates (4%, or 8 MiB if small)."""
    tolerated = limit // 25 if limit > 100 << 20 else 8 << 20
    buffers = 2 << 20 if n_features <= MOST_KD_FEATURES else 4 << 20
    return max(0, (n_threads + 1) * buffers - tolerated)


def direct_bytes(n_rows, n_features, n_trees, algorithm="auto", by_class=False, core_neighbors=0):
    """Memory of one call over all points, a copy of them included."""
    # The most, at about 30 classes, whose points are copied for each kernel that joins them.
    of_pairs = 680 * n_trees + 28 * n_features if by_class else 0
    each = 8 * n_features + task_bytes(n_features, n_trees, algorithm) + of_pairs
    return n_rows * (each + core_bytes(core_neighbors, algorithm))


def core_bytes(core_neighbors, algorithm="auto"):
    """Memory of a point's core and of its neighbours, beyond that of its plain trees."""
    if core_neighbors == 0:
        return 0
    # Lists of 12 bytes for each neighbour; products sort up to 64 edges of a point, of 32
    # bytes each, in two places.
    sorting = 0 if algorithm in ("prim", "kdtree") else 64 * min(core_neighbors, 64)
    return 24 + 12 * core_neighbors + sorting


def task_bytes(n_features, n_trees, algorithm="auto"):
    """Memory of a kernel for each point it works on; "auto" may choose any of them."""
    # Measured in kd-trees: 160 for 2 features and one tree, 303 for 3 and three; 282 for 6 and one,
    # without the distances of neighbours. In products: 735 for 16 features and one tree,
    # 1,350 for three, 1,690 for 64 and one.
    if algorithm == "prim":
        return 8 * n_features + 45 + 55 * n_trees
    tree = 20 * n_features + 12 * min(n_features, 32) + 45 + 55 * n_trees
    tree += 32 + 16 * n_trees if n_features >= _LISTS_DISTANCES else 0
    return tree if algorithm == "kdtree" else max(tree, 20 * n_features + 105 + 310 * n_trees)


def sample_size(n_rows):
    """Rows of the sample that makes all reaches finite (join.py)."""
    return min(1024, n_rows // 16)


def merge_bytes(n_trees, n_features=MOST_KD_FEATURES, by_class=False):
    """Bytes per point of a merge: edges, order, trees; more where nearly all blocks add edges."""
    if by_class:
        return 60 + 400 * n_trees  # the most, at about 30 classes
    return 24 + 64 * n_trees if n_features <= MOST_KD_FEATURES else 40 + 150 * n_trees
