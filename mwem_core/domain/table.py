"""The private table B, in memory or in a database, and a table with a declared number of records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source


class Table(Source, Protocol):
    """The private data B. Everything computed from it is the truth and must not be released."""

    @property
    def domain(self) -> Domain:
        """The public attributes of a record."""
        ...

    @property
    def total(self) -> int:
        """n, the number of records."""
        ...


@dataclass(frozen=True, eq=False)
class OfTotal(Source):
    """The records of a table with a declared number of them, such as a noisy n: fewer or more than there are.

    What reads n of it reads the declared one. Its marginals are the table's own, so they add up to the true number.
    `scale` is that of the noise in a measured number, in records, as `Measurement.scale`; 0 where it is public.
    """

    table: Table
    total: int
    scale: float = 0.0

    @property
    def domain(self) -> Domain:
        """The table's own."""
        return self.table.domain

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """The table's own."""
        return self.table.marginals(sets)

    def flat_marginals(self, blocks: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The table's own."""
        return self.table.flat_marginals(blocks)


def check_not_empty(B: Table) -> None:
    """Raise ValueError for a table without records."""
    if B.total <= 0:
        raise ValueError("the table has no records: there is nothing to release")
