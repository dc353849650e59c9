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


def passengers():
    """A table like the Titanic's: ids, names, tickets, gaps, an almost empty column, categories."""
    import pandas

    random, n = np.random.default_rng(0), 300
    place, sex = np.arange(n), random.choice(["male", "female"], n)
    chance = np.where(sex == "female", 0.75, 0.2)
    return pandas.DataFrame(
        {
            "passenger_id": place + 1,
            "survived": (random.random(n) < chance).astype(int),
            "pclass": random.choice([1, 2, 3], n),
            "name": [f"Smith, Mr. {i}" for i in place],
            "sex": sex,
            "age": np.where(place % 5 == 0, np.nan, random.integers(1, 80, n)),
            "ticket": [f"A/{i % 198}" for i in place],
            "fare": random.lognormal(3, 1, n),
            "cabin": [f"C{i}" if i % 5 == 0 else None for i in place],
            "embarked": [None if i in (61, 130) else "SCQ"[i % 3] for i in place],
        }
    )
