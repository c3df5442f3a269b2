"""The private table B, wherever its records are."""

from typing import Protocol

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Source


class Table(Source, Protocol):
    """The private data B: what is asked of it is the truth, and not for release."""

    @property
    def domain(self) -> Domain:
        """What is public about a record."""
        ...

    @property
    def total(self) -> int:
        """n, the number of records."""
        ...


def refuse_empty(B: Table) -> None:
    """Raises ValueError for a table without records."""
    if B.total <= 0:
        raise ValueError("the table has no records: there is nothing to release")
