"""Brute force: every edge, its exact key in plain Python, and Kruskal's algorithm."""

import numpy as np

MASK = (1 << 64) - 1
WORD = (1 << 32) - 1


def _mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def _mix_word(x):
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & WORD
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & WORD
    return x ^ (x >> 16)


def tie_rank(i, seed):
    keys = _mix((seed + 0x9E3779B97F4A7C15) & MASK)
    return _mix_word(_mix_word(i ^ (keys & WORD)) ^ (keys >> 32))


def tie_key(i, j, seed):
    """The key of the edge between two points."""
    return key_of_ranks(tie_rank(i, seed), tie_rank(j, seed))


def key_of_ranks(a, b):
    """The difference of the two ranks, then the smaller one: the definition in edge_order.h."""
    return abs(a - b), min(a, b)


def squared_distance(x, y):
    """Of two points: the definition in edge_order.h."""
    return sum_of_lanes(x.tolist(), y.tolist())


def sum_of_lanes(x, y):
    """Eight lanes of squares, folded 8 -> 4 -> 2 -> 1; of the features of points, or of many."""
    lanes = [0.0] * 8
    for k, (a, b) in enumerate(zip(x, y, strict=True)):
        lanes[k % 8] += (a - b) * (a - b)
    s = lanes
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))


def sorted_edges(X, seed, ids=None, matrix=None):
    """All edges (distance, key, i, j) in the total order."""
    X = np.asarray(X, dtype=np.float64)
    rows, columns = np.triu_indices(len(X), 1)
    if matrix is None:
        with np.errstate(over="ignore", under="ignore"):
            distances = sum_of_lanes(X[rows].T, X[columns].T)
    else:
        distances = np.asarray(matrix, dtype=np.float64)[rows, columns]
    ranks = [tie_rank(int(i), seed) for i in (range(len(X)) if ids is None else ids)]
    i, j = rows.tolist(), columns.tolist()
    keys = [key_of_ranks(ranks[a], ranks[b]) for a, b in zip(i, j, strict=True)]
    return sorted(zip(distances.tolist(), keys, i, j, strict=True))


def mutual_edges(X, k, seed, ids=None, matrix=None):
    """Squared cores, and all edges ((length, distance), key, i, j) by mutual reachability."""
    plain = sorted_edges(X, seed, ids, matrix)
    to_others = [[] for _ in X]
    for distance, _, i, j in plain:  # in rising order
        to_others[i].append(distance)
        to_others[j].append(distance)
    core = [distances[k - 1] for distances in to_others]
    edges = [((max(d, core[i], core[j]), d), key, i, j) for d, key, i, j in plain]
    return np.array(core), sorted(edges)


def nearest(X, k, seed, ids=None):
    """Rows (n, k) of the nearest other points in the total order, and squared distances."""
    found = [[] for _ in X]
    for distance, _, i, j in sorted_edges(X, seed, ids):
        found[i].append((j, distance))
        found[j].append((i, distance))
    pairs = np.array([each[:k] for each in found])
    return pairs[:, :, 0].astype(int), pairs[:, :, 1]


def peel(edges, n, n_trees):
    """Kruskal, then Kruskal on what is left, and so on: one list of edges a forest."""
    forests = []
    for _ in range(n_trees):
        parent = list(range(n))

        def root(v, parent=parent):
            while parent[v] != v:
                parent[v] = v = parent[parent[v]]  # or a path of equal points takes n steps
            return v

        forest, rest = [], []
        for edge in edges:
            a, b = root(edge[2]), root(edge[3])
            if a == b:
                rest.append(edge)
            else:
                parent[a] = b
                forest.append(edge)
        forests.append(forest)
        edges = rest
    return forests


def edge_sets(edges, sizes):
    """The kernels' flat result as one set of (i, j) a forest."""
    parts = np.split(np.sort(np.asarray(edges, dtype=np.int64), axis=1), np.cumsum(sizes)[:-1])
    return [set(map(tuple, part.tolist())) for part in parts]


def by_tree(result):
    """A kernel's result as one sorted list of (i, j, squared distance) a forest."""
    edges, squared, sizes = result
    rows = np.column_stack([np.sort(edges, axis=1), squared])
    parts = np.split(rows, np.cumsum(sizes)[:-1])
    return [part[np.lexsort(part.T[::-1])].tolist() for part in parts]
