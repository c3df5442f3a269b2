"""Small random tables, and their neighbours: tables with one record more, one fewer, or one replaced."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.domain import Attribute, Domain, OfTotal, Records, Table
from mwem_core.values import Range

Change = Literal["one record more", "one record fewer", "one record replaced"]
UNEVEN = 0.3  # parameter of the Dirichlet distribution that cells have their shares from: many stay empty


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A neighbour of a table. A table with one record replaced is at distance 2: one fewer, then one more."""

    change: Change
    table: Table

    @property
    def distance(self) -> int:
        """|B - B'|, by records added or removed."""
        return 2 if self.change == "one record replaced" else 1


def domain_of(sizes: Sequence[int]) -> Domain:
    """Attributes a, b, c, ... that hold the whole numbers from 0 up to their size."""
    return Domain(tuple(Attribute(chr(ord("a") + i), Range(0, size - 1)) for i, size in enumerate(sizes)))


def random_records(domain: Domain, n: int, rng: np.random.Generator) -> Records:
    """n records with correlated, uneven columns."""
    cells = math.prod(domain.shape)
    picks = rng.choice(cells, size=n, p=rng.dirichlet(np.full(cells, UNEVEN)))
    return Records(domain, tuple(codes.astype(np.uint8) for codes in np.unravel_index(picks, domain.shape)))


def neighbours(B: Records, rng: np.random.Generator, *, n_is_public: bool) -> Iterator[Neighbour]:
    """B with a random record more, with one fewer, and if n is public with one replaced.

    If n is public all have B's, as the program assumes; else they have their own.
    """
    extra = [int(rng.integers(size)) for size in B.domain.shape]
    gone = int(rng.integers(B.total))
    more = _with(B, extra)
    fewer = Records(B.domain, tuple(np.delete(codes, gone) for codes in B.codes))
    if not n_is_public:
        yield Neighbour("one record more", more)
        yield Neighbour("one record fewer", fewer)
        return
    yield Neighbour("one record more", OfTotal(more, B.total))
    yield Neighbour("one record fewer", OfTotal(fewer, B.total))
    yield Neighbour("one record replaced", OfTotal(_with(fewer, extra), B.total))


def _with(B: Records, codes: Sequence[int]) -> Records:
    return Records(B.domain, tuple(np.append(c, x).astype(c.dtype) for c, x in zip(B.codes, codes, strict=True)))
