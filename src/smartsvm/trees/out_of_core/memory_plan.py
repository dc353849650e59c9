"""Into how many blocks points are cut: from a limit of memory and one formula of what work takes.

    points · bytes held + points in kernels · bytes of a kernel + threads · bytes of a buffer

Over all points at once, all points are in a kernel. In blocks, two blocks of each task are, and the
edges of a merge are held; the points, too, if blocks are in memory.
"""

import math
from typing import NamedTuple

from smartsvm._core.sources import CHUNK_BYTES
from smartsvm._mst.kdtree import kdtree

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
# Up to this many rows Prim's algorithm takes less time than blocks.
_MOST_PRIM_ROWS = 1 << 12
# A smaller limit does not count the buffers of threads.
LEAST_FULL_LIMIT = 16 << 20


def least_kernel(n_rows, n_features, algorithm="auto", by_class=False):
    """The kernel of the least memory: a checkpoint can go on with any limit."""
    if algorithm != "auto":
        return algorithm
    if n_features <= MOST_KD_FEATURES:
        return "kdtree"
    return "prim" if n_rows <= _MOST_PRIM_ROWS and not by_class else "auto"


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

    def needed(self, most_rows, n_workers, limit):
        """Bytes of a call with blocks of this size and this many tasks at a time."""
        d, t = self.n_features, self.n_trees
        # A task holds two blocks, and the trees of both.
        task = 2 * most_rows * (row_bytes(d, t, self.algorithm) + 16 * t)
        if self.remote:
            return task
        # A merge counts while tasks work, too: threads keep freed memory.
        held = merge_bytes(t, d, self.by_class) + (8 * d + 4 if self.in_memory else 0)
        # Boxes of blocks, two copies of a sample, and its forests: much, if rows are.
        sampled = sample_size(self.n_rows) + (2 * t + 2) * _MANY_BLOCKS
        wide = (48 * _MANY_BLOCKS + 36 * min(self.n_rows, sampled)) * max(0, d - 32)
        return self.n_rows * held + wide + n_workers * task + thread_bytes(n_workers, d, limit)

    def most_rows(self, n_workers, limit):
        """Rows of a block that fit a limit; fewer than 2 if none do."""
        fixed = self.needed(0, n_workers, limit)
        return int((limit - fixed) // (self.needed(1, n_workers, limit) - fixed))

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
        spare = limit - (self.n_rows * 8 * self.n_features if self.in_memory else 0)
        spare = max(0, spare)
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


def direct_bytes(n_rows, n_features, n_trees, algorithm="auto", by_class=False, core_neighbors=0):
    """Bytes of one call over all points, a copy of them included, beside those of its threads."""
    # The most, at about 30 classes, whose points are copied for each kernel that joins them.
    of_pairs = 680 * n_trees + 28 * n_features if by_class else 0
    return n_rows * (of_pairs + row_bytes(n_features, n_trees, algorithm, core_neighbors))


def row_bytes(n_features, n_trees, algorithm="auto", core_neighbors=0):
    """Bytes of a point in a kernel; "auto" may choose any of them."""
    d, t = n_features, n_trees
    # Measured in kd-trees: 160 for 2 features and one tree, 303 for 3 and three; 282 for 6 and one,
    # without the distances of neighbours. In products: 735 for 16 features and one tree,
    # 1,350 for three, 1,690 for 64 and one.
    prim = 8 * d + 45 + 55 * t
    kd_tree = 20 * d + 12 * min(d, 32) + 45 + 55 * t
    kd_tree += 32 + 16 * t if d >= kdtree.LISTS_DISTANCES else 0
    products = 20 * d + 105 + 310 * t
    kernel = {"prim": prim, "kdtree": kd_tree}.get(algorithm, max(kd_tree, products))
    # Lists of 12 bytes for each neighbour; products sort up to 64 edges of a point, of 32 bytes
    # each, in two places.
    sorting = 0 if algorithm in ("prim", "kdtree") else 64 * min(core_neighbors, 64)
    cores = 24 + 12 * core_neighbors + sorting if core_neighbors else 0
    return 8 * d + kernel + cores


def merge_bytes(n_trees, n_features=MOST_KD_FEATURES, by_class=False):
    """Bytes per point of a merge: edges, order, trees; more where nearly all blocks add edges."""
    if by_class:
        return 60 + 400 * n_trees  # the most, at about 30 classes
    return 24 + 64 * n_trees if n_features <= MOST_KD_FEATURES else 40 + 150 * n_trees


def thread_bytes(n_threads, n_features, limit):
    """Bytes of the buffers of threads; a small limit is for what grows with the data alone."""
    if limit < LEAST_FULL_LIMIT:
        return 0
    return (n_threads + 1) * ((2 if n_features <= MOST_KD_FEATURES else 4) << 20)


def sample_size(n_rows):
    """Rows of the sample that makes all reaches finite (join.py)."""
    return min(1024, n_rows // 16)
