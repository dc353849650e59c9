"""A ClassForest out of a damaged pickle is refused, or answers without a crash."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from smartsvm import ClassForest
from smartsvm.trees.in_memory.class_trees import SpanningForest

RANDOM = np.random.default_rng(0)


def asked_forest(n_classes):
    """A forest that holds all it can hold."""
    y = np.arange(40 * n_classes) % n_classes
    forest = ClassForest(RANDOM.normal(size=(len(y), 3)) + y[:, None] % 3, y)
    ask(forest)
    return forest


def ask(forest):
    forest.pairwise(), forest.multiclass(), forest.one_vs_rest(), forest.pairwise_in_tree()
    forest.split(forest.classes[:1], forest.classes[1:])
    return forest.pairwise().value.tolist(), forest.multiclass().value


FORESTS = {n_classes: asked_forest(n_classes) for n_classes in (2, 4, 40)}


def spoiled(array, as_edges):
    """Arrays that a state must not hold in the place of this one."""
    yield "cut short", array[:-1]
    yield "empty", array[:0]
    yield "other shape", array.reshape(-1)[: array.size // 2]
    yield "another dimension", array[None]
    yield "text", array.astype(str)
    yield "objects", np.full(array.shape, None)
    yield "complex", array.astype(complex)
    yield "no array", "text"
    yield "none of it", None if not as_edges else 3
    large = array.copy()
    large.flat[0] = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.inf
    yield "too large", large
    if array.dtype.kind != "u":
        small = array.copy()
        small.flat[-1] = np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).min
        yield "too small", small


def state_of(forest):
    return dict(vars(forest)), forest._forest.__getstate__()


def restored(outer, inner):
    """What `pickle.loads` does with these states."""
    trees = SpanningForest.__new__(SpanningForest)
    trees.__setstate__(inner)
    forest = ClassForest.__new__(ClassForest)
    forest.__setstate__(outer | {"_forest": trees})
    return forest


def assert_refused(outer, inner, what):
    print(what)  # shown if it is accepted
    with pytest.raises(ValueError, match="damaged"):
        restored(outer, inner)


@pytest.mark.parametrize("n_classes", FORESTS)
def test_a_pickle_keeps_trees_and_answers(n_classes):
    forest = FORESTS[n_classes]
    for other in (pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest), copy.copy(forest)):
        assert ask(other) == ask(forest)
        assert (other._forest._whole is None) == (forest._forest._whole is None)
        assert (other._forest._pairs is None) == (forest._forest._pairs is None)
        assert other._counts is not None


@pytest.mark.parametrize("n_classes", FORESTS)
def test_every_missing_key_is_named(n_classes):
    outer, inner = state_of(FORESTS[n_classes])
    for key in inner:
        with pytest.raises(ValueError, match=f"pickled SpanningForest is damaged.*{key}"):
            restored(outer, {name: value for name, value in inner.items() if name != key})
    for key in ("classes", "n_trees", "_counts"):
        with pytest.raises(ValueError, match=f"pickled ClassForest is damaged.*{key}"):
            restored({name: value for name, value in outer.items() if name != key}, inner)
    for state in (None, [], {}, "text"):
        with pytest.raises(ValueError, match="damaged"):
            ClassForest.__new__(ClassForest).__setstate__(state)
        with pytest.raises(ValueError, match="damaged"):
            SpanningForest.__new__(SpanningForest).__setstate__(state)


@pytest.mark.parametrize("n_classes", FORESTS)
def test_every_damaged_array_is_refused(n_classes):
    outer, inner = state_of(FORESTS[n_classes])
    n_refused = 0
    for name in ("points", "codes"):
        for how, bad in spoiled(inner[name], False):
            assert_refused(outer, inner | {name: bad}, f"{name}: {how}")
            n_refused += 1
    for field in ("edges", "squared", "sizes"):
        if inner["_whole"] is not None:
            for how, bad in spoiled(getattr(inner["_whole"], field), True):
                assert_refused(
                    outer,
                    inner | {"_whole": inner["_whole"]._replace(**{field: bad})},
                    f"{field}: {how}",
                )
                n_refused += 1
        for pair, forests in (inner["_pairs"] or {}).items():
            for how, bad in spoiled(getattr(forests, field), True):
                pairs = inner["_pairs"] | {pair: forests._replace(**{field: bad})}
                assert_refused(outer, inner | {"_pairs": pairs}, f"{pair} {field}: {how}")
                n_refused += 1
    for field in ("cross", "spanning", "adjacent"):
        for how, bad in spoiled(getattr(outer["_counts"], field), True):
            if field == "adjacent" and how == "too large":
                continue  # a count like any other
            assert_refused(
                outer | {"_counts": outer["_counts"]._replace(**{field: bad})},
                inner,
                f"{field}: {how}",
            )
            n_refused += 1
    assert n_refused > 50


def test_damaged_options_are_refused():
    outer, inner = state_of(FORESTS[4])
    for name, values in {
        "n_trees": (0, -1, 2.5, None, 10**12, "3"),
        "seed": (-1, 2**64, None, 0.5),
        "algorithm": ("kruskal", None, 3),
        "n_jobs": (0, "all", 2**31),
        "verbose": (-1, None),
        "keeps_pairs": (None, "yes"),
        "_pairs": ({}, [], 5, {(0, 1): inner["_pairs"][0, 1]}),
        "_whole": ((), 5, inner["_whole"][:2]),
    }.items():
        for value in values:
            assert_refused(outer, inner | {name: value}, f"{name}={value!r}")
    for name, values in {
        "classes": (np.arange(3), np.zeros(4), None, "abcd", 4),
        "n_trees": (0, None, "3"),
        "_counts": ((), 5, outer["_counts"][:2]),
    }.items():
        for value in values:
            assert_refused(outer | {name: value}, inner, f"{name}={value!r}")
    forest = ClassForest.__new__(ClassForest)
    with pytest.raises(ValueError, match="damaged"):
        forest.__setstate__(outer | {"_forest": "no forest"})


_SCRIPT = """
import pickle, warnings
import numpy as np
from smartsvm import ClassForest

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
y, buffers, outcomes = np.arange(160) % 4, [], {}
forest = ClassForest(random.normal(size=(160, 3)), y)
forest.pairwise(), forest.multiclass()
pickled = pickle.dumps(forest, protocol=5, buffer_callback=buffers.append)
for turn in range(800):
    damaged = [bytearray(buffer.raw()) for buffer in buffers]
    one = damaged[random.integers(len(damaged))]
    for place in random.integers(len(one), size=random.integers(1, 5)):
        one[place] ^= 1 << random.integers(8)
    if turn % 5 == 0:
        del one[random.integers(len(one)) :]
    try:
        forest = pickle.loads(pickled, buffers=damaged)
        forest.pairwise(), forest.multiclass(), forest.split([0], [1, 2])
        outcome = "answer"
    except (ValueError, TypeError) as error:
        outcome = type(error).__name__
    outcomes[outcome] = outcomes.get(outcome, 0) + 1
print(outcomes)
assert outcomes["answer"] and outcomes["ValueError"]
"""


def test_altered_bytes_never_crash():
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", _SCRIPT], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
