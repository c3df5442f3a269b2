"""Uploads stay in memory: the reader of Streamlit's server would write what is over 1 MB to a temporary file meanwhile.

The limit of an upload's size is `server.maxUploadSize`. Nothing here knows Streamlit.
"""

from starlette.formparsers import MultiPartParser

NO_LIMIT = 0


def keep_uploads_in_memory() -> None:
    """Before a visitor can upload anything: write no upload to disk, however large."""
    MultiPartParser.spool_max_size = NO_LIMIT
