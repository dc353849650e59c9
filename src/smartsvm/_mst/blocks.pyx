"""Points cut into blocks of near ones, with a float32 copy for matrix products.

The set, or each cluster of it (cells.py), is cut across a wide direction, in a gap if it
has one, until a piece fits one block. A block has a ball around it; gaps between blocks
exclude whole tiles on clustered data, and near neighbours meet in the first tiles, which
keeps later ones from proposing much.
The float32 copy is taken about a centre and divided by a power of two that makes it
about unit size: nothing overflows, and what underflows is far below its own rounding.

Cost: O(n d log(n / block)) time, O(n d) memory.
"""
from threading import Lock

import numpy as np

from smartsvm._mst.cells import find_cells
from smartsvm._mst.sites cimport equal_rows
from smartsvm._mst.tiles cimport BLOCK, MOST_FEATURES_PACKED, PANEL

cdef enum:
    # Rows that show a direction well enough.
    SAMPLE = 1024
    # Small sets are classes of many, whose pairs have few near points: small blocks, of which
    # gaps exclude more.
    SMALL_SET = 4096
    SMALL_BLOCK = 64


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


def _place_to_cut(along, n_blocks, block):
    """In a wide gap if there is one, else where blocks come out full."""
    n = len(along)
    margin = max(block // 4, n // 16)
    inner = np.sort(along)[margin:n - margin]
    if len(inner) > 2:
        gaps = np.diff(inner)
        widest = gaps.argmax()
        # Clusters leave gaps; those of evenly spread points are about (log n) / n of the range.
        if gaps[widest] > (0.02 + 16 / n) * np.ptp(inner):
            return margin + widest + 1
    return block * (n_blocks // 2)


def _cut(single, cells):
    """An order of the rows, by cells if there are any, and the starts of the blocks in it."""
    if cells is None:
        order = np.arange(len(single))
        pieces = [(0, len(single))]
    else:
        order = np.argsort(cells, kind="stable")
        ends = np.cumsum(np.bincount(cells)).tolist()
        pieces = [piece for piece in zip([0, *ends], ends) if piece[0] < piece[1]][::-1]
    block = BLOCK if len(single) > SMALL_SET else SMALL_BLOCK
    starts = []
    while pieces:
        start, stop = pieces.pop()
        n_blocks = (stop - start + block - 1) // block
        if n_blocks == 1:
            starts.append(start)
            continue
        rows = order[start:stop]
        piece = single[rows]
        along = piece @ _direction(piece)
        middle = _place_to_cut(along, n_blocks, block)
        order[start:stop] = rows[np.argpartition(along, middle)]
        pieces += [(start + middle, stop), (start, start + middle)]
    return order, np.array([*starts, len(single)], dtype=np.intp)


cdef class Index:
    """What `index` builds; see there."""

    def __init__(self, points, ids):
        self.n, self.d = points.shape
        self.within, self.lock = None, Lock()
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
        cells = find_cells(single)
        self.clustered = cells is not None
        self.order, self.start = _cut(single, cells)
        self.single = single[self.order]
        self._measure_blocks()
        self.points = points[self.order]
        self.ids = np.asarray(ids[self.order], dtype=np.uint32)
        self._pack()
        self.equal_start, self.equal = equal_rows(self.points)

    def _pack(self):
        """Panels of PANEL points, feature by feature; a block's last one ends with zeros."""
        sizes = np.diff(self.start)
        n_panels = (sizes + PANEL - 1) // PANEL
        self.panel_start = np.concatenate([[0], np.cumsum(n_panels)]).astype(np.intp)
        within = np.arange(n_panels.sum()) - np.repeat(self.panel_start[:len(sizes)], n_panels)
        self.panel = np.repeat(self.start[:len(sizes)], n_panels) + PANEL * within
        self.packed = None
        if self.d <= MOST_FEATURES_PACKED:
            shift = (self.panel_start * PANEL - self.start)[:len(sizes)]
            padded = np.zeros((n_panels.sum() * PANEL, self.d), dtype=np.float32)
            padded[np.arange(self.n) + np.repeat(shift, sizes)] = self.single
            panels = padded.reshape(n_panels.sum(), PANEL, self.d).transpose(0, 2, 1)
            self.packed = np.ascontiguousarray(panels)

    def _measure_blocks(self):
        """Norms of the points and balls around the blocks, whose points are put into shells.

        A panel of points from one shell looks alike to other blocks: those in the
        middle are far from them, and near each other.
        """
        n_blocks = len(self.start) - 1
        self.norms = np.empty(self.n)
        self.along_centre = np.empty(self.n)
        self.ball_centre = np.empty((n_blocks, self.d))
        self.ball_radius = np.empty(n_blocks)
        for b in range(n_blocks):
            rows = slice(self.start[b], self.start[b + 1])
            block = self.single[rows].astype(np.float64)
            centre = block.mean(axis=0)
            norms, along = np.einsum("ij,ij->i", block, block), block @ centre
            block -= centre
            distances = np.einsum("ij,ij->i", block, block)
            shells = np.argsort(distances)
            self.ball_centre[b], self.ball_radius[b] = centre, np.sqrt(distances.max())
            self.norms[rows], self.along_centre[rows] = norms[shells], along[shells]
            self.order[rows] = self.order[rows][shells]
            self.single[rows] = self.single[rows][shells]
        # A point's true place is within a rounding of its float32 copy, of unit size.
        self.ball_radius *= 1 + 1e-9
        self.ball_radius += 2.0 ** -22
