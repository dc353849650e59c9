"""
Do two batches differ?
======================

Does this month's data differ from last month's, or simulated from real data?
:func:`~smartsvm.two_sample_test` tells whether two batches differ, how, how much, and which rows
stand out (:class:`~smartsvm.TwoSampleTest`). For labelled classes :func:`~smartsvm.bayes_error`
gives the error of the best classifier between them, and the same divergence.
"""

import numpy as np
from matplotlib import pyplot as plt

from smartsvm import bayes_error, two_sample_test

rng = np.random.default_rng(0)
n, d = 200, 100
last_month = rng.normal(size=(n, d))

# %%
# This month every value is 6% larger, in 100 columns. The centre is where it was, and the number
# of tree edges between the months hardly falls. The edges within each month change: the narrower
# month has more of them.
this_month = 1.06 * rng.normal(size=(n, d))
test = two_sample_test(last_month, this_month, names=["last month", "this month"])
print(test)

# %%
# The error of the best classifier between both months, by the trees:
months = np.repeat([0, 1], n)
print(f"{bayes_error(np.vstack([last_month, this_month]), months).value:.2f}")

# %%
test.plot()

# %%
# The divergence grows with a shift, from 0 (no difference) to 1 (no overlap).
shifts = np.array([0, 0.5, 1, 2, 3])
batches = [rng.normal(size=(n, 2)) for _ in shifts]
divergences = [
    two_sample_test(rng.normal(size=(n, 2)), batch + np.array([shift, 0])).divergence.value
    for batch, shift in zip(batches, shifts, strict=True)
]
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(shifts, divergences, "o-", color="#08519c")
ax.set(xlabel="shift of one column in two, in standard deviations", ylabel="divergence")
ax.set_ylim(0, 1)
