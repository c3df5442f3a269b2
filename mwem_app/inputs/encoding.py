"""The encoding of an uploaded file: unless the file is Unicode, it is a guess, which the user can check and change."""

from itertools import chain

import pyarrow as pa
import streamlit as st

from mwem_app.inputs.reading import read_otherwise
from mwem_app.inputs.upload import Upload
from mwem_app.page import plain
from mwem_app.session import state

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
CONFIRMED = "The schema has been confirmed with this encoding. To change it, upload the file again."


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
        format_func=_label,
        filter_mode=None,
        disabled=not upload.content,
        on_change=read_otherwise,
        args=(upload, "encoding", ENCODING),
        help=HELP if upload.content else CONFIRMED,
        width=420,
    )


def _label(encoding: str) -> str:
    return ENCODINGS.get(encoding, encoding)


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
