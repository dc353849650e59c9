"""Whether labels drift along time, and the error of training on the past and testing on later."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.clearly import POINT, is_clear, paired_difference
from smartsvm.estimation.results import Interval
from smartsvm.held_out.mistakes import predictions, wrong_answers
from smartsvm.held_out.registry import NEIGHBORS, QUICK_CLASSIFIERS, REGISTRY, words_of
from smartsvm.presentation.display_names import shown
from smartsvm.presentation.options import option
from smartsvm.presentation.wording import listed, percent
from smartsvm.tables.records import AXIS, in_note
from smartsvm.tables.time_column import equal_steps

# Each is fitted six times: four fits are to samples of any time, two to the past.
_TRIED = (NEIGHBORS, *QUICK_CLASSIFIERS)
# The stage needs 60 samples, and takes a few seconds on the most that it sees: 6,000 with up to 100
# columns, fewer with more, at least 2,000.
_LEAST_SAMPLES = 60
_MOST_SAMPLES = 6000
_MOST_NUMBERS = 600_000
_MOST_OF_WIDE = 2000
# In order of time: fit to the first half and test on the third quarter, then fit to three quarters
# and test on the last.
_CUTS = (0.5, 0.75, 1.0)
# Samples, at least, to fit to and to test on.
_LEAST_PART = 15
# The drift test permutes 30 blocks of consecutive samples, since neighbours in time may be alike.
# Equal times stay in one block, unless fewer than six blocks remain: five have 120 orders. With 999
# permutations and two tests, of thirds and of ranks, p-values are multiples of 0.002.
_BLOCKS = 30
_LEAST_BLOCKS = 6
_PERMUTATIONS = 999
_SIGNIFICANT = 0.01
_CHANGE = 0.1  # of a fraction between two thirds: without p < 0.01 it may still be a drift
# Standard errors come from the means of 10 consecutive parts, since errors vary along time.
_CLUSTERS = 10
# Maximum ratio of the standard error of a loss to that of independent samples. Beyond it, one part
# errs far more than the others: that is drift, not noise.
_MOST_DESIGN = 2.0
# The error forward in time is clearly larger if the loss is above 2.82 standard errors (the 0.99
# quantile of Student's t with 9 degrees of freedom) and above one percentage point.
_T_CLEAR = 2.82


class ForwardInTime(NamedTuple):
    """Errors forward in time beside those of shuffled samples."""

    time: str  # the column of times
    classifier: str  # the best one on later samples
    error: Interval  # fitted to the past, tested on later samples
    classifier_of_shuffled: str  # the best one on shuffled samples
    shuffled: Interval  # the same samples, fitted to as many of any time
    loss_error: float  # standard error of the difference
    n_tested: int
    p_value: float  # that the fractions of the classes do not change along time
    changing: object  # the label whose fraction changes most
    first_share: float  # its fraction in the first third,
    middle_share: float  # in the middle one,
    last_share: float  # and in the last one
    others: tuple[str, ...] = ()  # dates that might have been taken for the time

    @property
    def drifts(self):
        """Whether the fractions of the classes change along time."""
        return self.p_value < _SIGNIFICANT

    @property
    def loses(self):
        """Whether the error forward in time is clearly larger."""
        loss = self.error.value - self.shuffled.value
        return self._is_clear(loss)

    def _is_clear(self, difference):
        return is_clear(difference, self.loss_error, _T_CLEAR, POINT)

    def _beside(self):
        other = self.classifier_of_shuffled
        return "" if other == self.classifier else f"with {words_of(other)} "

    def sentence(self):
        """The test and the errors in words."""
        shares = (self.first_share, self.middle_share, self.last_share)
        time, label = shown(self.time), shown(self.changing)
        fractions = (
            "{} of the first third of the samples, {} of the second and {} of the last".format(
                *map(percent, shares)
            )
        )
        if self.drifts:
            drift = f"The labels drift along {time}: {label} makes up {fractions}."
        elif max(shares) - min(shares) >= _CHANGE:
            drift = (
                f"The labels may drift along {time}: {label} makes up {fractions}, which "
                f"rows that come in runs may do by chance (p = {self.p_value:.2g})."
            )
        else:
            drift = (
                f"The fractions of the classes show no clear trend along {time} "
                f"(p = {self.p_value:.2g}): {label} changes most and makes up {fractions}."
            )
        if self.others:
            named, are = listed([*map(in_note, self.others)], 3, " and "), "is no axis"
            are = "are no axes" if self.others[1:] else are
            drift = (
                f"{time} is taken for the time of a row; {named} {are}: to take "
                f"{'one of them' if self.others[1:] else 'it'}, pass "
                f"{option('time', self.others[0])}. {drift}"
            )
        low, high = percent(self.error.low), percent(self.error.high)
        errors = (
            f"With {words_of(self.classifier)} trained on the past, the error on later samples is "
            f"{percent(self.error.value)} ({low} to {high}); {self._beside()}trained on as many "
            f"samples of any time, it is {percent(self.shuffled.value)}."
        )
        end = "They do not differ clearly."
        if not self.error.low <= self.shuffled.value <= self.error.high:
            end = "The difference may be chance."
        if self.loses:
            end = "The first error is the one to expect."
        elif self._is_clear(self.shuffled.value - self.error.value):
            end = "Later samples are no harder."
        return f"{drift} {errors} {end}"


def measure_forward(problem):
    """Errors forward in time, or None without times."""
    times = problem.times
    if times.values is None:
        return None
    of_time = _columns_of_time(problem)
    points = problem.points.values
    forward = forward_in_time(
        points, problem.codes, times.values, of_time, z=problem.z, **problem.threads
    )
    if forward is None:
        return None
    others = next((note.columns[1:] for note in problem.preparation if note.kind == AXIS), ())
    changing = problem.classes[forward.changing]
    return forward._replace(time=times.name, changing=changing, others=others)


def _columns_of_time(problem):
    """The columns that are made of the time, or that equal it but for a shift."""
    times, columns = problem.times, problem.columns
    if times.source is None:
        return [j for j, values in enumerate(problem.X.T) if equal_steps(values, times.values)]
    return [j for j, column in enumerate(columns) if times.source in column.sources]


def forward_in_time(points, codes, time, of_time=(), *, seed, n_jobs=None, z=1.96):
    """The errors of `ForwardInTime`, with numbers for names; None with too few samples or times.

    `of_time` are the columns that are made of the time.
    """
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(~np.isnan(time))
    most = int(np.clip(_MOST_NUMBERS // points.shape[1], _MOST_OF_WIDE, _MOST_SAMPLES))
    if len(rows) > most:
        rows = rng.choice(rows, most, replace=False)
    order = rows[np.argsort(time[rows], kind="stable")]
    splits = list(_splits(time[order])) if len(order) >= _LEAST_SAMPLES else []
    points, codes = points[order], codes[order]
    splits = [s for s in splits if len(np.unique(codes[: s[0]])) > 1]
    if not splits:
        return None
    with single_blas_thread():  # several threads round in another order
        best, of_any_time = _best_mistakes(points, codes, of_time, splits, seed, n_jobs)
    (classifier, forward), (of_shuffled, shuffled) = best, of_any_time
    p_value, changing, (first, middle, last) = _drift(codes, time[order], rng)
    return ForwardInTime(
        time="",
        classifier=classifier,
        classifier_of_shuffled=of_shuffled,
        error=_interval(forward, z),
        shuffled=_interval(shuffled, z),
        loss_error=_loss_error(forward, shuffled),
        n_tested=len(forward),
        p_value=p_value,
        changing=changing,
        first_share=first,
        middle_share=middle,
        last_share=last,
    )


def _best_mistakes(points, codes, of_time, splits, seed, n_jobs):
    """(classifier, mistakes) of the smallest error forward in time, and of that of shuffled ones.

    Later times are values that no classifier has seen: each is tried without them, too.
    """
    others = np.setdiff1d(np.arange(points.shape[1]), of_time)
    tables = [points]
    if 0 < len(others) < points.shape[1]:
        tables.append(points[:, others])
    found = [
        (name, each)
        for table in tables
        for name in _TRIED
        if (each := _mistakes(REGISTRY[name], table, codes, splits, seed, n_jobs)) is not None
    ]

    def best(which):
        name, mistakes = min(found, key=lambda pair: pair[1][which].mean())
        return name, mistakes[which]

    return best(0), best(1)


def _splits(times):
    """(end of the past, end of the tested part) in sorted times; equal times stay together."""
    steps = np.flatnonzero(np.diff(times) > 0) + 1
    if not len(steps):
        return
    ends = [int(steps[np.abs(steps - cut * len(times)).argmin()]) for cut in _CUTS[:-1]]
    for begin, end in zip(ends, [*ends[1:], len(times)], strict=True):
        if begin >= _LEAST_PART and end - begin >= _LEAST_PART:
            yield begin, end


def _mistakes(classifier, points, codes, splits, seed, n_jobs):
    """Whether each tested sample is mistaken, forward in time and shuffled; None without a fit."""
    rng, forward, shuffled = np.random.default_rng(seed), [], []
    data, work = (classifier, points, codes), {"seed": seed, "n_jobs": n_jobs}
    for begin, end in splits:
        tested = np.arange(begin, end)
        wrong = np.empty((len(classifier.settings), len(tested)), dtype=bool)
        forward.append(_wrong(*data, np.arange(begin), tested, **work))
        # At random: every other row may be one of another class.
        halves = rng.permutation(len(tested)) % 2
        for half in (0, 1):
            held_out = np.flatnonzero(halves == half)
            pool = np.setdiff1d(np.arange(len(codes)), tested[held_out])
            fitted = rng.choice(pool, min(begin, len(pool)), replace=False)
            of_half = _wrong(*data, fitted, tested[held_out], **work)
            if of_half is None or forward[-1] is None:
                return None
            wrong[:, held_out] = of_half
        shuffled.append(wrong)
    forward, shuffled = np.concatenate(forward, axis=1), np.concatenate(shuffled, axis=1)
    # The setting with which the classifier errs least on shuffled samples.
    best = shuffled.mean(axis=1).argmin()
    return forward[best], shuffled[best]


def _wrong(classifier, points, codes, fitted, tested, **work):
    """Mistakes with each setting, shape (settings, tested samples), or None without a fit."""
    rows = np.concatenate([fitted, tested])
    train = np.arange(len(rows)) < len(fitted)
    data = points[rows], codes[rows], int(codes.max()) + 1, train
    scores = predictions(classifier.predict, *data, classifier.settings, **work)
    if scores is None:
        return None
    return np.stack([wrong_answers(each.copy(), codes[tested]) for each in scores])


def _interval(wrong, z):
    """An error with its interval, as wide as the errors vary along time."""
    n, value = len(wrong), float(wrong.mean())
    padded = (wrong.sum() + 2) / (n + 4)
    half = z * max(_standard_error(wrong), np.sqrt(padded * (1 - padded) / (n + 4)))
    return Interval(value, max(value - half, 0.0), min(value + half, 1.0))


def _standard_error(values):
    """Standard error of a mean whose neighbours in time are alike."""
    means = [part.mean() for part in np.array_split(values, _CLUSTERS)]
    return float(np.std(means, ddof=1) / np.sqrt(_CLUSTERS))


def _loss_error(forward, shuffled):
    """Standard error of a loss, at most `_MOST_DESIGN` times that of independent samples."""
    _, independent = paired_difference(forward, shuffled)
    return min(_standard_error(forward.astype(float) - shuffled), _MOST_DESIGN * independent)


def _drift(codes, times, rng):
    """The p-value of equal classes along time, the class that changes most, and its fractions.

    `times` are sorted.
    """
    n, n_classes = len(codes), int(codes.max()) + 1
    ties = np.lexsort((rng.random(n), times))  # a table may be sorted by class within a year
    codes = codes[ties]
    thirds = [
        np.bincount(part, minlength=n_classes) / len(part) for part in np.array_split(codes, 3)
    ]
    changing = int(np.ptp(thirds, axis=0).argmax())
    ends = _ends_of_blocks(times)
    sizes = np.diff(ends, prepend=0)
    in_blocks = np.stack(
        [np.bincount(part, minlength=n_classes) for part in np.split(codes, ends[:-1])]
    )
    orders = np.array([rng.permutation(len(ends)) for _ in range(_PERMUTATIONS)])
    orders = np.vstack([np.arange(len(ends)), orders])
    middles = np.cumsum(sizes[orders], axis=1) - sizes[orders] / 2
    expected = in_blocks.sum(axis=0) / n
    # How far classes are from their fractions in each third, and how far their ranks from the mean.
    above = in_blocks - sizes[:, None] * expected
    of_thirds = np.stack(
        [np.einsum("pb,pbk->pk", middles * 3 // n == third, above[orders]) for third in range(3)]
    )
    of_ranks = np.einsum("pb,pbk->pk", middles / n - 0.5, above[orders])
    present = expected > 0
    p_values = []
    for scores in ((of_thirds**2).sum(axis=0), of_ranks**2):
        scores = (scores[:, present] / expected[present]).sum(axis=1)
        # Sums of the same numbers in another order differ by rounding.
        p_values.append(float((scores >= scores[0] * (1 - 1e-9)).mean()))
    shares = [float(each[changing]) for each in thirds]
    return min(2 * min(p_values), 1.0), changing, shares


def _ends_of_blocks(times):
    """The ends of blocks of consecutive samples in sorted times."""
    n = len(times)
    even = np.arange(1, _BLOCKS + 1) * n // _BLOCKS
    steps = np.append(np.flatnonzero(np.diff(times) > 0) + 1, n)
    places = np.searchsorted(steps, even)
    before, after = steps[np.maximum(places - 1, 0)], steps[places]
    ends = np.unique(np.where(even - before < after - even, before, after))
    return even if len(ends) < _LEAST_BLOCKS else ends
