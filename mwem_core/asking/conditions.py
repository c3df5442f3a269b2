"""Conditions and groups of records, as tables of 0 and 1 over the attributes that they name."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from mwem_core.data.numbers import numbered
from mwem_core.domain.domain import Domain
from mwem_core.domain.predicates import parse_question
from mwem_core.domain.source import Attrs
from mwem_core.model.sums import align

COMPARISON = re.compile(r"[=<>]| in ")
MAX_CELLS = 10**6  # of the marginal that a condition, or several together, read


@dataclass(frozen=True, eq=False)
class Feature:
    """A number of every record: a table over the attributes `S`, in any unit."""

    name: str
    S: Attrs
    table: np.ndarray

    def times(self, other: Feature) -> Feature:
        """The product, over the attributes of both. Raises ValueError for one that would not fit in memory."""
        S = tuple(sorted({*self.S, *other.S}))
        sizes = dict(zip((*self.S, *other.S), (*self.table.shape, *other.table.shape), strict=True))
        if (cells := math.prod(sizes.values())) > MAX_CELLS:
            raise ValueError(
                f"{self.name} and {other.name} together read a table of {cells:,} cells, and at most {MAX_CELLS:,} fit"
                " in memory: ask about fewer attributes, or about fewer of their values"
            )
        return Feature(f"{self.name} · {other.name}", S, align(self.table, self.S, S) * align(other.table, other.S, S))


ONE = Feature("1", (), np.ones(()))


def condition(text: str | None, domain: Domain) -> Feature:
    """1 for records that satisfy this question, 0 for others; 1 for all without one. Raises ValueError."""
    if text is None:
        return ONE
    parsed = parse_question(text, domain, max_cells=MAX_CELLS)
    return Feature(parsed.text, parsed.attrs, parsed.mask.astype(float))


def number(name: str, domain: Domain) -> tuple[Feature, Feature]:
    """An attribute's numbers, each the middle of its bin and 0 where there is none, and whether there is one.

    Raises ValueError for an unknown attribute, and for one without numbers.
    """
    (a,) = domain.attrs(name.strip().strip("`"))
    attribute = domain.attributes[a]
    kind = numbered(attribute)
    if kind is None:
        raise ValueError(f"{attribute.name} has no numbers: ask for shares of its values")
    low, high, _ = kind.cells()
    middles = (np.asarray(low, float) + np.asarray(high, float)) / 2
    has = np.arange(attribute.size) < attribute.ordered_size
    values = np.where(has, np.concatenate([middles, np.zeros(attribute.size - len(middles))]), 0.0)
    return Feature(attribute.name, (a,), values), Feature(f"{attribute.name} is a number", (a,), has.astype(float))


def groups(by: str | None, domain: Domain) -> list[Feature]:
    """The records with each value of an attribute, or those without and with a condition; all records without `by`.

    Raises ValueError for what is neither.
    """
    if by is None:
        return [ONE]
    if by.strip("`") not in domain.names and COMPARISON.search(by):
        holds = condition(by, domain)
        return [Feature(f"not ({holds.name})", holds.S, 1 - holds.table), holds]
    (a,) = domain.attrs(by.strip().strip("`"))
    attribute = domain.attributes[a]
    return [
        Feature(f"{attribute.name} = {label}", (a,), (np.arange(attribute.size) == code).astype(float))
        for code, label in enumerate(attribute.labels)
    ]


def product(features: Sequence[Feature]) -> Feature:
    """The product of all."""
    return reduce(Feature.times, features, ONE)
