"""What is said of a table as it was read: sentences in its metadata, for those who look at the table.

A sentence says what was left out or named. It shows no cell and counts no record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa

SAID = b"said"


def said_of(table: pa.Table) -> list[str]:
    """The sentences on a table; none on one that was read as it stands."""
    return json.loads((table.schema.metadata or {}).get(SAID, b"[]"))


def with_said(table: pa.Table, sentences: Iterable[str]) -> pa.Table:
    """The same table, with more sentences."""
    said = [*said_of(table), *sentences]
    return with_metadata(table, said=json.dumps(said)) if said else table


def with_metadata(table: pa.Table, **metadata: str) -> pa.Table:
    """The same table, with more metadata."""
    new = {key.encode(): value.encode() for key, value in metadata.items()}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **new})


def counted(number: int, singular: str) -> str:
    """ "1 line", "2 lines"."""
    return f"{number:,} {singular}{'' if number == 1 else 's'}"
