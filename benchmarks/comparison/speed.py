"""Seconds of `two_sample_test` and of `compare_representations` on many embeddings.

``python -m benchmarks.comparison.speed --threads 16`` or ``--device cuda``; ``--rows`` and
``--columns`` set the size of the samples together, ``--embeddings 10`` compares as many
representations of half as many rows instead.
"""

import argparse
import time

import numpy as np

from smartsvm import compare_representations, two_sample_test

CLASSES = 10


def samples(random, n, d):
    """Two samples of which the second is moved a little."""
    X, Y = (random.normal(size=(n, d)).astype(np.float32) for _ in range(2))
    return X, Y + np.float32(0.005)


def embeddings(random, n, d, count):
    """Classes, and representations of them, each a little worse than the one before."""
    y = random.integers(CLASSES, size=n)
    centres = 0.08 * random.normal(size=(CLASSES, d)).astype(np.float32)
    return y, {
        f"e{i}": centres[y] * (1 - 0.02 * i) + random.normal(size=(n, d)).astype(np.float32)
        for i in range(count)
    }


def main():
    """Print the seconds of calls: the first one compiles kernels on a GPU."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=768)
    parser.add_argument("--embeddings", type=int, default=0)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--device")
    options = parser.parse_args()

    def there(X):
        if not options.device:
            return X
        import torch

        return torch.from_numpy(X).to(options.device)

    random, n, d = np.random.default_rng(0), options.rows // 2, options.columns
    work = {"n_jobs": options.threads, "device": options.device}
    if options.embeddings:
        y, found = embeddings(random, n, d, options.embeddings)
        found = {name: there(X) for name, X in found.items()}
        calls = [lambda: compare_representations(found, y, **work)]
    else:
        X, Y = map(there, samples(random, n, d))
        calls = [lambda: two_sample_test(X, Y, **work)] * 2
    for call in calls:
        begin = time.perf_counter()
        result = call()
        print(f"{time.perf_counter() - begin:.2f} s, {result!r}")


if __name__ == "__main__":
    main()
