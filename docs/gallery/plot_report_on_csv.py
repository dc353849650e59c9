"""
A report on a CSV file
======================

The question people have on the first day: here is a table, one column is the answer. How
well can any classifier do on it, and what is the trouble?

`difficulty_report` answers on one page before anything is trained. The same page comes from
the command line: ``smartsvm report wine.csv --target cultivar --html report.html``.
"""

# %%
# A file as it might lie on your disk. We write one from scikit-learn's wines so that the
# example runs anywhere.
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
# Read it back: numbers are the columns, the last one is the label. Distances are Euclidean,
# so columns are scaled as for nearest neighbours.
with file.open(newline="") as handle:
    header, *rows = csv.reader(handle)
X = StandardScaler().fit_transform(np.array([row[:-1] for row in rows], dtype=float))
y = np.array([row[-1] for row in rows])

report = difficulty_report(X, y, target_accuracy=0.97, feature_names=header[:-1])
print(report)

# %%
# And as a picture.
report.plot()
