"""A good classifier of digits: a small convolutional net where torch is installed, else an SVM."""

from __future__ import annotations

import importlib.util

import numpy as np
from sklearn.svm import SVC

from .protocol import subsample

_SVM_ROWS = 10_000
_EPOCHS = 8


def digit_classifier(X, y, *, quick=False):
    """What it is called, and a function from images to digits."""
    if importlib.util.find_spec("torch") is not None:
        return _net(X, y, epochs=1 if quick else _EPOCHS)
    rows = subsample(y, 2000 if quick else _SVM_ROWS, np.random.default_rng(1))
    model = SVC(C=10, gamma="scale").fit(X[rows], y[rows])
    return f"RBF SVM on {len(rows):,} of {len(y):,} training digits", model.predict


def _net(X, y, *, epochs):
    """LeNet-5 in shape: two convolutions, two pools, two dense layers."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    side = int(np.sqrt(X.shape[1]))
    flat = 16 * (((side - 4) // 2 - 4) // 2) ** 2
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(flat, 120),
        nn.ReLU(),
        nn.Linear(120, int(y.max()) + 1),
    )

    def images(X):
        return torch.as_tensor(X, dtype=torch.float32).reshape(-1, 1, side, side)

    pictures, labels = images(X), torch.as_tensor(y)
    optimiser = torch.optim.Adam(net.parameters(), lr=2e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(labels)).split(128):
            loss = nn.functional.cross_entropy(net(pictures[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    def predict(X):
        with torch.no_grad():
            return torch.cat([net(part).argmax(1) for part in images(X).split(1000)]).numpy()

    return f"convolutional net of LeNet-5's shape, {epochs} epochs", predict
