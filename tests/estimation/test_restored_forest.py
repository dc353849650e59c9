"""A ClassForest out of a pickle answers as before, and a damaged pickle is refused."""

import copy
import pickle

import numpy as np
import pytest

from smartsvm import ClassForest


def answers(forest):
    split = forest.split(forest.classes[:1], forest.classes[1:])
    return forest.pairwise().value.tolist(), forest.multiclass().value, split.value


def answered_forest(n_classes):
    """A forest that holds all it can hold."""
    y = np.arange(40 * n_classes) % n_classes
    points = np.random.default_rng(0).normal(size=(len(y), 3))
    forest = ClassForest(points + y[:, None] % 3, y)
    answers(forest)
    return forest


def test_classes_of_any_type_are_restored():
    y = np.array(["a", "b", "\0"] * 20, dtype=object)
    forest = ClassForest(np.random.default_rng(0).normal(size=(60, 2)), y)
    assert pickle.loads(pickle.dumps(forest)).classes.tolist() == forest.classes.tolist()


@pytest.mark.parametrize("n_classes", [2, 4, 40])
def test_a_pickle_keeps_trees_and_answers(n_classes):
    forest = answered_forest(n_classes)
    for other in (pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest), copy.copy(forest)):
        assert (other._counts.forest._whole is None) == (forest._counts.forest._whole is None)
        assert (other._counts.forest._pairs is None) == (forest._counts.forest._pairs is None)
        assert vars(other._counts).keys() == vars(forest._counts).keys()
        assert answers(other) == answers(forest)


def test_altered_bytes_are_refused():
    random = np.random.default_rng(0)
    forest = answered_forest(4)
    buffers = []
    pickled = pickle.dumps(forest, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) > 20  # points, codes, and the trees of seven sets of classes
    for number, buffer in enumerate(buffers):
        for cut in (False, True):
            damaged = [bytearray(each.raw()) for each in buffers]
            damaged[number][random.integers(len(buffer.raw()))] ^= 1 << random.integers(8)
            if cut:
                del damaged[number][-8:]
            with pytest.raises(ValueError, match=r"damaged|cannot reshape"):
                pickle.loads(pickled, buffers=damaged)
