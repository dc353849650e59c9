"""Train the nodes of a hierarchy, and decide which of them deserve richer features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._blas_threads import single_blas_thread
from smartsvm._parallel import parallel_results
from smartsvm.classifier.node_solver import train

RICHER_MAP = "quadratic"  # what "auto" upgrades to
# Less than this share of all samples is not worth a richer node.
_WORTHWHILE = 0.0005


class TrainedNode(NamedTuple):
    """One binary problem of a hierarchy and the machine that solves it.

    Attributes
    ----------
    map : str
        Name of the feature map, "linear" for the given features.
    n_samples : int
        Training samples of its classes.
    bayes_error : float
        Exact HP-estimate of the problem; NaN where nobody had to know it.
    training_error : float
        Share of the training samples on the wrong side, by their weights.
    left_out_error : float
        The same for machines trained without the sample, to first order.
    least_probability : float
        Floor of the probability of either side.
    weights : ndarray
        Weights of the given features, the intercept, and those of the added columns.
    """

    map: str
    n_samples: int
    bayes_error: float
    training_error: float
    left_out_error: float
    least_probability: float
    weights: np.ndarray


def train_nodes(design, C, node_map, *, n_jobs=None, seed=0, starts=None):
    """Train all nodes.

    Parameters
    ----------
    design : NodeDesign
        Rows, hierarchy, maps and errors.
    C : float
        Inverse strength of the regularisation.
    node_map : {"linear", "quadratic", "mahalanobis", "auto"}
        Features of the nodes.
    n_jobs : int or None
        Threads over nodes.
    seed : int
        Seed of LibLinear's dual solver.
    starts : dict, default=None
        Weights by (node, map) to start from; replaced by the new ones.

    Returns
    -------
    list of TrainedNode
        In the order of the hierarchy.

    Notes
    -----
    With "auto" a node is first trained in the given features. The gate opens if
    the linear machine leaves accuracy on the table: if its left-out error exceeds
    the HP-estimate of the node by at least .05 % of all samples. It also opens
    if the estimate lies above that error and so refutes itself, as it does with
    one-hot features or very many. Where the gate is open the richer machine is
    trained, and taken if its left-out error is smaller.
    """
    starts = {} if starts is None else starts
    nodes = range(design.hierarchy.n_nodes)
    first = "linear" if node_map == "auto" else node_map
    machines = _train(design, nodes, first, C, n_jobs, seed, starts)
    trained = [_summary(design, node, first, machines[node], np.nan) for node in nodes]
    if node_map != "auto" or design.is_sparse:
        return trained
    asked = [
        node for node in nodes if trained[node].left_out_error * design.share(node) > _WORTHWHILE
    ]
    errors = design.node_errors(asked)
    upgraded = []
    for node, error in zip(asked, errors.tolist(), strict=True):
        trained[node] = trained[node]._replace(bayes_error=error)
        gap = trained[node].left_out_error - error
        if gap < 0 or gap * design.share(node) > _WORTHWHILE:
            upgraded.append(node)
    for node in upgraded:
        starts.setdefault((node, RICHER_MAP), trained[node].weights)
    machines = _train(design, upgraded, RICHER_MAP, C, n_jobs, seed, starts)
    for node in upgraded:
        plain = trained[node]
        richer = _summary(design, node, RICHER_MAP, machines[node], plain.bayes_error)
        if richer.left_out_error < plain.left_out_error:
            trained[node] = richer
    return trained


def _train(design, nodes, name, C, n_jobs, seed, starts):
    """Machines of some nodes in the features of one map, by node."""
    if not nodes:
        return {}
    design.prepare(name)

    def one(node):
        return train(design.problem(node, name), C, start=starts.get((node, name)), seed=seed)

    # Bits must not depend on the number of threads, so BLAS gets one: nodes run side by side.
    with (
        single_blas_thread(),
        parallel_results(one, zip(nodes), n_jobs, in_process=True) as results,
    ):
        machines = list(results)
    starts.update({(node, name): m.weights for node, m in zip(nodes, machines, strict=True)})
    return dict(zip(nodes, machines, strict=True))


def _summary(design, node, name, machine, bayes_error):
    problem = design.problem(node, name)
    targets, weights = problem.targets, problem.weights
    return TrainedNode(
        map=name,
        n_samples=len(targets),
        bayes_error=bayes_error,
        training_error=float(np.average(_wrong(targets, machine.margins), weights=weights)),
        left_out_error=float(np.average(_wrong(targets, machine.left_out), weights=weights)),
        least_probability=_least_probability(targets * machine.left_out, weights),
        weights=machine.weights,
    )


def _least_probability(agreement, weights):
    """Share of the samples that are wrong by more than the margin when left out."""
    weights = np.ones(len(agreement)) if weights is None else weights / weights.mean()
    # Below one half, so that the sign of the margin still decides.
    return min((weights @ (agreement <= -1) + 1) / (len(agreement) + 2), 0.49)


def _wrong(targets, margins):
    """Samples on the wrong side; a margin of 0 goes left, as in prediction."""
    return (margins > 0) != (targets > 0)
