"""Orthogonal minimum spanning trees of points on a device, with the edges of the other kernels."""

import numpy as np
import torch

from smartsvm._mst.gpu import neighbors
from smartsvm._mst.gpu.joining import Nodes
from smartsvm._mst.gpu.rounded_points import RoundedPoints, equal_rows
from smartsvm._mst.gpu.rounds import SIGN, Table, TooManyCandidates

# Columns of an entry of the table; smaller sets have entries of fewer, down to 512.
CHUNK = 4096
SMALLEST_CHUNK = 512
# Bytes of the device that any call takes.
FIXED = 1 << 29


def forests(X, ids, seed, n_trees, core_neighbors=0, *, chunk=None, memory_limit=None, tiles=None):
    """Forests of the rows of a tensor as kernels return them; None if fp16 cannot help.

    X is contiguous, finite and in the range where squares are safe. `memory_limit` is for all that
    is allocated on the device beside X: a table that does not fit has larger chunks. With
    `core_neighbors` the forests are those of `mutual_forests`.
    """
    n = len(X)
    if n == 1:
        return np.empty((0, 2), np.uint32), np.empty(0), np.zeros(n_trees, dtype=np.intp)
    chunk = chunk or _chunk_for(n, X.shape[1], n_trees, memory_limit)
    equal = equal_rows(X)
    for groups in (equal, None):
        nodes = Nodes(ids, seed, n_trees, groups)
        try:
            core = _cores(X, nodes, core_neighbors, memory_limit)
            found = _forests(X, nodes, core, n_trees, chunk, tiles)
        except TooManyCandidates:
            return None
        if found is not None:
            return found
    raise AssertionError("single points are always apart")


def _cores(X, nodes, k, memory_limit):
    """Squared core distances of the nodes; None for plain distances."""
    if k == 0:
        return None
    most = neighbors.MOST_BYTES
    if memory_limit is not None:
        n, d = X.shape
        most = min(most, max(4 * n, memory_limit - _bytes_of_points(n, d)))
    core = neighbors.core_squares(X, nodes.rows, nodes.sizes(), k, most)
    if core is None:
        raise TooManyCandidates
    return core


def _forests(X, nodes, core, n_trees, chunk, tiles):
    """The forests of some nodes; None if equal points are at distance 0 from others."""
    points = RoundedPoints(X, nodes.rows, chunk)
    nodes.arrange(points.order.cpu().numpy())
    cores = ()
    if core is not None:
        points.set_cores(core[points.order])
        cores = (nodes.spread(points.core.cpu().numpy()),)
    table = Table(points, tiles)
    table.fill()
    ranks = torch.as_tensor(nodes.ranks.astype(np.int64), device=X.device)
    found = []
    for tree in range(n_trees):
        lengths, squared, keys = table.forest(nodes, tree + 1 < n_trees, ranks)
        pairs = points.rows[table.ends.T]
        gone = slice(None)
        if nodes.collapsed:
            (u, v), keys = table.ends.cpu().numpy(), keys.cpu().numpy().view(np.uint64) ^ SIGN
            zero = (squared == 0).cpu().numpy()
            inside = nodes.inside[tree]
            if (nodes.sizes()[np.concatenate([u[zero], v[zero]])] > 1).any():
                return None
            gone = nodes.take(u, v, keys)
            pairs = np.concatenate([inside, nodes.pairs(keys)])
            pairs = torch.as_tensor(pairs.view(np.int32), device=X.device)
            # Equal points are at distance 0, and have the same core distance.
            same = cores[0][inside[:, 0]] if cores else np.zeros(len(inside))
            lengths = torch.cat([torch.as_tensor(same, device=X.device), lengths])
        found.append((pairs, lengths))
        if tree + 1 < n_trees:
            table.use(gone)
    sizes = np.array([len(pairs) for pairs, _ in found])
    pairs, squared = (torch.cat(each).cpu().numpy() for each in zip(*found, strict=True))
    return pairs.view(np.uint32), squared, sizes, *cores


def _bytes_of_points(n, d):
    return n * (4 * d + 100) + FIXED


def _chunk_for(n, d, n_trees, memory_limit):
    """The size of chunks whose table fits: rounds take longer with larger ones."""
    chunk = CHUNK
    while chunk > SMALLEST_CHUNK and chunk * 256 > n:
        chunk //= 2
    if memory_limit is None:
        return chunk
    tables = 4 * (2 + (n_trees > 1)) * n
    needed = _bytes_of_points(n, d)
    if needed + tables > memory_limit:
        raise MemoryError(
            f"the trees of {n:,} rows of {d:,} columns need at least {needed + tables:,} bytes of "
            f"a GPU beside X, and {memory_limit:,} may be used: raise memory_limit, or pass fewer "
            'rows or device="cpu".'
        )
    while needed + tables * -(-n // chunk) > memory_limit:
        chunk *= 2
    return chunk
