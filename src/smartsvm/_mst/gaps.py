"""Lower bounds of the distances between blocks of points.

Two blocks are as far apart as the balls around them, or as their shadows on the line
through their centres, whichever is more. In high dimension a shadow is far narrower
than a ball: that of d normal variables is about 3 wide on either side, the ball sqrt(d).
For blocks a and b with centres p and q the shadows are those of x . (q - p), and
products of all points with all centres give every one of them.

Rounding: all is in a unit in which points, centres and the way between the two sets are no
longer than 1. Products in float32 of rounded points with rounded centres are off by at
most 2 (d + 4) 1.1 2^-24 then, on either side; `OFF` (d + 16) is taken off.
"""

import numpy as np

OFF = 8 * 2.0**-24
MOST_FEATURES = 1 << 20  # of which a sum in float32 is known well enough
SHORTEST_WAY = 1e-3  # between centres; of shorter ones too little is known
_PRODUCTS_AT_ONCE = 1 << 20


def ball_gaps(left, right, apart, exponent):
    """Distances of balls, and the way between their centres, squared.

    Parameters
    ----------
    left, right : Index
        Blocks, each set about its own centre.
    apart : float64 array of shape (d,)
        From the right centre to the left one.
    exponent : int
        Everything is divided by two to this power.
    """
    centres_left, centres_right, _ = centres_of(left, right, apart, exponent)
    squares = np.einsum("ij,ij->i", centres_left, centres_left)[:, None]
    squares = squares + np.einsum("ij,ij->i", centres_right, centres_right)
    between = squares - 2 * (centres_left @ centres_right.T)
    gaps = np.sqrt(np.maximum(between - 1e-11 * squares, 0))
    gaps -= np.ldexp(left.ball_radius, left.exponent - exponent)[:, None]
    gaps -= np.ldexp(right.ball_radius, right.exponent - exponent)
    return gaps, between


def shadow_gaps(left, right, apart, exponent, between):
    """Distances of shadows; parameters and `between` as of `ball_gaps`.

    Where nothing is known they are negative.
    """
    d = left.d
    if d >= MOST_FEATURES:
        return np.full(between.shape, -np.inf)
    centres_left, centres_right, way = centres_of(left, right, apart, exponent)
    reach = _reach(left, centres_right - way, exponent)
    reach = reach + (reach.T if left is right else _reach(right, centres_left, exponent).T)
    reach += centres_right @ way
    reach -= (centres_left @ way)[:, None]
    longest = max(1.0, left.norms.max(), right.norms.max())
    ways = np.sqrt(np.maximum(between, SHORTEST_WAY**2))
    gaps = -(reach + OFF * (d + 16) * longest) / ways - 2.0**-20
    gaps[between <= SHORTEST_WAY**2] = -np.inf
    return gaps


def centres_of(left, right, apart, exponent):
    """Centres of the blocks, about that of the right set, and the way to the left one's."""
    way = np.ldexp(apart, -exponent)
    return (
        np.ldexp(left.ball_centre, left.exponent - exponent) + way,
        np.ldexp(right.ball_centre, right.exponent - exponent),
        way,
    )


def _reach(index, others, exponent):
    """For each block and each other centre: how far its points come towards that."""
    scale = index.exponent - exponent
    others = others.T.astype(np.float32)
    own = np.ldexp(index.along_centre, scale).astype(np.float32)[:, None]
    start, n_blocks = index.start, len(index.start) - 1
    at_once = max(1, _PRODUCTS_AT_ONCE * n_blocks // (index.n * others.shape[1]))
    reach = np.empty((n_blocks, others.shape[1]))
    for a in range(0, n_blocks, at_once):
        some = start[a : a + at_once + 1]
        along = index.coordinates(a, a + len(some) - 1) @ others
        along -= own[some[0] : some[-1]]
        reach[a : a + len(some) - 1] = np.maximum.reduceat(along, some[:-1] - some[0], axis=0)
    return np.ldexp(reach, scale)
