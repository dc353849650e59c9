"""Every contestant, in one place: what it is called, how it is tuned, fitted and read.

A job gives the results of one method, or of two that share machines. To change how a contestant
is built, change it here and nowhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from smartsvm import ClassForest, SmartSVM, SmartSVMCV, class_hierarchy

from .pair_machines import DAGSVM
from .quadratic_map import QuadraticMap
from .tuning import along_path, mean_ari

REFERENCE_CS = (2.0**-6, 2.0**-2, 2.0**2)  # of the quadratic map
RBF_CS = (1.0, 16.0, 256.0)
SCORING = "adjusted_rand_score"

_PAPER_TREE = {"hierarchy": "min-cut"}
PAPER_ERRORS = {"bias_correction": True, "normalize": True}
_PAPER_NODES = {"nodes": "linear", "routing": "hard", "solver": "liblinear"}


@dataclass
class Fitted:
    """A tuned classifier and how it came about; `capped` if not every C was tried."""

    model: object
    C: float | None = None
    scores: tuple = ()
    capped: bool = False
    extra: dict | None = None


@dataclass(frozen=True)
class Job:
    """One piece of work: the methods whose records it gives and the function that does it.

    `run(problem, clock)` gives {method: Fitted} and charges "<method> tune", "<method> fit" and
    "<method> hierarchy" to the clock. `weight` is a rough cost of a sample, feature and class.
    """

    methods: tuple
    run: Callable
    weight: float
    cap_share: float = 1.0
    suits: Callable = lambda n, d, K, size: True


def one_vs_one(C):
    return OneVsOneClassifier(LinearSVC(C=C, dual=False))


def one_vs_rest(C):
    return OneVsRestClassifier(LinearSVC(C=C, dual=False))


def crammer_singer(C):
    return LinearSVC(C=C, multi_class="crammer_singer", random_state=0)


def quadratic_one_vs_one(C):
    return make_pipeline(QuadraticMap(), one_vs_one(C))


def rbf_svm(C):
    return SVC(C=C, gamma="scale")


def gradient_boosting(size):
    return HistGradientBoostingClassifier(max_iter=size.boosting_rounds, random_state=0)


def boosting_with_early_stopping(size):
    return HistGradientBoostingClassifier(
        max_iter=10 * size.boosting_rounds, early_stopping=True, random_state=0
    )


def random_forest(size):
    return RandomForestClassifier(random_state=0)


def extra_trees(size):
    return ExtraTreesClassifier(random_state=0)


def accurate(size):
    """SmartSVM whose nodes share a forest."""
    return SmartSVM(nodes="forest")


def nearest_neighbours(size):
    return KNeighborsClassifier(5)


def faithful(C, **options):
    """SmartSVM as in the paper."""
    return SmartSVM(C=C, **(_PAPER_TREE | _PAPER_NODES | options))


def best(C, **options):
    """SmartSVM as we would use it."""
    return SmartSVM(C=C, **options)


def faithful_over_liblinear(C, **options):
    """SmartSVM as in the paper with the machines of one-vs-one instead of our own solver."""
    nodes = _PAPER_NODES | {"nodes": LinearSVC(C=C, dual=False)}
    return SmartSVM(**(_PAPER_TREE | nodes | options))


def tuned(name, make, Cs=None, *, slow=False):
    """A job that tunes C of one estimator over the folds and fits it again on all rows.

    If it is `slow`, the best classifier so far is fitted after each C and reported, so that a
    cell that is killed has a result.
    """

    def run(problem, clock):
        grid = problem.size.Cs if Cs is None else Cs
        X, y = problem.X_train, problem.y_train

        def report(scores):
            if slow and scores[-1] == max(scores):
                C = grid[len(scores) - 1]
                model = _quietly(lambda: make(C).fit(X, y))
                clock.so_far({name: Fitted(model, C, tuple(scores), capped=True)})

        fitted = tune(name, make, grid, problem, clock, report)
        if clock.elapsed < 0.8 * clock.cap:
            clock.best_of(f"{name} fit", lambda: make(1.0).fit(X, y))
        return {name: fitted}

    return run


def tune(name, make, grid, problem, clock, report=None):
    """Mean ARI over the folds for each C, then a fit on all rows with the best."""
    scores = []

    def one(C):
        with clock(f"{name} tune"):
            found = [
                make(C)
                .fit(problem.X_train[train], problem.y_train[train])
                .predict(problem.X_train[rows])
                for train, rows in problem.folds
            ]
            scores.append(mean_ari(found, problem))
        if report is not None:
            report(scores)
        return (scores[-1],)

    (path,) = along_path(grid, one, clock)
    C = path.best(grid)
    with clock(f"{name} tune"):
        model = make(C).fit(problem.X_train, problem.y_train)
    return Fitted(model, C, tuple(path.scores), path.capped)


def _quietly(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return call()


def untuned(name, make):
    """A job that fits one estimator, made for the size of the run, without tuning."""

    def run(problem, clock):
        with clock(f"{name} fit"):
            model = make(problem.size).fit(problem.X_train, problem.y_train)
        clock.spent[f"{name} tune"] = clock.spent[f"{name} fit"]
        return {name: Fitted(model)}

    return run


def run_pairs(problem, clock):
    """One-vs-one and DAG from the same machines; the fits are charged to both."""
    both = ("one-vs-one tune", "dag tune")
    y = problem.y_train

    def one(C):
        votes, eliminations = [], []
        for train, rows in problem.folds:
            X, X_rows = problem.X_train[train], problem.X_train[rows]
            with clock(*both):
                machines = one_vs_one(C).fit(X, y[train])
            with clock(both[0]):
                votes.append(machines.predict(X_rows))
            with clock(both[1]):
                dag = DAGSVM(machines=machines).fit(X, y[train])
                eliminations.append(dag.predict(X_rows))
        return mean_ari(votes, problem), mean_ari(eliminations, problem)

    clock.best_of("one-vs-one fit", lambda: one_vs_one(1.0).fit(problem.X_train, y))
    clock.spent["dag fit"] = clock.spent["one-vs-one fit"]
    paths = along_path(problem.size.Cs, one, clock)
    results = {}
    for name, path in zip(("one-vs-one", "dag"), paths, strict=True):
        C = path.best(problem.size.Cs)
        with clock(f"{name} tune"):
            model = one_vs_one(C).fit(problem.X_train, y)
            if name == "dag":
                model = DAGSVM(machines=model).fit(problem.X_train, y)
        results[name] = Fitted(model, C, tuple(path.scores), path.capped)
    return results


def run_faithful(problem, clock, **options):
    """The paper's method: forest and hierarchy once for the training part, then C is tuned.

    `options` of SmartSVM replace the paper's, its solver for instance.
    """
    name, X, y = "smartsvm-faithful", problem.X_train, problem.y_train
    trees = {"n_trees": problem.n_trees}
    clock.best_of(f"{name} fit", lambda: faithful(1.0, **(trees | options)).fit(X, y))
    with clock(f"{name} hierarchy", f"{name} tune"):
        forest = ClassForest(X, y, **trees)
        hierarchy = class_hierarchy(forest.pairwise(**PAPER_ERRORS))
    with clock(f"{name} tune"):
        tuner = SmartSVMCV(
            Cs=list(problem.size.Cs),
            cv=problem.folds,
            scoring=SCORING,
            hierarchy=hierarchy,
            **(_PAPER_NODES | options),
        ).fit(X, y)
    result = Fitted(tuner, tuner.C_, scores_by_C(tuner))
    result.extra = {"nodes": node_errors(forest, hierarchy), "depth": hierarchy.depth}
    return {name: result}


def scores_by_C(tuner):
    """Mean score over the folds for each C."""
    return tuple(np.mean(tuner.scores_, axis=1).tolist())


def node_errors(forest, hierarchy):
    """Exact HP-estimate of the problem of every node, not timed."""
    found = []
    for node, depth in enumerate(hierarchy.node_depths.tolist()):
        left, right = hierarchy.node_classes(node)
        error = forest.split(left, right, bias_correction=True)
        smaller = min(
            forest.class_counts[np.isin(forest.classes, side)].sum() for side in (left, right)
        )
        n = int(error.class_counts.sum())
        found.append(
            {
                "depth": depth,
                "error": round(float(error.value), 6),
                "normalised": round(float(error.value) * n / int(smaller), 6),
                "n": n,
                "classes": [len(left), len(right)],
            }
        )
    return found


def run_best(problem, clock):
    """Our own choice of settings, tuned by `SmartSVMCV`: forests and hierarchies of the folds."""
    name, X, y = "smartsvm-best", problem.X_train, problem.y_train
    clock.best_of(f"{name} fit", lambda: best(1.0).fit(X, y))
    with clock(f"{name} tune"):
        tuner = SmartSVMCV(Cs=list(problem.size.Cs), cv=problem.folds, scoring=SCORING)
        tuner.fit(X, y)
    return {name: Fitted(tuner, tuner.C_, scores_by_C(tuner))}


JOBS = {
    "smartsvm-faithful": Job(("smartsvm-faithful",), run_faithful, 1.0),
    "smartsvm-best": Job(("smartsvm-best",), run_best, 3.0),
    "pairs": Job(("one-vs-one", "dag"), run_pairs, 1.0),
    "one-vs-rest": Job(("one-vs-rest",), tuned("one-vs-rest", one_vs_rest), 1.5),
    "crammer-singer": Job(
        ("crammer-singer",), tuned("crammer-singer", crammer_singer, slow=True), 20.0, cap_share=0.4
    ),
    "one-vs-one-quadratic": Job(
        ("one-vs-one-quadratic",),
        tuned("one-vs-one-quadratic", quadratic_one_vs_one, REFERENCE_CS, slow=True),
        3.0,
    ),
    "rbf-svm": Job(
        ("rbf-svm",),
        tuned("rbf-svm", rbf_svm, RBF_CS, slow=True),
        3.0,
        suits=lambda n, d, K, size: n <= size.rbf_rows,
    ),
    "gradient-boosting": Job(
        ("gradient-boosting",), untuned("gradient-boosting", gradient_boosting), 0.3
    ),
    "boosting-early-stopping": Job(
        ("boosting-early-stopping",),
        untuned("boosting-early-stopping", boosting_with_early_stopping),
        0.3,
    ),
    "random-forest": Job(("random-forest",), untuned("random-forest", random_forest), 0.1),
    "extra-trees": Job(("extra-trees",), untuned("extra-trees", extra_trees), 0.1),
    "smartsvm-accurate": Job(("smartsvm-accurate",), untuned("smartsvm-accurate", accurate), 0.1),
    "5-nn": Job(("5-nn",), untuned("5-nn", nearest_neighbours), 0.1),
}

TITLES = {
    "smartsvm-faithful": "SmartSVM, as in the paper",
    "smartsvm-best": "SmartSVM, our settings",
    "smartsvm-accurate": "SmartSVM, accurate",
    "one-vs-one": "one-vs-one",
    "one-vs-rest": "one-vs-rest",
    "dag": "DAG",
    "crammer-singer": "Crammer–Singer",
    "one-vs-one-quadratic": "one-vs-one, quadratic map",
    "rbf-svm": "RBF SVM",
    "gradient-boosting": "gradient boosting",
    "boosting-early-stopping": "boosting, early stopping",
    "random-forest": "random forest",
    "extra-trees": "extra trees",
    "5-nn": "5 nearest neighbours",
    "gensvm": "GenSVM",
}
IN_PAPER = ("smartsvm-faithful", "one-vs-one", "one-vs-rest", "dag", "crammer-singer")
UNTUNED_REFERENCES = (
    "gradient-boosting",
    "boosting-early-stopping",
    "random-forest",
    "extra-trees",
    "5-nn",
)
UNTUNED = ("smartsvm-accurate", *UNTUNED_REFERENCES)
REFERENCES = ("one-vs-one-quadratic", "rbf-svm", *UNTUNED_REFERENCES)
# Contestants of the paper under our names.
PAPER_NAME = {"smartsvm-faithful": "smartsvm"} | {name: name for name in IN_PAPER[1:]}
