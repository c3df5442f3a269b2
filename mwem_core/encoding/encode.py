"""Encode text columns as records under a schema, and refuse values outside it.

Each error has a second message, for a release, that shows no value and no count (`data.problem`). The header counts as
values there: where a file has none, its first record takes the place of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import numpy as np
import pyarrow as pa

from mwem_core.base import check_kind
from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding.counts import Count, Unsaid, count_column, records_of
from mwem_core.tables import (
    TableLike,
    TableProblem,
    as_table,
    decimal_of,
    distinct_texts,
    formed_numbers,
    plain_numbers,
)
from mwem_core.values import MAX_EXACT_FLOAT64


def encode(data: TableLike, domain: Domain, *, count: Count = Unsaid.REFUSED) -> Records:
    """Encode a table as records; columns that the schema does not name are ignored.

    It is one from `read_table`, or a DataFrame or Arrow table as `as_table` takes it. `count` names the column with the
    number of records of each row, as a table of frequencies has it; with None each row is a record.

    Raises TableProblem for a missing column, for values outside the schema (with their number of rows, three examples
    and the values expected), and for a column of counts that holds anything but whole numbers.
    """
    table = as_table(data)
    check_columns(table.column_names, domain)
    count = count_column(table.column_names, domain.names, count)
    if domain.unbinned:
        return encode(table, domain.fine, count=count).to_bin(domain)
    decimal = decimal_of(table)
    codes = tuple(_encode_column(table[attribute.name], attribute, decimal) for attribute in domain.attributes)
    if count is None:
        return Records(domain, codes)
    weights = row_counts(table, count)
    filled = weights > 0  # drops the empty cells of a table of frequencies
    return Records(domain, tuple(column[filled] for column in codes), weights[filled])


def check_columns(columns: Sequence[str], domain: Domain) -> None:
    """Raise TableProblem for the first attribute that has no column."""
    check_kind(domain, Domain, "a table is read under a Domain, as Domain.from_toml makes it")
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


def row_counts(table: pa.Table, count: str) -> np.ndarray:
    """The number of records of each row, (m,) int64, from the column that holds it. Raises TableProblem."""
    texts, text_of = distinct_texts(table[count], count)
    weights = [records_of(text) for text in texts]
    rows = np.bincount(text_of, minlength=len(texts)).tolist()
    if bad := [text for text, weight, times in zip(texts, weights, rows, strict=True) if weight is None and times]:
        raise bad_weights(count, bad[:3])
    check_total(count, sum((weight or 0) * times for weight, times in zip(weights, rows, strict=True)))
    return np.array([weight if times else 0 for weight, times in zip(weights, rows, strict=True)], np.int64)[text_of]


def check_total(count: str, total: int) -> None:
    """Raise TableProblem if the column of counts adds up to more than float64 counts exactly."""
    if total > MAX_EXACT_FLOAT64:
        raise TableProblem(
            f"column {count!r} adds up to {total:,} records; it must be at most 2^53",
            public=f"column {count!r} adds up to too many records; it must be at most 2^53",
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


def bad_weights(count: str, texts: Iterable[str]) -> TableProblem:
    """The error for a column of counts with these invalid texts."""
    must = f"column {count!r} must hold whole numbers from 0 up"
    remedies = "correct them, or take the column as an attribute"
    return TableProblem(f"{must}, got {_examples(texts)}; {remedies}", public=f"{must}; {remedies}")


def _examples(texts: Iterable[str]) -> str:
    return ", ".join(repr(str(text)) if text else "'', an empty cell" for text in texts)
