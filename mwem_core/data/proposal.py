"""A first schema, read off a table for its owner to correct: it looks at the data, so use it on public data only."""

from __future__ import annotations

import math
import re

import numpy as np
import pyarrow as pa

from mwem_core.data.files import COUNT, distinct_texts
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values, numbers

MISSING = ("", "?", "NA", "N/A", "nan", "NaN", "null", "NULL", "None")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")  # 007 is a text
FEW = 100  # at most so many values of a proposed category, and cells of a proposed grid
BINS = 10  # about so many bins of a proposed number


def propose(table: pa.Table) -> Domain:
    """A schema to edit and confirm, read off the data: a leak, unless the data is public.

    Numbers become bits, a small grid or round bins; few texts become categories; `left_out` says what is not there.
    """
    suggested = (_suggest(table[name], name) for name in table.column_names)
    attributes = tuple(attribute for attribute in suggested if isinstance(attribute, Attribute))
    if not attributes:
        reasons = ", ".join(f"{name!r} {reason}" for name, reason in list(left_out(table).items())[:3])
        raise ValueError(f"no column can be proposed as an attribute ({reasons}); write the schema by hand")
    return Domain(attributes)


def left_out(table: pa.Table) -> dict[str, str]:
    """Why `propose` leaves out a column, by its name: identifiers, free text, a single value."""
    suggested = {name: _suggest(table[name], name) for name in table.column_names}
    return {name: reason for name, reason in suggested.items() if isinstance(reason, str)}


def _suggest(column: pa.ChunkedArray, name: str) -> Attribute | str:
    """An attribute for a column, or the reason to leave it out."""
    if not name:
        return "has no name"
    if not pa.types.is_dictionary(column.type):
        return f"holds {column.type}"
    texts, index = distinct_texts(column, name)
    used = [texts[place] for place in np.unique(index)]
    if name == COUNT and all(text.isdecimal() for text in used):
        return "holds the number of records in each row"
    own, missing = [text for text in used if text not in MISSING], [text for text in used if text in MISSING]
    if len(used) < 2 or not own:
        return "has the same value in every row"
    numeric = all(NUMBER.fullmatch(text) for text in own)
    kind = _suggest_cells(own, len(index)) if numeric else _suggest_values(own, len(index))
    if isinstance(kind, str):
        return kind
    return Attribute(name, kind, missing=missing[0] if missing else None, other=len(missing) > 1)


def _suggest_values(own: list[str], rows: int) -> Values | str:
    if len(own) > FEW or (rows >= 20 and len(own) > rows / 2):
        return f"has {len(own):,} different texts in {rows:,} rows: an identifier or free text"
    return Values(tuple(sorted(own)))


def _suggest_cells(own: list[str], rows: int) -> Values | Edges | Range | str:
    number = numbers(own)
    low, high, whole = number.min(), number.max(), bool((number == np.floor(number)).all())
    if whole and len(own) == rows >= 20:
        return "has another whole number in every row: an identifier"
    if not np.abs(number).max() < 1e15:
        return "has numbers beyond 10^15: an identifier, or in need of bins chosen by hand"
    if whole and (low, high) == (0, 1):
        return BITS
    if whole and high - low < min(FEW, 4 * len(own)):  # a grid that is not mostly gaps
        return Range(int(low), int(high))
    if len(own) <= 2 * BINS:
        return Values(tuple(sorted(own, key=float)))
    return Edges(_round_edges(low, high, whole=whole))


def _round_edges(low: float, high: float, *, whole: bool) -> tuple[float, ...]:
    """About `BINS` equal bins over [low, high] with ends at multiples of 1, 2 or 5 times a power of ten."""
    exponent = math.floor(math.log10((high - low) / BINS))
    factor = next(factor for factor in (1, 2, 5, 10) if factor * 10.0**exponent * BINS >= (high - low) * (1 - 1e-9))
    step = factor * 10.0**exponent
    edges = (round(k * step, max(0, -exponent)) for k in range(math.floor(low / step), math.ceil(high / step) + 1))
    return tuple(int(edge) if whole else float(edge) for edge in edges)
