"""Single decision trees: ours for dense points, scikit-learn's for sparse ones."""

import numpy as np
from sklearn.tree import ExtraTreeClassifier

from smartsvm.held_out._random_trees import grow
from smartsvm.held_out._tree_descent import add_shares, find_leaves


class DenseTree:
    """An extremely randomised tree, grown on the first `n_seen` rows; the others descend it."""

    def __init__(
        self, columns, codes, n_classes, weights, rows, n_seen, n_tried, seed, *, n_cuts, all_count
    ):
        if not all_count:  # some weights may be 0
            has_weight = weights[rows[:n_seen]] > 0
            if not has_weight.any():
                weights = np.ones_like(weights)
            elif not has_weight.all():
                rows = np.concatenate([rows[:n_seen][has_weight], rows[n_seen:]])
                n_seen = np.count_nonzero(has_weight)
        leaves = np.empty(len(rows) - n_seen, dtype=np.int32)
        self._columns, self._thresholds, self._children, self._classes, mixed = grow(
            columns, codes, weights, rows, n_seen, n_classes, n_tried, n_cuts, seed, leaves
        )
        self.out_of_bag = rows[n_seen:], leaves
        self._entries = np.empty((0, 2), dtype=np.int32)
        self._entry_classes = np.empty(0, dtype=np.intp)
        self._shares = np.empty(0)
        if len(mixed):
            self._share_out(mixed, codes, weights, rows, n_classes)

    def leaves(self, points):
        """The leaf of every point, given as 32-bit rows."""
        out = np.empty(len(points), dtype=np.intp)
        find_leaves(points, self._children, self._columns, self._thresholds, out)
        return out

    def add_votes(self, votes, rows, leaves):
        """Add the class shares of leaves to the votes of rows, each row once."""
        rows, leaves = rows.astype(np.intp, copy=False), leaves.astype(np.intp, copy=False)
        add_shares(
            votes, rows, leaves, self._classes, self._entries, self._entry_classes, self._shares
        )

    def _share_out(self, mixed, codes, weights, rows, n_classes):
        """Store the class shares of the leaves that hold several classes."""
        leaves, begins, ends = mixed.T
        places = np.concatenate([np.arange(*span) for span in zip(begins, ends, strict=True)])
        keys = np.repeat(np.arange(len(leaves)), ends - begins) * n_classes + codes[rows[places]]
        entries, entry_of = np.unique(keys, return_inverse=True)
        sums = np.bincount(entry_of, weights[rows[places]])
        of_leaf, self._entry_classes = np.divmod(entries, n_classes)
        self._shares = sums / np.bincount(of_leaf, sums)[of_leaf]
        last = np.cumsum(np.bincount(of_leaf))
        self._entries = np.zeros((len(self._columns), 2), dtype=np.int32)
        self._entries[leaves, 1] = last
        self._entries[leaves, 0] = np.concatenate([[0], last[:-1]])


class SparseTree:
    """The same with scikit-learn for a sparse matrix, with at most `most_leaves` leaves."""

    def __init__(
        self,
        columns,
        codes,
        n_classes,
        weights,
        rows,
        n_seen,
        n_tried,
        seed,
        *,
        points,
        most_leaves,
    ):
        # As in scikit-learn's forests: rows that were not drawn have no weight and are skipped.
        seen = rows[:n_seen]
        left_out = rows[n_seen:]
        drawn = np.zeros(len(codes))
        drawn[seen] = weights[seen] if weights[seen].any() else 1.0
        model = ExtraTreeClassifier(
            max_features=n_tried,
            min_samples_leaf=max(1, int(np.ceil(n_seen / most_leaves))),
            random_state=seed % 2**32,
        )
        model.fit(columns, codes, sample_weight=drawn, check_input=False)
        self._tree = model.tree_
        self._n_classes = n_classes
        self.out_of_bag = left_out, self.leaves(points[left_out])

    def leaves(self, points):
        """The leaf of every point."""
        return self._tree.apply(points)

    def add_votes(self, votes, rows, leaves):
        """Add the class shares of leaves to the votes of rows, each row once."""
        votes[rows] += self._tree.value[leaves, 0]
