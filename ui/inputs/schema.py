"""The schema of an upload: proposed from the data, edited as a table or as text, and confirmed."""

from typing import Any

import streamlit as st

from mwem_core.data.encoding import encode
from mwem_core.data.proposal import left_out, propose
from mwem_core.domain.domain import Domain
from ui.inputs.schema_rows import KINDS, domain_of, rows_of
from ui.page.wording import problem
from ui.words.numbers import count, size

AS_ROWS, AS_TEXT = "As a table", "As text"
MODE, TEXT, FILE = "_schema_mode", "_schema_text", "_schema_file"
LEAK = (
    "This schema was read off the data. **Values and ranges that come from the data tell something of the people in "
    "it**, and no noise covers that: unless the data is public, replace them by what was known beforehand, such as a "
    "code book."
)


def offer(upload: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Start a schema for a new upload: what was edited for the last one if that fits, else a proposal."""
    upload["toml"] = ""
    if before is not None and _fits(before["toml"], upload["table"].column_names):
        upload |= {"toml": before["toml"], "edited": True}
    else:
        try:
            upload["toml"] = propose(upload["table"]).to_toml()
        except ValueError as error:
            upload["problem"] = str(error)
    _show_rows(upload)


def confirm_schema(upload: dict[str, Any]) -> None:
    """Let the user correct the schema and say that it is public; then the upload has its records."""
    st.session_state.setdefault(MODE, AS_ROWS)
    st.subheader("What may be known beforehand: the schema", anchor=False)
    if upload.get("edited"):
        st.caption("Everything in it is public: the release will not hide that these values were possible.")
    else:
        st.warning(LEAK, icon=":material/visibility:")
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.segmented_control(
            "Edit",
            [AS_ROWS, AS_TEXT],
            key=MODE,
            required=True,
            on_change=_switch,
            args=(upload,),
            label_visibility="collapsed",
        )
        with st.popover("Schema file", icon=":material/upload_file:"):
            st.file_uploader("A schema in TOML", type="toml", key=FILE, on_change=_read_schema, args=(upload,))
    domain = _edit_rows(upload) if st.session_state[MODE] == AS_ROWS else _edit_text(upload)
    if upload.get("problem") and upload.get("refused") in (None, domain):
        problem(upload["problem"])
    if domain is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Use this schema", type="primary", icon=":material/check:"):
            _use(upload, domain)
        st.caption(f"{count(len(domain), 'attribute')}, {size(domain.size)} possible records")


def _edit_rows(upload: dict[str, Any]) -> Domain | None:
    column = st.column_config
    rows = st.data_editor(
        upload["rows"],
        key=f"_schema_rows {upload['id']} {upload['version']}",
        hide_index=True,
        disabled=["name", "why"],
        column_order=["use", "name", "kind", "values", "missing", "other", "why"],
        column_config={
            "use": column.CheckboxColumn("Use", width=50),
            "name": column.TextColumn("Column", width="small"),
            "kind": column.SelectboxColumn("Kind", options=KINDS, required=True, width="small"),
            "values": column.TextColumn(
                "Values, bin edges or range", help="a, b, c · or 17, 25, 90 · or 0..99 by 10", width="large"
            ),
            "missing": column.TextColumn("Missing", help="This value is a category of its own", width="small"),
            "other": column.CheckboxColumn("Other", help="A category for everything else", width=60),
            "why": column.TextColumn("Left out because it", width="medium"),
        },
        alt="The schema: a row a column of the table",
    )
    upload["now"] = rows
    try:
        return domain_of(rows)
    except ValueError as error:
        problem(error)
        return None


def _edit_text(upload: dict[str, Any]) -> Domain | None:
    st.session_state.setdefault(TEXT, upload["toml"])
    text = st.text_area(
        "Schema",
        key=TEXT,
        height=320,
        label_visibility="collapsed",
        persist_state="session",
        help="One [[attribute]] block each, with a name and values, edges, range (and width) or bits.",
    )
    upload["toml"] = text
    try:
        return Domain.from_toml(text)
    except ValueError as error:
        problem(error)
        return None


def _switch(upload: dict[str, Any]) -> None:
    """Carry what was edited one way over to the other; a text that cannot be read stays text."""
    _forgive(upload)
    if st.session_state[MODE] == AS_TEXT:
        try:
            upload["toml"] = domain_of(upload["now"]).to_toml()
        except ValueError as error:
            upload["problem"] = f"{error} (the text is the schema as it was before)"
        st.session_state[TEXT] = upload["toml"]
    else:
        _show_rows(upload)


def _show_rows(upload: dict[str, Any]) -> None:
    """The rows of the schema's text; where there is none to read, the text itself."""
    try:
        upload["rows"] = rows_of(Domain.from_toml(upload["toml"]), left_out(upload["table"]))
        st.session_state[MODE] = AS_ROWS
    except ValueError:
        st.session_state[MODE] = AS_TEXT
    st.session_state[TEXT] = upload["toml"]
    upload["version"] = upload.get("version", 0) + 1


def _read_schema(upload: dict[str, Any]) -> None:
    file = st.session_state.get(FILE)
    if file is None:
        return
    _forgive(upload)
    try:
        text = file.getvalue().decode()
    except UnicodeDecodeError:
        upload["problem"] = f"{file.name} is not text: a schema is a TOML file in UTF-8"
        return
    upload |= {"toml": text, "edited": True}
    _show_rows(upload)
    try:
        _use(upload, Domain.from_toml(text), again=False)
    except ValueError as error:
        upload["problem"] = str(error)


def _forgive(upload: dict[str, Any]) -> None:
    upload.pop("problem", None)
    upload.pop("refused", None)


def _use(upload: dict[str, Any], domain: Domain, *, again: bool = True) -> None:
    try:
        upload["records"] = encode(upload["table"], domain)
    except ValueError as error:
        upload |= {"problem": str(error), "refused": domain}
        if again:
            st.rerun()
        return
    _forgive(upload)
    upload |= {"toml": domain.to_toml(), "edited": True}
    if again:
        st.rerun()


def _fits(toml: str, columns: list[str]) -> bool:
    try:
        return set(Domain.from_toml(toml).names) <= set(columns)
    except ValueError:
        return False


def summary(upload: dict[str, Any]) -> None:
    """One line once it is confirmed, with the way back."""
    domain = upload["records"].domain
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f":material/check: schema ok, {count(len(domain), 'attribute')}", width="content")
        if st.button("Edit schema", type="tertiary", key="_edit_schema"):
            upload.pop("records")
            _show_rows(upload)
            st.rerun()
