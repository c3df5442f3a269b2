"""Neighbours of a table: one record more, or one less, for finding what one person changes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.data.records import Records
from mwem_core.data.table import Table
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source


@dataclass(frozen=True, eq=False)
class OneMore(Source):
    """The table B with one record more, of these codes. The total stays B's, as MWEM takes n as public."""

    B: Table
    codes: tuple[int, ...]

    @property
    def domain(self) -> Domain:
        """B's."""
        return self.B.domain

    @property
    def total(self) -> int:
        """B's."""
        return self.B.total

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """B's marginals plus the record, in records."""
        tables = [table.copy() for table in self.B.marginals(sets)]
        for attrs, table in zip(sets, tables, strict=True):
            table[tuple(self.codes[a] for a in attrs)] += 1
        return tables


def without(B: Records, row: int) -> Records:
    """B without one of its rows, of which each must be one record."""
    return Records(B.domain, tuple(np.delete(column, row) for column in B.codes))
