"""DataFrames and Arrow tables as columns of text, as `read_table` gives those of a file.

Each cell is read by itself, so a row changes how no other row is read: 39.0 is "39", a time without an hour is its day,
and a time in a zone is the one on its clocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mwem_core.base import find_duplicates
from mwem_core.tables.texts import NESTED_TYPE, TEXT_TYPE, text_column, text_of

if TYPE_CHECKING:
    import pandas as pd


class ArrowStream(Protocol):
    """Whatever gives its columns to Arrow: a Polars DataFrame, a DuckDB relation, an Arrow table."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with the columns."""
        ...


TableLike: TypeAlias = "pa.Table | pd.DataFrame | ArrowStream"


def as_table(data: TableLike) -> pa.Table:
    """A table of texts from `read_table`, as it is; or a DataFrame of pandas or Polars, or an Arrow table, as texts.

    The index of a pandas DataFrame is left out. Raises ValueError for what is no table, and for two columns of one
    name.
    """
    table = _of_pandas(data) if is_pandas(data) else _of_arrow(data)
    if twice := find_duplicates(table.column_names):
        raise ValueError(f"the table has two columns named {twice[0]!r}; rename one")
    return table


def is_pandas(data: Any) -> bool:
    """Whether it is a pandas DataFrame. pandas, which takes half a second, is not imported for it."""
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "iloc") and hasattr(data, "columns")


def _of_pandas(data: Any) -> pa.Table:
    columns = [_pandas_column(data.iloc[:, i]) for i in range(data.shape[1])]
    return pa.table(columns, names=[str(name).strip() for name in data.columns])


def _of_arrow(data: Any) -> pa.Table:
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if not isinstance(data, pa.Table):
        if not hasattr(data, "__arrow_c_stream__"):
            raise ValueError(
                f"a table must be a DataFrame of pandas or Polars, an Arrow table, or come from read_table, got"
                f" {type(data).__name__}; a lazy one is to be collected first"
            )
        data = pa.table(data)
    columns = [_arrow_column(column) for column in data.columns]
    return pa.table(columns, names=[name.strip() for name in data.column_names], metadata=data.schema.metadata)


def _arrow_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if _is_read(column):
        return column
    if pa.types.is_timestamp(column.type):
        return _clock_texts(column)
    if pa.types.is_string_view(column.type):
        try:
            column = column.cast(pa.string())
        except pa.ArrowNotImplementedError:  # pyarrow 17
            column = pa.chunked_array([pa.array(column.to_pylist(), pa.string())])
    return text_column(column)


def _is_read(column: pa.ChunkedArray) -> bool:
    """Whether a column is as `read_table` gives it already."""
    if column.type != TEXT_TYPE or column.num_chunks != 1:
        return False
    array = column.chunk(0)
    texts = array.dictionary
    return not array.null_count and texts.equals(pc.call_function("utf8_trim_whitespace", [texts]))


def _clock_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Times as texts: 2024-03-01 for one at midnight, otherwise 2024-03-01 12:30:00, in the zone of the column.

    In a zone that this machine does not know they are in UTC.
    """
    local = column
    if column.type.tz:
        try:
            local = pc.call_function("local_timestamp", [column])
        except pa.ArrowException:
            local = column.cast(pa.timestamp(column.type.unit))
    encoded = local.cast(pa.timestamp("us"), safe=False).combine_chunks().dictionary_encode()
    texts = pa.array([text_of(time) for time in encoded.dictionary.to_pylist()], pa.string())
    return text_column(pa.chunked_array([pa.DictionaryArray.from_arrays(encoded.indices, texts)]))


def _pandas_column(column: pd.Series) -> pa.ChunkedArray:
    if column.dtype == object:
        return _objects(column)
    try:
        array = pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError):
        return _objects(column.astype(object))
    chunked = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    kind, own = chunked.type, pa.BaseExtensionType | pa.DurationType  # such as periods and intervals
    if isinstance(kind, own) or (pa.types.is_dictionary(kind) and not _is_text(kind.value_type)):
        return _objects(column.astype(object))
    return _arrow_column(chunked)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _objects(column: pd.Series) -> pa.ChunkedArray:
    """A column of Python's values, each as its own text: whether the others are numbers or texts does not matter."""
    try:
        return text_column(pa.chunked_array([pa.array(column, pa.string(), from_pandas=True)]))
    except (pa.ArrowException, TypeError):  # not all are texts
        absent, values = column.isna().to_numpy(), column.to_numpy()
    if any(isinstance(value, list | dict | tuple | set | np.ndarray) for value in values):
        return pa.chunked_array([pa.nulls(len(column), NESTED_TYPE)])
    texts = [None if missing else _object_text(value) for value, missing in zip(values, absent, strict=True)]
    return text_column(pa.chunked_array([pa.array(texts, pa.string())]))


def _object_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return text_of(value.item() if isinstance(value, np.generic) else value)
