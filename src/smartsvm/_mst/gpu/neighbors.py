"""Nearest neighbours and core distances of all points on a device, in the order of `edge_order.h`.

The chunks of the table are small, and points are assigned to them at random. The k smallest entries
of a row stand for k different columns, so the largest of their upper bounds is a limit for the k
nearest, and hardly larger than needed: few of these share a chunk. All columns within the slack of
it are listed, measured in float64, and sorted with their tie keys. Cost: n²/2 products, and a few
times k distances for every row.
"""

import numpy as np
import torch

from smartsvm._mst.gpu.joining import Nodes
from smartsvm._mst.gpu.rounded_points import RoundedPoints, parts
from smartsvm._mst.gpu.rounds import Table, in_order

# Columns of an entry of the table: with few rows down to 16, so that there are 4 times as many
# entries as neighbours.
CHUNK = 256
SMALLEST_CHUNK = 16
# Bytes of the table; with more rows its entries have more columns.
MOST_BYTES = 1 << 33
# Pairs of points up to which all are measured if there are fewer entries than neighbours.
_MOST_PAIRS = 1 << 26
# Candidates per row and neighbour, on average; with more, fp16 cannot tell the points apart.
_MOST_CANDIDATES = 64


def neighbors(X, ids, seed, n_neighbors):
    """Rows of the nearest points of every row and squared distances, both (n, n_neighbors).

    None if fp16 cannot help.
    """
    n = len(X)
    device = X.device
    table = _table(X, np.arange(n), n_neighbors, MOST_BYTES)
    if table is None:
        return None
    nodes = Nodes(ids, seed, 1)
    points = table.points
    nodes.arrange(points.order.cpu().numpy())
    ranks = torch.as_tensor(nodes.ranks.astype(np.int64), device=device)
    nearest = torch.empty((n, n_neighbors), dtype=torch.int32, device=device)
    lengths = torch.empty((n, n_neighbors), dtype=torch.float64, device=device)
    found = 0
    rows = points.rows.long()
    for u, v in _candidates(table, n_neighbors):
        found += len(u)
        if found > _MOST_CANDIDATES * n_neighbors * n:
            return None
        squared = table.measure(u, v)
        order = in_order(u, squared, ranks[u.long()], ranks[v.long()])
        u, v, squared = u[order], v[order], squared[order]
        some = torch.unique_consecutive(u)
        first = torch.searchsorted(u, some)
        chosen = first[:, None] + torch.arange(n_neighbors, device=device)
        nearest[rows[some.long()]] = rows[v[chosen].long()].int()
        lengths[rows[some.long()]] = squared[chosen]
    return nearest.cpu().numpy().astype(np.uint32), lengths.cpu().numpy()


def core_squares(X, rows, sizes, k, most_bytes):
    """Squared distances to the k-th nearest other point for nodes of equal points; None likewise.

    `rows` has a row for each node, `sizes` its number of points.
    """
    core = torch.zeros(len(rows), dtype=torch.float64, device=X.device)
    sizes = torch.as_tensor(sizes, device=X.device)
    if bool((sizes > k).all()):
        return core
    table = _table(X, rows, k, most_bytes)
    if table is None:
        return None
    order = table.points.order
    found = 0
    sizes = sizes[order]
    missing = k + 1 - sizes  # points that a node must reach beside its own
    for u, v in _candidates(table, k):
        found += len(u)
        if found > _MOST_CANDIDATES * k * len(rows):
            return None
        squared, place = torch.sort(table.measure(u, v))
        u, of_row = torch.sort(u[place], stable=True)
        place, squared = place[of_row], squared[of_row]
        reached = torch.cumsum(sizes[v[place].long()], 0)
        some, counts = torch.unique_consecutive(u, return_counts=True)
        first = torch.cumsum(counts, 0) - counts
        before = reached[first] - sizes[v[place[first]].long()]
        # The first candidate with which enough points are reached.
        at = torch.searchsorted(reached, before + missing[some.long()])
        some, at = (each[missing[some.long()] > 0] for each in (some, at))
        core[order[some.long()]] = squared[at]
    return core


def _table(X, rows, k, most_bytes):
    """The table in which the k nearest nodes are found, None if there are too many for it."""
    n = len(rows)
    chunk = CHUNK
    while chunk > SMALLEST_CHUNK and n < 4 * k * chunk:
        chunk //= 2
    while 4 * n * -(-n // chunk) > most_bytes:
        chunk *= 2
    if -(-n // chunk) < k and n * n > _MOST_PAIRS:
        return None
    table = Table(RoundedPoints(X, rows, chunk, mixed=True))
    table.fill()
    return table


def _candidates(table, k):
    """Yield (u, v): all v that may be among the k nearest of u, all of a u at once."""
    n, device = table.points.n, table.points.device
    limit = torch.full((n,), float("inf"), dtype=torch.float64, device=device)
    if table.n_slots >= k:
        for part in parts(n, table.n_slots):
            limit[part] = _limits(table, part, k)
    component = torch.arange(n, dtype=torch.int32, device=device)
    return table.candidates(component, limit, table.nobody)


def _limits(table, part, k):
    """For some rows a scaled distance within which they have k neighbours."""
    p = table.points
    code, chunks = table.keys[:, part].T.contiguous().topk(k, dim=1, largest=False, sorted=False)
    key = torch.where(code < 0, code ^ 0x7FFFFFFF, code).view(torch.float32)
    rows = torch.arange(part.start, part.stop, device=p.device)[:, None]
    return p.upper(rows, key, chunks).amax(dim=1)
