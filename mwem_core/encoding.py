"""Text columns to records: codes under the schema, and a sentence for what lies outside it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import pyarrow as pa

from mwem_core.domain import Attribute, Domain
from mwem_core.kinds import EXACT
from mwem_core.records import Records
from mwem_core.tables import COUNT, distinct_texts


def encode(table: pa.Table, domain: Domain) -> Records:
    """Records of a table as `read_table` gives it; columns the schema does not name are ignored.

    Raises ValueError, one sentence, for a missing column and for values outside the schema: how many rows, three of
    the values, what was expected.
    """
    for name in domain.names:
        if name not in table.column_names:
            near = get_close_matches(name, table.column_names, n=1)
            hint = f"rename {near[0]!r}" if near else "add it"
            raise ValueError(f"the table has no column {name!r}; {hint}, or take the attribute out of the schema")
    codes = tuple(_encode_column(table[attribute.name], attribute) for attribute in domain.attributes)
    if COUNT not in table.column_names or COUNT in domain.names:
        return Records(domain, codes)
    weights = _read_weights(table[COUNT])
    held = weights > 0  # a cell of a contingency table nobody falls into
    return Records(domain, tuple(column[held] for column in codes), weights[held])


def _encode_column(column: pa.ChunkedArray, attribute: Attribute) -> np.ndarray:
    """(m,) codes of a column, in the smallest unsigned type that holds the attribute."""
    texts, index = distinct_texts(column, attribute.name)
    codes = attribute.encode(texts)
    rows = np.bincount(index, minlength=len(texts))
    if outside := int(rows[codes < 0].sum()):
        raise ValueError(
            f"column {attribute.name!r} has {outside:,} {'row' if outside == 1 else 'rows'} outside the schema"
            f" (for example {_examples(texts, (codes < 0) & (rows > 0))}): it expects {attribute.kind.expects};"
            " correct them, or widen the schema, declare them missing, or set other = true"
        )
    return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[index]


def _read_weights(column: pa.ChunkedArray) -> np.ndarray:
    """(m,) int64 numbers of records from the column `count`."""
    texts, index = distinct_texts(column, COUNT)
    bad = np.array([not (text.isascii() and text.isdecimal()) for text in texts], dtype=bool)
    if bad.any():
        raise ValueError(
            f"column 'count' must hold whole numbers from 0 up, got {_examples(texts, bad)};"
            " correct them, or name the column in the schema if it is an attribute"
        )
    number = [int(text) for text in texts]
    total = sum(times * int(rows) for times, rows in zip(number, np.bincount(index, minlength=len(texts)), strict=True))
    if not 0 < total <= EXACT:
        raise ValueError(f"column 'count' adds up to {total:,} records; it must be at least 1 and at most 2^53")
    return np.array(number, dtype=np.int64)[index]


def _examples(texts: Sequence[str], chosen: np.ndarray) -> str:
    shown = [texts[place] for place in np.flatnonzero(chosen)[:3]]
    return ", ".join(repr(text) if text else "'', an empty cell" for text in shown)
