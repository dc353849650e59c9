"""Rank transformations by how well the classes can be told apart after them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from smartsvm._core.parallel import parallel_results
from smartsvm._core.progress import Steps
from smartsvm._core.sampling import stratified_rows
from smartsvm._core.types import RandomState
from smartsvm._core.validation import (
    check_choice,
    check_flag,
    check_int,
    check_jobs,
    check_labels,
    check_share,
    describe,
    tie_seed,
    warn,
)
from smartsvm.estimation.forest_counts import SmallClassWarning
from smartsvm.held_out.registry import NEIGHBORS
from smartsvm.selection.transformed_error import (
    TRANSFORMER_CRITERIA,
    TransformedError,
    as_good,
    dense_points,
    transformed_error,
)
from smartsvm.selection.transformer_ranking import TransformerRanking
from smartsvm.trees.open_points import open_points

# A round keeps at least 1 in 3 candidates and has 3 times the samples, so that rounds cost alike.
_FACTOR = 3
# The first round has at least max(300, 10 K) held-out samples: the standard error of an error of
# 10% is then below 2%, and an average class has ten.
_LEAST_POINTS = 300
_LEAST_OF_CLASS = 10
# Two errors differ clearly if they are 2 standard errors of their difference apart (95%).
_CLEAR = 2.0
# An inverse restores a feature if it errs by at most this fraction of its range, as rounding does.
_RESTORED = 1e-6


class _Outcome(NamedTuple):
    """One transformer in its last round."""

    estimate: TransformedError | None = None
    fit_seconds: float = np.nan
    estimate_seconds: float = np.nan
    failure: str | None = "interrupted"
    invertible: bool = False
    n_held_out: int = 0
    rounds: int = 0


def rank_transformers(
    transformers: Iterable[Any] | Mapping[str, Any] | None,
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "held_out",
    per_pair: bool = False,
    test_size: float = 0.5,
    halving: bool = True,
    n_trees: int = 3,
    n_neighbors: int = 5,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
) -> TransformerRanking:
    """Rank transformations by how well the classes can be told apart after them.

    Each candidate is fitted on one part of the samples. Quick classifiers are then judged on the
    rest, each sample held out: a transformer gains nothing by memorising labels.

    Parameters
    ----------
    transformers : list, dict or None
        Transformers and pipelines of scikit-learn, ``"passthrough"`` for the points as
        they are; pairs (name, transformer) or a dict for names of your own. Those
        without ``transform`` (`SpectralEmbedding`, `TSNE`, ...) are transductive: they
        get all points at once, without labels, and are marked. None: some common ones.
    X : array-like of shape (n_samples, n_features)
        The points.
    y : array-like of shape (n_samples,)
        Labels of any sortable type, two classes or more.
    criterion : str, default="held_out"
        "held_out": the leave-one-out error of k nearest neighbours, LDA, Gaussian classes and
        kernel ridge, combined into one posterior. "multiclass": the HP-estimate of the multiclass
        error. "mean_pair" and "worst_pair": the mean or largest normalised HP-estimate of the
        pairs. "knn": the leave-one-out error of `n_neighbors` neighbours.
    per_pair : bool, default=False
        Also estimate every pair of classes, to choose a transformer for each pair.
    test_size : float, default=0.5
        Fraction of the samples to hold out for the estimates.
    halving : bool, default=True
        Begin with few samples and continue with the better candidates only.
    n_trees : int, default=3
        Orthogonal trees.
    n_neighbors : int, default=5
        Neighbours of "knn".
    n_jobs : int or None, default=None
        Number of candidates in parallel, in threads.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the split and of the order among equal distances. Transformers have their own.
    verbose : int, default=0
        1 names each round on standard error.

    Returns
    -------
    TransformerRanking
        A table, best first: ``print`` it, or ``to_frame()``.

    Notes
    -----
    Small differences are noise: of the candidates within a standard error of the smallest error,
    invertible ones come first that suit nearest neighbours; see the user guide. With halving there
    are up to log3 m rounds for m candidates before the last, each with three times the samples.

    HP-estimates are not clipped at the baseline (``bias_correction=False``), where different
    transformations would look alike. All estimates of a round use the same samples. Errors in
    many dimensions fall more slowly with more samples, so halving favours maps into few
    dimensions; ``halving=False`` compares all candidates on all samples.

    Ctrl-C raises KeyboardInterrupt; its attribute ``ranking`` holds the results so far.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.preprocessing import StandardScaler
    >>> from smartsvm import rank_transformers
    >>> X, y = load_wine(return_X_y=True)
    >>> ranking = rank_transformers(["passthrough", StandardScaler(), PCA(2)], X, y)
    >>> ranking.names
    ['StandardScaler()', 'passthrough', 'PCA(n_components=2)']
    """
    check_choice(criterion, "criterion", TRANSFORMER_CRITERIA)
    per_pair, halving = check_flag(per_pair, "per_pair"), check_flag(halving, "halving")
    n_jobs = check_jobs(n_jobs)
    check_int(n_trees, "n_trees", least=1)
    check_int(n_neighbors, "n_neighbors", least=1)
    verbose = check_int(verbose, "verbose", least=0)
    test_size = check_share(test_size, "test_size")
    named = named_transformers(transformers)
    X = open_points(X).read()
    classes, codes = check_labels(y, n_samples=len(X))
    seed = tie_seed(random_state)
    size = max(round(test_size * len(X)), len(classes), 2)
    if size >= len(X):
        raise ValueError(
            f"X must have more than {size} rows to hold out test_size={test_size} of them and one "
            f"of each class, got {len(X)}."
        )
    held_out = np.zeros(len(X), dtype=bool)
    held_out[stratified_rows(codes, size, seed)] = True
    contest = _Contest(
        named,
        X,
        np.asarray(y),
        codes,
        held_out,
        seed,
        n_jobs,
        Steps(verbose),
        {
            "criterion": criterion,
            "n_trees": n_trees,
            "n_neighbors": n_neighbors,
            "with_pairs": per_pair,
            "random_state": seed,
        },
    )
    if np.bincount(codes[held_out]).min() < _LEAST_OF_CLASS:
        warn(
            f"Some class has fewer than {_LEAST_OF_CLASS} held-out samples: its errors are coarse.",
            SmallClassWarning,
        )
    contest.run(_round_sizes(len(named) if halving else 1, size, len(classes)), per_pair)
    ranking = contest.ranking(classes, criterion, per_pair)
    if ranking.interrupted:
        stop = KeyboardInterrupt("interrupted; `ranking` of this exception has the results so far")
        stop.ranking = ranking
        raise stop
    return ranking


class _Contest:
    """Candidates and their latest outcomes."""

    def __init__(self, named, X, y, codes, held_out, seed, n_jobs, steps, options):
        self._named = named
        self._X = X
        self._y = y
        self._codes = codes
        self._test = np.flatnonzero(held_out)
        self._train = np.flatnonzero(~held_out)
        self._seed = seed
        self._n_jobs = n_jobs
        self._steps = steps
        self._options = options
        self._outcomes = dict.fromkeys(range(len(named)), _Outcome())
        self._interrupted = False

    def run(self, sizes, per_pair):
        """All rounds; fewer after Ctrl-C, if there is an outcome."""
        running = list(range(len(self._named)))
        try:
            for place, size in enumerate(sizes):
                self._steps.begin(f"{len(running)} transformers on {size} held-out samples")
                self._round(running, size)
                running = [i for i in running if self._outcomes[i].failure is None]
                if not running:
                    break
                if place + 1 < len(sizes):
                    running = self._survivors(running, per_pair)
        except KeyboardInterrupt:
            if not any(outcome.failure is None for outcome in self._outcomes.values()):
                raise
            self._interrupted = True
        if not any(outcome.failure is None for outcome in self._outcomes.values()):
            reasons = "; ".join(
                f"{self._named[i][0]}: {outcome.failure}" for i, outcome in self._outcomes.items()
            )
            raise ValueError(f"All transformers failed: {reasons}")

    def _round(self, running, size):
        share = size / len(self._test)
        test = self._test[stratified_rows(self._codes[self._test], size, self._seed)]
        train = self._train
        _, present = np.unique(self._codes[train], return_inverse=True)
        n_train = max(int(share * len(train)), 2, present.max() + 1)
        train = train[stratified_rows(present, n_train, self._seed)]
        problem = self._X[train], self._y[train], self._X[test], self._y[test], self._options
        calls = ((self._named[i][1], *problem) for i in running)
        with parallel_results(_try, calls, self._n_jobs) as outcomes:
            for i, outcome in zip(running, outcomes, strict=True):
                rounds = self._outcomes[i].rounds + 1
                self._outcomes[i] = outcome._replace(n_held_out=size, rounds=rounds)

    def _survivors(self, running, per_pair):
        estimates = {i: self._outcomes[i].estimate for i in running}
        order = sorted(running, key=lambda i: estimates[i].error)
        best = estimates[order[0]]
        kept = set(order[: max(1, -(-len(order) // _FACTOR))])
        kept.update(i for i in order if _excess(estimates[i], best, _CLEAR) <= 0)
        if per_pair:
            pairs = np.array([estimates[i].pairs for i in order])
            upper = np.triu_indices(pairs.shape[1], 1)
            kept.update(order[place] for place in np.unique(pairs.argmin(axis=0)[upper]))
        return [i for i in running if i in kept]

    def _winner(self):
        """The candidate that wins the tie around the smallest error, and that error."""
        done = self._outcomes
        ties = [
            i
            for i, outcome in done.items()
            if outcome.failure is None and not is_transductive(self._named[i][1])
        ]
        if not ties:
            return None, np.nan
        last = max(done[i].rounds for i in ties)
        ties = [i for i in ties if done[i].rounds == last]
        estimates = {i: done[i].estimate for i in ties}
        best = min(estimates.values(), key=lambda each: each.error)
        judged = {i: each.judged for i, each in estimates.items()}
        if best.judged is None:
            ties = [i for i in ties if _excess(estimates[i], best) <= 0]
        else:
            # Wider for few mistakes: of 1 and 3, neither is fewer for sure.
            ties = [i for i in ties if as_good(judged[i].wrong, best.judged.wrong, spare=2)]
        ties = [i for i in ties if done[i].invertible] or ties
        if best.judged is not None:  # other classifiers depend on the scale, too, as neighbours do
            wrong = {i: judged[i].of_each[NEIGHBORS].sum() for i in ties}
            ties = [i for i in ties if wrong[i] <= min(wrong.values()) + 1]
        return min(ties, key=lambda i: (_n_steps(self._named[i][1]), i)), best.error

    def ranking(self, classes, criterion, per_pair):
        """Finalists first, then by the round in which they left, each by error."""
        done, (winner, least) = self._outcomes, self._winner()

        def key(i):
            failed = done[i].failure is not None
            error = least if i == winner else np.inf if failed else done[i].estimate.error
            return failed, -done[i].rounds, error, i != winner

        order = sorted(done, key=key)
        outcomes = [done[i] for i in order]
        blank = np.full((len(classes), len(classes)), np.nan)
        unknown = TransformedError(np.nan, np.nan, blank, blank)
        known = [outcome.estimate or unknown for outcome in outcomes]

        def column(name, of=known):
            return np.array([getattr(each, name) for each in of])

        shared = ("n_held_out", "rounds", "fit_seconds", "estimate_seconds", "invertible")
        return TransformerRanking(
            names=[self._named[i][0] for i in order],
            transformers=[self._named[i][1] for i in order],
            errors=column("error"),
            standard_errors=column("standard_error"),
            transductive=np.array([is_transductive(self._named[i][1]) for i in order]),
            failures=[outcome.failure for outcome in outcomes],
            classes=classes,
            pair_errors=column("pairs") if per_pair else None,
            pair_standard_errors=column("pair_noise") if per_pair else None,
            criterion=criterion,
            interrupted=self._interrupted,
            **{name: column(name, outcomes) for name in shared},
        )


def _excess(estimate, best, n_errors=1.0):
    """How far an error exceeds the best one by more than standard errors of the difference."""
    noise = np.hypot(estimate.standard_error, best.standard_error)
    return estimate.error - best.error - n_errors * noise


def named_transformers(transformers):
    """Pairs (name, transformer) with distinct names, at least one, from any legal form."""
    if transformers is None:
        return [
            ("passthrough", "passthrough"),
            ("standard", StandardScaler()),
            ("minmax", MinMaxScaler()),
            ("pca95", make_pipeline(StandardScaler(), PCA(0.95))),
            ("lda", LinearDiscriminantAnalysis()),
        ]
    if isinstance(transformers, str) or not hasattr(transformers, "__iter__"):
        raise TypeError(
            f"transformers must be a list or a dict of transformers, got {describe(transformers)}."
        )
    pairs = transformers.items() if isinstance(transformers, dict) else transformers
    named = []
    for entry in pairs:
        name, transformer = entry if isinstance(entry, tuple) else (_name(entry), entry)
        if not (isinstance(transformer, str) and transformer == "passthrough") and not hasattr(
            transformer, "fit_transform"
        ):
            raise TypeError(
                'Each of transformers must be "passthrough" or have a method fit_transform, got '
                f"{describe(transformer)}."
            )
        unique = str(name)
        number = 2
        while unique in dict(named):
            unique = f"{name}-{number}"
            number += 1
        named.append((unique, transformer))
    if not named:
        raise ValueError("transformers must not be empty.")
    return named


def is_transductive(transformer):
    """Whether a transformer can only map the points it was fitted on."""
    return not isinstance(transformer, str) and not hasattr(transformer, "transform")


def _n_steps(transformer):
    return 0 if isinstance(transformer, str) else len(getattr(transformer, "steps", [transformer]))


def _is_invertible(fitted, points, X):
    """Whether the inverse of a fitted transformer restores the points that it has transformed."""
    if not hasattr(fitted, "inverse_transform"):
        return False
    try:
        back = dense_points(fitted.inverse_transform(points))
    except Exception:  # not all that have the method can do it
        return False
    return back.shape == X.shape and bool(np.all(np.abs(back - X) <= _RESTORED * np.ptp(X, axis=0)))


def _name(transformer):
    if isinstance(transformer, str):
        return transformer
    if hasattr(transformer, "steps"):
        return " + ".join(_name(step) for _, step in transformer.steps)
    return " ".join(str(transformer).split())


def _round_sizes(n_candidates, n_held_out, n_classes):
    """Held-out samples of each round, increasing to all of them."""
    sizes = [n_held_out]
    least = max(_LEAST_POINTS, _LEAST_OF_CLASS * n_classes)
    while n_candidates > 1 and sizes[0] // _FACTOR >= least:
        sizes.insert(0, sizes[0] // _FACTOR)
        n_candidates = -(-n_candidates // _FACTOR)
    return sizes


def _try(transformer, X_train, y_train, X_test, y_test, options):
    """Fit on one part, estimate on the other; an error of the transformer is an outcome."""
    begin = time.perf_counter()
    invertible = False
    try:
        if isinstance(transformer, str):
            points = X_test
            invertible = True
        elif is_transductive(transformer):
            points = clone(transformer).fit_transform(np.concatenate([X_train, X_test]))
            points = dense_points(points)[len(X_train) :]
        else:
            fitted_transformer = clone(transformer).fit(X_train, y_train)
            points = fitted_transformer.transform(X_test)
            invertible = _is_invertible(fitted_transformer, points, X_test)
        points = dense_points(points)
    except Exception as error:  # the other transformers can still be ranked
        reason = " ".join(str(error).split())
        return _Outcome(None, time.perf_counter() - begin, 0.0, f"{type(error).__name__}: {reason}")
    fitted = time.perf_counter()
    estimate = transformed_error(points, y_test, **options)
    seconds = fitted - begin, time.perf_counter() - fitted
    return _Outcome(estimate, *seconds, None, invertible)
