"""Streamlit's server counts bytes of uploads and visits for whoever asks at `/_stcore/metrics`: here it tells nothing.

No option of Streamlit turns the address off.
"""

from streamlit.runtime.stats import StatsManager


def tell_no_statistics() -> None:
    """Before a visitor can upload anything: let the server count nothing of tables, downloads and sessions."""
    StatsManager.get_stats = lambda self, family_names=None: {}  # noqa: ARG005 - as Streamlit calls it
