"""Passes over tiles that feed the lists of the points on both sides.

A first sweep visits every tile that the balls around its blocks do not exclude and
records its smallest entry; a refresh visits only tiles whose recorded entry is within a
threshold of a point that asks, with the rows that ask gathered when they are few.

Cost: n^2/2 entries of a matrix product, one vector comparison each.
"""
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock, PyThread_type_lock, WAIT_LOCK,
)
from libc.math cimport INFINITY
from libc.stdint cimport UINT32_MAX, uint32_t
from libc.stdlib cimport calloc, free

from smartsvm._mst.products.edge_lists cimport Lists, highest_threshold, set_limit
from smartsvm._mst.products.tiles cimport (
    BLOCK, Grid, Scratch, coordinates_of, fill_tile, find_tile_hits, free_scratch, gather,
    new_scratch, offer_hits, prepare_blas, read_levels, scan_tile,
)
from smartsvm._threads cimport check_interrupt
from smartsvm._threads import run_chunks


cdef enum:
    # Inner-product terms below which threads cost more than they bring.
    WORK_WORTH_A_THREAD = 1 << 24
    # Features up to which a tile is so little work that page faults show.
    MOST_PREPARED = 128
    # Times that a lock is tried before a thread sleeps.
    SPINS = 1 << 11


cdef inline void _acquire(PyThread_type_lock lock) noexcept nogil:
    """Locks are held for microseconds, but who sleeps is woken after tens of them."""
    cdef Py_ssize_t _t
    for _t in range(SPINS):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
    PyThread_acquire_lock(lock, WAIT_LOCK)


cdef class Sweep:
    """One pass over tiles, shared by the threads that work on it.

    A block's lists are read and written under the block's lock (left blocks
    first), the limits of components under one of their own.
    """

    cdef Grid *grid
    cdef Lists *lists
    cdef bint refresh
    cdef double *limit              # component -> the best edge it knows
    cdef uint32_t *block_component  # block -> the component of all its nodes, if it is one
    cdef const Py_ssize_t[::1] tasks
    cdef Py_ssize_t n_tasks
    cdef Py_ssize_t next_task
    cdef bint cancelled
    cdef PyThread_type_lock *locks
    cdef Py_ssize_t n_locks
    cdef PyThread_type_lock queue
    cdef PyThread_type_lock limits

    def __cinit__(self):
        self.locks = NULL
        self.queue = self.limits = NULL

    def __dealloc__(self):
        # A thread that starts late may hold this object longer than the grid lives.
        cdef Py_ssize_t b
        if self.locks != NULL:
            for b in range(self.n_locks):
                if self.locks[b] != NULL:
                    PyThread_free_lock(self.locks[b])
            free(self.locks)
        if self.queue != NULL:
            PyThread_free_lock(self.queue)
        if self.limits != NULL:
            PyThread_free_lock(self.limits)

    cdef _allocate_locks(self):
        cdef Py_ssize_t b, n = self.grid.n_left + self.grid.n_right
        self.locks = <PyThread_type_lock *> calloc(n, sizeof(PyThread_type_lock))
        if self.locks == NULL:
            raise MemoryError
        self.n_locks = n
        for b in range(n):
            self.locks[b] = PyThread_allocate_lock()
            if self.locks[b] == NULL:
                raise MemoryError
        self.queue = PyThread_allocate_lock()
        self.limits = PyThread_allocate_lock()
        if self.queue == NULL or self.limits == NULL:
            raise MemoryError

    cdef inline void _lock(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        if self.locks != NULL:
            _acquire(self.locks[a])
            if b != a:
                _acquire(self.locks[b])

    cdef inline void _unlock(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        if self.locks != NULL:
            if b != a:
                PyThread_release_lock(self.locks[b])
            PyThread_release_lock(self.locks[a])

    cdef void _take_limits(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
        """Nodes ask for nothing above the best edge that their component knows."""
        cdef Py_ssize_t i
        if self.limits != NULL:
            _acquire(self.limits)
        for i in range(start, stop):
            if self.lists.threshold[i] > -INFINITY:
                set_limit(
                    self.grid.nodes, self.lists, i, self.limit[self.grid.nodes.component[i]]
                )
        if self.limits != NULL:
            PyThread_release_lock(self.limits)

    cdef void _give_limits(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
        cdef Py_ssize_t i
        cdef double *limit
        if self.limits != NULL:
            _acquire(self.limits)
        for i in range(start, stop):
            if self.lists.threshold[i] > -INFINITY and self.lists.length[i] > 0:
                limit = &self.limit[self.grid.nodes.component[i]]
                limit[0] = min(limit[0], self.lists.distance[i * self.lists.k])
        if self.limits != NULL:
            PyThread_release_lock(self.limits)

    cdef Py_ssize_t _asking(
        self, Py_ssize_t start, Py_ssize_t stop, float least, uint32_t other, uint32_t *rows,
    ) noexcept nogil:
        """The nodes that a tile of entries >= least against component `other` may serve."""
        cdef Py_ssize_t i, n = 0
        for i in range(start, stop):
            if self.lists.threshold[i] >= least and self.grid.nodes.component[i] != other:
                rows[n] = <uint32_t> i
                n += 1
        return n

    cdef void _serve(
        self, Py_ssize_t block, Py_ssize_t start, Py_ssize_t stop, float least, uint32_t other,
        Py_ssize_t other_block, Py_ssize_t column, Py_ssize_t n_columns, Scratch *scratch,
    ) noexcept nogil:
        """Rows that ask, of one block, against all nodes of another."""
        cdef Grid *grid = self.grid
        cdef Py_ssize_t n_rows
        self._lock(block, block)
        n_rows = self._asking(start, stop, least, other, scratch.rows)
        self._unlock(block, block)
        if n_rows == 0:
            return
        gather(grid, block, scratch.rows, n_rows, scratch.gathered)
        fill_tile(
            grid, scratch.gathered, scratch.rows, 0, n_rows, other_block, column, n_columns, scratch
        )
        self._lock(block, block)
        scan_tile(
            grid, self.lists, scratch.rows, 0, n_rows, column, n_columns, False, False, scratch
        )
        self._give_limits(start, stop)
        self._unlock(block, block)

    cdef bint _read_packed(
        self, Py_ssize_t a, Py_ssize_t b, Py_ssize_t other, float highest, Scratch *scratch,
    ) noexcept nogil:
        """Prepare for products of packed points, under the locks; whether that is of use."""
        cdef Grid *grid = self.grid
        # Empty lists would make hits of all entries, and a point is none of its own.
        if not grid.multiplies_packed or a == other or highest == INFINITY:
            return False
        read_levels(
            grid, self.lists, grid.left_start[a], grid.left_start[a + 1] - grid.left_start[a],
            &scratch.row_side,
        )
        read_levels(
            grid, self.lists, grid.right_start[b], grid.right_start[b + 1] - grid.right_start[b],
            &scratch.column_side,
        )
        return True

    cdef void _offer_packed(
        self, Py_ssize_t a, Py_ssize_t b, Py_ssize_t other, Scratch *scratch,
    ) noexcept nogil:
        """What `_read_packed` has prepared for; the locks are taken only for the offers."""
        cdef Grid *grid = self.grid
        cdef Py_ssize_t row = grid.left_start[a], column = grid.right_start[b]
        cdef Py_ssize_t row_stop = grid.left_start[a + 1], column_stop = grid.right_start[b + 1]
        cdef float *least = grid.least + a * grid.n_right + b
        cdef float found = -INFINITY
        cdef Py_ssize_t n_hits = find_tile_hits(grid, a, b, scratch, &found)
        self._lock(a, other)
        offer_hits(
            grid, self.lists, row, row_stop - row, column, column_stop - column, scratch.hits,
            n_hits,
        )
        least[0] = max(least[0], found)
        if self.refresh:
            self._give_limits(row, row_stop)
            self._give_limits(column, column_stop)
        self._unlock(a, other)

    cdef void _first_tile(self, Py_ssize_t a, Py_ssize_t b, Scratch *scratch) noexcept nogil:
        cdef Grid *grid = self.grid
        cdef Py_ssize_t row = grid.left_start[a], column = grid.right_start[b]
        cdef Py_ssize_t n_rows = grid.left_start[a + 1] - row
        cdef Py_ssize_t n_columns = grid.right_start[b + 1] - column
        cdef Py_ssize_t other = b if grid.symmetric else grid.n_left + b
        cdef float *least = grid.least + a * grid.n_right + b
        cdef float highest
        cdef bint packed, useful
        self._lock(a, other)
        highest = max(
            highest_threshold(self.lists, row, row + n_rows),
            highest_threshold(self.lists, column, column + n_columns),
        )
        useful = least[0] <= highest
        packed = useful and self._read_packed(a, b, other, highest, scratch)
        self._unlock(a, other)
        if not useful:
            return
        if packed:
            self._offer_packed(a, b, other, scratch)
            return
        fill_tile(
            grid, coordinates_of(grid, a, scratch.gathered), NULL, row, n_rows, other, column,
            n_columns, scratch,
        )
        self._lock(a, other)
        # On the diagonal each row meets every column, so that one side is enough.
        least[0] = scan_tile(
            grid, self.lists, NULL, row, n_rows, column, n_columns,
            not (grid.symmetric and a == b), True, scratch,
        )
        self._unlock(a, other)

    cdef void _refresh_tile(self, Py_ssize_t a, Py_ssize_t b, Scratch *scratch) noexcept nogil:
        cdef Grid *grid = self.grid
        cdef Py_ssize_t row = grid.left_start[a], column = grid.right_start[b]
        cdef Py_ssize_t row_stop = grid.left_start[a + 1], column_stop = grid.right_start[b + 1]
        cdef Py_ssize_t other = b if grid.symmetric else grid.n_left + b
        cdef float least = grid.least[a * grid.n_right + b]
        cdef uint32_t of_rows = self.block_component[a], of_columns = self.block_component[other]
        cdef Py_ssize_t asking_rows, asking_columns = 0, work
        cdef bint packed
        if of_rows == of_columns and of_rows != UINT32_MAX:
            return
        self._lock(a, other)
        self._take_limits(row, row_stop)
        self._take_limits(column, column_stop)
        asking_rows = self._asking(row, row_stop, least, of_columns, scratch.rows)
        if a != other:
            asking_columns = self._asking(column, column_stop, least, of_rows, scratch.rows)
        work = asking_rows * (column_stop - column) + asking_columns * (row_stop - row)
        packed = 4 * work >= (row_stop - row) * (column_stop - column) and self._read_packed(
            a, b, other,
            max(
                highest_threshold(self.lists, row, row_stop),
                highest_threshold(self.lists, column, column_stop),
            ),
            scratch,
        )
        self._unlock(a, other)
        if work == 0:
            return
        if packed:
            self._offer_packed(a, b, other, scratch)
            return
        if work < (row_stop - row) * (column_stop - column) or a == other:
            self._serve(
                a, row, row_stop, least, of_columns, other, column, column_stop - column, scratch
            )
            if a != other:
                self._serve(
                    other, column, column_stop, least, of_rows, a, row, row_stop - row, scratch
                )
            return
        fill_tile(
            grid, coordinates_of(grid, a, scratch.gathered), NULL, row, row_stop - row, other,
            column, column_stop - column, scratch,
        )
        self._lock(a, other)
        grid.least[a * grid.n_right + b] = scan_tile(
            grid, self.lists, NULL, row, row_stop - row, column, column_stop - column, True, False,
            scratch,
        )
        self._give_limits(row, row_stop)
        self._give_limits(column, column_stop)
        self._unlock(a, other)

    cdef inline Py_ssize_t _take_task(self) noexcept nogil:
        cdef Py_ssize_t task
        if self.queue != NULL:
            _acquire(self.queue)
        task = self.next_task
        self.next_task += 1
        if self.cancelled:
            task = self.n_tasks
        if self.queue != NULL:
            PyThread_release_lock(self.queue)
        return task

    cdef int _work(self, bint watch_signals) except -1 nogil:
        cdef Scratch *scratch = new_scratch(self.grid)
        cdef Py_ssize_t task, a, b
        if scratch == NULL:
            with gil:
                raise MemoryError
        if self.grid.d <= MOST_PREPARED:
            prepare_blas(self.grid.d)
        try:
            while True:
                task = self._take_task()
                if task >= self.n_tasks:
                    return 0
                a = self.tasks[task] // self.grid.n_right
                b = self.tasks[task] % self.grid.n_right
                if self.refresh:
                    self._refresh_tile(a, b, scratch)
                else:
                    self._first_tile(a, b, scratch)
                if watch_signals and task % 16 == 15:
                    with gil:
                        check_interrupt()
        finally:
            free_scratch(scratch)

    def take_part(self, Py_ssize_t lo, Py_ssize_t hi):
        """The share of one thread."""
        with nogil:
            self._work(False)

    def cancel(self):
        """Make running threads return soon."""
        PyThread_acquire_lock(self.queue, WAIT_LOCK)
        self.cancelled = True
        PyThread_release_lock(self.queue)

    cdef run(self, Py_ssize_t n_threads):
        if n_threads == 1:
            with nogil:
                self._work(True)
            return
        self._allocate_locks()
        run_chunks(self.take_part, n_threads, 1, n_threads, self.cancel)


cdef run_sweep(
    Grid *grid, Lists *lists, const Py_ssize_t[::1] tasks, double *limit,
    uint32_t *block_component, Py_ssize_t n_threads,
):
    """Visit the tiles `tasks` (row-major numbers) in order. A refresh has limits of components."""
    cdef Sweep sweep = Sweep()
    sweep.grid, sweep.lists = grid, lists
    sweep.refresh = limit != NULL
    sweep.limit, sweep.block_component = limit, block_component
    sweep.tasks, sweep.n_tasks = tasks, tasks.shape[0]
    sweep.next_task = 0
    sweep.cancelled = False
    if sweep.n_tasks * BLOCK * BLOCK * grid.d < WORK_WORTH_A_THREAD:
        n_threads = 1
    sweep.run(min(n_threads, max(1, sweep.n_tasks)))
