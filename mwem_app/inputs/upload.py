"""The user's own table, held in the session from its upload until its schema is confirmed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from mwem_app.inputs.schema_rows import Row
from mwem_core.domain import Domain, Marks, Records
from mwem_core.encoding import Count, CountPolicy
from mwem_core.forms import POINT, decimal_of
from mwem_core.output import Provenance
from mwem_core.privacy import RECORD, Unit
from mwem_core.schemas import Suggestion
from mwem_core.tables import DEFAULT_READING, Reading

MAX_UPLOAD_BYTES = 200 * 10**6


@dataclass(eq=False, repr=False)
class Upload:
    """An uploaded table and the current state of its schema; `records` exist once the schema is confirmed."""

    name: str  # of the file
    id: str  # a hash of its content
    table: pa.Table
    content: bytes = b""  # of the file, to read it in another encoding, until the schema is confirmed
    chosen: Reading = DEFAULT_READING  # how the user wants the file to be read
    reading_problem: str = ""  # why the file cannot be read as the user has chosen last
    toml: str = ""  # the schema as text
    rows: list[Row] = field(default_factory=list)  # the schema as rows, as the editor first shows them
    version: int = 0  # counts changes of `rows` from outside the editor; each needs a new editor
    edited_rows: list[Row] = field(
        default_factory=list
    )  # the rows as the user has edited them; none where text is edited
    never: tuple[str, ...] = ()  # the rules, as the editor first shows them
    edited_never: tuple[str, ...] = ()  # and as the user has edited them
    unit: Unit = RECORD  # of privacy, as the user declares it
    suggestions: Mapping[str, Suggestion] = field(default_factory=dict)  # what was seen of the table's columns
    choices: dict[str, str] = field(default_factory=dict)  # what the user took them for, by column
    count: Count = CountPolicy.REFUSED  # the column with the number of records of each row, once the user has said it
    proposal: Domain | None = None  # the schema that was proposed from the data, if one was
    proposal_marks: Marks = field(default_factory=dict)  # on those cells of it that were read off the data
    provenance: Provenance = "proposed"  # of the schema
    records: Records | None = None
    problem: str = ""  # why the schema cannot be used
    rejected: Domain | None = None  # the schema that `problem` is about; None if the text could not be read

    def read_as(self, what: str) -> str | None:
        """How the file was read, by a name such as delimiter; None where it leaves no choice."""
        value = (self.table.schema.metadata or {}).get(what.encode())
        return None if value is None else value.decode()

    @property
    def encoding(self) -> str | None:
        """The encoding of a text file, first guessed and then chosen by the user; None for Unicode and Parquet."""
        encoding = self.read_as("encoding") or "utf-8"
        return None if encoding.startswith("utf-") else encoding

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers, first detected and then chosen by the user."""
        return decimal_of(self.table)

    @property
    def sheets(self) -> list[str]:
        """The sheets of a workbook, of which the table is one; none of another file."""
        return json.loads(self.read_as("sheets") or "[]")

    @property
    def sheet(self) -> str | None:
        """The sheet that the table is, if there are several."""
        return self.read_as("sheet") if len(self.sheets) > 1 else None

    @property
    def reading(self) -> Reading:
        """What a script needs to read the file in the same way."""
        decimal = self.chosen.decimal or (self.decimal if self.decimal != POINT else None)
        return Reading(self.encoding, self.chosen.delimiter, decimal, self.sheet, self.header, self.footer)

    @property
    def header(self) -> int | None:
        """The rows with the names of its columns, chosen or detected; None for one that was not chosen."""
        return self._rows("header", self.chosen.header)

    @property
    def footer(self) -> int | None:
        """The rows at its end that are no records, chosen or detected; None for none that was not chosen."""
        return self._rows("footer", self.chosen.footer)

    def _rows(self, what: str, chosen: int | None) -> int | None:
        detected = self.read_as(what)
        return chosen if chosen is not None or detected is None else int(detected)

    @property
    def size(self) -> int:
        """Bytes of the table and of the file, as long as they are in memory."""
        return self.table.nbytes + len(self.content)

    @property
    def source(self) -> str:
        """Identifies the records: the file, whose records are kept, and how many a row stands for."""
        kept = f"{self.id} {self.unit.column}:{self.unit.records}" if self.unit.column else self.id
        return kept if self.count_column is None else f"{kept} {self.count_column}"

    @property
    def count_column(self) -> str | None:
        """The column with the number of records of each row, if the user has named one."""
        return self.count if isinstance(self.count, str) else None

    def clear_problem(self) -> None:
        """Forget the last problem: the schema has changed."""
        self.problem, self.rejected = "", None
