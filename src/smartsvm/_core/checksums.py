"""Checksums of arrays that are read again later. They show damage, but no forgery."""

from hashlib import blake2b

import numpy as np


def checksum_of(value):
    """A hash of arrays and plain values, also within lists, tuples and dictionaries."""
    digest = blake2b(digest_size=16)
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, np.ndarray):
            digest.update(f"{each.dtype.str} {each.shape}".encode())
            if each.dtype.hasobject:
                waiting.append(each.tolist())
            else:
                digest.update(np.ascontiguousarray(each))
        elif isinstance(each, dict):
            waiting += [sorted(each), *(each[key] for key in sorted(each))]
        elif isinstance(each, list | tuple):
            waiting += [len(each), *each]
        else:
            digest.update(repr(each).encode() + b"\0")
    return digest.hexdigest()
