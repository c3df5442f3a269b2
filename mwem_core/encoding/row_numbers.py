"""Rows with the numbers in their columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding.encode import Count, CountPolicy, encode
from mwem_core.tables import TableLike
from mwem_core.values import Dates


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


def read_rows(data: TableLike, domain: Domain, *, count: Count = CountPolicy.REFUSED) -> Rows:
    """A table under a schema, as `encode` takes it. Raises TableProblem as `encode` does."""
    numbers = {attribute.name: a for a, attribute in enumerate(domain.attributes) if attribute.number_set}
    records = encode(data, domain, count=count, numbers=numbers)
    return Rows(records, {numbers[name]: x for name, x in records.numbers.items()})


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
