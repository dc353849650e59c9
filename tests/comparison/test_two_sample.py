"""`two_sample_test`: what it finds, what it refuses, and points that break careless code."""

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout import assert_readable
from strategies import examples, point_sets

from smartsvm import TwoSampleTest, bayes_error, euclidean_mst, two_sample_test
from smartsvm.estimation.friedman_rafsky import signal_on_trees


def normal(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_equal_distributions_are_not_told_apart():
    found = two_sample_test(normal(100), normal(100, seed=3))
    assert isinstance(found, TwoSampleTest)
    assert found.p_value > 0.05
    assert not found.significant
    assert found.different_in == []
    assert found.divergence.low == 0
    assert "No difference found" in str(found)


def test_a_scale_that_friedman_rafsky_misses_is_found():
    X = normal(100, 100)
    Y = 1.2 * normal(100, 100, seed=1)
    found = two_sample_test(X, Y)
    assert found.p_value <= 0.01
    assert found.p_values["spread"] == 0.001
    assert found.p_chi2 < 1e-6
    assert found.widest == 1
    labels = np.repeat([0, 1], 100)
    trees = list(euclidean_mst(np.vstack([X, Y]), n_trees=10).edges)
    old = signal_on_trees(trees, labels, 999)
    assert old.p_permutation > found.p_value


def test_rows_unlike_the_first_sample_are_named():
    X = normal(200)
    Y = normal(200, seed=1)
    Y[:20] += 3
    found = two_sample_test(X, Y, names=["May", "June"])
    assert np.mean(found.least_alike(20) < 20) > 0.8
    assert found.likeness[0].mean() > found.likeness[1].mean()
    assert "Rows of June least like May: " in str(found)
    frame = found.to_frame("rows")
    assert len(frame) == 400
    assert frame["likeness"].is_monotonic_increasing


def test_three_samples():
    samples = [normal(60, seed=k) for k in range(3)]
    assert two_sample_test(*samples).p_value > 0.05
    samples[2][:, 0] += 1
    found = two_sample_test(*samples)
    assert found.p_value <= 0.01
    assert [len(each) for each in found.likeness] == [60, 60, 60]


def test_divergence_is_that_of_henze_and_penrose():
    X = normal(300)
    Y = normal(200, seed=1) + 1
    found = two_sample_test(X, Y, scale="none")
    labels = np.repeat([0, 1], [300, 200])
    expected = bayes_error(np.vstack([X, Y]), labels, n_trees=3).divergence
    assert found.divergence.value == pytest.approx(expected)
    assert found.divergence.low < found.divergence.value < found.divergence.high


def test_interval_of_the_divergence_covers_new_samples():
    shift = 1.0
    found = [
        two_sample_test(
            normal(80, seed=2 * k), normal(80, seed=2 * k + 1) + shift, n_permutations=19
        )
        for k in range(60)
    ]
    mean = np.mean([each.divergence.value for each in found])
    inside = [each.divergence.low <= mean <= each.divergence.high for each in found]
    assert np.mean(inside) > 0.85


def test_order_and_threads_matter_no_more_than_chance():
    X = normal(80)
    Y = normal(80, seed=1) + 0.5
    one, other = two_sample_test(X, Y), two_sample_test(Y, X)
    assert one.edge_count == pytest.approx(other.edge_count)
    assert one.divergence.value == pytest.approx(other.divergence.value)
    assert two_sample_test(X, Y, n_jobs=3).p_value == one.p_value


def test_data_frames_are_prepared_together():
    random = np.random.default_rng(0)
    colours = [random.choice(["red", "green"], 80, p=p) for p in ([0.9, 0.1], [0.2, 0.8])]
    first, second = (
        pandas.DataFrame({"size": random.normal(size=80), "colour": each}) for each in colours
    )
    second = second[["colour", "size"]]  # in another order
    assert two_sample_test(first, second).p_value <= 0.01
    with pytest.raises(ValueError, match=r"samples\[1\] must have the columns.*'weight'"):
        two_sample_test(first, second.rename(columns={"size": "weight"}))


def test_groups():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 20)
    centres = 3 * random.normal(size=(16, 2))
    X = centres[groups] + random.normal(size=(160, 2)) / 3
    Y = centres[groups + 8] + random.normal(size=(160, 2)) / 3
    assert two_sample_test(X, Y).p_value <= 0.05  # patients differ
    assert two_sample_test(X, Y, groups=[groups, groups + 8]).p_value > 0.05
    with pytest.raises(ValueError, match="groups must not have rows in two samples"):
        two_sample_test(X, Y, groups=[groups, groups])
    with pytest.raises(ValueError, match="groups must have one array for each of the 2 samples"):
        two_sample_test(X, Y, groups=[groups])
    with pytest.raises(ValueError, match=r"groups\[1\] must have one value for each of the 160"):
        two_sample_test(X, Y, groups=[groups, groups[:3]])
    with pytest.raises(ValueError, match="groups must name at least 4 groups"):
        two_sample_test(X, Y, groups=[np.zeros(160), np.ones(160)])


def test_groups_of_four_rows_double_the_width_of_the_interval():
    X, Y = normal(400), normal(400, seed=1) + 1
    alone, grouped = (
        two_sample_test(X, Y, groups=[rows // size, 100_000 + rows // size]).divergence
        for rows, size in ((np.arange(400), 1), (np.arange(400), 4))
    )
    assert 0 < grouped.low < alone.low < alone.value
    assert grouped.value - grouped.low == pytest.approx(2 * (alone.value - alone.low), rel=0.1)


@pytest.mark.parametrize(
    ("samples", "options", "error", "message"),
    [
        ((normal(9),), {}, ValueError, "needs two samples or more, got 1"),
        ((normal(9), normal(9, 2)), {}, ValueError, r"samples\[1\] must have the 3 columns"),
        ((normal(9), normal(1)), {}, ValueError, r"samples\[1\] must have at least 2 rows, got 1"),
        ((normal(9), np.full((9, 3), np.nan)), {}, ValueError, r"samples\[1\] must be finite"),
        ((normal(9),) * 2, {"n_permutations": 5}, ValueError, "n_permutations must be at least 19"),
        ((normal(9),) * 2, {"n_permutations": 10**12}, ValueError, "be at most 10000000, got 100"),
        ((normal(9),) * 2, {"n_trees": "many"}, ValueError, 'n_trees must be "auto" or'),
        ((normal(9),) * 2, {"scale": "log"}, ValueError, "scale must be one of"),
        ((normal(9),) * 2, {"names": ["a", "a"]}, ValueError, "names must have 2 different names"),
        ((normal(9),) * 2, {"confidence": 2}, ValueError, "confidence must be"),
    ],
)
def test_refusals_name_the_parameter(samples, options, error, message):
    with pytest.raises(error, match=message):
        two_sample_test(*samples, **options)


@examples(30)
@given(point_sets(least=6, most_features=5), st.data())
def test_any_points_give_a_probability(points, data):
    cut = data.draw(st.integers(2, len(points) - 2))
    found = two_sample_test(points[:cut], points[cut:], n_permutations=19)
    assert 0.05 <= found.p_value <= 1
    assert all(0.05 <= p <= 1 for p in found.p_values.values())
    assert 0 <= found.divergence.low <= found.divergence.value <= found.divergence.high <= 1
    assert all(((each >= 0) & (each <= 1)).all() for each in found.likeness)


@pytest.mark.parametrize("factor", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_units_do_not_matter(factor):
    X = normal(40)
    Y = normal(40, seed=1) + 0.4
    plain = two_sample_test(X, Y, scale="none")
    scaled = two_sample_test(factor * X, factor * Y, scale="none")
    assert scaled.p_value == pytest.approx(plain.p_value, abs=0.02)
    assert scaled.edge_count == pytest.approx(plain.edge_count)


def test_constant_and_equal_rows_show_no_difference():
    found = two_sample_test(np.ones((20, 2)), np.ones((30, 2)))
    assert found.p_value > 0.05
    assert found.p_values["distance"] == 1


def test_figure_frame_and_representation():
    found = two_sample_test(normal(50), normal(50, seed=1) + 1)
    assert repr(found).startswith("TwoSampleTest(rows=50, 50, p_value=0.001")
    frame = found.to_frame()
    assert frame["statistic"].tolist() == ["neighbors", "scale", "distance", "width"]
    ax = found.plot()
    assert len(ax.get_yticklabels()) == 4
    assert_readable(ax.figure)
    with pytest.raises(ValueError, match="what must be one of"):
        found.to_frame("pairs")
    with pytest.raises(ValueError, match="sample must be at most 1, got 2"):
        found.least_alike(sample=2)


def test_a_shifted_small_sample_is_not_called_wider():
    # Its rows lie far from the common centre, and no farther from each other.
    found = two_sample_test(normal(10) + 1.5, normal(300, seed=1))
    assert "neighbors" in found.different_in
    assert "wider" not in str(found)
    found = two_sample_test(np.ones((20, 2)), np.full((30, 2), 2.0))
    assert "neighbors" in found.different_in
    assert "wider" not in str(found)


def test_the_text_says_how_the_spread_differs():
    X = normal(100)
    assert "sample 2 is wider: its rows lie farther from each other" in str(
        two_sample_test(X, 2 * normal(100, seed=1))
    )
    # On a shell: equal mean distances, but no row near the centre, where many rows have neighbours.
    X, Y = normal(150, 30), normal(150, 30, seed=1)
    Y *= np.sqrt(30) / np.linalg.norm(Y, axis=1, keepdims=True)
    found = two_sample_test(X, Y)
    assert "spread" in found.different_in
    assert "sample 1 is denser: its rows have most neighbours of their own" in str(found)
