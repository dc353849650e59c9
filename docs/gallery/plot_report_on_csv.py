"""
A report on a CSV file
======================

You have a table, and one column holds the label. How well can any classifier do on it, and
what makes it hard?

`difficulty_report` answers on one page, before you train anything. The command line gives the
same page: ``smartsvm report wine.csv --target cultivar --html report.html``.
"""

# %%
# Write a CSV file from scikit-learn's wines, so that the example runs anywhere.
import csv
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from smartsvm import difficulty_report

wine = load_wine()
file = Path(tempfile.mkdtemp()) / "wine.csv"
with file.open("w", newline="") as handle:
    writer = csv.writer(handle)
    writer.writerow([*wine.feature_names, "cultivar"])
    names = np.array(["Barolo", "Grignolino", "Barbera"])
    writer.writerows([*row, name] for row, name in zip(wine.data, names[wine.target]))

# %%
# Read it back; the last column is the label. Distances are Euclidean, so scale the columns as for
# nearest neighbours.
with file.open(newline="") as handle:
    header, *rows = csv.reader(handle)
X = StandardScaler().fit_transform(np.array([row[:-1] for row in rows], dtype=float))
y = np.array([row[-1] for row in rows])

report = difficulty_report(X, y, target_accuracy=0.97, feature_names=header[:-1])
print(report)

# %%
# The same as a figure.
report.plot()
