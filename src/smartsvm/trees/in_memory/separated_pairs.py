"""Which pairs of classes need no trees: products of whole classes tell, and give cross edges."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm._mst.products.class_pairs import (
    MOST_ENTRIES,
    ClassProducts,
    PairPeeler,
    Separation,
)
from smartsvm.presentation.progress import Progress

# With fewer classes or columns the trees of all pairs take less time than products.
_LEAST_SEPARATED, _LEAST_COLUMNS = 20, 32


class ProductPairs(NamedTuple):
    """What products tell about all pairs of classes; edges are pairs of rows."""

    within: list  # tree -> edges between rows of one class
    separation: Separation  # pairs that are apart, and cross edges of these
    peeler: PairPeeler  # of pairs whose cross edges are listed
    has_trees: np.ndarray  # whether a pair is apart or listed


def may_be_separated(class_counts, n_features):
    """Whether products of whole classes fit, and are likely to tell many pairs apart."""
    return (
        len(class_counts) >= _LEAST_SEPARATED
        and class_counts.max() ** 2 <= MOST_ENTRIES
        and n_features >= _LEAST_COLUMNS
    )


def separate(pair_trees, n_threads, verbose):
    """`ProductPairs`, from the trees of all classes; None where most pairs need trees."""
    classes, seed, n_trees = pair_trees.classes, pair_trees.seed, pair_trees.n_trees
    rows = np.concatenate(classes.rows)
    first = np.concatenate([[0], np.cumsum(classes.counts)])
    trees = [list(_trees(*forests)) for forests in pair_trees.forests]
    linkages = [
        [Linkage(*tree, n) for tree in of_class]
        for of_class, n in zip(trees, classes.counts.tolist(), strict=True)
    ]
    reach = np.array(
        [
            squared.max() if len(squared) == n_trees * (n - 1) > 0 else np.inf
            for (_, squared, _), n in zip(pair_trees.forests, classes.counts, strict=True)
        ]
    )
    progress = Progress("pairs of classes", len(classes.all_pairs()), verbose)
    with single_blas_thread():
        products = ClassProducts(classes.points.values, rows, first, n_threads)
        separation = products.separate(linkages, reach, seed, n_trees, n_threads, progress)
    progress.close()
    if separation is None:
        return None
    within = [
        np.concatenate([own[edges] for own, (edges, _) in zip(classes.rows, tree, strict=True)])
        for tree in zip(*trees, strict=True)
    ]
    inside = [
        (edges + start, squared)
        for (edges, squared, _), start in zip(pair_trees.forests, first[:-1], strict=True)
    ]
    peeler = PairPeeler(separation.listed, inside, reach, first, classes.ids[rows], seed, n_trees)
    has_trees = separation.apart.copy()
    has_trees[separation.listed.pairs] = True
    crossing = rows[separation.crossing[separation.apart]].astype(np.uint32)
    in_rows = separation._replace(crossing=crossing, squared=separation.squared[separation.apart])
    return ProductPairs(within, in_rows, peeler, has_trees)


def _trees(edges, squared, sizes):
    """The edges and squared lengths of each of some forests."""
    ends = np.cumsum(sizes)
    for begin, end in zip(ends - sizes, ends, strict=True):
        yield np.ascontiguousarray(edges[begin:end]), np.ascontiguousarray(squared[begin:end])
