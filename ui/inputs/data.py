"""Which table: a sample, whose schema is at hand, or the user's own, whose schema has to be confirmed first."""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import streamlit as st

from mwem_core.data.encoding import encode
from mwem_core.data.files import read_table
from mwem_core.data.records import Records
from mwem_core.domain.domain import Domain
from ui.inputs import schema as inputs_schema
from ui.page.wording import plain, problem
from ui.session import state
from ui.words.numbers import count, size

SAMPLES = Path(__file__).parents[2] / "sample_data"
OWN = "Your own file"
FILE, REFUSED, UNKNOWN = "_table_file", "_table_refused", "_table_unknown"
MOST_BYTES = 200 * 10**6
MOST_NAMED = 12
FEW_ATTRIBUTES = 8  # taken of an uploaded table unless told otherwise
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")


@dataclass(frozen=True)
class Sample:
    """A table that comes with the program, and what to ask of it at first."""

    file: str
    schema: str
    attributes: tuple[str, ...] = ()  # all of them where empty
    ask: str = "Marginals"


SAMPLE = {
    "Adult": Sample("adult.parquet", "adult.toml", EIGHT),
    "Adult, whole numbers": Sample(
        "adult.parquet", "adult_unbinned.toml", ("capital-loss", "age", "hours-per-week"), "Ranges"
    ),
    "Czech car workers": Sample("czech.csv", "czech.toml"),
    "Rochdale households": Sample("rochdale.csv", "rochdale.toml"),
    "Class survey": Sample("class_survey.csv", "class_survey.toml"),
}


@dataclass(frozen=True, eq=False)
class Data:
    """The table as chosen: records of the chosen attributes alone."""

    source: str  # the same for the same file, whichever attributes are chosen
    title: str
    file: str
    records: Records
    ask: str

    @property
    def headline(self) -> str:
        """Adult · 48,842 rows · 8 attributes · 38,102,400 cells."""
        domain = self.records.domain
        return " · ".join(
            [
                f"**{plain(self.title)}**",
                count(self.records.total, "row"),
                count(len(domain), "attribute"),
                count(domain.size, "cell") if domain.size < 10**12 else f"{size(domain.size)} cells",
            ]
        )


@st.cache_resource(max_entries=len(SAMPLE), show_spinner=False)
def _load_sample(title: str) -> Records:
    """Samples are public, so all sessions may share them."""
    sample = SAMPLE[title]
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / sample.file), domain)


def choose_table() -> Data | None:
    """A table with its schema and the attributes to release; None, with a sentence, while something is missing."""
    asked = st.query_params.get(state.TABLE)
    if asked is not None and asked not in (*SAMPLE, OWN):
        st.session_state[UNKNOWN] = asked
    title = st.selectbox(
        "Table",
        [*SAMPLE, OWN],
        key=state.TABLE,
        bind=state.BIND,
        filter_mode=None,
        label_visibility="collapsed",
        on_change=lambda: st.session_state.pop(UNKNOWN, None),
    )
    if UNKNOWN in st.session_state:
        asked = st.session_state[UNKNOWN]
        problem(f"the address asks for a table {asked!r}, and there is none: {title} is shown, choose the one meant")
    if title in SAMPLE:
        sample = SAMPLE[title]
        everything = _load_sample(title)
        chosen = _choose_attributes(everything.domain, sample.attributes or everything.domain.names)
        return _data(f"{sample.file} {sample.schema}", title, sample.file, everything, chosen, sample.ask)
    upload = _choose_file()
    if upload is None:
        return None
    if "records" not in upload:
        st.caption("Next: confirm its schema, below.")
        return None
    inputs_schema.summary(upload)
    everything: Records = upload["records"]
    chosen = _choose_attributes(everything.domain, everything.domain.names[:FEW_ATTRIBUTES])
    return _data(upload["id"], upload["name"], upload["name"], everything, chosen, "Marginals")


def _data(source: str, title: str, file: str, everything: Records, chosen: list[str], ask: str) -> Data | None:
    if not chosen:
        problem("no attribute is chosen: choose at least one")
        return None
    records = state.remember("records", (source, everything.domain, tuple(chosen)), lambda: everything.project(chosen))
    return Data(source, title, file, records, ask)


def _choose_attributes(domain: Domain, default: tuple[str, ...]) -> list[str]:
    held = st.session_state.get(state.ATTRIBUTES)
    if held and not set(held) & set(domain.names):
        st.session_state[state.ATTRIBUTES] = list(default)  # another table
    usual = state.following(state.ATTRIBUTES, [name for name in domain.names if name in default])
    place = st.popover(_chosen_label(domain, usual), width="stretch", icon=":material/view_column:")
    sizes = dict(zip(domain.names, domain.shape, strict=True))
    with place:
        st.caption("The release holds these attributes and no others.")
        widget: Any = st.pills if len(domain) <= 40 else st.multiselect
        chosen = widget(
            "Attributes",
            domain.names,
            default=usual,
            key=state.ATTRIBUTES,
            bind=state.BIND,
            label_visibility="collapsed",
            **({"selection_mode": "multi"} if len(domain) <= 40 else {}),
        )
    kept = [name for name in domain.names if name in chosen]
    shown = " · ".join(f"{plain(name)} {sizes[name]:,}" for name in kept[:MOST_NAMED])
    st.caption(shown + (f" · and {len(kept) - MOST_NAMED} more" if len(kept) > MOST_NAMED else ""))
    return kept


def _chosen_label(domain: Domain, usual: list[str]) -> str:
    held = st.session_state.get(state.ATTRIBUTES)
    if held is None:  # a first visit: what the address asks for, as far as there is such a thing
        held = set(st.query_params.get_all(state.ATTRIBUTES)) & set(domain.names) or usual
    return f"{len(held)} of {count(len(domain), 'attribute')}"


def _choose_file() -> dict[str, Any] | None:
    """The uploaded table, read once; it stays in this session when the widget is gone."""
    st.file_uploader(
        "Table",
        type=["csv", "tsv", "txt", "parquet"],
        key=FILE,
        max_upload_size=MOST_BYTES // 10**6,
        on_change=_read_upload,
        help="CSV, TSV or Parquet, one row a record; or a row a cell, with a column named count. "
        "It stays in this session: it is not stored, and nobody else sees it.",
    )
    upload = st.session_state.get(state.UPLOAD)
    if upload is None:
        st.caption("It stays in this session's memory: nothing is stored, and nobody else sees it.")
    if refused := st.session_state.get(REFUSED):
        problem(refused)
        if upload is not None:
            st.caption(f"{plain(upload['name'])} is still in use.")
    return upload


def _read_upload() -> None:
    """Take in a new file. One that cannot be read replaces nothing."""
    st.session_state.pop(REFUSED, None)
    file, before = st.session_state.get(FILE), st.session_state.get(state.UPLOAD)
    if file is None:
        st.session_state.pop(state.UPLOAD, None)
        return
    content = file.getvalue()
    try:
        table = read_table(content, name=file.name, max_bytes=MOST_BYTES)
    except ValueError as error:
        st.session_state[REFUSED] = str(error)
        return
    upload = {"name": file.name, "id": blake2b(content, digest_size=8).hexdigest(), "table": table}
    inputs_schema.offer(upload, before)
    st.session_state[state.UPLOAD] = upload


def unconfirmed() -> dict[str, Any] | None:
    """The upload whose schema is still to be confirmed."""
    upload = st.session_state.get(state.UPLOAD)
    ours = st.session_state.get(state.TABLE) == OWN
    return upload if ours and upload is not None and "records" not in upload else None
