"""Checksums of arrays that are read again later. They show damage, but no forgery."""

from hashlib import blake2b

import numpy as np


def checksum_of(value):
    """A hash of arrays and plain values, also within lists, tuples and dictionaries."""
    digest = blake2b(digest_size=16)
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, np.ndarray):
            digest.update(f"{item.dtype.str} {item.shape}".encode())
            if item.dtype.hasobject:
                waiting.append(item.tolist())
            else:
                digest.update(np.ascontiguousarray(item))
        elif isinstance(item, dict):
            waiting += [sorted(item), *(item[key] for key in sorted(item))]
        elif isinstance(item, list | tuple):
            waiting += [len(item), *item]
        else:
            digest.update(repr(item).encode() + b"\0")
    return digest.hexdigest()
