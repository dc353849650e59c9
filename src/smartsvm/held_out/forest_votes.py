"""Votes of extremely randomised trees for all classes at once, each sample judged out of bag.

Every tree is grown on 63 % of the samples, drawn without replacement (as many as differ in a
bootstrap sample), and votes for the others.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from smartsvm._core.parallel import parallel_results
from smartsvm.held_out.errors import Mistakes, wrong_answers
from smartsvm.held_out.voting_trees import DenseTree, SparseTree

SIZES = (16, 32, 64)
OUT_OF_BAG = 0.368  # 1/e, the share of the samples that a tree does not see
_MOST_SHARE = 0.5  # of the columns that a split may look at,
_MOST_COLUMNS = 16  # and their number; all columns gained nothing and took longer
_MOST_BYTES = 2**30  # for the class shares in the nodes of all trees of sparse points
_FAR = 1e30  # in units of the spread: beyond it no split looks, and 32 bits hold it
_ROWS = 4096  # that vote at once
# Trees of a forest that is judged and not kept: a few, and the others unless the few err so much
# more than another rule that they would still do so with this share of their error.
_FEW_TREES, _ENOUGH_TREES = 16, 48
_SHARE_OF_FEW = 0.5


def forest_out_of_bag(points, codes, n_classes, *, best=1.0, seed=0, n_jobs=None):
    """Errors of extremely randomised trees, on the samples that each has not seen.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n_samples, n_features)
        Finite points.
    codes : ndarray of shape (n_samples,)
        Class of each point, 0 to K-1, none empty.
    n_classes : int
        Classes K.
    best : float, default=1.0
        Error of another rule: a forest that cannot come near it stays small.
    seed : int, default=0
        Seed of the samples and of the splits.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    Mistakes
        One rule, of 16 trees or of 48.
    """
    forest = ForestVotes(points, codes, n_classes, seed=seed % 2**32, n_jobs=n_jobs)
    chance = np.sqrt(best * (1 - best) / len(codes))
    for n_trees in (_FEW_TREES, _ENOUGH_TREES):
        forest.grow(n_trees)
        found = Mistakes((n_trees,), wrong_answers(forest.left_out().copy(), codes)[None])
        if _SHARE_OF_FEW * float(found.errors[0]) > best + chance:
            break
    return found


class ForestVotes:
    """A growing forest that keeps the votes of the trees which have not seen a sample.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n, d)
        Finite points.
    codes : ndarray of shape (n,)
        Class of each point, 0 to K - 1.
    n_classes : int
        Classes K, each with at least one point.
    weights : ndarray of shape (n,) or None, default=None
        Weights of the points; all the same by default.
    seed : int, default=0
        Seed of the samples and of the splits.
    n_jobs : int or None, default=None
        Trees that grow at the same time; their number changes no bit of the result.

    Attributes
    ----------
    n_trees : int
        Trees so far.

    Notes
    -----
    A split looks at half of the columns, at most 16. Trees are grown until their leaves
    are pure; those of sparse points, which are scikit-learn's, unless n K is so large that their
    class shares would need more than 1 GiB.
    """

    def __init__(self, points, codes, n_classes, *, weights=None, seed=0, n_jobs=None):
        self._columns = _Columns(points)
        self._points = self._columns(points)
        self._sparse = issparse(points)
        # By columns: a node looks at a few of them, and at many rows.
        self._by_column = (
            self._points.tocsc() if self._sparse else np.ascontiguousarray(self._points.T)
        )
        self._codes, self._n_classes = codes.astype(np.int32), n_classes
        self._weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
        self._n_jobs = n_jobs
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
        """Grow until there are this many trees; none is removed.

        Parameters
        ----------
        n_trees : int
            Trees to have.
        """
        missing = n_trees - self.n_trees
        if missing <= 0:
            return
        seeds = self._random.randint(np.iinfo(np.int32).max, size=missing).tolist()
        items = ((seed,) for seed in seeds)
        with parallel_results(self._tree, items, self._n_jobs, in_process=True) as grown:
            # Votes are added in the order of the trees, so that threads change no rounding.
            for tree in grown:
                self._trees.append(tree)
                out_of_bag, leaves = tree.taken_out_of_bag()
                tree.add_votes(self._votes, out_of_bag, leaves)
                self._voters[out_of_bag] += 1
        self._stages[n_trees] = self._mean_votes()

    def grow_while_it_pays(self, criterion, sizes=SIZES, *, enough=-np.inf):
        """Grow from one size to the next as long as a criterion falls and is not small.

        A forest that has grown to these sizes before does not grow again: another
        criterion is asked about the same votes.

        Parameters
        ----------
        criterion : callable
            Takes the left-out votes, shape (n, K), and the number of trees, and returns a
            number, an error for instance.
        sizes : sequence of int, default=SIZES
            Numbers of trees, rising.
        enough : float, default=-inf
            At a criterion of this or less there is nothing left to gain.

        Returns
        -------
        int
            The first number of trees at which the criterion stopped falling or was small enough;
            otherwise the last one.
        """
        value = np.inf
        for size in sizes:
            self.grow(size)
            before, value = value, criterion(self.left_out(size), size)
            if not enough < value < before:
                break
        return size

    def left_out(self, n_trees=None):
        """Mean votes of the trees that have not seen the sample.

        Parameters
        ----------
        n_trees : int or None, default=None
            A number of trees at which growth paused; all by default.

        Returns
        -------
        ndarray of shape (n, K)
            Each row sums to 1; the shares of the classes for a sample that all trees
            have seen.
        """
        return self._stages[self.n_trees if n_trees is None else n_trees]

    def voters(self, n_trees=None):
        """The first trees without the samples: all that voting needs.

        Parameters
        ----------
        n_trees : int or None, default=None
            How many; all by default.

        Returns
        -------
        Voters
            They share the trees of this forest.
        """
        return Voters(self._trees[:n_trees], self._columns, self._n_classes)

    def _mean_votes(self):
        means = self._votes / np.maximum(self._voters, 1)[:, None]
        means[self._voters == 0] = self._prior
        return means

    def _tree(self, seed):
        n, d = self._points.shape
        random = np.random.default_rng(seed)
        seen = np.zeros(n, dtype=bool)
        seen[random.permutation(n)[: max(1, round((1 - OUT_OF_BAG) * n))]] = True
        n_tried = max(1, min(round(_MOST_SHARE * d), _MOST_COLUMNS))
        given = self._by_column, self._codes, self._n_classes, self._weights, seen, n_tried, seed
        if not self._sparse:
            return DenseTree(*given)
        most_leaves = _MOST_BYTES / (8 * self._n_classes * SIZES[-1]) / 2
        return SparseTree(*given, points=self._points, most_leaves=most_leaves)


class Voters:
    """Trees that vote on points.

    Parameters
    ----------
    trees : list
        The trees.
    columns : callable
        Points as the trees read them.
    n_classes : int
        Classes K.

    Attributes
    ----------
    n_trees : int
        How many there are.
    """

    def __init__(self, trees, columns, n_classes):
        self._trees, self._columns, self._n_classes = trees, columns, n_classes
        self.n_trees = len(trees)

    def votes(self, points):
        """Mean votes of all trees.

        Parameters
        ----------
        points : ndarray or sparse matrix of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n, K)
            Each row sums to 1.
        """
        out = np.zeros((points.shape[0], self._n_classes))
        for start in range(0, points.shape[0], _ROWS):
            rows = slice(start, start + _ROWS)
            inside, part = self._columns(points[rows]), out[rows]
            everyone = np.arange(len(part))
            for tree in self._trees:
                tree.add_votes(part, everyone, tree.leaves(inside))
        out /= self.n_trees
        return out


class _Columns:
    """Points as trees read them: 32 bits, so that columns are centred and scaled first.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n, d)
        All points.
    """

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
