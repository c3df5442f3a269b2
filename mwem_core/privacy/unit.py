"""The unit of privacy: what two neighbouring tables differ by, a record or a person with all of their records."""

from dataclasses import dataclass

from mwem_core.base import is_whole

MAX_RECORDS = 10_000  # of a person: the noise grows with it, and hides everything long before


@dataclass(frozen=True)
class Unit:
    """A record; or a person, named by a column of the table, of whom at most `records` records are kept.

    Raises ValueError for a limit that is not a whole number from 1 to 10,000, and for one above 1 without a column.

    >>> Unit.parse("patient:3").neighbours
    "add or remove one person, named by column 'patient', of whom at most 3 records are kept"
    """

    column: str = ""  # names the person of each record; empty if the unit is a record
    records: int = 1  # c, the most of a person that are kept

    def __post_init__(self) -> None:
        if not is_whole(self.records) or not 1 <= self.records <= MAX_RECORDS:
            raise ValueError(
                f"the records of a person must be a whole number from 1 to {MAX_RECORDS:,}, got {self.records!r}"
            )
        if self.records > 1 and not self.column:
            raise ValueError("a limit of records needs the column that names the person of each record")

    @classmethod
    def parse(cls, text: str) -> "Unit":
        """The unit of the text COLUMN:C. Raises ValueError for another text."""
        column, _, records = text.rpartition(":")
        if not column.strip() or not (records.isascii() and records.isdecimal()):
            raise ValueError(f"the unit must be COLUMN:C, such as patient:3 for at most 3 records each, got {text!r}")
        return cls(column.strip(), int(records))

    @property
    def neighbours(self) -> str:
        """What two neighbouring tables differ by, for manifests and pages."""
        if not self.column:
            return "add or remove one record"
        kept = f"at most {self.records:,} record{'' if self.records == 1 else 's'}"
        plural = "is" if self.records == 1 else "are"
        return f"add or remove one person, named by column {self.column!r}, of whom {kept} {plural} kept"


RECORD = Unit()
