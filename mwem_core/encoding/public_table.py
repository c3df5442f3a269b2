"""A public table: one that everybody may see, such as last year's release or a survey, from which a run may start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mwem_core.domain import Domain, Records, digest
from mwem_core.encoding.counts import Count, Unsaid, count_column, where_there


@dataclass(frozen=True, eq=False)
class PublicTable:
    """A table that is public, under the schema of the private one, and the name of its file.

    What reads it costs no privacy, and whoever has the file can check its digest. Equal if the digests are.
    """

    name: str
    records: Records
    count: str | None = None  # the column with the number of records of each row
    path: Path | None = None  # of the file, where that is known

    def __post_init__(self) -> None:
        if self.records.domain.unbinned:
            raise ValueError(
                "the run measures bins itself, and a public table would have to be in them before: declare the edges, "
                "or leave the public table out"
            )

    @classmethod
    def read(cls, file: Path | str, domain: Domain, *, count: Count = Unsaid.REFUSED, **reading: Any) -> PublicTable:
        """Read a file, as `read_table` does, and encode it as `encode` does with `count`, if it has that column.

        Raises ValueError where it does not fit the schema, or has no records.
        """
        from mwem_core.encoding.encode import encode  # readers load Arrow, which takes a quarter of a second
        from mwem_core.tables import read_table

        path = Path(file)
        table = read_table(path, **reading)
        column = count_column(table.column_names, domain.names, where_there(table.column_names, count))
        records = encode(table, domain, count=column)
        if not records.total:
            raise ValueError(f"the public table {path.name} has no records: there is nothing to start from")
        return cls(path.name, records, column, path.absolute())

    @cached_property
    def digest(self) -> str:
        """The fingerprint of its records under the schema."""
        return digest(self.records)

    def described(self) -> dict[str, Any]:
        """What a manifest says of it."""
        return {"table": self.name, "records": self.records.total, "digest": self.digest}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicTable) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        """How a script reads it."""
        return f"PublicTable.read({str(self.path or self.name)!r}, domain, count={self.count!r})"
