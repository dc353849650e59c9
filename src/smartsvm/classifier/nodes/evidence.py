"""The kinds of evidence at the nodes, and the weighted sum that predicts."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from scipy.sparse import issparse

from smartsvm.classifier.nodes._evidence import add_clipped, sum_sides
from smartsvm.classifier.nodes.errors import WORTHWHILE
from smartsvm.classifier.nodes.solver import dense, train
from smartsvm.held_out.extra_trees import OUT_OF_BAG, SIZES
from smartsvm.held_out.linear import MOST_DIMENSIONS

# Up to this many samples the forest has 128 trees at once: their errors are too noisy to tell when
# to stop growing, and trees are cheap.
_FEW_SAMPLES = 2000
_FOR_FEW = (128,)
# Classes from which on LDA is worth its time: its K planes separate single classes, those of the
# first nodes only large groups.
_MANY_CLASSES = 32


class Evidence(Protocol):
    """One kind of evidence for the right side of nodes, built from a `training.Training`."""

    limit: float  # values further out count as this much
    needs_dense: bool  # whether sparse rows go without it
    nodes: np.ndarray  # the nodes that have it

    def held_out(self, node, begin, end):
        """Values of the training rows of a node, each without its own label."""

    def predictor(self):
        """A function of `Rows` that gives their values, shape (len(nodes), n)."""


class Rows:
    """Rows as given, and in the directions of the training rows where a kind needs them."""

    def __init__(self, X, directions):
        self.features = X
        self._directions = directions

    @cached_property
    def inside(self):
        return self._directions(dense(self.features))


class _SVMs:
    """One SVM at each of some nodes."""

    limit = 3.0  # in margins, which are 1 for a row at the margin: no far row outweighs all others

    def __init__(self, training, nodes):
        design, quadratic = training.design, self.quadratic
        starts = {node: self._start(training, node) for node in nodes}

        def one(node):
            problem = design.problem(node, quadratic=quadratic)
            return train(problem, training.C, solver=training.solver, start=starts[node])

        svms = training.for_all(one, nodes)
        self.nodes = np.array(nodes, dtype=np.intp)
        self.svms = dict(zip(nodes, svms, strict=True))
        training.starts.update({(node, quadratic): svm.weights for node, svm in self.svms.items()})

    def _start(self, training, node):
        """Weights near those of the SVM: the ones of another C."""
        return training.starts.get((node, self.quadratic))

    def held_out(self, node, begin, end):
        return self.svms[node].held_out

    @property
    def weights(self):
        """Weights of the columns, the intercept last, shape (len(nodes), p)."""
        return np.array([svm.weights for svm in self.svms.values()])


class LinearSVMs(_SVMs):
    """A linear SVM at every node."""

    needs_dense = quadratic = False

    def __init__(self, training):
        super().__init__(training, range(training.design.hierarchy.n_nodes))
        self._units = training.design.units

    def predictor(self):
        return partial(linear_margins, self.weights, units=self._units)


class QuadraticSVMs(_SVMs):
    """An SVM in products of two features where the linear one is not enough, if there is one."""

    needs_dense = quadratic = True

    def __init__(self, training):
        self._linear = training.evidence.get("linear")
        nodes = range(training.design.hierarchy.n_nodes)
        if self._linear is not None:
            nodes = [
                node
                for node, svm in self._linear.svms.items()
                if training.error(node, svm.held_out) * training.design.share(node) > WORTHWHILE
            ]
        if nodes:
            self._map = training.design.quadratic_map
        super().__init__(training, nodes)

    def _start(self, training, node):
        start = super()._start(training, node)
        if start is None and self._linear is not None:
            return training.design.quadratic_start(self._linear.svms[node].weights)
        return start

    def predictor(self):
        return partial(quadratic_margins, self._map, self._map.plain_weights(self.weights))


class _ClassOdds:
    """Log odds from something that all nodes share."""

    limit = 10.0  # in log odds, of 1 to 22,000: one kind never rules out what others say
    needs_dense = True

    def held_out(self, node, begin, end):
        return self._odds[node, begin:end]


class ClassGaussians(_ClassOdds):
    """Log odds of the class Gaussians."""

    def __init__(self, training):
        self._design = training.design
        self.nodes = np.arange(self._design.hierarchy.n_nodes)
        self._odds = self._design.gaussian_odds  # here, and not once in each thread

    def predictor(self):
        scores = self._design.gaussians.single_scores()
        return partial(gaussian_odds, self._design.hierarchy.children, scores)


class ClassDiscriminants(_ClassOdds):
    """Log odds of LDA, for many classes: its planes separate single ones, those of nodes do not."""

    def __init__(self, training):
        self._design = design = training.design
        useful = design.hierarchy.n_classes >= _MANY_CLASSES and design.weights is None
        useful = useful and design.n_features <= MOST_DIMENSIONS
        self.nodes = np.arange(design.hierarchy.n_nodes if useful else 0)
        self._odds = design.discriminant_odds if useful else None

    def predictor(self):
        plane = self._design.discriminant_plane()
        return partial(discriminant_odds, self._design.hierarchy.children, plane)


class VotingForest(_ClassOdds):
    """Log odds of the votes of one forest, which grows while the errors of the nodes fall."""

    needs_dense = False

    def __init__(self, training):
        children = training.design.hierarchy.children
        self.nodes = np.arange(len(children))

        def error(votes, n_trees):
            self._odds = vote_odds(children, votes.T, n_trees)
            training.evidence["forest"] = self
            training.weigh()
            return training.held_out_error()

        sizes = SIZES if training.design.n_samples > _FEW_SAMPLES else _FOR_FEW
        n_trees = training.design.forest.grow_while_it_pays(error, sizes, enough=WORTHWHILE)
        voters = training.design.forest.voters(n_trees)
        self._predictor = partial(forest_odds, children, voters)

    def predictor(self):
        return self._predictor


# In the order in which nodes list them.
KINDS: dict[str, Callable[..., Evidence]] = {
    "linear": LinearSVMs,
    "quadratic": QuadraticSVMs,
    "gaussians": ClassGaussians,
    "lda": ClassDiscriminants,
    "forest": VotingForest,
}
# What each value of SmartSVM's parameter `nodes` trains, in this order.
NODES = {
    "evidence": ("linear", "quadratic", "gaussians", "lda"),
    "forest": ("linear", "quadratic", "gaussians", "lda", "forest"),
    "linear": ("linear",),
    "quadratic": ("quadratic",),
}


def linear_margins(weights, rows, units=None):
    """Margins of linear SVMs with these weights of the features, the intercept last."""
    weights, intercepts = weights[:, :-1], weights[:, -1:]
    features = rows.features if units is None else units(rows.features)
    if issparse(features):
        return np.ascontiguousarray((features @ weights.T).T) + intercepts
    margins = weights @ features.T
    margins += intercepts
    return margins


def quadratic_margins(quadratic_map, plain_weights, rows):
    """Margins of quadratic SVMs."""
    return quadratic_map.plain_margins(rows.inside, plain_weights)


def gaussian_odds(children, gaussians, rows):
    """Log odds of the class Gaussians in single precision."""
    scores = np.empty((len(children) + 1, len(rows.inside)))
    gaussians.scores(rows.inside, scores)
    return class_odds(children, scores, overwrite=True)


def discriminant_odds(children, plane, rows):
    """Log odds of LDA with these weights of the features, the constants last."""
    return class_odds(children, linear_margins(plane, rows), overwrite=True)


def forest_odds(children, voters, rows):
    """Log odds of the votes of a forest."""
    return vote_odds(children, voters.votes(rows.features).T, voters.n_trees)


class NodeEvidence:
    """The weighted sum of the evidence: terms of (predictor, nodes, their weights, limit)."""

    def __init__(self, intercepts, terms, directions=None):
        self._intercepts = intercepts
        self._terms = terms
        self._directions = directions

    def __setstate__(self, state):
        vars(self).update(state)
        parts = [part for values, *term in self._terms for part in (*values.args, *term)]
        arrays = [part for part in parts if isinstance(part, np.ndarray)]
        if not all(np.isfinite(array).all() for array in (self._intercepts, *arrays)):
            raise ValueError("the pickled classifier is damaged: its weights must be finite.")

    def log_odds(self, X):
        """Log odds of the right side of every node, shape (n, n_nodes)."""
        rows = Rows(X, self._directions)
        out = np.repeat(self._intercepts[:, None], X.shape[0], axis=1)
        for values, *term in self._terms:
            add_clipped(values(rows), *term, out)
        return np.ascontiguousarray(out.T)


def class_odds(children, scores, *, overwrite=False):
    """Log odds of the right side of all nodes from (K, n) log densities plus log class sizes."""
    scores = scores if overwrite else np.array(scores, order="C")
    out = np.empty((len(children), scores.shape[1]))
    sum_sides(children, scores, out)
    return out


def vote_odds(children, votes, n_trees):
    """Log odds of the right side of all nodes from (K, n) mean votes of a forest."""
    # Half a vote of the trees that have not seen a sample, about a third of them. New samples
    # get the same, although all trees vote for them, so that the odds are comparable.
    least = 0.5 / (n_trees * OUT_OF_BAG)
    votes = np.ascontiguousarray(votes)
    out = np.empty((len(children), votes.shape[1]))
    totals = {}
    for node in range(len(children) - 1, -1, -1):
        left, right = (
            totals.pop(child) if child >= 0 else votes[~child] for child in children[node]
        )
        np.divide(right + least, left + least, out=out[node])
        totals[node] = left + right
    return np.log(out, out=out)
