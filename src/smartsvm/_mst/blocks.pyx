"""Points cut into blocks of near ones, with a float32 copy for matrix products.

The set is cut across a wide direction, in a gap if it has one, until a piece fits
one block. A block has a ball around it; distances of balls exclude whole tiles on
clustered data, and near neighbours meet in the first tiles, which keeps later ones
from proposing much.
The float32 copy is taken about a centre and divided by a power of two that makes it
about unit size: nothing overflows, and what underflows is far below its own rounding.

Cost: O(n d log(n / block)) time, O(n d) memory.
"""
import numpy as np

from smartsvm._mst.sites cimport equal_rows
from smartsvm._mst.tiles cimport BLOCK

cdef enum:
    # Rows that show a direction well enough.
    SAMPLE = 1024


cdef double shrink(Py_ssize_t d) noexcept nogil:
    """Share of |u|^2 + |v|^2 + |g|^2 by which a tile entry may exceed the truth; see tiles.pyx."""
    cdef double share = 3 * (d / 2.0 + 9) * 1.1 * 2.0 ** -24
    # Beyond d = 10^6 or so nothing is known of a sum in float32: no entry may exceed 0.
    return share if d < 1 << 20 else 8.0


def _direction(piece):
    """Across which the piece is wide: from the centre of one side of it to that of the other."""
    sample = piece[:: len(piece) // SAMPLE + 1]
    sample = sample - sample.mean(axis=0)
    farthest = sample[np.einsum("ij,ij->i", sample, sample).argmax()]
    return sample[sample @ farthest > 0].sum(axis=0)


def _place_to_cut(along, n_blocks):
    """In a wide gap if there is one, else where blocks come out full."""
    n = len(along)
    margin = max(BLOCK // 4, n // 16)
    inner = np.sort(along)[margin:n - margin]
    if len(inner) > 2:
        gaps = np.diff(inner)
        widest = gaps.argmax()
        # Clusters leave gaps; those of evenly spread points are about (log n) / n of the range.
        if gaps[widest] > (0.02 + 16 / n) * np.ptp(inner):
            return margin + widest + 1
    return n * (n_blocks // 2) // n_blocks


def _cut(single):
    """An order of the rows and the starts of the blocks in it."""
    order = np.arange(len(single))
    starts = []
    pieces = [(0, len(single))]
    while pieces:
        start, stop = pieces.pop()
        n_blocks = (stop - start + BLOCK - 1) // BLOCK
        if n_blocks == 1:
            starts.append(start)
            continue
        rows = order[start:stop]
        piece = single[rows]
        along = piece @ _direction(piece)
        middle = _place_to_cut(along, n_blocks)
        order[start:stop] = rows[np.argpartition(along, middle)]
        pieces += [(start + middle, stop), (start, start + middle)]
    return order, np.array([*starts, len(single)], dtype=np.intp)


cdef class Index:
    """What `index` builds; see there."""

    def __init__(self, points, ids):
        self.n, self.d = points.shape
        # A centre among the points keeps the norms, hence the roundings, small; the
        # median of a few of them does not follow outliers.
        sample = points[:: max(1, self.n // 128)]
        self.centre = np.median(sample, axis=0)
        about = points - self.centre
        largest = np.sqrt(np.einsum("ij,ij->i", about, about).max())
        # Beyond 2^500 squares leave the range of float64; entries are 0 then, and all is computed.
        self.exponent = max(-500, min(int(np.frexp(largest)[1]), 500))
        about *= np.ldexp(1.0, -self.exponent)
        single = about.astype(np.float32)
        del about  # as large as the points
        self.order, self.start = _cut(single)
        self.points = points[self.order]
        self.ids = np.asarray(ids[self.order], dtype=np.uint32)
        self.single = single[self.order]
        self._measure_blocks()
        self.equal_start, self.equal = equal_rows(self.points)

    def _measure_blocks(self):
        """Norms of the points and balls around the blocks."""
        n_blocks = len(self.start) - 1
        self.norms = np.empty(self.n)
        self.ball_centre = np.empty((n_blocks, self.d))
        self.ball_radius = np.empty(n_blocks)
        for b in range(n_blocks):
            rows = slice(self.start[b], self.start[b + 1])
            block = self.single[rows].astype(np.float64)
            self.norms[rows] = np.einsum("ij,ij->i", block, block)
            self.ball_centre[b] = block.mean(axis=0)
            block -= self.ball_centre[b]
            self.ball_radius[b] = np.sqrt(np.einsum("ij,ij->i", block, block).max())
        # A point's true place is within a rounding of its float32 copy, of unit size.
        self.ball_radius *= 1 + 1e-9
        self.ball_radius += 2.0 ** -22
