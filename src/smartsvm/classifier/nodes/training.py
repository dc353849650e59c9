"""Train the nodes of a hierarchy: their evidence, and its weights on held-out samples."""

from dataclasses import dataclass, field

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import in_threads
from smartsvm._core.types import Floats
from smartsvm.classifier.nodes.evidence import KINDS, NODES, NodeEvidence
from smartsvm.classifier.nodes.evidence_weights import EvidenceWeights, weigh_evidence


@dataclass(frozen=True)
class TrainedNode:
    """One binary problem of a hierarchy and what decides it."""

    n_samples: int  # training samples of its classes
    share: float  # as a fraction of all training samples
    held_out_error: float  # weighted fraction of held-out samples on the wrong side
    weights: dict[str, float]  # of each kind of evidence in the log odds, and "intercept"
    # Weights of the columns of each SVM, the intercept last.
    _svm_weights: dict[str, Floats] = field(repr=False)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of evidence that count, by name."""
        return tuple(kind for kind in KINDS if self.weights.get(kind, 0) > 0)

    def note(self, bayes_error: float = np.nan, to_gain: float = 0.0) -> str:
        """The node in a few words, with its Bayes error and the accuracy that is left to gain."""
        note = f"held-out error {self.held_out_error:.3g}"
        if not np.isnan(bayes_error):
            note += f", Bayes error {bayes_error:.3g}"
        if to_gain:
            note += f", up to {100 * to_gain:.2g}% to gain"
        return f"{note}, {' + '.join(self.kinds) or 'no evidence'}, {self.n_samples} samples"


def train_nodes(design, C, mode, *, solver, calibrated, n_jobs, starts):
    """Train all nodes: a list of `TrainedNode`, and the `NodeEvidence` that predicts."""
    # `calibrated`: whether a single SVM becomes log odds or decides by its sign. `starts`: weights
    # to start from by (node, quadratic); the new weights replace them.
    with single_blas_thread():  # nodes run in parallel
        training = Training(design, C, solver, n_jobs, {} if starts is None else starts)
        for name in NODES[mode]:
            if not (design.is_sparse and KINDS[name].needs_dense):
                training.add(name)
        if not calibrated and len(NODES[mode]) == 1:
            training.trust_signs()
        return training.finish()


class Training:
    """The evidence of all nodes trained so far, by kind, and its weights."""

    def __init__(self, design, C, solver, n_jobs, starts):
        self.design = design
        self.C = C
        self.solver = solver
        self.starts = starts
        self.evidence = {}
        self._n_jobs = n_jobs
        self._limits = None
        self._weighed = None  # `EvidenceWeights` of every node for the evidence so far

    def add(self, name):
        """Train one kind of evidence, at the nodes that need it."""
        trained = KINDS[name](self)
        if name not in self.evidence and len(trained.nodes):
            self.evidence[name] = trained
            self._weighed = None

    def weigh(self):
        """Weigh the evidence at all nodes by logistic regression on held-out values."""

        def one(node):
            begin, _, end = self.design.node_rows(node)
            kinds = self._kinds_at(node)
            values = np.empty((len(kinds), end - begin))
            for row, kind in zip(values, kinds.values(), strict=True):
                np.clip(kind.held_out(node, begin, end), -kind.limit, kind.limit, out=row)
            return weigh_evidence(values.T, *self.design.node_targets(node))

        self._weighed = self.for_all(one, range(self.design.hierarchy.n_nodes))

    def trust_signs(self):
        """Let the single SVM of every node decide by its sign, without a limit."""
        (svms,) = self.evidence.values()
        self._limits = np.inf
        self._weighed = [
            EvidenceWeights(np.ones(1), 0.0, svm.held_out) for svm in svms.svms.values()
        ]

    def held_out_error(self):
        """The fraction of all samples that are wrong when held out, summed over the nodes."""
        return sum(
            self.design.share(node) * self.error(node, each.held_out)
            for node, each in enumerate(self._weighed)
        )

    def error(self, node, values):
        """The fraction of samples on the wrong side; a value of 0 goes left, as in prediction."""
        targets, weights = self.design.node_targets(node)
        return float(np.average((values > 0) != (targets > 0), weights=weights))

    def finish(self):
        """The trained nodes and what predicts by them."""
        if self._weighed is None:
            self.weigh()
        nodes = [self._summary(node, each) for node, each in enumerate(self._weighed)]
        terms = []
        for name, kind in self.evidence.items():
            weights = np.array([nodes[node].weights[name] for node in kind.nodes])
            terms.append((kind.predictor(), kind.nodes, weights, self._limits or kind.limit))
        dense = any(kind.needs_dense for kind in self.evidence.values())
        intercepts = np.array([node.weights["intercept"] for node in nodes])
        return nodes, NodeEvidence(intercepts, terms, self.design.directions if dense else None)

    def _summary(self, node, weighed):
        begin, _, end = self.design.node_rows(node)
        kinds = self._kinds_at(node)
        weights = dict(zip(kinds, weighed.weights.tolist(), strict=True))
        return TrainedNode(
            n_samples=end - begin,
            share=self.design.share(node),
            held_out_error=self.error(node, weighed.held_out),
            weights={**weights, "intercept": weighed.intercept},
            _svm_weights={
                name: kind.svms[node].weights
                for name, kind in kinds.items()
                if hasattr(kind, "svms")
            },
        )

    def _kinds_at(self, node):
        return {name: kind for name, kind in self.evidence.items() if node in kind.nodes}

    def for_all(self, function, items):
        """Results of calls that run in parallel."""
        return in_threads(function, items, self._n_jobs)
