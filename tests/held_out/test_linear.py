"""LDA: closed-form leave-one-out against a refit without every sample."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from margins import own_margins
from sklearn.datasets import load_iris
from strategies import point_sets

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm.held_out import linear, standardised_columns
from smartsvm.held_out.linear import SHRINKAGES, LeaveOneOutLDA, linear_leave_one_out
from smartsvm.held_out.standardised_columns import Columns


def standardised(points):
    """The columns as the docstring defines them."""
    points = points - points[0]  # exact where values are near each other
    columns = points[:, points.any(axis=0)]
    columns = columns - columns.mean(axis=0)
    reach = 3 * np.abs(columns).mean(axis=0)
    columns = np.clip(columns, -reach, reach)
    columns -= columns.mean(axis=0)
    return columns / columns.std(axis=0)


def refitted_scores(columns, codes, n_classes, shrinkage):
    """Scores of each sample by LDA without it, one refit for each."""
    n, d = columns.shape
    scores = np.empty((n, n_classes))
    for i in range(n):
        others = np.arange(n) != i
        rest, rest_codes = columns[others], codes[others]
        scatter = np.zeros((d, d))
        means = np.zeros((n_classes, d))
        counts = np.zeros(n_classes)
        for k in range(n_classes):
            members = rest[rest_codes == k]
            counts[k] = len(members)
            if len(members):
                means[k] = members.mean(axis=0)
                scatter += (members - means[k]).T @ (members - means[k])
        covariance = (1 - shrinkage) * scatter / max(n - 1 - n_classes, 1)
        away = columns[i] - means
        distances = (away * np.linalg.solve(covariance + shrinkage * np.eye(d), away.T).T).sum(1)
        with np.errstate(divide="ignore"):
            scores[i] = np.log(counts) - distances / 2
    return scores


def closed_form_scores(points, codes, n_classes, shrinkages):
    lda = LeaveOneOutLDA(Columns(points), codes, n_classes, np.array(shrinkages))
    steps = [list(lda.scores(rows)) for rows in lda.chunks()]
    return [np.concatenate([chunk[i] for chunk in steps]) for i in range(len(shrinkages))]


@st.composite
def problems(draw):
    """Awkward points with labels in any proportion, also classes of one sample."""
    points = draw(point_sets(least=4, most=18, most_features=24))
    n_classes = draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.concatenate(
        [
            np.arange(n_classes),
            random.choice(n_classes, len(points) - n_classes, p=random.dirichlet([1] * n_classes)),
        ]
    )
    return points * draw(st.sampled_from([1.0, 1e-60, 1e60])), random.permutation(codes), n_classes


@given(problems(), st.sampled_from([50, 2**16]), st.integers(1, 2))
def test_closed_form_is_the_refit_without_every_sample(problem, chunk, n_jobs):
    points, codes, n_classes = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standardised_columns, "_VALUES", chunk)
        patch.setattr(standardised_columns, "_LEAST_ROWS", 1)
        patch.setattr(linear, "_SUMMED", chunk)
        found = closed_form_scores(points, codes, n_classes, SHRINKAGES)
        result = linear_leave_one_out(points, codes, n_classes, n_jobs=n_jobs)
    columns = standardised(points)
    for step, shrinkage in enumerate(SHRINKAGES):
        expected = refitted_scores(columns, codes, n_classes, shrinkage)
        finite = np.isfinite(expected)  # but for the own class of its only sample
        assert np.array_equal(finite, np.isfinite(found[step]))
        differences = np.where(finite, found[step], 0) - np.where(finite, expected, 0)
        assert (np.abs(differences) <= rounding_of(expected, shrinkage)[:, None]).all()
        assert clear_mistakes_agree(result.wrong[step], expected, codes, shrinkage)


def rounding_of(scores, shrinkage):
    """Scores grow with 1 / shrinkage, and so does what rounding leaves of a difference."""
    return 1e-9 / shrinkage * (1 + np.abs(np.where(np.isfinite(scores), scores, 0)).max(axis=1))


def clear_mistakes_agree(wrong, scores, codes, shrinkage):
    """Whether the mistakes are those by the scores, but where rounding may decide."""
    margins = own_margins(scores, codes)
    clear = np.abs(margins) > 2 * rounding_of(scores, shrinkage)
    return np.array_equal(wrong[clear], margins[clear] < 0)


def test_errors_are_those_of_the_refits():
    X, y = load_iris(return_X_y=True)
    y = np.where(np.arange(150) % 3 == 0, np.minimum(y, 1), y)  # unequal and overlapping
    found = linear_leave_one_out(X, y, 3)
    for shrinkage, wrong in zip(found.settings, found.wrong, strict=True):
        scores = refitted_scores(standardised(X), y, 3, shrinkage)
        assert clear_mistakes_agree(wrong, scores, y, shrinkage)


def test_classes_in_a_row_do_not_mask_each_other():
    random = np.random.default_rng(1)
    y = np.arange(600) % 4
    X = random.normal(size=(600, 2)) + 6 * y[:, None]
    assert linear_leave_one_out(X, y, 4).errors.min() < 0.01


@pytest.mark.parametrize(("offset", "scale"), [(1e9, 1.0), (0.0, 1e-150), (1e-5, 1e140)])
def test_offsets_and_scales_of_the_columns_do_not_matter(offset, scale):
    random = np.random.default_rng(2)
    y = random.integers(0, 3, 400)
    X = random.normal(size=(400, 6)) + y[:, None]
    X[:, ::2] = (X[:, ::2] + offset) - offset  # the digits that the sum keeps
    moved = X.copy()
    moved[:, ::2] = (moved[:, ::2] + offset) * scale
    for shrinkage, wrong, scores in zip(
        SHRINKAGES,
        linear_leave_one_out(moved, y, 3).wrong,
        closed_form_scores(X, y, 3, SHRINKAGES),
        strict=True,
    ):
        assert clear_mistakes_agree(wrong, scores, y, shrinkage)


def test_more_columns_than_samples_are_turned_without_a_loss():
    random = np.random.default_rng(3)
    y = np.arange(40) % 2
    X = random.normal(size=(40, 100)) + 0.4 * y[:, None]
    found = linear_leave_one_out(X, y, 2)
    for shrinkage, wrong in zip(found.settings, found.wrong, strict=True):
        scores = refitted_scores(standardised(X), y, 2, shrinkage)
        assert clear_mistakes_agree(wrong, scores, y, shrinkage)
    assert found.errors.min() < 0.3


def test_the_only_sample_of_a_class_is_wrong_and_harms_no_other():
    random = np.random.default_rng(4)
    y = np.repeat([0, 1], 50)
    X = random.normal(size=(100, 2)) + 9 * y[:, None]
    assert linear_leave_one_out(X, y, 2).errors.max() == 0
    with_one = linear_leave_one_out(np.vstack([X, [[30.0, -30.0]]]), np.append(y, 2), 3)
    assert with_one.errors.tolist() == [1 / 101] * len(SHRINKAGES)


def test_nothing_to_see_is_no_success():
    y = np.arange(60) % 3
    for X in (np.zeros((60, 4)), np.full((60, 1), 1e300**0.5)):
        assert linear_leave_one_out(X, y, 3).errors.min() >= 2 / 3


def test_too_large_matrices_are_declined():
    X = np.random.default_rng(0).normal(size=(1001, 1001))
    y = np.arange(1001) % 2
    assert linear_leave_one_out(X, y, 2) is None
    assert linear_leave_one_out(X[:30], y[:30], 2) is not None


def test_far_values_are_clipped():
    random = np.random.default_rng(5)
    y = np.arange(400) % 2
    X = random.standard_t(1, size=(400, 8)) + 2 * y[:, None]
    plain = refitted_scores((X - X.mean(axis=0)) / X.std(axis=0), y, 2, 0.1)
    ours = linear_leave_one_out(X, y, 2)
    assert ours.errors.min() < np.mean(plain.argmax(axis=1) != y) - 0.03


def test_memory_does_not_grow_with_the_samples_times_the_columns():
    X = np.random.default_rng(6).normal(size=(60_000, 20))
    y = np.arange(60_000) % 5
    linear_leave_one_out(X[:100], y[:100], 5)
    with single_blas_thread():  # whether BLAS has room is asked before
        tracemalloc.start()
        linear_leave_one_out(X, y, 5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < X.nbytes / 4


def test_threads_change_no_bit():
    random = np.random.default_rng(7)
    X = random.normal(size=(3000, 40))
    y = random.integers(0, 50, 3000)
    one, two = (linear_leave_one_out(X, y, 50, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert np.array_equal(one.scores(1), two.scores(1))
    assert np.array_equal(one.wrong, two.wrong)
