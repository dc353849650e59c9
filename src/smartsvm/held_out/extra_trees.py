"""Extremely randomised trees and their votes out of bag.

Every tree is grown on 63% of the samples, drawn without replacement (as many as are distinct in
a bootstrap sample), and votes on the others.
"""

import numpy as np
from scipy.sparse import issparse

from smartsvm._core.parallel import in_threads, parallel_results
from smartsvm.held_out._random_trees import draw_rows
from smartsvm.held_out.decision_trees import DenseTree, SparseTree
from smartsvm.held_out.mistakes import Mistakes

# Numbers of trees after which a growing forest may stop.
SIZES = (16, 32, 64)
# Fraction of the samples that a tree is not grown on: 1/e, as in a bootstrap sample.
OUT_OF_BAG = 0.368
# With one cut per column, a split tries min(d / 2, 16) of d columns.
_MOST_SHARE = 0.5
_MOST_COLUMNS = 16
# Bytes of the class shares in the nodes of all trees of sparse points.
_MOST_BYTES = 2**30
# Values are clipped at this many ranges of their column, which float32 can hold.
_FAR = 1e30
# Rows that vote at once.
_ROWS = 2048
# Trees for held-out errors of n rows: 2^17 / n, at least 63 and at most 255. With more rows a tree
# takes longer, and the error is less noisy with the same number of trees.
_LEAST_TREES = 63
MOST_TREES = 255
_ROWS_OF_TREES = 2**17
# Cuts of each column that a split of the trees for held-out errors tries.
_N_CUTS = 6


def n_trees_for(n):
    """How many trees for n rows; odd, so that two classes never tie."""
    return int(np.clip(_ROWS_OF_TREES // n, _LEAST_TREES, MOST_TREES)) | 1


def extra_trees_out_of_bag(points, codes, n_classes, *, seed=0, n_jobs=None):
    """Out-of-bag mistakes of randomised trees."""
    trees = _held_out_trees(points, codes, n_classes, seed, n_jobs)
    n_trees = n_trees_for(len(codes))
    trees.grow(n_trees)
    votes = trees.left_out()
    logs = log_votes(votes, n_trees * OUT_OF_BAG)
    return Mistakes(
        (n_trees,),
        wrong_votes(votes, codes)[None],
        scores=lambda _, rows=slice(None): logs[rows],
        further=lambda others: trees.voters(n_trees).votes(others, in_logs=True),
    )


def wrong_votes(votes, codes):
    """How wrong the vote on each sample is: 0 or 1, or a fraction where its class shares a tie."""
    leading = votes == votes.max(axis=1, keepdims=True)
    return 1 - leading[np.arange(len(codes)), codes] / np.count_nonzero(leading, axis=1)


def extra_trees_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train` by trees grown on the others, for each number of trees."""
    trees = _held_out_trees(points[train], codes[train], n_classes, seed, n_jobs)
    for n_trees in settings:
        trees.grow(n_trees)
        yield trees.voters(n_trees).votes(points[~train], in_logs=True)


def _held_out_trees(points, codes, n_classes, seed, n_jobs):
    """Trees for held-out errors: slower than those of `SmartSVM`, and more accurate."""
    return ExtraTrees(points, codes, n_classes, n_cuts=_N_CUTS, seed=seed % 2**32, n_jobs=n_jobs)


def log_votes(votes, n_voters):
    """Logarithms of mean votes, to which half a vote is added."""
    return np.log(votes + 0.5 / n_voters, dtype=np.float32)


class ExtraTrees:
    """Extremely randomised trees and their out-of-bag votes, the same for any number of threads."""

    # A split tries one cut of half of the columns, at most 16, or `n_cuts` of √d columns. Trees of
    # sparse points are scikit-learn's, with leaves so large that all class shares fit into 1 GiB.
    # With `groups`, numbered from 0, a tree is grown on 63% of them, and votes on whole groups.
    def __init__(
        self, points, codes, n_classes, *, n_cuts=1, weights=None, groups=None, seed=0, n_jobs=None
    ):
        self._columns = _Columns(points)
        self._points = self._columns(points)
        self._sparse = issparse(points)
        # By columns: a node reads a few of them, and many rows.
        self._by_column = (
            self._points.tocsc() if self._sparse else np.ascontiguousarray(self._points.T)
        )
        self._codes, self._n_classes = codes.astype(np.int32), n_classes
        self._weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
        self._all_count = weights is None
        self._n_cuts, self._n_jobs, self._groups = n_cuts, n_jobs, groups
        self._random = np.random.RandomState(seed)
        self._trees = []
        self._votes = np.zeros((len(codes), n_classes))
        self._voters = np.zeros(len(codes), dtype=np.intp)
        self._stages = {}
        sizes = np.bincount(codes, weights, minlength=n_classes)
        self._prior = sizes / sizes.sum()

    @property
    def n_trees(self):
        return len(self._trees)

    def grow(self, n_trees):
        """Grow until there are `n_trees` trees."""
        missing = n_trees - self.n_trees
        if missing <= 0:
            return
        seeds = self._random.randint(np.iinfo(np.int32).max, size=missing).tolist()
        items = ((seed,) for seed in seeds)
        with parallel_results(self._tree, items, self._n_jobs, in_process=True) as grown:
            # Votes are added in the order of the trees: threads change no rounding.
            for tree in grown:
                self._trees.append(tree)
                out_of_bag, leaves = tree.out_of_bag
                del tree.out_of_bag  # it has been counted
                tree.add_votes(self._votes, out_of_bag, leaves)
                self._voters[out_of_bag] += 1
        means = self._votes / np.maximum(self._voters, 1)[:, None]
        means[self._voters == 0] = self._prior
        self._stages[n_trees] = means

    def grow_while_it_pays(self, criterion, sizes=SIZES, *, enough=-np.inf):
        """Grow until ``criterion(votes, n_trees)`` stops falling or is `enough`; how many trees."""
        value = np.inf
        for size in sizes:
            self.grow(size)
            before = value
            value = criterion(self.left_out(size), size)
            if not enough < value < before:
                break
        return size

    def left_out(self, n_trees=None):
        """Mean votes of the trees not grown on a sample, class shares without any, shape (n, K)."""
        return self._stages[self.n_trees if n_trees is None else n_trees]

    def voters(self, n_trees=None):
        """The first trees without the samples: all that voting needs."""
        return Voters(self._trees[:n_trees], self._columns, self._n_classes, self._n_jobs)

    def _tree(self, seed):
        n, d = self._points.shape
        n_drawn = n if self._groups is None else int(self._groups.max()) + 1
        n_seen = max(1, round((1 - OUT_OF_BAG) * n_drawn))
        rows = draw_rows(n_drawn, n_seen, seed)
        if self._groups is not None:
            left_out = np.isin(self._groups, rows[n_seen:])
            rows = np.argsort(left_out, kind="stable").astype(np.int32)
            n_seen = n - np.count_nonzero(left_out)
        n_tried = min(round(_MOST_SHARE * d), _MOST_COLUMNS) if self._n_cuts == 1 else round(d**0.5)
        data = (
            self._by_column,
            self._codes,
            self._n_classes,
            self._weights,
            rows,
            n_seen,
            max(1, n_tried),
            seed,
        )
        if not self._sparse:
            return DenseTree(*data, n_cuts=self._n_cuts, all_count=self._all_count)
        most_leaves = _MOST_BYTES / (8 * self._n_classes * SIZES[-1]) / 2
        return SparseTree(*data, points=self._points, most_leaves=most_leaves)


class Voters:
    """Trees that vote on points."""

    def __init__(self, trees, columns, n_classes, n_jobs=None):
        self._trees, self._columns, self._n_classes = trees, columns, n_classes
        self.n_trees, self._n_jobs = len(trees), n_jobs

    def votes(self, points, in_logs=False):
        """Mean votes of all trees, or what `log_votes` makes of them, shape (n, K)."""
        out = np.empty((points.shape[0], self._n_classes), np.float32 if in_logs else float)

        def vote(start):
            rows = slice(start, start + _ROWS)
            inside = self._columns(points[rows])
            part = np.zeros(out[rows].shape)
            everyone = np.arange(len(part))
            for tree in self._trees:
                tree.add_votes(part, everyone, tree.leaves(inside))
            part /= self.n_trees
            out[rows] = log_votes(part, self.n_trees) if in_logs else part

        in_threads(vote, range(0, len(out), _ROWS), self._n_jobs)
        return out


class _Columns:
    """Points as trees read them: 32 bits, which hold a column's range only if it is centred."""

    def __init__(self, points):
        self._middle = None
        if issparse(points):
            self._unit = np.abs(points.data).max(initial=0.0) or 1.0
            return
        self._middle = (points.min(axis=0) + points.max(axis=0)) / 2
        spread = np.ptp(points, axis=0)
        self._unit = np.where(spread > 0, spread, np.inf)

    def __call__(self, points):
        if self._middle is None:
            return (points / self._unit).astype(np.float32).tocsr()
        inside = (points - self._middle) / self._unit
        return np.clip(inside, -_FAR, _FAR).astype(np.float32)
