"""Propose a first schema for a table, for its owner to correct. It reads the data: use it on public data only."""

from __future__ import annotations

import math
import re

import numpy as np
import pyarrow as pa

from mwem_core.data.encoding import COUNT_COLUMN
from mwem_core.data.numerals import MISSING_TEXTS, decimal_of, plain_numbers
from mwem_core.data.texts import distinct_texts
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.csv_cell import from_cell
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values, ValueSet, parse_numbers

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")  # 007 is not a number but a text
MAX_PROPOSED_VALUES = 100  # of a category or a range
PROPOSED_BINS = 10  # roughly, for a number


def propose(table: pa.Table) -> Domain:
    """Propose a schema to edit and confirm. It depends on the data, so it leaks private data.

    Numbers become bits, a short range, categories or bins with round edges; texts become categories. `left_out` gives
    the columns without an attribute. Raises ValueError if no column has one.
    """
    suggested = (_suggest(table[name], name, decimal_of(table)) for name in table.column_names)
    attributes = tuple(attribute for attribute in suggested if isinstance(attribute, Attribute))
    if not attributes:
        reasons = ", ".join(f"{name!r} {reason}" for name, reason in list(left_out(table).items())[:3])
        raise ValueError(f"no column can be proposed as an attribute ({reasons}); write the schema by hand")
    return Domain(attributes)


def left_out(table: pa.Table) -> dict[str, str]:
    """The columns that `propose` leaves out, each with the reason: an identifier, free text, a single value."""
    suggested = {name: _suggest(table[name], name, decimal_of(table)) for name in table.column_names}
    return {name: reason for name, reason in suggested.items() if isinstance(reason, str)}


def _suggest(column: pa.ChunkedArray, name: str, decimal: str) -> Attribute | str:
    """The attribute proposed for a column, or the reason to leave the column out."""
    if not name:
        return "has no name"
    if not pa.types.is_dictionary(column.type):
        return f"holds {column.type}"
    texts, text_of = distinct_texts(column, name)
    used = [texts[i] for i in np.unique(text_of)]
    if name == COUNT_COLUMN and all(text.isdecimal() for text in used):
        return "holds the number of records in each row"
    own = [text for text in used if text not in MISSING_TEXTS]
    missing = [text for text in used if text in MISSING_TEXTS]
    if len(used) < 2 or not own:
        return "has the same value in every row"
    numbers = plain_numbers(own, decimal)
    numeric = all(NUMBER.fullmatch(text) for text in numbers)
    value_set = _suggest_for_numbers(own, numbers, len(text_of)) if numeric else _suggest_for_texts(own, len(text_of))
    if isinstance(value_set, str):
        return value_set
    return Attribute(name, value_set, missing=missing[0] if missing else None, other=len(missing) > 1)


def _suggest_for_texts(own: list[str], rows: int) -> Values | str:
    if len(own) > MAX_PROPOSED_VALUES or (rows >= 20 and len(own) > rows / 2):
        return f"has {len(own):,} different texts in {rows:,} rows: an identifier or free text"
    return Values(tuple(sorted({from_cell(text) for text in own})))


def _suggest_for_numbers(own: list[str], numbers: list[str], rows: int) -> ValueSet | str:
    """What to propose for the texts `own` of these numbers."""
    parsed = parse_numbers(numbers)
    low, high, whole = parsed.min(), parsed.max(), bool((parsed == np.floor(parsed)).all())
    if whole and len(own) == rows >= 20:
        return "has a different whole number in every row: an identifier"
    if not np.abs(parsed).max() < 1e15:
        return "has numbers beyond 10^15: an identifier, or in need of bins chosen by hand"
    if whole and (low, high) == (0, 1):
        return BITS
    if whole and high - low < min(MAX_PROPOSED_VALUES, 4 * len(own)):  # over a quarter of its numbers occur
        return Range(int(low), int(high))
    if len(own) <= 2 * PROPOSED_BINS:
        return Values(tuple(own[i] for i in np.argsort(parsed, kind="stable")))
    return Edges(_round_edges(low, high, whole=whole))


def _round_edges(low: float, high: float, *, whole: bool) -> tuple[float, ...]:
    """Edges of about `PROPOSED_BINS` equal bins over [low, high], at multiples of 1, 2 or 5 times a power of ten."""
    exponent = math.floor(math.log10((high - low) / PROPOSED_BINS))
    bins, width = PROPOSED_BINS, (high - low) * (1 - 1e-9)
    factor = next(factor for factor in (1, 2, 5, 10) if factor * 10.0**exponent * bins >= width)
    step = factor * 10.0**exponent
    edges = (round(k * step, max(0, -exponent)) for k in range(math.floor(low / step), math.ceil(high / step) + 1))
    return tuple(int(edge) if whole else float(edge) for edge in edges)
