"""The fuzz against brute force, in short; `make fuzz` runs it for longer."""

import fuzz
import numpy as np


def test_random_problems_have_the_trees_of_brute_force():
    wrong, done = fuzz.fuzz(0, cases=50)
    assert wrong == []
    assert {kernel for _, kernel in done} == set(fuzz.KERNELS)


def test_a_wrong_bit_is_noticed(monkeypatch):
    def slightly_wrong(*arguments, **options):
        trees = euclidean_mst(*arguments, **options)
        trees.weights[-1, -1] = np.nextafter(trees.weights[-1, -1], np.inf)
        return trees

    euclidean_mst = fuzz.euclidean_mst
    monkeypatch.setattr(fuzz, "euclidean_mst", slightly_wrong)
    wrong, done = fuzz.fuzz(0, cases=25)
    checked = sum(count for (_, kernel), count in done.items() if kernel != "classes")
    # Some cases ask for more trees than there are, and get the error that says so.
    assert len(wrong) > checked / 2
