"""
Do two batches differ?
======================

Does this month's data differ from last month's, or simulated from real data? The test of
Friedman and Rafsky (:class:`~smartsvm.SignalTest`) tells whether two batches differ. The
Henze–Penrose divergence (:class:`~smartsvm.DivergenceEstimate`) tells how much, from 0 (not at
all) to 1 (no overlap). :func:`~smartsvm.two_sample_bayes_error` gives the error of the best
classifier between them, and :func:`~smartsvm.hp_divergence` the divergence of labelled classes.
"""

import numpy as np
from matplotlib import pyplot as plt

from smartsvm import friedman_rafsky_test, two_sample_divergence

rng = np.random.default_rng(0)
n, d = 400, 5
last_month = rng.normal(size=(n, d))
batch = np.repeat(["last month", "this month"], n)
shifts = np.array([0, 0.25, 0.5, 1, 2])

divergences = []
for shift in shifts:
    this_month = rng.normal(size=(n, d))
    this_month[:, 0] += shift
    both = np.vstack([last_month, this_month])
    test = friedman_rafsky_test(both, batch)
    divergences.append(two_sample_divergence(last_month, this_month, n_trees=3).value)
    print(f"shift {shift:<5g} p = {test.p_value:.2g}   divergence {divergences[-1]:.2f}")

# %%
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(shifts, divergences, "o-", color="#08519c")
ax.set(
    xlabel="shift of one column in five, in standard deviations", ylabel="divergence", ylim=(0, 1)
)
