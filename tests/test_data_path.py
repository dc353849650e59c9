"""One path for the data: every public call checks and scales its points once."""

from collections import Counter

import numpy as np
import pytest
from sklearn.datasets import load_iris

import smartsvm
from smartsvm._core import scaling as _scaling
from smartsvm._core import sources
from smartsvm._core import validation as _validation
from smartsvm.trees.out_of_core import forest as block_forest

PLAIN, Y = load_iris(return_X_y=True)
X = np.asfortranarray(PLAIN)
HALF = len(X) // 2
CALLS = {
    "difficulty_report": lambda: smartsvm.difficulty_report(X, Y, target_accuracy=0.9),
    "report on groups": lambda: smartsvm.difficulty_report(X, Y, groups=np.arange(len(X)) // 2),
    "report on a subsample": lambda: smartsvm.difficulty_report(X, Y, subsample=120),
    "euclidean_mst": lambda: smartsvm.euclidean_mst(X),
    "ClassForest": lambda: smartsvm.ClassForest(X, Y).multiclass(),
    "hp_divergence": lambda: smartsvm.hp_divergence(X, Y == 0),
    "bayes_error": lambda: smartsvm.bayes_error(X, Y == 0),
    "multiclass_bayes_error": lambda: smartsvm.multiclass_bayes_error(X, Y),
    "extrapolated": lambda: smartsvm.multiclass_bayes_error(X, Y, extrapolate=True),
    "pairwise_bayes_error": lambda: smartsvm.pairwise_bayes_error(X, Y, extrapolate=True),
    "ovr_bayes_error": lambda: smartsvm.ovr_bayes_error(X, Y, extrapolate=True),
    "friedman_rafsky_test": lambda: smartsvm.friedman_rafsky_test(X, Y),
    "sample_difficulty": lambda: smartsvm.sample_difficulty(X, Y, return_posterior=True),
    "class weights": lambda: smartsvm.bayes_error_class_weight(X, Y),
    "sample weights": lambda: smartsvm.bayes_error_sample_weight(X, Y),
}


@pytest.fixture
def counts(monkeypatch):
    """How often points are opened, checked and looked at for a scale, and labels are checked."""
    seen = Counter()

    def counted(module, name, kind):
        function = getattr(module, name)

        def count(*arguments, **options):
            seen[kind] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, count)

    counted(_validation, "warn_of_large_integers", "points checked")
    counted(_scaling, "are_within", "points scaled")
    counted(_validation, "check_sortable", "labels checked")
    counted(block_forest, "summarize", "points summarized")
    counted(sources, "_parts_of", "folders opened")
    return seen


@pytest.mark.parametrize("name", CALLS)
def test_data_are_checked_and_scaled_once(name, counts):
    CALLS[name]()
    once = {"points checked": 1, "points scaled": 1, "labels checked": 1}
    if name == "euclidean_mst":
        del once["labels checked"]
    assert counts == once


def test_points_as_kernels_take_them_are_looked_at_once(counts):
    smartsvm.euclidean_mst(PLAIN)
    assert counts == {"points scaled": 1}
    counts.clear()
    smartsvm.ClassForest(PLAIN, Y).multiclass()
    assert counts == {"points scaled": 1, "labels checked": 1}


def test_two_samples_are_scaled_together(counts):
    smartsvm.bayes_error(X[:HALF], X[HALF:])
    assert counts == {"points checked": 2, "points scaled": 1}


# Ties are many: errors are means over several orders of them.
ROUNDED = np.random.default_rng(0).normal(size=(2000, 3)).round(1)
CODES = np.arange(2000) % 2
IN_BLOCKS = {
    "euclidean_mst": lambda X, **how: smartsvm.euclidean_mst(X, n_trees=3, **how),
    "ClassForest": lambda X, **how: smartsvm.ClassForest(X, CODES, **how).multiclass(),
    "multiclass_bayes_error": lambda X, **how: smartsvm.multiclass_bayes_error(X, CODES, **how),
    "pairwise_bayes_error": lambda X, **how: smartsvm.pairwise_bayes_error(X, CODES, **how),
    "ovr_bayes_error": lambda X, **how: smartsvm.ovr_bayes_error(X, CODES, **how),
}
HOW = {"a limit that blocks keep": 700, "a limit that all points keep": 10**5}  # bytes for a row


def limit_for(name, how):
    """Bytes; trees of pairs of classes take more."""
    return HOW[how] * len(ROUNDED) * (2 if name == "euclidean_mst" else 5) // 5


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", IN_BLOCKS)
def test_a_memory_limit_takes_no_second_look(name, how, counts):
    IN_BLOCKS[name](ROUNDED, memory_limit=limit_for(name, how))
    labels = {} if name == "euclidean_mst" else {"labels checked": 1}
    in_blocks = {"points summarized": 1}
    seen = in_blocks if HOW[how] < 10**3 else {"points checked": 1, "points scaled": 1}
    assert counts == seen | labels


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_files_are_opened_and_summarized_once(name, counts, tmp_path):
    for part in range(2):
        np.save(tmp_path / f"{part}.npy", ROUNDED[part::2])
    IN_BLOCKS[name](tmp_path, memory_limit=limit_for(name, "a limit that blocks keep"))
    labels = {} if name == "euclidean_mst" else {"labels checked": 1}
    assert counts == {"folders opened": 1, "points summarized": 1} | labels
