"""Synthetic rows as a DataFrame or an Arrow table with the columns' types of another one.

Of the other one only the types are read, its categories among them, and no row. So they are taken as public.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mwem_core.forms import POINT
from mwem_core.tables import is_pandas, text_of

if TYPE_CHECKING:
    import pandas as pd

Columns = Mapping[str, np.ndarray]  # values by column, each (m,): numbers, or texts
TRUTHS = {"1": True, "0": False, "true": True, "false": False, "yes": True, "no": False}


def frame_like(columns: Columns, like: Any) -> Any:
    """These columns as a DataFrame of pandas or Polars or an Arrow table, whichever `like` is, with its columns' types.

    What a type cannot hold, such as the text of a missing value among numbers, is missing, and so is an empty text.
    Whole numbers of pandas that have some missing are of its type that allows it, Int64 for int64. Categories that
    `like` does not have come after its own. A column that `like` does not have is as it is drawn.
    """
    if is_pandas(like):
        return _pandas_frame(columns, like)
    if isinstance(like, pa.Table | pa.RecordBatch):
        return _arrow_table(columns, like.schema)
    return _polars_frame(columns, like)


def frame_of_rows(rows: bytes, like: Any, *, decimal: str = POINT) -> Any:
    """The rows of a file of a run or a release, rows.csv, as `frame_like` gives them."""
    from mwem_core.tables import distinct_texts, read_table

    table = read_table(rows, name="rows.csv", decimal=decimal, min_rows=0)
    columns = {}
    for name in table.column_names:
        texts, text_of_row = distinct_texts(table[name], name)
        columns[name] = np.array(texts, object)[text_of_row]
    return frame_like(columns, like)


def _pandas_frame(columns: Columns, like: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    own = {str(name).strip(): i for i, name in enumerate(like.columns)}
    made = {}
    for name, values in columns.items():
        i = own.get(name)
        made[name if i is None else like.columns[i]] = (
            pd.Series(values) if i is None else _pandas_column(values, like.iloc[:0, i])
        )
    return pd.DataFrame(made)


def _pandas_column(values: np.ndarray, like: pd.Series) -> pd.Series:
    """The values as a column of the type of `like`, which has no rows."""
    import pandas as pd

    if isinstance(like.dtype, pd.CategoricalDtype):
        texts, text_of_row = _texts(values)
        by_text = {text_of(category): category for category in like.dtype.categories}
        new = [text for text in texts if text and text not in by_text]
        categories = [*like.dtype.categories, *new] if new else like.dtype.categories
        found = [by_text.get(text, text) if text else None for text in texts]
        dtype = pd.CategoricalDtype(categories, like.dtype.ordered)
        return pd.Series(pd.Categorical(found, dtype=dtype).take(text_of_row))
    if like.dtype == object:
        return pd.Series([None if value == "" else value for value in values.tolist()], dtype=object)
    array = _array(values, pa.Array.from_pandas(like).type)
    if array is None:  # periods and durations, which pandas reads from texts
        try:
            return pd.Series([None if value == "" else value for value in values.tolist()]).astype(like.dtype)
        except (ValueError, TypeError):
            return pd.Series(values)
    if isinstance(like.dtype, np.dtype) and array.null_count and like.dtype.kind in "iub":
        nullable = "boolean" if like.dtype.kind == "b" else like.dtype.name.replace("i", "I").replace("u", "U")
        return pd.Series(array.to_pylist(), dtype=nullable)
    if of_arrow := getattr(like.dtype, "__from_arrow__", None):
        return pd.Series(of_arrow(array))
    return pd.Series(array.to_numpy(zero_copy_only=False)).astype(like.dtype)


def _arrow_table(columns: Columns, schema: pa.Schema) -> pa.Table:
    types = {field.name.strip(): field for field in schema}
    names = [types[name].name if name in types else name for name in columns]
    arrays = []
    for name, values in columns.items():
        type = types[name].type if name in types else None
        dictionary = type is not None and pa.types.is_dictionary(type)
        array = None if type is None else _array(values, type.value_type if dictionary else type)
        if array is not None and dictionary:
            array = array.dictionary_encode().cast(type)
        arrays.append(pa.array(values) if array is None else array)
    return pa.table(arrays, names=names)


def _polars_frame(columns: Columns, like: Any) -> Any:
    """Polars is at hand where `like` is one of its frames."""
    types = {name.strip(): (name, dtype) for name, dtype in like.schema.items()}
    empty = {field.name.strip(): field.type for field in pa.table(like.clear()).schema}
    arrays, casts = [], {}
    for name, values in columns.items():
        if name in types and hasattr(types[name][1], "categories"):
            array, (own, dtype) = _array(values, pa.string()), types[name]
            if type(dtype).__name__ == "Enum":
                known = dtype.categories.to_list()
                new = sorted(set(array.unique().drop_null().to_pylist()) - set(known)) if array is not None else []
                dtype = type(dtype)([*known, *new]) if new else dtype
            casts[own] = dtype
        else:
            array = _array(values, empty[name]) if name in types else None
        arrays.append(pa.array(values) if array is None else array)
    names = [types[name][0] if name in types else name for name in columns]
    return type(like)(pa.table(arrays, names=names)).cast(casts)


def _texts(values: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The distinct values as texts, and for each row the index of its text, (m,)."""
    distinct, value_of = np.unique(values.astype(str) if values.dtype == object else values, return_inverse=True)
    return [text_of(value) for value in distinct.tolist()], value_of


def _array(values: np.ndarray, type: pa.DataType) -> pa.Array | None:
    """The values as an array of this type, null where it cannot hold one; None if texts cannot be of this type."""
    texts, text_of_row = _texts(values)
    if pa.types.is_timestamp(type) and type.tz:
        naive = _array(values, pa.timestamp(type.unit))
        zone = pc.AssumeTimezoneOptions(type.tz, ambiguous="earliest", nonexistent="latest")
        try:
            return pc.call_function("assume_timezone", [naive], zone)
        except pa.ArrowException:  # this machine does not know the zone, so its times were read in UTC
            return pc.cast(naive, type)
    read = _reader(type)
    if read is None:
        return None
    first_type = pa.string() if _is_text(type) else type
    found = pa.array([_read(read, text) for text in texts], first_type).take(pa.array(text_of_row))
    try:
        return found.cast(type, safe=False)
    except pa.ArrowNotImplementedError:  # pyarrow 17, to string_view
        return pa.array(found.to_pylist(), type)


def _is_text(type: pa.DataType) -> bool:
    return pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def _read(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text) if text else None
    except (ValueError, OverflowError, InvalidOperation, KeyError):
        return None


def _reader(type: pa.DataType) -> Callable[[str], Any] | None:
    """What reads a text as a value of this type; raises ValueError or KeyError for a text that is none."""
    is_type = pa.types
    if _is_text(type):
        return str
    if is_type.is_integer(type):
        ends = np.iinfo(type.to_pandas_dtype())
        return lambda text: min(max(_whole(text), int(ends.min)), int(ends.max))
    if is_type.is_floating(type):
        return float
    if is_type.is_boolean(type):
        return lambda text: TRUTHS[text.lower()]
    if is_type.is_decimal(type):
        return lambda text: Decimal(text).quantize(Decimal(1).scaleb(-type.scale))
    if is_type.is_timestamp(type):
        return datetime.fromisoformat
    if is_type.is_date(type):
        return lambda text: date.fromisoformat(text[:10])
    if is_type.is_time(type):
        return time.fromisoformat
    return None


def _whole(text: str) -> int:
    """The nearest whole number: of 12.4, a number drawn inside a bin, 12."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not math.isfinite(number):
            raise
        return round(number)
