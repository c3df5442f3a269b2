"""The user's own table, held in the session from its upload until its schema is confirmed."""

import json
from dataclasses import dataclass, field

import pyarrow as pa

from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from mwem_core.release.publication import Provenance
from ui.inputs.schema_rows import Row


@dataclass(eq=False)
class Upload:
    """An uploaded table and the current state of its schema; `records` exist once the schema is confirmed."""

    name: str  # of the file
    id: str  # a hash of its content
    table: pa.Table
    content: bytes = b""  # of the file, to read it in another encoding, until the schema is confirmed
    encoding_problem: str = ""  # why the file cannot be read in the encoding chosen last
    toml: str = ""  # the schema as text
    rows: list[Row] = field(default_factory=list)  # the schema as rows, as the editor first shows them
    version: int = 0  # counts changes of `rows` from outside the editor; each needs a new editor
    edited_rows: list[Row] = field(default_factory=list)  # the rows as the user has edited them
    proposal: Domain | None = None  # the schema that was proposed from the data, if one was
    provenance: Provenance = "proposed"  # of the schema
    records: Records | None = None
    problem: str = ""  # why the schema cannot be used
    rejected: Domain | None = None  # the schema that `problem` is about; None if the text could not be read

    @property
    def encoding(self) -> str | None:
        """The encoding of a text file, first guessed and then chosen by the user; None for Unicode and Parquet."""
        encoding = (self.table.schema.metadata or {}).get(b"encoding", b"utf-8").decode()
        return None if encoding.startswith("utf-") else encoding

    @property
    def sheets(self) -> list[str]:
        """The sheets of a workbook, of which the table is one; none of another file."""
        return json.loads((self.table.schema.metadata or {}).get(b"sheets", b"[]"))

    @property
    def sheet(self) -> str | None:
        """The sheet that the table is, if there are several."""
        return (self.table.schema.metadata or {})[b"sheet"].decode() if len(self.sheets) > 1 else None

    @property
    def size(self) -> int:
        """Bytes of the table and of the file, as long as they are in memory."""
        return self.table.nbytes + len(self.content)

    def clear_problem(self) -> None:
        """Forget the last problem: the schema has changed."""
        self.problem, self.rejected = "", None
