"""Lower bounds of the distances between blocks of points.

Two blocks are as far apart as the balls around them, or as their shadows on the line
through their centres, whichever is more. In high dimension a shadow is far narrower
than a ball: that of d normal variables is about 3 wide on either side, the ball sqrt(d).
For blocks a and b with centres p and q the shadows are those of x . (q - p), and
products of all points with all centres give every one of them.

Rounding: all is in the unit of the data, where points are about as long as 1. A product in
float32 is off by gamma_d |x| |c|, the points by their own rounding, 2^-24 |x|; both are
taken off, with room. The centres are whatever float32 they are: any line will do.
"""

import numpy as np

_MOST_FEATURES = 1 << 20  # of which a sum in float32 is known well enough


def ball_gaps(left, right, apart, exponent):
    """Distances of balls and squared distances of their centres.

    Parameters
    ----------
    left, right : Index
        Blocks, each set about its own centre.
    apart : float64 array of shape (d,)
        From the right centre to the left one.
    exponent : int
        Everything is divided by two to this power.
    """
    centres_left = np.ldexp(left.ball_centre, left.exponent - exponent)
    centres_left += np.ldexp(apart, -exponent)
    centres_right = np.ldexp(right.ball_centre, right.exponent - exponent)
    squares = np.einsum("ij,ij->i", centres_left, centres_left)[:, None]
    squares = squares + np.einsum("ij,ij->i", centres_right, centres_right)
    between = squares - 2 * (centres_left @ centres_right.T)
    gaps = np.sqrt(np.maximum(between - 1e-11 * squares, 0))
    gaps -= np.ldexp(left.ball_radius, left.exponent - exponent)[:, None]
    gaps -= np.ldexp(right.ball_radius, right.exponent - exponent)
    return gaps, between


def shadow_gaps(index):
    """Distances of the shadows of the blocks of one set; -inf where nothing is known."""
    centres = index.ball_centre.astype(np.float32)
    n_blocks, d = centres.shape
    if d >= _MOST_FEATURES:
        return np.full((n_blocks, n_blocks), -np.inf)
    reach = np.empty((n_blocks, n_blocks))
    for a in range(n_blocks):
        along = index.single[index.start[a] : index.start[a + 1]] @ centres.T
        along -= along[:, a : a + 1].copy()
        reach[a] = along.max(axis=0)
    exact = centres.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
    # Not by the expanded form: lengths of short ways divide.
    ways = np.array([np.sqrt(np.einsum("ij,ij->i", exact - c, exact - c)) for c in exact])
    off = 4 * (d + 8) * 2.0**-24 * np.add.outer(lengths, lengths) + 2.0**-20 * ways
    off = off * max(1.0, np.sqrt(index.norms.max())) + 2.0**-100
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = -(reach + reach.T + off) / ways
    return np.where(ways > 0, gaps, -np.inf) * (1 - 1e-9)
