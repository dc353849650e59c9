"""
How far do people agree?
========================

If several people labelled each sample, the Bayes error can be measured without any column:
:func:`~smartsvm.soft_label_bayes_error` reads how often each class was chosen
(:class:`~smartsvm.SoftLabelEstimate`). How many people does it take?
"""

import numpy as np
from matplotlib import pyplot as plt

from smartsvm import soft_label_bayes_error

rng = np.random.default_rng(0)
# How often people would choose each of three classes, for 2,000 samples.
probabilities = rng.dirichlet([0.3, 0.3, 0.3], 2000)
truth = np.mean(1 - probabilities.max(axis=1))

# %%
# Five people label each sample.
print(soft_label_bayes_error(rng.multinomial(5, probabilities)))
print(f"Truth: {truth:.1%}")

# %%
# The shares of few people make the samples look easier than they are. The estimate corrects for
# that, and its interval says what remains unknown.
people = [2, 3, 5, 10, 20, 50]
found = [soft_label_bayes_error(rng.multinomial(m, probabilities)) for m in people]
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.fill_between(people, [f.low for f in found], [f.high for f in found], alpha=0.2)
ax.plot(people, [f.value for f in found], "o-", label="estimate")
ax.plot(people, [f.shares for f in found], "s--", label="shares alone")
ax.axhline(truth, color="black", linewidth=1, label="truth")
ax.set(xscale="log", xticks=people, xticklabels=people, xlabel="people", ylabel="Bayes error")
ax.legend()
