"""Tables for tests of the command line: the irises as columns, as a CSV file, and other lines."""

import numpy as np
from sklearn.datasets import load_iris

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
# Decimal commas, semicolons, and letters beyond ASCII.
GERMAN_LINES = "eins;zwei;Größe\n" + "".join(
    f"{k % 7},{k % 10};{3 * (k % 2)},5;{'groß' if k % 2 else 'klein'}\n" for k in range(40)
)


def write_csv(path, columns, delimiter=","):
    lines = [delimiter.join(columns)]
    lines += [delimiter.join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def iris_columns():
    return {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "d": X[:, 3], "kind": NAMES}
