"""Jobs that tests give to worker processes.

A worker finds this module on its path. It may not find a test module: another package may have
installed a folder called tests.
"""

import warnings

from smartsvm._core.parallel import count_threads


def threads_and_warnings(n_jobs):
    """How many threads a worker would use, and what it is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        count = count_threads(n_jobs)
    return count, [str(each.message) for each in caught]
