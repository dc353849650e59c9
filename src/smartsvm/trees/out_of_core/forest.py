"""Exact forests of data in blocks: from memory, from disk or from a cluster.

The points are grouped into blocks; tasks find the forests within each and between
those pairs that can matter (join.py); one peel merges them.
"""

from __future__ import annotations

import time
from copy import copy
from hashlib import blake2b
from itertools import combinations
from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import shares_memory
from smartsvm._core.sources import is_dask, is_source, open_source
from smartsvm._mst.edges.peel import peel
from smartsvm.trees.in_memory.class_trees import Forests
from smartsvm.trees.out_of_core.checkpoint import Checkpoint, read_problem
from smartsvm.trees.out_of_core.cluster import ClusterChunks, dask_client, scatter, worker_limit
from smartsvm.trees.out_of_core.join import Join
from smartsvm.trees.out_of_core.memory_plan import default_limit, plan_blocks
from smartsvm.trees.out_of_core.partition import kd_plan
from smartsvm.trees.out_of_core.scratch import Scratch
from smartsvm.trees.out_of_core.store import InputChanged, Piles, pile_in_memory, pile_on_disk
from smartsvm.trees.out_of_core.summary import summarize
from smartsvm.trees.out_of_core.task_runner import TaskRunner, n_workers
from smartsvm.trees.out_of_core.tasks import Kernel, Within, within

_SAMPLED = 1 << 16  # rows that decide where blocks are cut, and more for many blocks
_SAMPLED_FOR_A_BLOCK = 256
_STANDING_FOR_ALL = 1024  # rows of the sample that makes all reaches finite


class BlockReport(NamedTuple):
    """What it took to compute forests in blocks.

    Attributes
    ----------
    n_blocks : int
        Blocks.
    n_pairs : int
        Pairs of blocks.
    n_looked : int
        Pairs of which points were compared.
    n_skipped : int
        Pairs that could not contribute an edge.
    n_tasks : int
        Tasks that were run.
    n_resumed : int
        Tasks whose results an earlier run had left in the checkpoint.
    seconds : float
        Time since the data were opened.
    """

    n_blocks: int
    n_pairs: int
    n_looked: int
    n_skipped: int
    n_tasks: int
    n_resumed: int
    seconds: float

    def __str__(self):
        return (
            f"{self.n_blocks} blocks; {self.n_looked} of {self.n_pairs} pairs looked at, "
            f"{self.n_skipped} skipped; {self.n_tasks} tasks run, {self.n_resumed} found in the "
            f"checkpoint; {self.seconds:.1f} s"
        )


class BlockForest:
    """Forests of the points of a source, of groups of them, and of pairs of groups.

    Parameters
    ----------
    X : source or array
        See `open_source`.
    n_trees : int
        Orthogonal trees.
    seed : int
        Seed of the tie order.
    algorithm : str, default="auto"
        Kernel, as in `euclidean_mst`.
    codes : ndarray of shape (n_rows,) or None, default=None
        Group of each row, 0 to K-1; blocks hold points of one group.
    memory_limit : int or None, default=None
        Bytes; see `plan_blocks`.
    n_blocks : int or None, default=None
        Number of blocks, in place of what the limit asks for.
    checkpoint : path or None, default=None
        Folder for finished work.
    n_jobs : int or None, default=None
        Tasks at a time.
    verbose : int, default=0
        Whether to show progress on standard error.
    """

    def __init__(
        self, X, *, n_trees, seed, algorithm="auto", codes=None, memory_limit=None, n_blocks=None,
        checkpoint=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self._start = time.monotonic()
        self.n_trees, self.seed = n_trees, seed
        source = open_source(X)
        self.n_rows, self.n_features = source.n_rows, source.n_features
        if self.n_rows >= 1 << 32:
            raise ValueError(f"X must have fewer than 2^32 rows, got {self.n_rows}.")
        self._client = dask_client()
        workers = n_workers(n_jobs)
        self._n_threads = workers if self._client is None else 1
        most_rows = self.n_rows
        if n_blocks is None:
            if memory_limit is None and is_source(X):
                memory_limit = self._default_limit()
            n_blocks, most_rows = self._plan(memory_limit, workers, checkpoint)
        on_cluster = self._client is not None and is_dask(X)
        chunks = ClusterChunks(source, self._client) if on_cluster else None
        strong = checkpoint is not None
        n_sampled = max(_SAMPLED, _SAMPLED_FOR_A_BLOCK * n_blocks)
        if on_cluster:
            summary = chunks.summarize(n_sampled, strong=strong)
        else:
            summary = summarize(source, n_sampled, strong=strong, n_threads=self._n_threads)
        self.exponent, self._values = summary.exponent, summary.digest
        self._kernel = Kernel(algorithm, seed, n_trees)
        self.runner = TaskRunner(n_jobs, verbose)
        self._scratch = None
        if checkpoint is not None:
            problem = self._problem(summary, codes, n_blocks, most_rows)
            self.runner.checkpoint = Checkpoint(checkpoint, problem)
        piles = Piles(_plans(summary, codes, n_blocks), summary.scale, strong)
        if on_cluster:
            self.parts = chunks.pile(piles, codes, most_rows)
        else:
            self.parts = self._make_parts(X, source, piles, codes, most_rows)
        if checkpoint is not None:
            self.runner.checkpoint.begin()
        self._withins = None
        self._n_pairs = self._n_looked = 0

    def in_other_order(self, seed):
        """The same blocks under another order among equal distances; no work is kept."""
        other = copy(self)
        other.seed, other._kernel = seed, self._kernel._replace(seed=seed)
        other.runner = self.runner.without_checkpoint()
        other._withins = None
        other._n_pairs = other._n_looked = 0
        return other

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Remove the files of the blocks."""
        if self._scratch is not None:
            self._scratch.remove()

    @property
    def report(self):
        """What it took so far, as a `BlockReport`."""
        return BlockReport(
            len(self.parts),
            self._n_pairs,
            self._n_looked,
            self._n_pairs - self._n_looked,
            self.runner.n_done,
            self.runner.n_resumed,
            time.monotonic() - self._start,
        )

    def whole(self):
        """The forests of all points. The blocks' own forests are forgotten after it."""
        join = self.join_all()
        self.run([join])
        return self.merge(join)

    def join_all(self):
        """The edges between all blocks, to be found by `run`."""
        pairs = list(combinations(range(len(self.parts)), 2))
        return self.join("", list(range(len(self.parts))), pairs, [])

    def merge(self, join):
        """The forests of all points, from those of the blocks and what a join has found."""
        edges = [each.ids[each.edges] for each in self.withins()]
        squared = [each.squared for each in self.withins()]
        self._withins = None  # the most of all that is in memory
        join.forget()
        return self.peel(edges, squared, join.found)

    def join(self, name, blocks, pairs, known):
        """The edges between some blocks, to be found by `run`.

        Parameters
        ----------
        name : str
            Prefix of the names of its tasks.
        blocks : list of int
            The blocks.
        pairs : list of (int, int)
            Pairs to look at, as positions in `blocks`.
        known : list of Forests
            Forests of some of their points.

        Returns
        -------
        Join
            With nothing found yet.
        """
        parts, withins = [self.parts[p] for p in blocks], [self.withins()[p] for p in blocks]
        return Join(name, parts, withins, pairs, known, self._kernel, self.n_rows)

    def withins(self):
        """The forests of each block."""
        if self._withins is not None:
            return self._withins
        n_sampled = min(64, max(2 * self.n_trees + 2, _STANDING_FOR_ALL // len(self.parts)))
        tasks = [
            (f"within-{p}", within, (part.ref, self._kernel, n_sampled))
            for p, part in enumerate(self.parts)
        ]
        self._withins = [None] * len(self.parts)
        for key, result in self.runner.run("blocks", Within, tasks):
            self._withins[int(key.removeprefix("within-"))] = result
        return self._withins

    def run(self, joins):
        """Work on several joins at a time until none has tasks left."""
        joins = list(joins)
        active = joins
        while active:
            owner, tasks = {}, []
            for join in active:
                own = join.tasks()
                tasks += own
                owner.update((key, join) for key, _, _ in own)
            for key, result in self.runner.run("pairs of blocks", Forests, tasks):
                owner[key].take(result)
            working = {id(join) for join in owner.values()}
            active = [join for join in active if id(join) in working]
        for join in joins:
            self._n_pairs += join.n_pairs
            self._n_looked += join.n_looked

    def peel(self, edges, squared, found):
        """The forests of the union of lists of edges and of what joins have found."""
        edges = np.concatenate([*edges, *(forests.edges for forests in found)])
        squared = np.concatenate([*squared, *(forests.squared for forests in found)])
        ids = np.arange(self.n_rows, dtype=np.uint32)
        return Forests(*peel(edges, squared, ids, self.seed, self.n_trees))

    def _default_limit(self):
        return default_limit() if self._client is None else worker_limit(self._client)

    def _plan(self, memory_limit, workers, checkpoint):
        """Blocks, and the most rows of one: those of the checkpoint if they still fit."""
        n_blocks, most_rows = plan_blocks(
            self.n_rows,
            self.n_features,
            self.n_trees,
            limit=memory_limit,
            n_workers=workers,
            remote=self._client is not None,
        )
        # Another number of workers or more memory is no reason to begin again.
        known = {} if checkpoint is None else read_problem(checkpoint)
        if known.get("most_rows", np.inf) <= most_rows:
            return known["n_blocks"], known["most_rows"]
        return n_blocks, most_rows

    def _problem(self, summary, codes, n_blocks, most_rows):
        """What the results in a checkpoint depend on."""
        return {
            "rows": self.n_rows,
            "features": self.n_features,
            "values": summary.digest,
            "labels": None if codes is None else blake2b(codes.data).hexdigest()[:32],
            "n_trees": self.n_trees,
            "seed": self.seed,
            "n_blocks": n_blocks,
            "most_rows": most_rows,
        }

    def _make_parts(self, X, source, piles, codes, most_rows):
        if shares_memory() and not is_source(X):
            parts = pile_in_memory(source, piles, codes, most_rows, self._n_threads)
            self._check_unchanged(source, piles)
            return parts
        inside = None if self.runner.checkpoint is None else self.runner.checkpoint.folder
        self._scratch = Scratch(inside)
        folder = self._scratch.folder
        parts = pile_on_disk(source, piles, codes, most_rows, folder, self._n_threads)
        self._check_unchanged(source, piles)
        if self._client is None:
            return parts
        # The files stay: what a lost worker had is sent again from them.
        return scatter(parts, self._client)

    def _check_unchanged(self, source, piles):
        """Compute nothing, let alone store it, from values other than those of the digest."""
        if piles.digest != self._values:
            raise InputChanged(source.name)


def _plans(summary, codes, n_blocks):
    """How to cut the points of each group: into blocks of about equal size over all groups."""
    if codes is None:
        return [kd_plan(summary.sample, n_blocks)]
    plans = []
    for group, size in enumerate(np.bincount(codes).tolist()):
        own = summary.sample[codes[summary.sampled] == group]
        n_leaves = -(-size * n_blocks // len(codes)) if len(own) else 1
        plans.append(kd_plan(own if len(own) else summary.sample[:1], n_leaves))
    return plans
