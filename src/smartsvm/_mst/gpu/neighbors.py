"""Nearest neighbours of all points on a device, in the order of `edge_order.h`.

The chunks of the table are small: its k smallest entries in a row stand for k different columns, so
that the k-th smallest of their upper bounds is a limit for the k nearest. All columns within the
slack of it are listed, measured in float64, and sorted with their tie keys. Cost: n²/2 products,
and a few times k distances for every row.
"""

import numpy as np
import torch

from smartsvm._mst.gpu.joining import Nodes
from smartsvm._mst.gpu.points import Points, parts
from smartsvm._mst.gpu.rounds import Table, Tiles, in_order

# Columns of an entry of the table.
CHUNK = 128
TILES = Tiles(rows=128, columns=128)
# Bytes of the table; with more rows its entries have more columns.
_MOST_BYTES = 1 << 33
# Candidates per row and neighbour, on average; with more, fp16 cannot tell the points apart.
_MOST_CANDIDATES = 64


def neighbors(X, ids, seed, n_neighbors):
    """Rows of the nearest points of every row, (n, n_neighbors); None if fp16 cannot help."""
    n, device, chunk = len(X), X.device, CHUNK
    while 4 * n * (n // chunk) > _MOST_BYTES:
        chunk *= 2
    points = Points(X, np.arange(n), chunk)
    if points.n_chunks < n_neighbors:
        return None
    nodes = Nodes(ids, seed, 1)
    nodes.arrange(points.order.cpu().numpy())
    ranks = torch.as_tensor(nodes.ranks.astype(np.int64), device=device)
    table = Table(points, TILES)
    table.fill()
    limit = torch.cat([_limits(table, part, n_neighbors) for part in parts(n, points.n_chunks)])
    nearest = torch.empty((n, n_neighbors), dtype=torch.int32, device=device)
    found, rows = 0, points.rows.long()
    component = torch.arange(n, dtype=torch.int32, device=device)
    for u, v in table.candidates(component, limit, table.nobody):
        found += len(u)
        if found > _MOST_CANDIDATES * n_neighbors * n:
            return None
        order = in_order(u, table.measure(u, v), ranks[u.long()], ranks[v.long()])
        u, v = u[order], v[order]
        some = torch.unique_consecutive(u)
        first = torch.searchsorted(u, some)
        chosen = first[:, None] + torch.arange(n_neighbors, device=device)
        nearest[rows[some.long()]] = rows[v[chosen].long()].int()
    return nearest.cpu().numpy().astype(np.uint32)


def _limits(table, part, n_neighbors):
    """For some rows a scaled distance within which they have enough neighbours."""
    p, code = table.points, table.keys[:, part].T.contiguous()
    key = torch.where(code < 0, code ^ 0x7FFFFFFF, code).view(torch.float32)
    rows = torch.arange(part.start, part.stop, device=p.device)[:, None]
    chunks = torch.arange(p.n_chunks, device=p.device)
    return p.upper(rows, key, chunks).kthvalue(n_neighbors, dim=1).values
