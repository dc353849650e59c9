"""Limits of memory as users write them: a number of bytes, or a text such as "4 GiB"."""

import math
import re

from smartsvm._core.validation import check_int, describe

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def parse_bytes(limit):
    """A number of bytes, from an integer or a text such as "4 GiB"; None means no limit."""
    if limit is None:
        return None
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?i?)b?\s*", limit.lower())
        if match and match[2] in _UNITS and math.isfinite(float(match[1])):
            return check_int(int(float(match[1]) * _UNITS[match[2]]), "memory_limit", least=1)
        raise ValueError(
            'memory_limit must be a number of bytes or a text such as "4 GiB" or "500 MB", '
            f"got {describe(limit)}."
        )
    return check_int(limit, "memory_limit", least=1)
