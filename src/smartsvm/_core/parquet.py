"""Read numeric columns, or one column of labels, from Parquet files."""

import numpy as np


def parquet_facts(path, name):
    """Rows of a file, and whether each column holds 64-bit integers, which float64 may round."""
    import pyarrow.types as types

    with _parquet().ParquetFile(path) as file:
        schema = file.schema_arrow
        n_rows = file.metadata.num_rows
    columns = _without_index(schema)
    repeated = sorted({column for column in columns if columns.count(column) > 1})
    if repeated:
        raise ValueError(f"{name}: each column must have its own name, got {repeated} twice.")
    kinds = {column: schema.field(column).type for column in columns}
    for column, kind in kinds.items():
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise TypeError(
                f"{name} must hold real numbers, got column {column!r} of type {kind}: "
                "convert it to numbers, or drop it."
            )
    return n_rows, {
        column: types.is_int64(kind) or types.is_uint64(kind) for column, kind in kinds.items()
    }


def parquet_chunks(path, columns, n_rows):
    """Yield (first row, points) for consecutive chunks of a file."""
    start = 0
    with _parquet().ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=n_rows):
            points = np.empty((len(batch), len(columns)))
            for feature, column in enumerate(columns):
                values = batch.column(batch.schema.get_field_index(column))
                if values.type == "bool":
                    values = values.cast("uint8")
                # Missing values become NaN, among integers too.
                points[:, feature] = values.to_numpy(zero_copy_only=False)
            yield start, points
            start += len(batch)


def parquet_labels(path):
    """The only column of a file, of any type."""
    table = _parquet().read_table(path)
    columns = _without_index(table.schema)
    if len(columns) != 1:
        raise ValueError(f"y must have one column, got {len(columns)} columns in {path.name!r}.")
    return np.asarray(table.column(columns[0]))


def _without_index(schema):
    """Column names without those in which pandas stores an index."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [column for column in schema.names if column not in index]


def _parquet():
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet parts need pyarrow: install smartsvm2[table].") from error
    return pyarrow.parquet
