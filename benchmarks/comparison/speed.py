"""Seconds of `two_sample_test` on many embeddings.

``python -m benchmarks.comparison.speed --threads 16`` or ``--device cuda``; ``--rows`` and
``--columns`` set the size.
"""

import argparse
import time

import numpy as np

from smartsvm import two_sample_test


def main():
    """Print the seconds of two calls: the first one compiles kernels on a GPU."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=768)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--device")
    options = parser.parse_args()
    random = np.random.default_rng(0)
    size = (options.rows // 2, options.columns)
    X, Y = (random.normal(size=size).astype(np.float32) for _ in range(2))
    Y += 0.005
    if options.device:
        import torch

        X, Y = (torch.from_numpy(each).to(options.device) for each in (X, Y))
    for _ in range(2):
        begin = time.perf_counter()
        test = two_sample_test(X, Y, n_jobs=options.threads, device=options.device)
        print(f"{time.perf_counter() - begin:.2f} s, {test!r}")


if __name__ == "__main__":
    main()
