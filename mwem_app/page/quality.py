"""The sections of a quality report on a page, one at a time. The file of the report has the same."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from mwem_core.base import CORE

STYLES = CORE / "release" / "errors.css", Path(__file__).with_suffix(".css")
STYLE = "".join(file.read_text(encoding="utf-8") for file in STYLES)


def choose_section(headings: list[str], key: str) -> str:
    """Let the user choose a section of the report."""
    return st.segmented_control(
        "Section of the report", headings, default=headings[0], required=True, label_visibility="collapsed", key=key
    )


def show_section(sections: Mapping[str, str], heading: str) -> None:
    """Show a section of a quality report, as `sections_of` has found it, in the colours of the theme."""
    st.html(f"<style>{STYLE}</style><div class=quality>{sections[heading]}</div>")
