"""Exact forests of data in blocks: from memory, from disk or from a cluster.

The points are grouped into blocks; tasks find the forests within each and between
those pairs that can matter (join.py); one peel merges them.
"""

import time
from copy import copy
from functools import partial
from hashlib import blake2b
from itertools import combinations
from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import MOST_THREADS, shares_memory
from smartsvm._mst.edges.peel import peel
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.out_of_core.blocks import InputChanged, Piles, pile_in_memory, pile_on_disk
from smartsvm.trees.out_of_core.checkpoint import Checkpoint, read_problem
from smartsvm.trees.out_of_core.free_memory import default_limit, release_memory
from smartsvm.trees.out_of_core.join import Join
from smartsvm.trees.out_of_core.memory_plan import BlockMemory, BlockPlan, least_kernel, sample_size
from smartsvm.trees.out_of_core.partition import kd_plan
from smartsvm.trees.out_of_core.scratch import Scratch
from smartsvm.trees.out_of_core.summary import run_in_threads, summarize
from smartsvm.trees.out_of_core.tasks import Kernel, Within, within
from smartsvm.trees.out_of_core.workers import (
    ClusterChunks,
    TaskRunner,
    dask_client,
    n_workers,
    shared,
    worker_limit,
)


class BlockReport(NamedTuple):
    """What the computation in blocks has taken."""

    n_blocks: int
    n_pairs: int  # pairs of blocks
    n_looked: int  # pairs whose points were compared
    n_skipped: int  # pairs that cannot contribute an edge
    n_tasks: int  # tasks run
    n_resumed: int  # tasks whose results were in the checkpoint
    seconds: float  # time since the data were opened

    def __str__(self):
        return (
            f"{self.n_blocks} blocks; {self.n_looked} of {self.n_pairs} pairs looked at, "
            f"{self.n_skipped} skipped; {self.n_tasks} tasks run, {self.n_resumed} found in the "
            f"checkpoint; {self.seconds:.1f} s"
        )


class BlockForest:
    """Forests of `Points` that are not read, or of groups of them (`codes`).

    `n_blocks` overrides `memory_limit`.
    """

    def __init__(
        self,
        points,
        *,
        n_trees,
        seed,
        algorithm="auto",
        codes=None,
        memory_limit=None,
        n_blocks=None,
        checkpoint=None,
        n_jobs=None,
        verbose=0,
    ):
        self._start = time.monotonic()
        source = points.source
        self.n_rows, self.n_features = points.shape
        self.n_trees, self.seed = n_trees, seed
        if self.n_rows >= 1 << 32:
            raise ValueError(f"X must have fewer than 2^32 rows, got {self.n_rows}.")
        by_class = codes is not None
        algorithm = least_kernel(*points.shape, algorithm, by_class)
        self._client = dask_client()
        self._in_memory = shares_memory() and not source.in_pieces
        remote = self._client is not None
        memory = BlockMemory(*points.shape, n_trees, algorithm, by_class, remote=remote)
        if n_blocks is None:
            given = memory, memory_limit, n_workers(n_jobs), checkpoint
            plan, workers = self._plan(*given, source.in_pieces)
        else:
            plan, workers = BlockPlan.of_blocks(n_blocks, self.n_rows), n_workers(n_jobs)
        self._n_threads = min(workers, MOST_THREADS) if self._client is None else 1
        on_cluster = self._client is not None and source.on_dask
        chunks = ClusterChunks(source, self._client) if on_cluster else None
        in_threads = partial(run_in_threads, source, plan.chunk_bytes, self._n_threads)
        run = chunks.run if on_cluster else in_threads
        summary = summarize(source, plan, run)
        release_memory()
        self.exponent, self._values = summary.exponent, summary.digest
        self._kernel = Kernel(algorithm, seed, n_trees)
        self.runner = TaskRunner(n_jobs if workers == n_workers(n_jobs) else workers, verbose)
        self._scratch = None
        if checkpoint is not None:
            self.runner.checkpoint = Checkpoint(checkpoint, self._problem(summary, codes, plan))
        piles = Piles(_plans(summary, codes, plan.n_blocks), summary.scale)
        digests = summary.digests
        del summary
        if on_cluster:
            self.parts = chunks.pile(piles, codes, plan.most_rows, digests)
        else:
            self.parts = self._make_parts(source, piles, codes, plan)
        release_memory()
        if checkpoint is not None:
            self.runner.checkpoint.begin()
        self._withins = self._trees = None
        self._n_pairs = self._n_looked = 0

    def in_other_order(self, seed):
        """The same blocks under another order among equal distances; no work is kept."""
        other = copy(self)
        other.seed, other._kernel = seed, self._kernel._replace(seed=seed)
        other.runner = self.runner.without_checkpoint()
        other._withins = other._trees = None
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
        blocks = range(len(self.parts))
        join = self.join("", list(blocks), list(combinations(blocks, 2)), [])
        self.run([join])
        lists, self._withins, self._trees = self.withins() + join.forests, None, None
        del join  # with all that only further tasks would need
        if self._in_memory:
            self.parts = [part._replace(ref=None) for part in self.parts]
        return self.peel(lists)

    def join(self, name, blocks, pairs, known):
        """The edges between some blocks, to be found by `run`; see `Join`."""
        parts, withins = [self.parts[p] for p in blocks], [self.withins()[p] for p in blocks]
        trees = [self._trees[p] for p in blocks]
        return Join(name, parts, withins, trees, pairs, known, self._kernel, self.n_rows)

    def withins(self):
        """The forests of each block."""
        if self._withins is not None:
            return self._withins
        n_sampled = max(2 * self.n_trees + 2, sample_size(self.n_rows) // len(self.parts))
        tasks = [
            (f"within-{p}", within, (part.ref, self._kernel, min(64, n_sampled)))
            for p, part in enumerate(self.parts)
        ]
        self._withins = [None] * len(self.parts)
        for key, result in self.runner.run("blocks", Within, tasks):
            self._withins[int(key.removeprefix("within-"))] = result
        self._trees = shared([(each.edges, each.squared) for each in self._withins])
        release_memory()
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
                owner[key].take(result, self.peel)
            release_memory()
            working = {id(join) for join in owner.values()}
            active = [join for join in active if id(join) in working]
        for join in joins:
            self._n_pairs += join.n_pairs
            self._n_looked += join.n_looked

    def peel(self, lists):
        """The forests of the union of some forests (`Within` or `Forests`); empties the list."""
        n_edges = sum(len(each.squared) for each in lists)
        edges, squared = np.empty((n_edges, 2), dtype=np.uint32), np.empty(n_edges)
        start = 0
        while lists:
            each = lists.pop(0)
            here = slice(start, start := start + len(each.squared))
            edges[here] = each.ids[each.edges] if isinstance(each, Within) else each.edges
            squared[here] = each.squared
        del each
        release_memory()
        ids = np.arange(self.n_rows, dtype=np.uint32)
        return Forests(*peel(edges, squared, ids, self.seed, self.n_trees))

    def _plan(self, memory, limit, workers, checkpoint, in_pieces):
        """The plan, that of the checkpoint if there is one, and the workers that it can use."""
        given = limit
        if limit is None and in_pieces:
            limit = default_limit() if self._client is None else worker_limit(self._client)
        inside = memory._replace(in_memory=True)
        stored = BlockPlan.read({} if checkpoint is None else read_problem(checkpoint))
        if limit is not None:
            self._in_memory &= (
                inside.has_room(workers, limit)
                if stored is None
                else inside.workers_for(stored.most_rows, workers, limit) > 0
            )
        if self._in_memory:
            memory = inside
        if stored is None:
            return memory.plan(limit, workers)
        fitting = workers if limit is None else memory.workers_for(stored.most_rows, workers, limit)
        if not fitting and given is not None:
            needed = memory.needed(stored.most_rows, 1, limit)
            raise ValueError(
                f"memory_limit must be at least {needed:,} bytes for the blocks of "
                f"{stored.most_rows:,} rows in checkpoint={str(checkpoint)!r}, got {limit:,}. "
                "Raise it, or pass an empty folder."
            )
        return stored, max(1, fitting)

    def _problem(self, summary, codes, plan):
        """What the results in a checkpoint depend on."""
        return {
            "rows": self.n_rows,
            "features": self.n_features,
            "values": summary.digest,
            "labels": None if codes is None else blake2b(codes.data).hexdigest()[:32],
            "n_trees": self.n_trees,
            "seed": self.seed,
            **plan._asdict(),
        }

    def _make_parts(self, source, piles, codes, plan):
        if self._in_memory:
            parts = pile_in_memory(source, piles, codes, plan, self._n_threads)
            self._check_unchanged(source, piles)
            return parts
        inside = None if self.runner.checkpoint is None else self.runner.checkpoint.folder
        self._scratch = Scratch(inside)
        folder = self._scratch.folder
        parts = pile_on_disk(source, piles, codes, plan, folder, self._n_threads)
        self._check_unchanged(source, piles)
        return parts

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
