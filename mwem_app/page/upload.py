"""Where a page takes a file; in a public demo, a sentence in its place."""

from typing import Any

import streamlit as st
from streamlit import config
from streamlit.runtime.uploaded_file_manager import UploadedFile

from mwem_app.session.demo import NO_FILES, is_demo

LIMIT = "server.maxUploadSize"


def upload_file(label: str, **options: Any) -> UploadedFile | None:
    """`st.file_uploader` for one file, with its options. Pages take files by it or by `upload_files`."""
    if is_demo():
        st.info(NO_FILES, icon=":material/upload_file:")
        return None
    return st.file_uploader(label, **options)


def upload_files(label: str, **options: Any) -> list[UploadedFile]:
    """The same for several files."""
    if is_demo():
        st.info(NO_FILES, icon=":material/upload_file:")
        return []
    return st.file_uploader(label, accept_multiple_files=True, **options)


def refuse_uploads_in_demo() -> None:
    """Before a visitor of a demo can send a file: let the server refuse what no page asks for, whatever its size."""
    if is_demo():
        config.set_option(LIMIT, 0)
