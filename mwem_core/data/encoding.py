"""Text columns to records: codes under the schema, and a sentence for what lies outside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import numpy as np
import pyarrow as pa

from mwem_core.data.files import COUNT, distinct_texts
from mwem_core.data.records import Records
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import MAX_EXACT_FLOAT64


def encode(table: pa.Table, domain: Domain) -> Records:
    """Records of a table as `read_table` gives it; columns the schema does not name are ignored.

    Raises ValueError, one sentence, for a missing column and for values outside the schema: how many rows, three of
    the values, what was expected.
    """
    check_columns(table.column_names, domain)
    codes = tuple(_encode_column(table[attribute.name], attribute) for attribute in domain.attributes)
    if COUNT not in table.column_names or COUNT in domain.names:
        return Records(domain, codes)
    weights = _read_weights(table[COUNT])
    held = weights > 0  # a cell of a contingency table nobody falls into
    return Records(domain, tuple(column[held] for column in codes), weights[held])


def check_columns(columns: Sequence[str], domain: Domain) -> None:
    """Raises ValueError for the first attribute that has no column."""
    for name in domain.names:
        if name not in columns:
            near = get_close_matches(name, columns, n=1)
            hint = f"rename {near[0]!r}" if near else "add it"
            raise ValueError(f"the table has no column {name!r}; {hint}, or take the attribute out of the schema")


def _encode_column(column: pa.ChunkedArray, attribute: Attribute) -> np.ndarray:
    """(m,) codes of a column, in the smallest unsigned type that holds the attribute."""
    texts, index = distinct_texts(column, attribute.name)
    codes = attribute.encode(texts)
    rows = np.bincount(index, minlength=len(texts))
    if outside := int(rows[codes < 0].sum()):
        raise ValueError(outside_schema(attribute, outside, np.array(texts)[(codes < 0) & (rows > 0)][:3]))
    return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[index]


def _read_weights(column: pa.ChunkedArray) -> np.ndarray:
    """(m,) int64 numbers of records from the column `count`."""
    texts, index = distinct_texts(column, COUNT)
    bad = np.array([not is_weight(text) for text in texts], dtype=bool)
    if bad.any():
        raise ValueError(no_weights(np.array(texts)[bad][:3]))
    number = [int(text) for text in texts]
    total = sum(times * int(rows) for times, rows in zip(number, np.bincount(index, minlength=len(texts)), strict=True))
    check_total(total)
    return np.array(number, dtype=np.int64)[index]


def is_weight(text: str) -> bool:
    """Whether a text can stand in the column `count`."""
    return text.isascii() and text.isdecimal()


def check_total(total: int) -> None:
    """Raises ValueError for a column `count` of nobody, or of more than a float counts."""
    if not 0 < total <= MAX_EXACT_FLOAT64:
        raise ValueError(f"column 'count' adds up to {total:,} records; it must be at least 1 and at most 2^53")


def outside_schema(attribute: Attribute, rows: int, texts: Iterable[str]) -> str:
    """What is said of rows the schema has no place for, with some of their texts."""
    return (
        f"column {attribute.name!r} has {rows:,} {'row' if rows == 1 else 'rows'} outside the schema"
        f" (for example {_examples(texts)}): it expects {attribute.value_set.expects};"
        " correct them, or widen the schema, declare them missing, or set other = true"
    )


def no_weights(texts: Iterable[str]) -> str:
    """What is said of a column `count` that holds such texts."""
    return (
        f"column 'count' must hold whole numbers from 0 up, got {_examples(texts)};"
        " correct them, or name the column in the schema if it is an attribute"
    )


def _examples(texts: Iterable[str]) -> str:
    return ", ".join(repr(str(text)) if text else "'', an empty cell" for text in texts)
