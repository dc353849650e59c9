"""Extremely randomised trees: votes out of bag, the same for any number of threads."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from smartsvm.held_out._random_trees import draw_rows, grow
from smartsvm.held_out._tree_descent import find_leaves
from smartsvm.held_out.extra_trees import ExtraTrees, extra_trees_out_of_bag, wrong_votes


def _rings(n=300, seed=0):
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, 3))
    return points, np.digitize((points[:, :2] ** 2).sum(axis=1), [0.7, 2.0])


def test_votes_of_a_sample_come_from_trees_that_have_not_seen_it():
    # Labels without any signal: trees know their own samples by heart, and nothing else.
    random = np.random.default_rng(0)
    points, codes = random.normal(size=(300, 4)), np.arange(300) % 2
    forest = ExtraTrees(points, codes, 2)
    forest.grow(32)
    assert np.mean(forest.voters().votes(points).argmax(axis=1) == codes) > 0.99
    assert 0.4 < np.mean(forest.left_out().argmax(axis=1) == codes) < 0.6


def _votes_by_hand(tree, inside, codes, seen):
    """Class shares of the seen samples in the leaf of every point."""
    leaves = tree.leaves(inside)
    counts = np.zeros((leaves.max() + 1, codes.max() + 1))
    np.add.at(counts, (leaves[seen], codes[seen]), 1)
    return (counts / np.maximum(counts.sum(axis=1), 1)[:, None])[leaves]


def test_rows_of_a_tree_are_drawn_evenly():
    drawn = np.zeros(50)
    for seed in range(2000):
        rows = draw_rows(50, 20, seed)
        assert np.array_equal(np.sort(rows), np.arange(50))
        assert (np.diff(rows[:20]) > 0).all()
        assert (np.diff(rows[20:]) > 0).all()
        drawn[rows[:20]] += 1
    # Binomial with standard deviation 22.
    assert np.abs(drawn - 800).max() < 110


@pytest.mark.parametrize("copies", [1, 3])  # copies of points have different classes in a leaf
@pytest.mark.parametrize("is_sparse", [False, True])
def test_out_of_bag_votes_come_from_trees_without_the_sample(copies, is_sparse):
    points, codes = _rings(60)
    points = np.repeat(points[: 60 // copies], copies, axis=0)
    points = sparse.csr_matrix(points) if is_sparse else points
    forest = ExtraTrees(points, codes, 3, seed=4)
    forest.grow(5)
    inside = forest._columns(points)
    votes, voters = np.zeros((60, 3)), np.zeros(60)
    seeds = np.random.RandomState(4).randint(np.iinfo(np.int32).max, size=5)
    for seed, tree in zip(seeds, forest._trees, strict=True):
        order = draw_rows(60, 38, seed)
        seen, missed = order[:38], order[38:]
        votes[missed] += _votes_by_hand(tree, inside, codes, seen)[missed]
        voters[missed] += 1
    known = voters > 0
    np.testing.assert_allclose(forest.left_out()[known], votes[known] / voters[known, None])
    assert not known.all()
    np.testing.assert_allclose(
        forest.left_out()[~known], np.tile(np.bincount(codes) / 60, ((~known).sum(), 1))
    )


def test_trees_are_as_good_as_those_of_scikit_learn():
    points, codes = _rings(600)
    errors = {True: [], False: []}
    for is_sparse, found in errors.items():
        for seed in range(12):
            forest = ExtraTrees(
                sparse.csr_matrix(points) if is_sparse else points, codes, 3, seed=seed
            )
            forest.grow(16)
            found.append(np.mean(forest.left_out().argmax(axis=1) != codes))
    assert np.mean(errors[False]) == pytest.approx(np.mean(errors[True]), abs=0.01)


def test_a_split_looks_only_at_columns_that_change():
    # 40 constant columns, and one of which each half is constant in its turn.
    random = np.random.default_rng(0)
    points = np.zeros((200, 43))
    points[:, 41] = np.arange(200) % 2
    points[:, 42] = np.where(points[:, 41] == 0, random.normal(size=200), 0.0)
    codes = np.where(points[:, 41] == 0, points[:, 42] > 0, 2).astype(int)
    forest = ExtraTrees(points, codes, 3)
    forest.grow(32)
    assert np.mean(forest.left_out().argmax(axis=1) == codes) > 0.95


def test_all_cuts_are_tried_beside_columns_of_two_values():
    random = np.random.default_rng(0)
    x = random.random(1000).astype(np.float32)
    codes = (x > 0.5).astype(np.int32)
    coins = random.integers(0, 2, (8, 1000)).astype(np.float32)
    columns, rows = np.vstack([coins, x]), np.arange(1000, dtype=np.int32)

    def distance(n_cuts, seed):
        leaves = np.empty(0, dtype=np.int32)
        data = columns, codes, np.ones(1000), rows.copy(), 1000, 2
        column, threshold, *_ = grow(*data, len(columns), n_cuts, seed, leaves)
        assert column[0] == len(coins)
        return abs(threshold[0] - 0.5)

    one, six = (np.mean([distance(n, seed) for seed in range(100)]) for n in (1, 6))
    assert six < one / 2


def test_votes_sum_to_one_and_find_rings():
    points, codes = _rings()
    forest = ExtraTrees(points, codes, 3)
    forest.grow(16)
    for votes in (forest.left_out(), forest.voters().votes(points)):
        np.testing.assert_allclose(votes.sum(axis=1), 1)
    assert np.mean(forest.left_out().argmax(axis=1) == codes) > 0.75


def test_growing_in_steps_is_growing_at_once():
    points, codes = _rings()
    once, steps = ExtraTrees(points, codes, 3), ExtraTrees(points, codes, 3)
    once.grow(8)
    for size in (2, 3, 8, 4):
        steps.grow(size)
    assert steps.n_trees == 8
    np.testing.assert_array_equal(once.left_out(), steps.left_out())


@pytest.mark.parametrize("n_cuts", [1, 6])
@pytest.mark.parametrize("values", [None, 4])  # few values: many cuts are equal
@pytest.mark.parametrize("n_classes", [2, 30])
def test_equal_weights_change_no_bit(n_cuts, values, n_classes):
    # Samples of weight 1 are counted, in large nodes for all cuts in one pass; others are summed.
    random = np.random.default_rng(n_cuts)
    points, codes = random.normal(size=(400, 5)), random.integers(n_classes, size=400)
    points[:, 0] += codes
    if values is not None:
        points = np.clip(points.round(), 0, values - 1)
    votes = []
    for weights in (None, np.full(400, 2.0)):
        forest = ExtraTrees(points, codes, n_classes, n_cuts=n_cuts, weights=weights)
        forest.grow(8)
        votes.append(forest.left_out())
    assert np.array_equal(*votes)


def test_too_many_cuts_are_refused():
    points, codes = _rings()
    with pytest.raises(ValueError, match=r"n_cuts must be from 1 to 8, got 9\."):
        ExtraTrees(points, codes, 3, n_cuts=9).grow(1)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_change_no_bit(n_jobs):
    points, codes = _rings()
    one, many = ExtraTrees(points, codes, 3), ExtraTrees(points, codes, 3, n_jobs=n_jobs)
    for forest in (one, many):
        forest.grow(12)
    np.testing.assert_array_equal(one.left_out(), many.left_out())
    np.testing.assert_array_equal(one.voters().votes(points), many.voters().votes(points))


def test_another_seed_gives_other_trees():
    points, codes = _rings()
    forests = [ExtraTrees(points, codes, 3, seed=seed) for seed in (0, 0, 1)]
    for forest in forests:
        forest.grow(4)
    np.testing.assert_array_equal(forests[0].left_out(), forests[1].left_out())
    assert not np.array_equal(forests[0].left_out(), forests[2].left_out())


@pytest.mark.parametrize(
    ("values", "n_trees"), [([3, 2, 1], 16), ([3, 3, 1], 8), ([3, 2, 2], 16), ([3, 4, 1], 8)]
)
def test_grows_while_the_criterion_falls(values, n_trees):
    points, codes = _rings(40)
    forest, asked = ExtraTrees(points, codes, 3), iter(values)

    def criterion(votes, size):
        assert votes.shape == (40, 3)
        assert size == forest.n_trees
        return next(asked)

    assert forest.grow_while_it_pays(criterion, sizes=(4, 8, 16)) == forest.n_trees == n_trees


def test_stops_where_nothing_is_left_to_gain():
    points, codes = _rings(40)
    forest = ExtraTrees(points, codes, 3)
    falling = {4: 0.5, 8: 0.01, 16: 0.0}
    sizes = tuple(falling)
    assert forest.grow_while_it_pays(lambda _, n: falling[n], sizes, enough=0.01) == 8
    assert forest.grow_while_it_pays(lambda _, n: falling[n], sizes, enough=0.001) == 16


def test_grown_trees_are_used_again_without_growing():
    points, codes = _rings(60)
    forest, small = ExtraTrees(points, codes, 3), ExtraTrees(points, codes, 3)
    forest.grow_while_it_pays(lambda votes, size: -size, sizes=(4, 8, 16))
    seen = []
    chosen = forest.grow_while_it_pays(
        lambda votes, size: seen.append(votes) or size, sizes=(4, 8, 16)
    )
    assert (chosen, forest.n_trees, len(seen)) == (8, 16, 2)
    small.grow(8)
    np.testing.assert_array_equal(seen[1], small.left_out())
    np.testing.assert_array_equal(forest.voters(8).votes(points), small.voters().votes(points))


def test_samples_of_no_weight_teach_nothing():
    points, codes = _rings()
    wrong = np.where(np.arange(300) % 3 == 0, (codes + 1) % 3, codes)
    weights = np.where(wrong == codes, 1.0, 0.0)
    forest, misled = ExtraTrees(points, wrong, 3, weights=weights), ExtraTrees(points, wrong, 3)
    for each in (forest, misled):
        each.grow(16)
    right = [np.mean(f.left_out().argmax(axis=1) == codes) for f in (forest, misled)]
    assert right[0] > right[1] + 0.05


@pytest.mark.parametrize("sizes", [[1, 1], [2, 1], [3, 2, 1]])
def test_tiny_classes(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    points = codes[:, None] * np.array([[10.0, 1.0]])
    forest = ExtraTrees(points, codes, len(sizes))
    forest.grow(16)
    np.testing.assert_allclose(forest.left_out().sum(axis=1), 1)
    assert forest.voters().votes(points).shape == (len(codes), len(sizes))
    alone = np.flatnonzero(np.asarray(sizes)[codes] == 1)
    seen = forest._voters[alone] > 0
    # A tree grown without the only sample of a class cannot vote for that class.
    assert not forest.left_out()[alone[seen], codes[alone[seen]]].any()


def test_sparse_points_vote_as_dense_ones_are_able_to():
    points, codes = _rings()
    points = np.where(np.abs(points) < 0.3, 0.0, points)
    forest = ExtraTrees(sparse.csr_matrix(points), codes, 3)
    forest.grow(16)
    votes = forest.voters().votes(sparse.csr_matrix(points[:50]))
    assert np.mean(votes.argmax(axis=1) == codes[:50]) > 0.9
    assert np.mean(forest.left_out().argmax(axis=1) == codes) > 0.7


@pytest.mark.parametrize("scale", [1e-150, 1e70])
def test_scale_changes_no_vote(scale):
    points, codes = _rings()
    points[:, 2] = 5.0  # a constant column
    plain, scaled = ExtraTrees(points, codes, 3), ExtraTrees(points * scale, codes, 3)
    for forest in (plain, scaled):
        forest.grow(8)
    np.testing.assert_array_equal(plain.left_out(), scaled.left_out())


def test_voters_keep_no_sample():
    points, codes = _rings()
    forest = ExtraTrees(points, codes, 3)
    forest.grow(4)
    voters = pickle.loads(pickle.dumps(forest.voters()))
    np.testing.assert_array_equal(voters.votes(points), forest.voters().votes(points))
    assert voters.n_trees == 4
    assert not any(isinstance(v, np.ndarray) and len(v) == 300 for v in vars(voters).values())


def test_leaves_of_sparse_points_grow_with_the_number_of_classes(monkeypatch):
    points, codes = _rings()
    points = sparse.csr_matrix(points)
    whole, small = ExtraTrees(points, codes, 3), ExtraTrees(points, codes, 3)
    whole.grow(2)
    monkeypatch.setattr("smartsvm.held_out.extra_trees._MOST_BYTES", 2**15)
    small.grow(2)
    assert small._trees[0]._tree.node_count < whole._trees[0]._tree.node_count / 3


def test_leaves_of_several_classes_share_their_vote():
    points = np.repeat(np.arange(20.0), 6)[:, None]  # equal points of different classes
    codes = np.tile([0, 0, 1, 2, 1, 0], 20)
    forest = ExtraTrees(points, codes, 3)
    forest.grow(32)
    np.testing.assert_allclose(
        forest.voters().votes(points)[:6].mean(axis=0), [1 / 2, 1 / 3, 1 / 6], atol=0.1
    )
    np.testing.assert_allclose(forest.left_out().sum(axis=1), 1)


def _descended(tree, points):
    """Leaves found one point and one node at a time."""
    leaves = []
    for point in points:
        node, below = -1, 0
        while below != node:
            node = below
            right = point[tree._columns[node]] > tree._thresholds[node]
            below = tree._children[node, int(right)]
        leaves.append(node)
    return leaves


def test_leaves_are_those_of_a_plain_descent():
    random = np.random.default_rng(0)
    points = np.round(random.normal(size=(203, 4)), 1)
    forest = ExtraTrees(points, random.integers(5, size=203), 5)
    forest.grow(2)
    new = forest._columns(np.vstack([points, random.normal(scale=1e3, size=(50, 4))]))
    for tree in forest._trees:
        for rows in (new, new[:1], new[:0], new[:13]):
            assert tree.leaves(rows).tolist() == _descended(tree, rows)
        # Exactly at the thresholds, and the next numbers beside them.
        at = np.zeros((len(tree._columns), 4), dtype=np.float32)
        at[np.arange(len(tree._columns)), tree._columns] = tree._thresholds
        for rows in (at, np.nextafter(at, np.float32(9)), np.nextafter(at, np.float32(-9))):
            assert tree.leaves(rows).tolist() == _descended(tree, rows)


def test_a_tree_that_leads_astray_is_refused():
    points, out = np.zeros((2, 3), dtype=np.float32), np.empty(2, dtype=np.intp)
    children = np.array([[1, 2], [1, 1], [2, 2]], dtype=np.int32)
    features, thresholds = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.float32)
    find_leaves(points, children, features, thresholds, out)
    assert out.tolist() == [1, 1]
    for false in (children + 1, children - 1):
        with pytest.raises(ValueError, match="has a child before it or beyond"):
            find_leaves(points, false, features, thresholds, out)
    with pytest.raises(ValueError, match="tests no column"):
        find_leaves(points, children, features + 3, thresholds, out)
    with pytest.raises(ValueError, match="for each node"):
        find_leaves(points, children, features, thresholds[:2], out)


def _heavy_tails(n=600):
    random = np.random.default_rng(0)
    points = np.exp(3 * random.normal(size=(n, 8)))
    return points, (np.log(points[:, :2]).sum(axis=1) + 2 * random.normal(size=n) > 0).astype(int)


def _few_useful_columns(n=600):
    random = np.random.default_rng(0)
    points = random.normal(size=(n, 100))
    return points, (points[:, 7] + points[:, 42] > 0).astype(int)


@pytest.mark.parametrize("draw", [_rings, _heavy_tails, _few_useful_columns])
def test_held_out_trees_err_no_more_than_a_random_forest(draw):
    points, codes = draw()
    mistakes = extra_trees_out_of_bag(points, codes, int(codes.max()) + 1)
    peer = RandomForestClassifier(100, oob_score=True, random_state=0).fit(points, codes)
    assert mistakes.errors[0] < 1 - peer.oob_score_ + 0.02
    assert mistakes.scores(0).shape == (len(codes), codes.max() + 1)


def test_a_tied_vote_is_wrong_in_part():
    votes = np.array(
        [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.2, 0.2, 0.6], [0.0, 1.0, 0.0], [1, 1, 1]]
    )
    wrong = wrong_votes(votes, np.array([0, 2, 2, 0, 1]))
    np.testing.assert_allclose(wrong, [1 / 2, 1, 0, 1, 2 / 3])
