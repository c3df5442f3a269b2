"""Propose a first schema for a table, for its owner to correct. It reads the data: use it on public data only."""

from __future__ import annotations

import math
import re

import numpy as np
import pyarrow as pa

from mwem_core.data.frames import TableLike, as_table
from mwem_core.data.numerals import MISSING_TEXTS, decimal_of, plain_numbers
from mwem_core.data.proposed_dates import proposed_dates
from mwem_core.data.texts import distinct_texts
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.csv_cell import from_cell
from mwem_core.domain.domain import Domain
from mwem_core.domain.inside import MAX_DECIMALS, MAX_EXACT_FLOAT64, Inside
from mwem_core.domain.numbers import BITS, Edges, Range, parse_numbers
from mwem_core.domain.public_bins import BINS, equal_edges, log_edges
from mwem_core.domain.values import Codes, Values, ValueSet

NUMBER = re.compile(r"-?((0|[1-9]\d*)(\.\d+)?|\.\d+)([eE][+-]?\d+)?")  # 007 is not a number but a text
CODE = re.compile(r"(?=\S*\d)[\w.\-/]{2,10}")  # of a diagnosis or a place: short, without blanks, with a digit
MAX_CODE = 10  # characters
MIN_SPIKE, MIN_SPIKE_ROWS = 0.001, 10  # a share of all rows, and rows, of a number with a bin of its own
MAX_DIGITS = 15  # of a whole number that float64 holds
MIN_GROUPS, MAX_GROUP_ROWS = 20, 10  # of an identifier of groups: its texts, and rows of each on average
MAX_PROPOSED_VALUES = 100  # of a category, a range or groups of codes


def propose(data: TableLike) -> Domain:
    """Propose a schema to edit and confirm. It depends on the data, so it leaks private data.

    Numbers become bits, a short range, categories, or bins with round edges, which are logarithmic where equal ones
    would put most rows in one; they come back with the decimals that the data has. Dates become calendar periods, texts
    categories, and many short codes their groups. `left_out` gives the columns without an attribute. Raises ValueError
    if no column has one.
    """
    table = as_table(data)
    suggested = (_suggest(table[name], name, decimal_of(table)) for name in table.column_names)
    attributes = tuple(attribute for attribute in suggested if isinstance(attribute, Attribute))
    if not attributes:
        reasons = ", ".join(f"{name!r} {reason}" for name, reason in list(left_out(table).items())[:3])
        raise ValueError(f"no column can be proposed as an attribute ({reasons}); write the schema by hand")
    return Domain(attributes)


def left_out(data: TableLike) -> dict[str, str]:
    """The columns that `propose` leaves out, each with the reason: an identifier, free text, a single value."""
    table = as_table(data)
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
    own = [text for text in used if text not in MISSING_TEXTS]
    missing = [text for text in used if text in MISSING_TEXTS]
    if len(used) < 2 or not own:
        return "has the same value in every row"
    if _names_groups(own, text_of):
        return "names groups of a few rows each, such as households: an identifier, which may be the unit of a release"
    rows_of = dict(zip(texts, np.bincount(text_of, minlength=len(texts)), strict=True))
    value_set = _suggest_values(own, plain_numbers(own, decimal), np.array([rows_of[text] for text in own]))
    if isinstance(value_set, str):
        return value_set
    return Attribute(name, value_set, missing=missing[0] if missing else None, other=len(missing) > 1)


def _names_groups(own: list[str], text_of: np.ndarray) -> bool:
    """Whether texts with a digit stand in rows next to each other, a few rows each; if they are numbers, densely."""
    blocks = 1 + int(np.count_nonzero(np.diff(text_of)))
    if blocks != len(own) or len(own) < MIN_GROUPS or not len(own) < len(text_of) < MAX_GROUP_ROWS * len(own):
        return False
    if all(text.isdecimal() and len(text) <= MAX_DIGITS for text in own):
        whole = [int(text) for text in own]
        return len(own) > MAX_PROPOSED_VALUES and max(whole) - min(whole) < 2 * len(own)
    return (
        all(any(char.isdigit() for char in text) for text in own) and not proposed_dates(own) and not _are_numbers(own)
    )


def _are_numbers(texts: list[str]) -> bool:
    return all(NUMBER.fullmatch(text) for text in texts)


def _suggest_values(own: list[str], numbers: list[str], rows: np.ndarray) -> ValueSet | str:
    """The value set for distinct texts that fill so many rows each, (k,); `numbers` are the texts in plain form."""
    if dates := proposed_dates(own):
        return dates
    if _are_numbers(numbers):
        return _suggest_for_numbers(own, numbers, rows)
    return _suggest_for_texts(own, int(rows.sum()))


def _suggest_for_texts(own: list[str], rows: int) -> Values | Codes | str:
    distinct = f"{len(own):,} different texts in {rows:,} rows"
    if rows >= 20 and len(own) > rows / 2:
        return f"has {distinct}: an identifier or free text"
    if len(own) <= MAX_PROPOSED_VALUES:
        return Values(tuple(sorted({from_cell(text) for text in own})))
    codes = tuple(sorted(own))
    if all(CODE.fullmatch(text) for text in codes):
        for prefix in range(MAX_CODE - 1, 0, -1):
            if 2 <= (groups := Codes(codes, prefix)).size <= MAX_PROPOSED_VALUES:
                return groups
    return f"has {distinct}, over the {MAX_PROPOSED_VALUES} of a category: an identifier or free text"


def _suggest_for_numbers(own: list[str], numbers: list[str], rows: np.ndarray) -> ValueSet | str:
    """What to propose for the texts `own` of these numbers, which fill so many rows each."""
    parsed = parse_numbers(numbers)
    low, high, whole = float(parsed.min()), float(parsed.max()), bool((parsed == np.floor(parsed)).all())
    if whole and len(own) == rows.sum() >= 20 and own == numbers:  # nobody marks the thousands of an identifier
        return "has a different whole number in every row: an identifier"
    if not np.abs(parsed).max() < 1e15:
        return "has numbers beyond 10^15: an identifier, or in need of bins chosen by hand"
    if whole and (low, high) == (0, 1):
        return BITS
    if whole and high - low < min(MAX_PROPOSED_VALUES, 4 * len(own)):  # over a quarter of its numbers occur
        return Range(int(low), int(high))
    if len(own) <= 2 * BINS:
        return Values(tuple(own[i] for i in np.argsort(parsed, kind="stable")))
    inside = Inside(_decimals(numbers, max(-low, high)))
    edges = equal_edges(low, high)
    counted = np.histogram(parsed, edges, weights=rows)[0]
    if counted.max() > rows.sum() / 2:  # most rows would share a bin
        unit = 10.0**-inside.decimals
        edges = log_edges(low, high, smallest=max(unit, float(np.abs(parsed[parsed != 0]).min())), unit=unit)
    try:
        return Edges(_with_spikes(edges, parsed, rows, inside), inside)
    except ValueError:  # numbers closer together than the decimals that float64 holds
        return Edges(edges)


def _with_spikes(edges: tuple[float, ...], parsed: np.ndarray, rows: np.ndarray, inside: Inside) -> tuple[float, ...]:
    """The edges, with a bin of its own for a number that has most of a bin's rows, such as the one of a top code."""
    bin_of, spikes = np.digitize(parsed, edges[1:-1]), set[float]()
    for code in np.unique(bin_of):
        own = bin_of == code
        number, most = float(parsed[own][rows[own].argmax()]), rows[own].max()
        if most > rows[own].sum() / 2 and most >= max(MIN_SPIKE_ROWS, MIN_SPIKE * rows.sum()):
            unit = round(number * 10**inside.decimals)
            spikes |= {end / 10**inside.decimals for end in (unit, unit + 1)}  # no more edges if it is alone already
    return tuple(
        int(edge) if inside.decimals == 0 else edge
        for edge in sorted({*edges, *(spike for spike in spikes if edges[0] < spike < edges[-1])})
    )


def _decimals(numbers: list[str], largest: float) -> int:
    """The most decimals that a number is written with, as far as float64 holds them."""
    written = max(len(text.partition(".")[2]) if "e" not in text.lower() else MAX_DECIMALS for text in numbers)
    held = math.floor(math.log10(MAX_EXACT_FLOAT64 / 10 / max(largest, 1)))  # also for edges above the largest
    return max(0, min(written, held))
