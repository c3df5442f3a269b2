"""The private table B, in memory or in a database."""

from typing import Protocol

from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Source


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


def check_not_empty(B: Table) -> None:
    """Raise ValueError for a table without records."""
    if B.total <= 0:
        raise ValueError("the table has no records: there is nothing to release")
