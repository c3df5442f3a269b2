"""How a file is to be read, where its bytes leave a choice."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MAX_HEADER = MAX_FOOTER = 20  # rows


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
        """Those that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def words(self) -> list[str]:
        """A word for each of them, to tell two readings of a file apart."""
        return [value if isinstance(value, str) else f"{name}={value}" for name, value in self.chosen.items()]


DETECTED = Reading()
