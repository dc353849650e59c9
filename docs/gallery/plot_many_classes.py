"""
Which of many classes are confused?
===================================

Embeddings often come with hundreds of classes. Most pairs are far apart, and a few overlap. This
example finds them with `~smartsvm.ClassForest` on simulated embeddings of 60 classes. With a
GPU, pass a tensor or ``device="cuda"``: the same code serves a thousand classes and a million rows.
"""

import numpy as np
from matplotlib import pyplot as plt

from smartsvm import ClassForest

# %%
# Every class is a cloud around its centre in 12 directions of a space of 96; three pairs of centres
# are moved together. Rows have length 1, as embeddings for cosine similarity do.
random = np.random.default_rng(0)
centres = random.normal(size=(60, 12))
for one, other in ((3, 4), (20, 41), (50, 57)):
    centres[other] = centres[one] + 0.15 * random.normal(size=12)
y = np.repeat(np.arange(60), 50)
X = (centres[y] + 0.4 * random.normal(size=(len(y), 12))) @ random.normal(size=(12, 96))
X = np.tanh(X / 4) + 0.05 * random.normal(size=X.shape)
X = (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)

# %%
# One forest holds the trees of all 1,770 pairs. Errors are fractions of the error of guessing.
errors = ClassForest(X, y, n_trees=1).pairwise(normalize=True).value
one, other = np.triu_indices(60, 1)
worst = np.argsort(errors[one, other])[::-1][:5]
for k in worst:
    print(f"classes {one[k]:2d} and {other[k]:2d}: {errors[one[k], other[k]]:.0%}")

# %%
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.hist(errors[one, other], bins=np.linspace(0, 1, 41), color="#08519c", log=True)
ax.set(xlabel="estimated error of a pair, relative to guessing", ylabel="pairs of classes")
