"""No call starts more threads than a machine can use."""

import os
import threading

import numpy as np
import pytest

from smartsvm import difficulty_report, euclidean_mst, pairwise_bayes_error
from smartsvm._core import threads as module
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest


@pytest.mark.parametrize("call", ["kdtree", "products", "blocks", "classes", "report"])
def test_no_call_has_more_threads_than_a_machine_can_use(call, monkeypatch):
    alive = set()
    most = [0]
    guard = threading.Lock()
    start, latest = module.start_new_thread, {}  # of each caller: its steps, and who has left them

    def counted(function, arguments):
        work = function.__self__
        left = threading.Event()
        before, leaving, last = latest.get(threading.get_ident(), (None, [], []))
        if before is not work:  # threads of the step before it may not have ended yet, no others
            for each in leaving:
                each.wait(2)
            leaving, last = last, []
        latest[threading.get_ident()] = work, leaving, [*last, left]

        def live():
            with guard:
                alive.add(threading.get_ident())
                most[0] = max(most[0], len(alive))
            try:
                function(*arguments)
            finally:
                with guard:
                    alive.discard(threading.get_ident())
                left.set()

        return start(live, ())

    monkeypatch.setattr(module, "start_new_thread", counted)
    X = np.random.default_rng(0).normal(size=(3000, 3))
    y = np.arange(3000) % 8
    options = {"n_jobs": 100_000}
    if call == "classes":
        pairwise_bayes_error(X, y, **options)
    elif call == "report":
        difficulty_report(X[:300], y[:300], **options)
    elif call == "blocks":
        BlockForest(open_points(X), n_trees=1, seed=0, n_blocks=40, **options).whole()
    else:
        euclidean_mst(X, algorithm=call, **options)
    assert most[0] <= max(64, 4 * os.cpu_count())
