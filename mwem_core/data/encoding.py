"""Encode text columns as records under a schema, and refuse values outside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import numpy as np
import pyarrow as pa

from mwem_core.data.records import Records
from mwem_core.data.texts import distinct_texts
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import MAX_EXACT_FLOAT64

COUNT_COLUMN = "count"  # gives the number of records in each row, unless the schema declares it as an attribute


def encode(table: pa.Table, domain: Domain) -> Records:
    """Encode a table from `read_table` as records; columns that the schema does not name are ignored.

    Raises ValueError for a missing column, for values outside the schema (with their number of rows, three examples and
    the values expected), and for a column `count` that does not hold weights.
    """
    check_columns(table.column_names, domain)
    codes = tuple(_encode_column(table[attribute.name], attribute) for attribute in domain.attributes)
    if COUNT_COLUMN not in table.column_names or COUNT_COLUMN in domain.names:
        return Records(domain, codes)
    weights = _read_weights(table[COUNT_COLUMN])
    filled = weights > 0  # drops the empty cells of a contingency table
    return Records(domain, tuple(column[filled] for column in codes), weights[filled])


def check_columns(columns: Sequence[str], domain: Domain) -> None:
    """Raise ValueError for the first attribute that has no column."""
    for name in domain.names:
        if name not in columns:
            similar = get_close_matches(name, columns, n=1)
            advice = f"rename {similar[0]!r}" if similar else "add it"
            raise ValueError(f"the table has no column {name!r}; {advice}, or take the attribute out of the schema")


def _encode_column(column: pa.ChunkedArray, attribute: Attribute) -> np.ndarray:
    """Codes of a column, (m,), in the smallest unsigned integer type that holds the attribute."""
    texts, text_of = distinct_texts(column, attribute.name)
    codes = attribute.encode(texts)
    rows = np.bincount(text_of, minlength=len(texts))
    if outside := int(rows[codes < 0].sum()):
        raise ValueError(outside_schema_message(attribute, outside, np.array(texts)[(codes < 0) & (rows > 0)][:3]))
    return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[text_of]


def _read_weights(column: pa.ChunkedArray) -> np.ndarray:
    """Numbers of records from the column `count`, (m,) int64."""
    texts, text_of = distinct_texts(column, COUNT_COLUMN)
    bad = np.array([not is_weight(text) for text in texts], dtype=bool)
    if bad.any():
        raise ValueError(bad_weights_message(np.array(texts)[bad][:3]))
    weights = [int(text) for text in texts]
    rows = np.bincount(text_of, minlength=len(texts)).tolist()
    check_total(sum(weight * times for weight, times in zip(weights, rows, strict=True)))
    return np.array(weights, dtype=np.int64)[text_of]


def is_weight(text: str) -> bool:
    """Whether a text of the column `count` is a whole number from 0 up."""
    return text.isascii() and text.isdecimal()


def check_total(total: int) -> None:
    """Raise ValueError if the column `count` adds up to 0 or to more than float64 counts exactly."""
    if not 0 < total <= MAX_EXACT_FLOAT64:
        raise ValueError(f"column 'count' adds up to {total:,} records; it must be at least 1 and at most 2^53")


def outside_schema_message(attribute: Attribute, rows: int, texts: Iterable[str]) -> str:
    """The error message for rows with values outside the schema; `texts` are examples of the values."""
    return (
        f"column {attribute.name!r} has {rows:,} {'row' if rows == 1 else 'rows'} outside the schema"
        f" (for example {_examples(texts)}): it expects {attribute.value_set.expects};"
        " correct them, or widen the schema, declare them missing, or set other = true"
    )


def bad_weights_message(texts: Iterable[str]) -> str:
    """The error message for a column `count` with these invalid texts."""
    return (
        f"column 'count' must hold whole numbers from 0 up, got {_examples(texts)};"
        " correct them, or name the column in the schema if it is an attribute"
    )


def _examples(texts: Iterable[str]) -> str:
    return ", ".join(repr(str(text)) if text else "'', an empty cell" for text in texts)
