"""Where a page takes a file; in a public demo, a sentence in its place."""

from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from mwem_app.session import NO_FILES, is_demo


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
