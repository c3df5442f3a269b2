"""Streamlit's server counts bytes of uploads and visits for whoever asks at `/_stcore/metrics`: here it tells nothing.

No option of Streamlit turns the address off.
"""

from streamlit.runtime.stats import StatsManager


def tell_no_statistics() -> None:
    """Before a visitor can upload anything: keep the server from telling the sizes of tables, downloads and sessions."""
    StatsManager.get_stats = _nothing


def _nothing(manager: StatsManager, family_names: object = None) -> dict:  # noqa: ARG001 - as Streamlit calls it
    return {}
