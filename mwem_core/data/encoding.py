"""Encode text columns as records under a schema, and refuse values outside it.

Each error has a second message, for a release, that shows no value and no count (`data.problem`). The header counts as
values there: where a file has none, its first record takes the place of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import numpy as np
import pyarrow as pa

from mwem_core.data.numerals import decimal_of, formed_numbers, plain_numbers
from mwem_core.data.problem import TableProblem
from mwem_core.data.records import Records
from mwem_core.data.texts import distinct_texts
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.inside import MAX_EXACT_FLOAT64

COUNT_COLUMN = "count"  # gives the number of records in each row, unless the schema declares it as an attribute


def encode(table: pa.Table, domain: Domain) -> Records:
    """Encode a table from `read_table` as records; columns that the schema does not name are ignored.

    Raises TableProblem for a missing column, for values outside the schema (with their number of rows, three examples
    and the values expected), and for a column `count` that does not hold weights.
    """
    check_columns(table.column_names, domain)
    if domain.unbinned:
        return encode(table, domain.fine).to_bin(domain)
    decimal = decimal_of(table)
    codes = tuple(_encode_column(table[attribute.name], attribute, decimal) for attribute in domain.attributes)
    if COUNT_COLUMN not in table.column_names or COUNT_COLUMN in domain.names:
        return Records(domain, codes)
    weights = _read_weights(table[COUNT_COLUMN])
    filled = weights > 0  # drops the empty cells of a contingency table
    return Records(domain, tuple(column[filled] for column in codes), weights[filled])


def check_columns(columns: Sequence[str], domain: Domain) -> None:
    """Raise TableProblem for the first attribute that has no column."""
    for name in domain.names:
        if name not in columns:
            similar = get_close_matches(name, columns, n=1)
            advice = f"rename {similar[0]!r}" if similar else "add it"
            absent, or_drop = f"the table has no column {name!r}", "or take the attribute out of the schema"
            raise TableProblem(f"{absent}; {advice}, {or_drop}", public=f"{absent}; add it, {or_drop}")


def _encode_column(column: pa.ChunkedArray, attribute: Attribute, decimal: str) -> np.ndarray:
    """Codes of a column, (m,), in the smallest unsigned integer type that holds the attribute."""
    texts, text_of = distinct_texts(column, attribute.name)
    codes = attribute.encode(as_declared(texts, attribute, decimal))
    rows = np.bincount(text_of, minlength=len(texts))
    if outside := int(rows[codes < 0].sum()):
        raise outside_schema(attribute, outside, np.array(texts)[(codes < 0) & (rows > 0)][:3])
    return np.maximum(codes, 0).astype(np.min_scalar_type(attribute.size - 1))[text_of]


def as_declared(texts: list[str], attribute: Attribute, decimal: str) -> list[str]:
    """The texts of an attribute of numbers in their plain form, each by itself; the texts of any other as they are."""
    if not attribute.numeric:
        return texts
    plain = formed_numbers(texts, attribute.form, decimal) if attribute.form else plain_numbers(texts, decimal)
    marks = {*attribute.special, *attribute.missing_texts}
    return [text if text in marks else number for text, number in zip(texts, plain, strict=True)]


def _read_weights(column: pa.ChunkedArray) -> np.ndarray:
    """Numbers of records from the column `count`, (m,) int64."""
    texts, text_of = distinct_texts(column, COUNT_COLUMN)
    bad = np.array([not is_weight(text) for text in texts], dtype=bool)
    if bad.any():
        raise bad_weights(np.array(texts)[bad][:3])
    weights = [int(text) for text in texts]
    rows = np.bincount(text_of, minlength=len(texts)).tolist()
    check_total(sum(weight * times for weight, times in zip(weights, rows, strict=True)))
    return np.array(weights, dtype=np.int64)[text_of]


def is_weight(text: str) -> bool:
    """Whether a text of the column `count` is a whole number from 0 up."""
    return text.isascii() and text.isdecimal()


def check_total(total: int) -> None:
    """Raise TableProblem if the column `count` adds up to more than float64 counts exactly."""
    if total > MAX_EXACT_FLOAT64:
        raise TableProblem(
            f"column 'count' adds up to {total:,} records; it must be at most 2^53",
            public="column 'count' adds up to too many records; it must be at most 2^53",
        )


def outside_schema(attribute: Attribute, rows: int, texts: Iterable[str]) -> TableProblem:
    """The error for rows with values outside the schema; `texts` are examples of the values."""
    expects = f"it expects {attribute.value_set.expects}"
    remedies = "correct them, or widen the schema, declare them missing, or set other = true"
    return TableProblem(
        f"column {attribute.name!r} has {rows:,} {'row' if rows == 1 else 'rows'} outside the schema"
        f" (for example {_examples(texts)}): {expects}; {remedies}",
        public=f"column {attribute.name!r} has values outside the schema: {expects}; {remedies}",
    )


def bad_weights(texts: Iterable[str]) -> TableProblem:
    """The error for a column `count` with these invalid texts."""
    must = "column 'count' must hold whole numbers from 0 up"
    remedies = "correct them, or name the column in the schema if it is an attribute"
    return TableProblem(f"{must}, got {_examples(texts)}; {remedies}", public=f"{must}; {remedies}")


def _examples(texts: Iterable[str]) -> str:
    return ", ".join(repr(str(text)) if text else "'', an empty cell" for text in texts)
