"""How a file is to be read, where its bytes leave a choice."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Reading:
    """The choices that `read_table` takes by these names; None where it finds out by itself."""

    encoding: str | None = None  # of text that is not Unicode, such as cp1252
    delimiter: str | None = None  # between the cells of a row
    decimal: str | None = None  # "." or ","
    sheet: str | None = None  # of a workbook with several

    @property
    def chosen(self) -> dict[str, Any]:
        """Those that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


DETECTED = Reading()
