"""Train the nodes of a hierarchy: machines, their left-out evidence, and its weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import parallel_results
from smartsvm.classifier.nodes.errors import WORTHWHILE
from smartsvm.classifier.nodes.evidence import (
    FOREST,
    GAUSSIANS,
    LIMITS,
    LINEAR,
    QUADRATIC,
    Machines,
    NodeEvidence,
)
from smartsvm.classifier.nodes.evidence_weights import EvidenceWeights, weigh_evidence
from smartsvm.classifier.nodes.solver import train

# What the nodes may be made of.
NODES = ("evidence", "forest", "linear", "quadratic")


class TrainedNode(NamedTuple):
    """One binary problem of a hierarchy and what decides it.

    Attributes
    ----------
    n_samples : int
        Training samples of its classes.
    share : float
        Their share of all training samples.
    left_out_error : float
        Share of the samples on the wrong side if each is judged without itself, by weight.
    weights : dict
        Weight of each kind of evidence in the log odds, and "intercept"; a single machine
        that decides by its sign alone has weight 1.
    machines : dict of ndarray
        Weights of the columns of the linear and the quadratic machine, the intercept last.
    """

    n_samples: int
    share: float
    left_out_error: float
    weights: dict
    machines: dict

    @property
    def kinds(self):
        """Kinds of evidence that count, by name."""
        return tuple(kind for kind in LIMITS if self.weights.get(kind, 0) > 0)

    def note(self, bayes_error, to_gain):
        """What is known of the node in a few words, given its Bayes error and what is to gain."""
        note = f"left out {self.left_out_error:.3g}"
        if not np.isnan(bayes_error):
            note += f", Bayes error {bayes_error:.3g}"
        if to_gain:
            note += f", up to {100 * to_gain:.2g} % of all samples to gain"
        return f"{note}, {' + '.join(self.kinds) or 'no evidence'}, {self.n_samples} samples"


def train_nodes(design, C, kind, *, solver="auto", calibrated=True, n_jobs=None, starts=None):
    """Train all nodes.

    Parameters
    ----------
    design : NodeDesign
        Rows, hierarchy, shared evidence and errors.
    C : float
        Inverse strength of the regularisation.
    kind : {"evidence", "forest", "linear", "quadratic"}
        What nodes are made of.
    solver : {"auto", "newton", "liblinear"}
        What trains the machines.
    calibrated : bool
        Whether a single machine becomes log odds; if not, its sign decides.
    n_jobs : int or None
        Threads over nodes.
    starts : dict, default=None
        Weights by (node, kind) to start from; replaced by the new ones.

    Returns
    -------
    nodes : list of TrainedNode
        In the order of the hierarchy.
    evidence : NodeEvidence
        What predicts.

    Notes
    -----
    With "evidence" a node has a linear machine first. It gets a quadratic one beside it if more
    than .05 % of all samples would be on its wrong side when left out. With "forest"
    the shared forest grows while the left-out errors of the nodes, summed, fall, and are
    more than .05 % of all samples.
    Sparse rows have no Gaussians and no products.
    """
    with single_blas_thread():  # one: nodes run side by side
        training = _Training(design, C, solver, n_jobs, {} if starts is None else starts)
        if kind in (LINEAR, QUADRATIC):
            training.add_machines(kind, range(design.hierarchy.n_nodes))
            if not calibrated:
                return training.finish({}, trust_signs=True)
            return training.finish({})
        training.add_machines(LINEAR, range(design.hierarchy.n_nodes))
        shared = {}
        if not design.is_sparse:
            training.add_machines(QUADRATIC, training.unsure_nodes())
            shared[GAUSSIANS] = design.gaussian_odds
        if kind == "evidence":
            return training.finish(shared)

        def left_out_error(votes, n_trees):
            found[n_trees] = {**shared, FOREST: design.forest_odds(votes, n_trees)}
            weighed[n_trees] = training.weigh(found[n_trees])
            return training.left_out_error(weighed[n_trees])

        found, weighed = {}, {}
        n_trees = design.forest.grow_while_it_pays(left_out_error, enough=WORTHWHILE)
        voters = design.forest.voters(n_trees)
        return training.finish(found[n_trees], weighed[n_trees], voters=voters)


class _Training:
    """The machines of all nodes as far as they are trained, and the weights of their evidence."""

    def __init__(self, design, C, solver, n_jobs, starts):
        self._design, self._C, self._solver = design, C, solver
        self._n_jobs, self._starts = n_jobs, starts
        self._machines = {}  # by kind, then by node

    def add_machines(self, kind, nodes):
        """Train machines of one kind at some nodes."""
        if not nodes:
            return
        self._design.add_columns(kind)
        starts = {node: self._start(node, kind) for node in nodes}
        if self._solver != "liblinear" and any(start is None for start in starts.values()):
            self._design.add_grams(kind)

        def one(node):
            return train(
                self._design.problem(node, kind),
                self._C,
                solver=self._solver,
                start=starts[node],
            )

        machines = dict(zip(nodes, self._for_all(one, nodes), strict=True))
        self._starts.update({(node, kind): each.weights for node, each in machines.items()})
        self._machines[kind] = machines

    def _start(self, node, kind):
        """Weights near those of a machine: of another C, or of the linear one."""
        start = self._starts.get((node, kind))
        if start is None and kind == QUADRATIC and LINEAR in self._machines:
            return self._design.quadratic_start(self._machines[LINEAR][node].weights)
        return start

    def unsure_nodes(self):
        """Nodes where the linear machine errs more than is worth a richer one."""
        return [
            node
            for node, machine in self._machines[LINEAR].items()
            if self._error(node, machine.left_out) * self._design.share(node) > WORTHWHILE
        ]

    def weigh(self, shared):
        """Weights of the evidence at all nodes, given log odds shared by all of them."""

        def one(node):
            begin, _, end = self._design.node_rows(node)
            known = {
                kind: self._machines[kind][node].left_out for kind in self._kinds_of_machines(node)
            }
            known |= {kind: odds[node, begin:end] for kind, odds in shared.items()}
            values = np.empty((len(known), end - begin))
            for row, (kind, each) in zip(values, known.items(), strict=True):
                np.clip(each, -LIMITS[kind], LIMITS[kind], out=row)
            return weigh_evidence(values.T, self._targets(node), self._weights(node))

        return self._for_all(one, range(self._design.hierarchy.n_nodes))

    def left_out_error(self, weighed):
        """Sum over the nodes of the share of all samples that are wrong when left out."""
        return sum(
            self._design.share(node) * self._error(node, each.left_out)
            for node, each in enumerate(weighed)
        )

    def finish(self, shared, weighed=None, *, voters=None, trust_signs=False):
        """The trained nodes and what predicts by them."""
        design = self._design
        limits = LIMITS
        if trust_signs:
            (machines,) = self._machines.values()
            weighed = [EvidenceWeights(np.ones(1), 0.0, m.left_out) for m in machines.values()]
            limits = dict.fromkeys(LIMITS, np.inf)
        elif weighed is None:
            weighed = self.weigh(shared)
        nodes = self._summaries(shared, weighed)
        kinds = [kind for kind in LIMITS if kind in self._machines or kind in shared]
        evidence = NodeEvidence(
            design.hierarchy.children,
            np.array([node.weights["intercept"] for node in nodes]),
            {kind: np.array([node.weights.get(kind, 0.0) for node in nodes]) for kind in kinds},
            machines={
                kind: Machines(
                    np.array(list(machines), dtype=np.intp),
                    np.array([machine.weights for machine in machines.values()]),
                )
                for kind, machines in self._machines.items()
            },
            directions=design.directions if {QUADRATIC, GAUSSIANS} & set(kinds) else None,
            quadratic_map=design.quadratic_map if QUADRATIC in self._machines else None,
            gaussians=design.gaussians.without_samples() if GAUSSIANS in shared else None,
            voters=voters,
            limits=limits,
        )
        return nodes, evidence

    def _summaries(self, shared, weighed):
        design = self._design
        nodes = []
        for node, each in enumerate(weighed):
            begin, _, end = design.node_rows(node)
            kinds = [*self._kinds_of_machines(node), *shared]
            weights = dict(zip(kinds, each.weights.tolist(), strict=True))
            nodes.append(
                TrainedNode(
                    n_samples=end - begin,
                    share=design.share(node),
                    left_out_error=self._error(node, each.left_out),
                    weights={**weights, "intercept": each.intercept},
                    machines={
                        kind: self._machines[kind][node].weights
                        for kind in self._kinds_of_machines(node)
                    },
                )
            )
        return nodes

    def _kinds_of_machines(self, node):
        return [kind for kind, machines in self._machines.items() if node in machines]

    def _targets(self, node):
        begin, middle, end = self._design.node_rows(node)
        return np.where(np.arange(begin, end) < middle, -1.0, 1.0)

    def _weights(self, node):
        begin, _, end = self._design.node_rows(node)
        return None if self._design.weights is None else self._design.weights[begin:end]

    def _error(self, node, values):
        """Share of the samples on the wrong side; a value of 0 goes left, as in prediction."""
        wrong = (values > 0) != (self._targets(node) > 0)
        return float(np.average(wrong, weights=self._weights(node)))

    def _for_all(self, function, nodes):
        with parallel_results(function, zip(nodes), self._n_jobs, in_process=True) as results:
            return list(results)
