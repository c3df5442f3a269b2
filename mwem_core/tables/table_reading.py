"""How a file is read: what a user may choose, what is said of the table, and what is wrong with it.

A table's metadata hold sentences on what was left out or named, for those who look at the table. They show no cell and
count no record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

MAX_HEADER = MAX_FOOTER = 20  # rows
NOTES_KEY = b"said"
X = TypeVar("X")
UNREADABLE = "the table cannot be read as a table of this schema: explore it first, where the reason is shown in full"


@dataclass(frozen=True)
class Reading:
    """The choices that `read_table` takes by these names; None where it finds out by itself."""

    encoding: str | None = None  # of text that is not Unicode, such as cp1252
    delimiter: str | None = None  # between the cells of a row
    decimal: str | None = None  # "." or ","
    sheet: str | None = None  # of a workbook with several
    header: int | None = None  # rows with the names of the columns: 0 where the first row is a record
    footer: int | None = None  # rows at the end that are no records

    def __post_init__(self) -> None:
        for what, number, limit in (("header", self.header, MAX_HEADER), ("footer", self.footer, MAX_FOOTER)):
            if number is not None and not 0 <= number <= limit:
                raise ValueError(f"the {what} has 0 to {limit} rows, got {number}")

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def words(self) -> list[str]:
        """A word for each of them, to tell two readings of a file apart."""
        return [value if isinstance(value, str) else f"{name}={value}" for name, value in self.chosen.items()]


DEFAULT_READING = Reading()


def notes_of(table: pa.Table) -> list[str]:
    """The sentences on a table; none on one that was read as it stands."""
    return json.loads((table.schema.metadata or {}).get(NOTES_KEY, b"[]"))


def with_notes(table: pa.Table, sentences: Iterable[str]) -> pa.Table:
    """The same table, with more sentences."""
    said = [*notes_of(table), *sentences]
    return with_metadata(table, said=json.dumps(said)) if said else table


def with_metadata(table: pa.Table, **metadata: str) -> pa.Table:
    """The same table, with more metadata."""
    new = {key.encode(): value.encode() for key, value in metadata.items()}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **new}) if new else table


def count_of(number: int, singular: str) -> str:
    """ "1 line", "2 lines"."""
    return f"{number:,} {singular}{'' if number == 1 else 's'}"


class TableProblem(ValueError):
    """A table that does not fit its schema. The message may show values and counts; `public` names a column alone."""

    def __init__(self, message: str, *, public: str):
        super().__init__(message)
        self.public = public


def without_values(read: Callable[[], X]) -> X:
    """What `read` returns; if it fails, a ValueError that shows no value and no count of the table.

    A message that is not known to show none is replaced, and the error that had it does not go along. That a table was
    refused is a fact about its records too: it is told to the owner of the table, before anything is drawn or spent.
    """
    try:
        return read()
    except TableProblem as problem:
        message = problem.public
    except Exception:  # whatever it is, its message may hold a value
        message = UNREADABLE
    raise ValueError(message)
