"""How an uploaded file is read: its encoding, what divides its cells, its decimal mark, and which rows are records."""

from dataclasses import replace
from itertools import chain
from typing import Any

import pyarrow as pa
import streamlit as st

from mwem_app.inputs.schema_text import read_again
from mwem_app.inputs.upload import Upload
from mwem_app.page import plain, problem
from mwem_app.session import state
from mwem_core.forms import DECIMALS
from mwem_core.tables import CHOICES, FIRST_ROW, LAST_ROW, MAX_FOOTER, MAX_HEADER, asked_about, notes_of, read_table

DELIMITER, DECIMAL, HEADER, FOOTER = "_table_delimiter", "_table_decimal", "_table_header", "_table_footer"
HEADERS = {0: "none: the first row is a record", 1: "in the first row"} | {
    rows: f"in the first {rows} rows" for rows in range(2, MAX_HEADER + 1)
}
QUESTIONS = {  # what is chosen, the question, and its answers
    FIRST_ROW: (
        "header",
        "The first row looks like data. It is read as the names of the columns",
        {"The first row is data": 0, "It has the names": 1},
    ),
    LAST_ROW: ("footer", "The last row looks like a total or a note", {"Leave it out": 1, "It is a record": 0}),
}
GUESSES = {  # what is detected: the question, and the other answer
    "header": ("The names of the columns seem to stand in several rows.", "They are in the first row"),
    "footer": ("The last rows seem to be no records.", "All are records"),
}
PREVIEW_ROWS, PREVIEW_COLUMNS, MAX_SHOWN = 3, 50, 100
THOUSANDS = {
    ".": "1234.5, 1,234.5 and 1 234.5 are the same number",
    ",": "1234,5, 1.234,5 and 1 234,5 are the same number",
}
ENCODINGS = {
    "cp1252": "Western European (Windows-1252, Latin-1)",
    "cp1250": "Central European (Windows-1250)",
    "iso8859_2": "Central European (Latin-2)",
    "mac_roman": "Western European (old Macintosh)",
    "cp1257": "Baltic (Windows-1257)",
    "cp1254": "Turkish (Windows-1254)",
    "cp1253": "Greek (Windows-1253)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8_r": "Cyrillic (KOI8-R)",
    "cp1255": "Hebrew (Windows-1255)",
    "cp1256": "Arabic (Windows-1256)",
    "cp874": "Thai (Windows-874)",
    "cp850": "Western European (DOS)",
    "cp852": "Central European (DOS)",
    "cp866": "Cyrillic (DOS)",
    "cp932": "Japanese (Shift JIS)",
    "euc_jp": "Japanese (EUC-JP)",
    "gb18030": "Chinese, simplified (GB 18030)",
    "big5": "Chinese, traditional (Big5)",
    "euc_kr": "Korean (EUC-KR)",
}
ENCODING = "_table_encoding"
MAX_EXAMPLES = 5
MAX_EXAMPLE_LENGTH = 40
HELP = "The file is not UTF-8 and does not name its encoding. If the texts are misspelled, choose another encoding."
FIXED_HELP = "The schema has been confirmed with this encoding. To change it, upload the file again."


def choose_reading(upload: Upload, *, private: bool) -> None:
    """Say how a file was read, ask what it leaves open, and let the user change it until the schema is confirmed.

    On a `private` page no record is shown, and what was detected is asked about too.
    """
    delimiter, framed = upload.read_as("delimiter"), upload.read_as("delimiter") or upload.read_as("sheet")
    encoding = (upload.read_as("encoding") or "").upper()
    if framed and upload.content:
        words = f"{encoding} · {delimiter} · 1{upload.decimal}5" if delimiter else "Names and last rows"
        with st.popover(plain(words), type="tertiary", key="_table_reading", help="How the file is read"):
            if delimiter:
                names = dict.fromkeys([*CHOICES.values(), delimiter])
                _select(upload, "Between cells", "delimiter", DELIMITER, list(names), delimiter)
                _select(upload, "Decimal mark", "decimal", DECIMAL, list(DECIMALS), upload.decimal)
                st.caption(f"In columns of numbers, {THOUSANDS[upload.decimal]}. Columns of texts stay as they are.")
            header, footer = upload.header, upload.footer or 0
            _select(upload, "Names of the columns", "header", HEADER, list(HEADERS), 1 if header is None else header)
            _select(upload, "Last rows that are no records", "footer", FOOTER, list(range(MAX_FOOTER + 1)), footer)
    elif delimiter:
        st.caption(plain(f"Read as {encoding}, {delimiter}, decimal {DECIMALS[upload.decimal]}"))
    if said := notes_of(upload.table):
        st.caption(plain(" ".join(said)))
    if upload.content:
        _ask(upload, private=private)
    if upload.reading_problem:
        problem(upload.reading_problem)


def _ask(upload: Upload, *, private: bool) -> None:
    """Ask whether a row that looks like something else is a record; one click reads the file so."""
    for row, cells in asked_about(upload.table):
        what, question, answers = QUESTIONS[row]
        with st.container(border=True, key=f"_asked_{row}"):
            shown = "" if private or row == FIRST_ROW else f": {', '.join(filter(None, cells))[:MAX_SHOWN]}"
            st.markdown(plain(question + shown + "."))
            if row == FIRST_ROW and not private:
                rows = upload.table.slice(0, PREVIEW_ROWS).select(upload.table.column_names[:PREVIEW_COLUMNS])
                st.dataframe(rows.to_pydict(), hide_index=True, height="content")
            _answer(upload, what, answers)
    metadata = upload.table.schema.metadata or {}
    for what, (question, how) in GUESSES.items():
        if private and getattr(upload.chosen, what) is None and what.encode() in metadata:
            with st.container(border=True, key=f"_asked_{what}"):
                st.markdown(question)
                number = int(metadata[what.encode()])
                _answer(upload, what, {"That is so": number, how: 1 if what == "header" else 0})
    if upload.chosen.header == 0:
        _answer(upload, "header", {"The first row has the names": 1})


def _answer(upload: Upload, what: str, answers: dict[str, int]) -> None:
    """A button for each answer."""
    with st.container(horizontal=True, gap="small"):
        for label, number in answers.items():
            key = f"_table_{what}_{number}"
            st.button(label, key=key, on_click=read_with, args=(upload,), kwargs={what: number})


def _select(upload: Upload, label: str, what: str, key: str, options: list[Any], now: Any) -> None:
    st.session_state[key] = now  # also after a choice that cannot be read
    st.selectbox(
        label,
        options,
        key=key,
        format_func=HEADERS.__getitem__ if what == "header" else lambda each: str(DECIMALS.get(str(each), each)),
        filter_mode=None,
        on_change=read_otherwise,
        args=(upload, what, key),
    )


def read_otherwise(upload: Upload, what: str, key: str) -> None:
    """Read the file again with another choice, the value of a widget."""
    read_with(upload, **{what: st.session_state[key]})


def read_with(upload: Upload, **choice: str | int) -> None:
    """Read the file again with another choice, or keep the reason why it cannot be read so.

    These are other records, but the same private data: the count of ε goes on.
    """
    if upload is not st.session_state.get(state.UPLOAD):  # another file has taken its place meanwhile
        return
    chosen, spent = replace(upload.chosen, **choice), state.epsilon_by_run(upload.source)
    try:
        table = read_table(upload.content, name=upload.name, min_rows=0, **chosen.chosen)
    except ValueError as error:
        upload.reading_problem = str(error)
        return
    upload.chosen, upload.reading_problem = chosen, ""
    upload.id = " ".join([upload.id.split()[0], *chosen.words])
    st.session_state[state.EPSILON_BY_RUN][upload.source] = spent
    read_again(upload, table)


def check_encoding(upload: Upload) -> None:
    """Show the guessed encoding with texts that depend on it, and let the user choose another."""
    if upload.encoding is None:
        return
    st.subheader("Encoding: are these texts spelled correctly?", anchor=False)
    examples: list[str] = state.remember("examples", upload.id, lambda: _examples(upload.table))
    st.markdown(" · ".join(f"**{plain(text)}**" for text in examples))
    choose_encoding(upload)


def choose_encoding(upload: Upload) -> None:
    """Let the user choose another encoding than the guessed one."""
    if upload.encoding is None:
        return
    st.session_state[ENCODING] = upload.encoding  # also after a choice that cannot decode the file
    st.selectbox(
        "The file is not UTF-8. It is read as",
        list(dict.fromkeys([*ENCODINGS, upload.encoding])),
        key=ENCODING,
        format_func=lambda each: str(ENCODINGS.get(each, each)),
        filter_mode=None,
        disabled=not upload.content,
        on_change=read_otherwise,
        args=(upload, "encoding", ENCODING),
        help=HELP if upload.content else FIXED_HELP,
        width=420,
    )


def _examples(table: pa.Table) -> list[str]:
    """The first distinct values, then column names, that are not ASCII: their spelling depends on the encoding."""
    values = (text for column in table.columns for chunk in column.chunks for text in chunk.dictionary.to_pylist())
    texts: dict[str, None] = {}
    for text in chain(values, table.column_names):
        if not text.isascii():
            texts[text[:MAX_EXAMPLE_LENGTH]] = None
        if len(texts) == MAX_EXAMPLES:
            break
    return list(texts)
