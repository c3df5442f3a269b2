"""The table of a run: a sample with a ready schema, or the user's own file, whose schema must be confirmed first."""

import math
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import pyarrow as pa
import streamlit as st

from mwem_app.base import count, size
from mwem_app.inputs.file_reading import choose_reading
from mwem_app.inputs.query_choice import choose_attributes, default_attributes
from mwem_app.inputs.schema_form import show_confirmed_schema
from mwem_app.inputs.schema_text import reasons_to_leave_out, start_schema
from mwem_app.inputs.upload import MAX_UPLOAD_BYTES, Upload
from mwem_app.page import in_sight, plain, problem, upload_file
from mwem_app.session import HOURS, is_demo, state
from mwem_core.base import SAMPLES
from mwem_core.domain import Domain, PublicTable, Records
from mwem_core.encoding import encode
from mwem_core.output import Provenance
from mwem_core.privacy import RECORD, Unit
from mwem_core.tables import DEFAULT_READING, MAX_CELLS, MAX_COLUMNS, Reading, read_table

ADULT_ATTRIBUTES = (
    *("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"),
    "native-country",
)
OWN = "Your own file"
FILE, REPLACED_UPLOAD, FILE_PROBLEM, SHEET = "_table_file", "_table_replaced", "_table_refused", "_table_sheet"
TYPES = (
    *("csv", "tsv", "txt", "tab", "dat", "parquet", "xlsx", "xlsm", "xlsb", "xls", "ods", "json", "jsonl", "ndjson"),
    *("sav", "zsav", "dta", "xpt", "sas7bdat", "data", "gz", "zip"),
)
FILE_STAYS = (
    f"The file stays in the server's memory, for this tab alone, and at most {HOURS} hours after you leave. It is not "
    "stored, and no other user sees it."
)
LIMITS = (
    "CSV and other text, Excel, OpenDocument, Parquet, JSON, SPSS, Stata or SAS, also in a gzip or zip "
    f"archive. At most {MAX_UPLOAD_BYTES // 10**6} MB, {MAX_COLUMNS:,} columns, and in a workbook "
    f"{MAX_CELLS // 10**6} million cells."
)


@dataclass(frozen=True)
class Sample:
    """A table that comes with the program, with the attributes and the query family chosen at first."""

    file: str
    schema: str
    attributes: tuple[str, ...] = ()  # empty: all of them
    family: str = "Marginals"
    count: str | None = None  # the column with the number of records of each row


SAMPLE = {
    "Adult": Sample("adult.parquet", "adult.toml", ADULT_ATTRIBUTES),
    "Adult, whole numbers": Sample(
        "adult.parquet", "adult_unbinned.toml", ("capital-loss", "age", "hours-per-week"), "Ranges"
    ),
    "Czech car workers": Sample("czech.csv", "czech.toml", count="count"),
    "Rochdale households": Sample("rochdale.csv", "rochdale.toml", count="count"),
    "Class survey": Sample("class_survey.csv", "class_survey.toml"),
}


@st.cache_resource(max_entries=len(SAMPLE), show_spinner=False)
def load_sample(title: str) -> Records:
    """Read a sample. Samples are public, so all sessions share them."""
    sample = SAMPLE[title]
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    return encode(read_sample(sample.file), domain, count=sample.count)


@st.cache_resource(max_entries=len(SAMPLE), show_spinner=False)
def read_sample(file: str) -> pa.Table:
    """Read a sample's file as text."""
    return read_table(SAMPLES / file, max_bytes=math.inf)  # in this process


@dataclass(frozen=True, eq=False)
class Data:
    """The chosen table, projected onto the chosen attributes."""

    source: str  # identifies the file; does not depend on the chosen attributes
    title: str
    file: str
    records: Records
    family: str  # the query family chosen at first
    provenance: Provenance  # of the schema
    columns: int  # of the whole table
    left_out: Mapping[str, str] = field(default_factory=dict)  # columns that the schema does not have: why
    reading: Reading = DEFAULT_READING  # how the file is read
    unit: Unit = RECORD  # of privacy
    count: str | None = None  # the column with the number of records of each row
    ordered: tuple[str, ...] = ()  # the attributes of the whole table that have an order
    public: PublicTable | None = None  # a table to start from

    @property
    def dimensions(self) -> str:
        """48,842 rows · 38,102,400 cells · public, as of the tables that come with the program."""
        cells = self.records.domain.size
        of_each = f", at most {self.unit.records:,} of a person" if self.unit.column else ""
        space = count(cells, "cell") if cells < 10**12 else f"{size(cells)} cells"
        public = " · public" if self.provenance == "built in" else ""
        return f"{count(self.records.total, 'row')}{of_each} · {space}{public}"


def choose_table() -> Data | None:
    """Let the user choose a table and its attributes; None, with a message, while something is missing."""
    title = st.selectbox("Table", [*SAMPLE, OWN], key=state.TABLE, bind=state.BIND, filter_mode=None)
    if title in SAMPLE:
        sample, records = SAMPLE[title], load_sample(title)
        attributes = choose_attributes(records.domain, sample.attributes or records.domain.names)
        source, columns = f"{sample.file} {sample.schema}", len(records.domain)
        data = Data(source, title, sample.file, records, sample.family, "built in", columns, count=sample.count)
        return _project(data, attributes)
    known = st.session_state.get(state.UPLOAD)
    with nullcontext() if known and known.records is not None else in_sight():  # open until there is a table to explore
        upload = choose_file()
    if upload is None:
        return None
    if not upload.table.num_rows:  # a release takes it: that it has none is private there
        problem(f"{plain(upload.name)} has a header but no rows; it needs at least one")
        return None
    if upload.records is None:
        return None
    show_confirmed_schema(upload)
    domain = upload.records.domain
    attributes = choose_attributes(domain, default_attributes(domain))
    data = Data(
        source=upload.source,
        title=upload.name,
        file=upload.name,
        records=upload.records,
        family="Marginals",
        provenance=upload.provenance,
        columns=upload.table.num_columns,
        left_out=state.remember("left out", (upload.source, upload.records), lambda: reasons_to_leave_out(upload)),
        reading=upload.reading,
        unit=upload.unit,
        count=upload.count_column,
    )
    return _project(data, attributes)


def original_table(source: str, file: str) -> pa.Table | None:
    """A table as text, by what identifies it: this session's upload or a sample. None if the session has lost it."""
    upload = st.session_state.get(state.UPLOAD)
    if upload is not None and upload.source == source and not upload.unit.column:
        return upload.table
    return read_sample(file) if any(source == f"{s.file} {s.schema}" for s in SAMPLE.values()) else None


def _project(data: Data, attributes: list[str]) -> Data | None:
    """The table on the chosen attributes."""
    if not attributes:
        problem("no attribute is chosen: choose at least one")
        return None
    records = data.records
    key = data.source, records.domain, tuple(attributes)
    chosen = state.remember("records", key, lambda: records.project(attributes))
    return replace(data, records=chosen, ordered=tuple(a.name for a in records.domain.attributes if a.ordered))


def choose_file(*, private: bool = False) -> Upload | None:
    """Let the user upload a table. It is read once and stays in the session when the widget is not on the page.

    On a `private` page none of its records is shown.
    """
    read_new_file()  # unless app.py has read it: then the tab was told that it has something to keep
    upload_file(
        "File",
        type=TYPES,
        key=FILE,
        max_upload_size=MAX_UPLOAD_BYTES // 10**6,
        on_change=_take_file,
        help=f"One row per record, or a column that says how many records a row stands for. {FILE_STAYS}",
    )
    upload = st.session_state.get(state.UPLOAD)
    if upload is None and not is_demo():
        st.caption(f"{LIMITS} {FILE_STAYS}")
    if message := st.session_state.get(FILE_PROBLEM):
        problem(message)
    if upload is not None and (message or st.session_state.get(FILE) is None):  # after another page or a reload
        st.caption(f"{plain(upload.name)} is still in use.")
    if upload is not None and upload.sheet:
        _choose_sheet(upload)
    if upload is not None:
        choose_reading(upload, private=private)
    return upload


def _choose_sheet(upload: Upload) -> None:
    """Let the user choose the sheet of a workbook."""
    st.session_state[SHEET] = upload.sheet
    st.selectbox(
        "Sheet",
        upload.sheets,
        key=SHEET,
        on_change=_change_sheet,
        args=(upload,),
        filter_mode=None,
        disabled=not upload.content,
        help=None if upload.content else "The schema has been confirmed for this sheet. To change it, upload the file.",
    )


def _change_sheet(upload: Upload) -> None:
    """Read another sheet, a table of its own with a schema of its own; the privacy budget is of the file."""
    if upload is not st.session_state.get(state.UPLOAD):  # another file has taken its place meanwhile
        return
    spent = state.epsilon_by_run(upload.source)
    _keep_upload(upload.name, upload.content, Reading(sheet=st.session_state[SHEET]))
    if (now := st.session_state[state.UPLOAD]) is not upload:
        st.session_state[state.EPSILON_BY_RUN][now.source] = spent


def _take_file() -> None:
    """Note a new file. It is not read here: what a callback does is lost if the next run begins before it ends."""
    st.session_state.pop(FILE_PROBLEM, None)
    st.session_state.pop(state.NEW_FILE, None)
    if (file := st.session_state.get(FILE)) is not None:
        st.session_state[state.NEW_FILE] = file
    elif (upload := st.session_state.pop(state.UPLOAD, None)) is not None:
        st.session_state[REPLACED_UPLOAD] = upload  # the browser takes away a file before it sends the one in its place


def read_new_file() -> None:
    """Read a new file, if there is one. One that cannot be read leaves the earlier upload in place."""
    file = st.session_state.get(state.NEW_FILE)
    if file is None:
        return
    if (replaced := st.session_state.get(REPLACED_UPLOAD)) is not None:
        st.session_state.setdefault(state.UPLOAD, replaced)
    _keep_upload(file.name, file.getvalue())
    st.session_state.pop(REPLACED_UPLOAD, None)
    del st.session_state[state.NEW_FILE]  # last: if the next run overtakes this one, it reads the file again


def _keep_upload(name: str, content: bytes, reading: Reading = DEFAULT_READING) -> None:
    """Read a file and keep it with a first schema; or keep the reason why it cannot be read."""
    st.session_state.pop(FILE_PROBLEM, None)
    try:
        table = read_table(content, name=name, max_bytes=MAX_UPLOAD_BYTES, min_rows=0, **reading.chosen)
    except ValueError as error:
        st.session_state[FILE_PROBLEM] = str(error)
        return
    digest = blake2b(content, digest_size=8).hexdigest()
    upload = Upload(name, " ".join([digest, *reading.words]), table, content, reading)
    start_schema(upload, st.session_state.get(state.UPLOAD))
    st.session_state[state.UPLOAD] = upload


def unconfirmed_upload() -> Upload | None:
    """Return the upload if its table is the chosen one, and can be explored once its schema is confirmed."""
    upload = st.session_state.get(state.UPLOAD)
    own = st.session_state.get(state.TABLE) == OWN
    return upload if own and upload is not None and upload.table.num_rows and upload.records is None else None
