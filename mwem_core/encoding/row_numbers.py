"""Rows with the numbers in their columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding.encode import Count, CountPolicy, attribute_texts, count_column, encode, records_of
from mwem_core.forms import decimal_of, from_cell
from mwem_core.tables import TableLike, as_table, distinct_texts
from mwem_core.values import Dates, Edges


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """A table under a schema: its records, and the numbers of attributes that have them, dates among them.

    `numbers` holds (m,) floats by the attribute's index, NaN in rows without a number: missing, or the catch-all. They
    compare with `cells` of the value set; dates count units since 1970.
    """

    records: Records
    numbers: Mapping[int, np.ndarray]

    @property
    def weights(self) -> np.ndarray:
        """The number of records of each row, (m,)."""
        weights = self.records.weights
        return np.ones(len(self.records.codes[0])) if weights is None else weights.astype(float)


def spans(attribute: Attribute) -> np.ndarray:
    """The number that each code counts as, the least that it may be, and the most: (3, size). NaN without a number.

    A code counts as the mean of its numbers of the declared decimals; without these, bins with whole edges count as
    bins of whole numbers, though their numbers may lie anywhere between the edges.
    """
    kind = attribute.number_set
    assert kind is not None
    low, high, closed = (np.asarray(each, float) for each in kind.cells())
    middle = (low + high) / 2
    if isinstance(kind, Edges) and kind.inside:
        low, high = map(kind.inside.floats, kind.inside.grid(kind.edges))
        middle = (low + high) / 2
    elif isinstance(kind, Edges) and all(isinstance(edge, int) for edge in kind.edges):
        middle = (low + high - (1 - closed)) / 2
    return np.pad([middle, low, high], ((0, 0), (0, attribute.size - len(low))), constant_values=np.nan)


def read_rows(data: TableLike, domain: Domain, *, count: Count = CountPolicy.REFUSED) -> Rows:
    """A table under a schema, as `encode` takes it. Raises TableProblem as `encode` does."""
    table = as_table(data)
    count = count_column(table.column_names, domain.names, count)
    records, decimal = encode(table, domain, count=count), decimal_of(table)
    if count is not None:  # `encode` leaves out rows that stand for no record
        texts, text_of = distinct_texts(table[count], count)
        table = table.filter(pa.array(np.array([records_of(text) for text in texts], bool)[text_of]))
    numbers = {}
    for a, attribute in enumerate(domain.attributes):
        if kind := attribute.number_set:
            texts, text_of = attribute_texts(table, attribute.name)
            plain = attribute.as_declared([from_cell(text) for text in texts], decimal)
            numbers[a] = _own(records, a, kind.parse(plain)[text_of])
    return Rows(records, numbers)


def rows_of_values(records: Records, values: Mapping[str, np.ndarray]) -> Rows:
    """Records with the values that were drawn for them, by column, as `release.synthesis.decode` gives them."""
    numbers = {}
    for a, attribute in enumerate(records.domain.attributes):
        if kind := attribute.number_set:
            drawn = values[attribute.name]
            if drawn.dtype == object:
                texts, text_of = np.unique(drawn.astype(str), return_inverse=True)
                drawn = kind.parse(texts.tolist())[text_of]
            numbers[a] = _own(records, a, drawn.astype(float))
    return Rows(records, numbers)


def _own(records: Records, a: int, x: np.ndarray) -> np.ndarray:
    """The numbers, NaN where the code is that of a missing value or of the catch-all."""
    return np.where(records.codes[a] < records.domain.attributes[a].value_set.size, x, np.nan)


def number_texts(attribute: Attribute, mean: float, deviation: float, quantiles: Sequence[float]) -> list[str]:
    """The mean, the deviation and the quantiles of an attribute, for people: numbers of four digits, or dates."""
    kind = attribute.value_set
    if not isinstance(kind, Dates):
        return [*map(_text, (mean, deviation, *quantiles))]
    places = [kind.written(math.floor(x)) if math.isfinite(x) else "–" for x in (mean, *quantiles)]
    return [places[0], f"{_text(deviation)} {kind.unit}s", *places[1:]]


def _text(value: float) -> str:
    """A number with four digits, or whole from 1,000 up; a dash for none."""
    if not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
