"""How an uploaded text file is read: what divides its cells, and the decimal mark of its numbers."""

from dataclasses import replace

import streamlit as st

from mwem_core.data.delimited import DELIMITERS
from mwem_core.data.files import read_table
from mwem_core.data.numerals import DECIMALS
from ui.inputs.schema_text import read_again
from ui.inputs.upload import Upload
from ui.page.wording import plain, problem
from ui.session import state
from ui.words.numbers import count

DELIMITER, DECIMAL = "_table_delimiter", "_table_decimal"
THOUSANDS = {
    ".": "1234.5, 1,234.5 and 1 234.5 are the same number",
    ",": "1234,5, 1.234,5 and 1 234,5 are the same number",
}


def choose_reading(upload: Upload) -> None:
    """Say how a text file was read, and let the user change it until the schema is confirmed."""
    delimiter = upload.read_as("delimiter")
    if delimiter is not None:
        encoding = (upload.read_as("encoding") or "").upper()
        if upload.content:
            words = f"{encoding} · {delimiter} · 1{upload.decimal}5"
            with st.popover(plain(words), type="tertiary", key="_table_reading", help="How the file is read"):
                _select(upload, "Between cells", "delimiter", DELIMITER, list(DELIMITERS.values()), delimiter)
                _select(upload, "Decimal mark", "decimal", DECIMAL, list(DECIMALS), upload.decimal)
                st.caption(f"In columns of numbers, {THOUSANDS[upload.decimal]}. Columns of texts stay as they are.")
        else:
            st.caption(plain(f"Read as {encoding}, {delimiter}, decimal {DECIMALS[upload.decimal]}"))
    if titles := upload.read_as("titles"):
        st.caption(f"Left out: {count(int(titles), 'line')} above the column names.")
    if upload.reading_problem:
        problem(upload.reading_problem)


def _select(upload: Upload, label: str, what: str, key: str, options: list[str], now: str) -> None:
    st.session_state[key] = now  # also after a choice that cannot be read
    st.selectbox(
        label,
        options,
        key=key,
        format_func=_word,
        filter_mode=None,
        on_change=read_otherwise,
        args=(upload, what, key),
    )


def _word(option: str) -> str:
    return DECIMALS.get(option, option)


def read_otherwise(upload: Upload, what: str, key: str) -> None:
    """Read the file again with another choice, the value of a widget, or keep the reason why it cannot be read so.

    These are other records, but the same private data: the count of ε goes on.
    """
    if upload is not st.session_state.get(state.UPLOAD):  # another file has taken its place meanwhile
        return
    chosen, spent = replace(upload.chosen, **{what: st.session_state[key]}), state.epsilon_by_run(upload.source)
    try:
        table = read_table(upload.content, name=upload.name, min_rows=0, **chosen.chosen)
    except ValueError as error:
        upload.reading_problem = str(error)
        return
    upload.chosen, upload.reading_problem = chosen, ""
    upload.id = " ".join([upload.id.split()[0], *chosen.chosen.values()])
    st.session_state[state.EPSILON_BY_RUN][upload.source] = spent
    read_again(upload, table)
