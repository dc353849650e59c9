"""
A report on a table with gaps
=============================

Real tables have an id, text, dates and missing values. How well can any classifier do on such a
table, and what makes it hard?

`difficulty_report` takes a data frame and the name of the column with the labels. The command line
gives the same report on a file: ``smartsvm report wine.csv --target cultivar --html report.html``.
"""

# %%
# The wines of scikit-learn with what real tables add: a number for every bottle, a text column and
# values that are missing.
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from smartsvm import SmartSVM, TablePreparation, difficulty_report, prepare_table

wine = load_wine(as_frame=True)
rng = np.random.default_rng(0)
table = wine.data.mask(rng.random(wine.data.shape) < 0.02)
table["bottle"] = np.arange(1, len(table) + 1)
table["closure"] = rng.choice(["cork", "screw cap"], len(table))
table["cultivar"] = np.array(["Barolo", "Grignolino", "Barbera"])[wine.target]

report = difficulty_report(table, y="cultivar", target_accuracy=0.9)
print(report)

# %%
# :func:`~smartsvm.prepare_table` does the preparation alone. Its result, a
# :class:`~smartsvm.PreparedTable`, lists what was left out, filled in and encoded, and which
# parameters change that. The columns that it returns suit any model that uses distances.
prepared = prepare_table(table, "cultivar")
print(*prepared.notes, sep="\n")

# %%
# Its :class:`~smartsvm.TablePreparation` prepares new rows in the same way, also in a pipeline.
model = make_pipeline(TablePreparation(), SmartSVM())
print(cross_val_score(model, table.drop(columns="cultivar"), table["cultivar"]).mean().round(2))

# %%
# The same report as a figure. The three cultivars are easy to tell apart, although about every
# fourth bottle lacks a value.
report.plot()
