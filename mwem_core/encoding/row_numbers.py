"""Records with the numbers of all columns that have them, and how numbers read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.encoding.encode import Count, CountPolicy, encode
from mwem_core.tables import TableLike
from mwem_core.values import Dates


def read_rows(data: TableLike, domain: Domain, *, count: Count = CountPolicy.REFUSED) -> Records:
    """A table as `encode` takes it, with its numbers and dates, which count units since 1970; it raises the same."""
    return encode(data, domain, count=count, numbers=[a.name for a in domain.attributes if a.number_set])


def rows_of_values(records: Records, values: Mapping[str, np.ndarray]) -> Records:
    """Records with the numbers among the values drawn for them, by column, as `release.synthesis.decode` gives them."""
    numbers = {}
    for codes, attribute in zip(records.codes, records.domain.attributes, strict=True):
        if kind := attribute.number_set:
            drawn = values[attribute.name]
            if drawn.dtype == object:
                texts, text_of = np.unique(drawn.astype(str), return_inverse=True)
                drawn = kind.parse(texts.tolist())[text_of]
            numbers[attribute.name] = np.where(codes < kind.size, drawn.astype(float), np.nan)
    return replace(records, numbers=numbers)


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
