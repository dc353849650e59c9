"""`two_sample_test` on a GPU against the processor."""

import numpy as np
import pytest
import torch
from fuzz_gpu import DEVICE

from smartsvm import two_sample_test

pytestmark = pytest.mark.gpu


def samples(shift=0.4):
    random = np.random.default_rng(0)
    return random.normal(size=(70, 5)), random.normal(size=(50, 5)) + shift


@pytest.mark.parametrize("scale", ["auto", "ranks"])
def test_samples_on_a_gpu_get_the_answer_of_the_processor(scale, gpu):
    given = [each.astype(np.float32) for each in samples()]
    want = two_sample_test(*given, n_permutations=99, scale=scale, n_trees=2)
    there = [torch.from_numpy(each).to(DEVICE) for each in given]
    for got in (
        two_sample_test(*there, n_permutations=99, scale=scale, n_trees=2, device=gpu),
        two_sample_test(*given, n_permutations=99, scale=scale, n_trees=2, device=gpu),
    ):
        for name, value in want.statistics.items():
            assert got.statistics[name] == pytest.approx(value, rel=1e-3)
        assert got.p_value == pytest.approx(want.p_value, abs=0.02)
        assert got.divergence.value == want.divergence.value
        for ours, theirs in zip(got.likeness, want.likeness, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_more_rows_than_landmarks(gpu):
    random = np.random.default_rng(1)
    given = [random.normal(size=(400, 3)), random.normal(size=(300, 3)) + 0.2]
    want = two_sample_test(*given, n_permutations=19, n_trees=1)
    there = [torch.from_numpy(each).to(DEVICE) for each in given]
    got = two_sample_test(*there, n_permutations=19, n_trees=1, device=gpu)
    for name, value in want.statistics.items():
        assert got.statistics[name] == pytest.approx(value, rel=1e-3)


def test_tiny_numbers_and_other_shapes(gpu):
    X, Y = (torch.from_numpy(1e-300 * each).to(DEVICE) for each in samples())
    want = two_sample_test(X.cpu().numpy(), Y.cpu().numpy(), n_permutations=19)
    got = two_sample_test(X, Y, n_permutations=19, device=gpu)
    assert got.statistics == pytest.approx(want.statistics, rel=1e-3)
    with pytest.raises(ValueError, match=r"samples\[1\] must have the 5 columns of samples\[0\]"):
        two_sample_test(X, Y[:, :4], device=gpu)
    with pytest.raises(ValueError, match=r"samples\[1\] must be finite, got nan"):
        two_sample_test(X, Y * torch.nan, device=gpu)
