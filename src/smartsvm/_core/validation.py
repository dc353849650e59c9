"""Check parameters: errors name the parameter, its value and what is legal."""

import numbers
import sys
import warnings
from datetime import date, time, timedelta
from functools import lru_cache

import numpy as np
import scipy.sparse
from sklearn.utils import check_random_state

from smartsvm._core.magnitudes import are_within

MOST_EXACT = 2**53  # float64 holds every integer up to it
_MOST_INT = 2**63 - 1  # what compiled code takes
MOST_SEED = 2**32 - 1  # of numpy's RandomState, which scikit-learn uses
_MOST_JOBS = 2**31 - 1
_MOST_FLOAT = int(sys.float_info.max)
_TIMES = (np.datetime64, np.timedelta64, date, time, timedelta)


def describe(value, limit=60):
    """A value as error messages show it: shortened, with its type."""
    text = " ".join(repr(value).split())
    if len(text) > limit:
        text = text[: limit - 3] + "..."
    return f"{text} ({type(value).__name__})"


def warn(message, category):
    """Warn at the line that called into this package."""
    frame = sys._getframe(1)
    level = 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("smartsvm"):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def check_int(value, name, *, least, most=_MOST_INT):
    """Check that a parameter is an integer in [least, most]; most=None lifts the limit."""
    if type(value) is not int and (
        isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral)
    ):
        raise TypeError(f"{name} must be an integer of at least {least}, got {describe(value)}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {describe(value)}.")
    return int(value)


def check_flag(value, name):
    """Check that a parameter is a bool."""
    # A number or text in place of a flag is probably a mistake.
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {describe(value)}.")


def check_jobs(n_jobs):
    """Check a number of threads or tasks in joblib's convention."""
    if n_jobs is None:
        return None
    is_whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if is_whole and n_jobs != 0:
        return check_int(n_jobs, "n_jobs", least=-_MOST_JOBS, most=_MOST_JOBS)
    raise (ValueError if is_whole else TypeError)(
        f"n_jobs must be None or an integer other than 0, -1 for all cores, got {describe(n_jobs)}."
    )


def check_choice(value, name, legal):
    """Check that a parameter is one of the legal values."""
    # By identity: 1 == True in Python, but a number in place of a flag is probably a mistake.
    if (isinstance(value, str) and value in legal) or any(value is choice for choice in legal):
        return value
    raise ValueError(f"{name} must be one of {list(legal)}, got {describe(value)}.")


def check_array(values, name, *, copy=True):
    """Convert to a finite, nonempty, C-contiguous float64 array, in a copy that is ours."""
    return as_finite(as_numbers(values, name), name, copy=copy)


def as_finite(numbers, name, *, copy=True):
    """A matrix of numbers as a C-contiguous float64 array; raise unless all are finite."""
    warn_of_large_integers(numbers, name)
    array = (np.array if copy else np.asarray)(numbers, dtype=np.float64, order="C")
    if not are_within(array, 0.0, sys.float_info.max):
        where = np.unravel_index(np.isfinite(array).argmin(), array.shape)
        raise ValueError(
            f"{name} must be finite, got {array[where]} at {[int(i) for i in where]} "
            "(and perhaps elsewhere)."
        )
    return array


def as_numbers(values, name):
    """Convert to a nonempty matrix of real numbers of their own type; objects become float64."""
    if scipy.sparse.issparse(values):
        raise TypeError(
            f"{name} is a sparse matrix of shape {values.shape}; distances between its rows need "
            f"a dense array: pass {name}.toarray()."
        )
    check_mask(values, name)
    is_frame = hasattr(values, "columns")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers are not supported")
        check_real(values if is_frame else array, name)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"dtype {array.dtype} is not numeric")
        if array.dtype.kind == "O" or is_frame:
            warn_of_large_integers(values if is_frame else array, name)
            array = array.astype(np.float64)
    except _NotReal:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"{name} must be a 2-dimensional array of real numbers, got "
            f"{describe(values)}: {_bad_column(values) or error}."
        ) from error
    if array.ndim != 2:
        hint = f"; use {name}.reshape(-1, 1) for one feature" if array.ndim == 1 else ""
        raise ValueError(f"{name} must have 2 dimensions, got shape {array.shape}{hint}.")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}.")
    return array


class _NotReal(TypeError):
    """Dates, durations, or integers beyond the range of float64 in place of numbers."""


def check_real(values, name):
    """Raise if values are masked, dates, durations, or integers beyond the range of float64."""
    check_mask(values, name)
    if scipy.sparse.issparse(values):
        return
    for column in _columns(values):
        try:
            column = np.asarray(column)
        except ValueError:
            return  # rows of unequal length: the conversion reports them
        problem = None
        if column.dtype.kind in "mM":
            problem = f"dtype {column.dtype}"
        elif column.dtype.kind == "O":
            others = (describe(value) for value in column.ravel() if not _is_real(value))
            problem = next(others, None)
        if problem is not None:
            raise _NotReal(
                f"{name} must be an array of real numbers within the range of float64, got "
                f"{problem}; convert dates and durations to days or seconds first."
            )


def _is_real(value):
    """Whether an object is neither a date, a duration nor an integer too large for float64."""
    if isinstance(value, _TIMES):  # a duration of numpy is an integer, too
        return False
    return not isinstance(value, numbers.Integral) or abs(int(value)) <= _MOST_FLOAT


def _columns(values):
    """The columns of a data frame, each of its own type, or the array as the only one."""
    if hasattr(values, "columns") and hasattr(values, "dtypes"):
        return [values[column] for column in values.columns]
    return [values]


def _bad_column(frame):
    """Describe the first column of a data frame that is not numeric."""
    for name in getattr(frame, "columns", ()):
        column = frame[name]
        try:
            np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            return f"column {name!r}: {error}; smartsvm.prepare_table encodes text"
    return ""


def check_mask(values, name):
    """Raise if values are a masked array with masked entries."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        hidden = int(np.ma.count_masked(values))
        raise ValueError(
            f"{name} must have no missing values, got a masked array with {hidden} masked: fill "
            f"them with {name}.filled(value), or drop those rows."
        )


def without_mask(values):
    """The values, with NaN, NaT or None in place of masked entries: for what may have gaps."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    if values.dtype.kind == "f":
        return values.filled(np.nan)
    if values.dtype.kind in "mM":
        return values.filled(np.array("NaT", values.dtype))
    return values.astype(object).filled(None)


def warn_of_large_integers(values, name):
    """Warn of integers that float64 rounds; columns of a frame one by one, each of its own type."""
    if any(_largest_integer(np.asarray(column)) > MOST_EXACT for column in _columns(values)):
        warn_of_rounding(name)


def _largest_integer(array):
    """The largest magnitude of 64-bit or Python integers in an array; 0 if it has none."""
    if array.size == 0:
        return 0
    if array.dtype.kind == "O":
        integers = [value for value in array.ravel() if isinstance(value, numbers.Integral)]
        return max((abs(int(value)) for value in integers), default=0)
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8:
        return 0
    return max(int(array.max()), -int(array.min()))


def warn_of_rounding(name):
    """Warn that integers are too large for float64."""
    warn(
        f"{name} holds integers beyond 2^53, which float64 rounds, so that small differences "
        "are lost. Subtract a common value first.",
        RuntimeWarning,
    )


def is_plain(X):
    """Whether points are a C-contiguous float64 matrix, as the kernels need."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.size > 0
        and X.flags.c_contiguous
    )


def check_square(matrix, name):
    """A symmetric, nonnegative matrix; rounding-level asymmetry is averaged away in a copy."""
    matrix = check_array(matrix, name, copy=False)
    n = len(matrix)
    if matrix.shape != (n, n):
        raise ValueError(f"{name} must be square, got shape {matrix.shape}.")
    if matrix.min() < 0:
        i, j = np.unravel_index(matrix.argmin(), matrix.shape)
        raise ValueError(f"{name} must not be negative, got {matrix[i, j]} at [{i}, {j}].")
    tolerance = 1e-10 * matrix.max()
    symmetric = True
    for start in range(0, n, 512):  # in blocks, since the matrix may fill most of the memory
        rows = slice(start, start + 512)
        gap = np.abs(matrix[rows] - matrix[:, rows].T)
        if gap.max() > tolerance:
            i, j = np.unravel_index(gap.argmax(), gap.shape)
            i += start
            raise ValueError(
                f"{name} must be symmetric, got {matrix[i, j]} at [{i}, {j}] "
                f"and {matrix[j, i]} at [{j}, {i}]."
            )
        symmetric = symmetric and not gap.any()
    return matrix if symmetric else (matrix + matrix.T) / 2


def tie_seed(random_state):
    """The 64-bit seed of the order of ties; None draws a new one."""
    if random_state is None:
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        return int.from_bytes(random_state.bytes(8), "little")
    return _spread(check_int(random_state, "random_state", least=0, most=None))


@lru_cache(maxsize=16)
def _spread(seed):
    """64 bits from an integer; cached, since it takes longer than a tree of a few points."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def repeatable_seed(random_state):
    """A seed that can be used many times in any order: an integer itself, or one drawn."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(MOST_SEED))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(MOST_SEED))
    return check_int(random_state, "random_state", least=0, most=MOST_SEED)


def check_share(value, name):
    """Check that a number lies between 0 and 1."""
    legal = "a number between 0 and 1, both excluded"
    return check_number(value, name, legal, lambda x: 0 < x < 1)


def check_accuracy(value, name):
    """Check an accuracy: 0.95, 95 and "95%" mean the same."""
    legal = "a fraction from 0 to 1, or a percentage up to 100"
    given = value
    is_percentage = False
    if isinstance(value, str):
        is_percentage = value.strip().endswith("%")
        try:
            value = float(value.strip().removesuffix("%").strip())
        except ValueError:
            raise ValueError(f"{name} must be {legal}, got {given!r}.") from None
    value = check_number(value, name, legal, lambda x: 0 <= x <= 100)
    return value / 100 if is_percentage or value > 1 else value


def check_number(value, name, legal, is_legal):
    """Check that a value is a number, and a legal one."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {legal}, got {describe(value)}.")
    if not is_legal(value):
        raise ValueError(f"{name} must be {legal}, got {value}.")
    return float(value)
